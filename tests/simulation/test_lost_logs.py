"""A replica whose folder was removed while its broker was down holds nothing (C2, E7, L6)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.metadata.features import DEFAULT_LEVELS
from tests.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    started_cluster,
    values_of,
)

RECORDS = [b"%d" % number for number in range(5)]


class Removed:
    """Broker 1 had the only replica, or the last one in the ISR, and its folder is gone."""

    def __init__(self, *, clean=True, elr=1, **topic):
        levels = {**DEFAULT_LEVELS, "eligible.leader.replicas.version": elr}
        self.cluster = started_cluster(2, separate_controller=True, levels=levels)
        create_topic(self.cluster, "t", **topic)
        for value in RECORDS:
            assert produce(leader_client(self.cluster, "t"), "t", value).error_code == 0
        self.cluster.world.run(11_000)
        self.node = self.cluster.nodes[1]
        (self.disk,) = self.node.disks.values()
        if clean:
            self.stop()
        else:
            self.node.kill()
            self.cluster.world.run(12_000)
        self.files = {
            name: bytes(file.read_at(0, file.size))
            for name in self.disk.list("t-0")
            for file in [self.disk.open(f"t-0/{name}")]
        }
        self.disk.remove("t-0")

    def stop(self):
        self.node.shut_down()
        self.cluster.world.run_until(lambda: not self.node.alive, 60_000, "it stops")

    def start(self):
        self.node.start()
        self.cluster.world.run(20_000)
        assert self.node.started

    @property
    def leader(self):
        return registration(self.cluster, "t").leader


@pytest.mark.parametrize("clean", [False, True])
@pytest.mark.parametrize("elr", [0, 1])
def test_the_only_replica_is_offline_until_its_log_is_back(clean, elr):
    world = Removed(clean=clean, elr=elr, replicas=[[1]])
    for _ in range(2):
        world.start()
        assert world.leader == -1
        answer = produce(world.cluster.client(node_id=1), "t", b"x")
        assert answer.error_code == ErrorCode.KAFKA_STORAGE_ERROR
        assert not world.disk.exists("t-0")
        world.stop()
    world.disk.make_dir("t-0")
    for name, content in world.files.items():
        world.disk.open(f"t-0/{name}", create=True).append(content)
    world.start()
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS


def test_an_operator_may_accept_the_loss():
    world = Removed(replicas=[[1]])
    world.start()
    world.stop()
    world.disk.make_dir("t-0")
    world.start()
    assert produce(leader_client(world.cluster, "t"), "t", b"x").base_offset == 0


def test_a_replica_that_is_gone_is_copied_from_its_leader():
    world = Removed(replicas=[[1, 2]])
    world.start()
    assert sorted(registration(world.cluster, "t").isr) == [1, 2]
    world.cluster.nodes[2].kill()
    world.cluster.world.run(20_000)
    assert world.leader == 1
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS


def test_a_replica_that_is_gone_leads_nothing_before_another_is_back():
    world = Removed(replicas=[[1, 2]])
    world.cluster.nodes[2].kill()
    world.start()
    assert world.leader == -1
    world.cluster.nodes[2].start()
    world.cluster.world.run(20_000)
    assert sorted(registration(world.cluster, "t").isr) == [1, 2]
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS


def test_a_topic_of_that_name_that_is_made_later_has_a_log():
    world = Removed(replicas=[[1]])
    world.start()
    client = world.cluster.client(node_id=2)
    request = DeleteTopicsRequest(topic_names=["t"], timeout_ms=5_000)
    (result,) = client.ask(request, DeleteTopicsResponse, version=5).responses
    assert result.error_code == 0
    create_topic(world.cluster, "t", replicas=[[1]])
    world.cluster.world.run(1_000)
    assert produce(leader_client(world.cluster, "t"), "t", b"x").base_offset == 0
    world.stop()
    world.start()
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == [b"x"]
