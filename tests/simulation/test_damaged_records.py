"""Damaged records are never served; another replica leads where there is one."""

import logging

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    replica,
    started_cluster,
    values_of,
)

LOG = "t-0/00000000000000000000.log"
VALUES = [b"value %d" % number for number in range(8)]


class Damaged:
    """Broker 1 has stopped, and a bit of one record in its log has changed."""

    def __init__(self, replicas, *, clean=True, offset=3):
        self.cluster = started_cluster(3, separate_controller=True)
        create_topic(self.cluster, "t", replicas=[replicas])
        for value in VALUES:
            assert produce(leader_client(self.cluster, "t"), "t", value).error_code == 0
        self.cluster.world.run(61_000)
        self.node = self.cluster.nodes[1]
        (self.disk,) = self.node.disks.values()
        if clean:
            self.node.shut_down()
            self.cluster.world.run_until(lambda: not self.node.alive, 60_000, "it stops")
        else:
            self.node.kill()
            self.cluster.world.run(20_000)
        self.repair = self.disk.flip(LOG, bytes(self.disk.content(LOG)).index(VALUES[offset]), 0)

    def start(self, *, alone=False):
        self.node.start()
        self.cluster.world.run(20_000)
        elect = ElectLeadersRequest(topic_partitions=None, timeout_ms=5_000)
        self.cluster.client(node_id=1).ask(elect, ElectLeadersResponse)
        self.cluster.world.run(1_000)
        if alone:
            for other in (2, 3):
                self.cluster.nodes[other].kill()
            self.cluster.world.run(20_000)
        assert registration(self.cluster, "t").leader == 1

    def read(self, offset):
        return fetch(leader_client(self.cluster, "t"), "t", offset)


def test_another_member_of_the_isr_leads_and_the_replica_is_copied(caplog):
    world = Damaged([1, 2, 3])
    world.start()
    before = world.cluster.nodes[1].node.broker.replicas
    with caplog.at_level(logging.WARNING):
        assert values_of(world.read(0)) == VALUES[:3]
        # A consumer that gets CORRUPT_MESSAGE stops; with this it asks the next leader.
        assert world.read(3).error_code == ErrorCode.KAFKA_STORAGE_ERROR
        world.cluster.world.run(1_000)
        assert registration(world.cluster, "t").leader != 1
        assert values_of(world.read(0)) == VALUES
    (line,) = [x.getMessage() for x in caplog.records if x.levelno == logging.ERROR]
    assert f"{world.disk.root}/{LOG}: damaged at byte" in line
    assert "offset 3: checksum" in line
    (folder,) = [name for name in world.disk.list("") if name.endswith("-stray")]
    assert f"remove {world.disk.root}/{folder} when that is done" in line
    assert before.damaged_count == 1
    world.cluster.world.run(20_000)
    assert sorted(registration(world.cluster, "t").isr) == [1, 2, 3]
    assert replica(world.cluster, 1, "t").log.log_end_offset == len(VALUES)
    for other in (2, 3):
        world.cluster.nodes[other].kill()
    world.cluster.world.run(20_000)
    assert registration(world.cluster, "t").leader == 1
    assert values_of(world.read(0)) == VALUES


@pytest.mark.parametrize("replicas", [[1], [1, 2]])
def test_the_last_replica_serves_what_is_sound(caplog, replicas):
    world = Damaged(replicas)
    world.start(alone=True)
    for _ in range(2):
        assert values_of(world.read(0)) == VALUES[:3]
        assert world.read(3).error_code == ErrorCode.CORRUPT_MESSAGE
        assert values_of(world.read(4)) == VALUES[4:]
    (line,) = [x.getMessage() for x in caplog.records if LOG in x.getMessage()]
    assert "No other replica is in sync: restore the file from a copy" in line
    world.node.shut_down()
    world.cluster.world.run_until(lambda: not world.node.alive, 60_000, "it stops")
    world.repair()
    world.start()
    assert values_of(world.read(0)) == VALUES


@pytest.mark.parametrize(
    ("replicas", "error"),
    [([1, 2, 3], ErrorCode.KAFKA_STORAGE_ERROR), ([1], ErrorCode.CORRUPT_MESSAGE)],
)
def test_a_search_by_time_finds_damage_too(caplog, replicas, error):
    world = Damaged(replicas, offset=0)
    world.start()
    request = ListOffsetsRequest(
        replica_id=-1,
        topics=[ListOffsetsTopic("t", [ListOffsetsPartition(partition_index=0, timestamp=1)])],
    )
    answer = leader_client(world.cluster, "t").ask(request, ListOffsetsResponse, version=7)
    assert answer.topics[0].partitions[0].error_code == error
    (line,) = [x.getMessage() for x in caplog.records if LOG in x.getMessage()]
    assert "damaged at byte 0, offset 0: checksum" in line
    world.cluster.world.run(1_000)
    assert (registration(world.cluster, "t").leader == 1) == (len(replicas) == 1)


def test_a_follower_gets_no_damaged_records():
    world = Damaged([1, 2])
    follower = world.cluster.nodes[2]
    world.start(alone=True)
    (disk,) = follower.disks.values()
    disk.remove("t-0")
    follower.start()
    world.cluster.world.run(20_000)
    assert registration(world.cluster, "t").isr == (1,)
    assert replica(world.cluster, 2, "t").log.log_end_offset == 3


def test_a_replica_killed_during_its_removal_does_not_lead_with_an_empty_log():
    world = Damaged([1, 2, 3])
    world.start()
    world.cluster.network.cut("n1", "n100")
    assert world.read(3).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    world.cluster.world.run(100)
    world.node.kill()
    world.cluster.network.heal_all()
    world.node.start()
    world.cluster.world.run(30_000)
    now = registration(world.cluster, "t")
    assert now.leader != 1
    assert sorted(now.isr) == [1, 2, 3]
    assert values_of(world.read(0)) == VALUES
    assert replica(world.cluster, 1, "t").log.log_end_offset == len(VALUES)
