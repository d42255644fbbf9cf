"""A replica whose folder was removed while its broker was down holds nothing (C2, E7, L6)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import DIRECTORY_LOST, Uuid
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.elect_leaders import (
    ElectLeadersRequest,
    ElectLeadersResponse,
    TopicPartitions,
)
from minikafka.metadata.features import DEFAULT_LEVELS
from minikafka.raft.storage import format_directory
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.sim_world import (
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

    def __init__(self, *, clean=True, elr=1, ends_with=None, **topic):
        levels = {**DEFAULT_LEVELS, "eligible.leader.replicas.version": elr}
        self.cluster = started_cluster(2, separate_controller=True, levels=levels)
        create_topic(self.cluster, "t", **topic)
        for value in RECORDS:
            assert produce(leader_client(self.cluster, "t"), "t", value).error_code == 0
        self.cluster.world.run(11_000)
        if ends_with is not None:
            self.cluster.nodes[3 - ends_with].kill()
            self.cluster.world.run_until(
                lambda: registration(self.cluster, "t").isr == (ends_with,), 60_000, "ISR shrinks"
            )
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


def test_a_removed_replica_is_copied_from_its_leader():
    world = Removed(replicas=[[1, 2]])
    world.start()
    assert sorted(registration(world.cluster, "t").isr) == [1, 2]
    world.cluster.nodes[2].kill()
    world.cluster.world.run(20_000)
    assert world.leader == 1
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS


def test_a_removed_replica_does_not_lead_before_another_is_back():
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


@pytest.mark.parametrize("unreadable", ["the third", "its own"])
@pytest.mark.parametrize("elr", [0, 1])
def test_a_log_that_the_controller_knows_as_lost_stays_lost(elr, unreadable):
    """Whatever directory is unreadable at the next start: it may hold the log, or not."""
    levels = {**DEFAULT_LEVELS, "eligible.leader.replicas.version": elr}
    cluster = started_cluster(2, separate_controller=True, log_dirs=3, levels=levels)
    create_topic(cluster, "t", replicas=[[1], [1], [1]])
    node = cluster.nodes[1]
    logs = node.node.broker.logs
    (at, home), *_ = (
        (at, logs.directory_of(at).disk.root) for at in logs.logs
        if logs.directory_of(at).disk.root != node.config.metadata_log_dir
    )  # fmt: skip
    assert produce(leader_client(cluster, *at), "t", b"x", partition=at.partition).error_code == 0

    def restart(disks):
        node.shut_down()
        cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
        node.use(disks)
        node.start()
        cluster.world.run(20_000)

    disks = dict(node.disks)
    cluster.world.run(11_000)
    restart({path: disk for path, disk in disks.items() if path != home})
    assert registration(cluster, *at).directory(1) == DIRECTORY_LOST
    kept = [path for path in disks if path not in (home, node.config.metadata_log_dir)]
    broken = disks[home if unreadable == "its own" else kept[0]]
    broken.broken = IO_ERROR
    restart({path: disk for path, disk in disks.items() if path != home or disk is broken})
    assert registration(cluster, *at).leader == -1
    broken.repair()
    restart(disks)
    answer = fetch(leader_client(cluster, *at), "t", partition=at.partition)
    assert values_of(answer) == [b"x"]


class Replaced(Removed):
    """As `Removed`; the whole disk is gone, and an empty one is in its place."""

    def start(self):
        for path in self.node.disks:
            if self.node.disks[path] is self.disk:
                self.node.disks[path] = SimDisk(path)
                format_directory(
                    self.node.disks[path],
                    cluster_id=self.cluster.cluster_id,
                    node_id=1,
                    directory_id=Uuid.of(77, 1),
                )
        super().start()


@pytest.mark.parametrize("elr", [0, 1])
def test_the_only_replica_is_offline_on_an_empty_disk(elr):
    """L6: whether the controller hears of the directory before it unfences the broker or after."""
    world = Replaced(clean=False, elr=elr, replicas=[[1]])
    for _ in range(2):
        world.start()
        now = registration(world.cluster, "t")
        assert (now.leader, now.directory(1)) == (-1, DIRECTORY_LOST)
        world.stop()
    (disk,) = world.node.disks.values()
    disk.make_dir("t-0")
    world.start()
    assert produce(leader_client(world.cluster, "t"), "t", b"x").base_offset == 0


@pytest.mark.parametrize("elr", [0, 1])
def test_an_empty_disk_is_filled_when_another_replica_leads(elr):
    """L1: a broker that restarts empty does not lead before the one with all records is back."""
    world = Replaced(clean=False, elr=elr, replicas=[[1, 2]])
    world.start()
    assert sorted(registration(world.cluster, "t").isr) == [1, 2]
    world.cluster.nodes[2].kill()
    world.cluster.world.run(20_000)
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS


@pytest.mark.parametrize("elr", [0, 1])
def test_an_operator_elects_a_replica_that_has_records_instead(elr):
    """A3: 1 was the last one in the ISR; its disk is empty, and 2 is behind."""
    world = Replaced(clean=False, elr=elr, replicas=[[1, 2]], ends_with=1)
    world.start()
    assert registration(world.cluster, "t").leader == -1
    world.cluster.nodes[2].start()
    world.cluster.world.run(20_000)
    assert registration(world.cluster, "t").leader == -1
    partitions = [TopicPartitions(topic="t", partitions=[0])]
    request = ElectLeadersRequest(election_type=1, topic_partitions=partitions, timeout_ms=5_000)
    client = world.cluster.client(node_id=2)
    assert client.ask(request, ElectLeadersResponse).error_code == 0
    world.cluster.world.run(5_000)
    assert sorted(registration(world.cluster, "t").isr) == [1, 2]
    assert values_of(fetch(leader_client(world.cluster, "t"), "t")) == RECORDS
