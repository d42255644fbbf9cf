"""A broker has one log of each partition, and a move leaves an equal one."""

import pytest

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.directories.log_manager import LogManager
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.checks.log_dir_checks import LogDirChecks
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import create_topic, produce, replica, started_cluster

T = TopicPartition("t", 0)


@pytest.fixture
def cluster():
    """One broker with two directories and the partition t-0."""
    cluster = started_cluster(1, log_dirs=2)
    create_topic(cluster, "t")
    for number in range(5):
        produce(cluster.client(), "t", b"%d" % number)
    return cluster


def watch(cluster, checks):
    def stepped(node):
        checks.check_node(node)
        for partition in node.node.broker.replicas.partitions.values():
            checks.check(node, partition)

    for node in cluster.nodes.values():
        node.on_step = stepped


def logs_of(cluster):
    return cluster.nodes[1].node.broker.logs


def request_move(cluster):
    logs = logs_of(cluster)
    target = next(each for each in logs.directories if each is not logs.directory_of(T))
    topics = [AlterReplicaLogDirTopic("t", [0])]
    request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(target.disk.root, topics)])
    cluster.client().ask(request, AlterReplicaLogDirsResponse, version=2)
    return target


def test_a_move_is_counted_and_its_log_compared(cluster):
    swapped = []
    checks = LogDirChecks(Coverage(), lambda *key: swapped.append(key))
    watch(cluster, checks)
    target = request_move(cluster)
    cluster.world.run_until(lambda: logs_of(cluster).directory_of(T) is target, 20_000, "it moves")
    cluster.world.run(1_000)
    assert swapped == [(1, T)]
    assert checks.coverage.events["replica moves completed"] == 1
    assert checks.coverage.rules["SwappedLog"] == 1
    assert checks.coverage.rules["FutureLog"] > 0
    assert checks.coverage.rules["OneLog"] > 0


def test_moves_that_a_crash_interrupts_are_counted(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    watch(cluster, checks)
    request_move(cluster)
    cluster.nodes[1].kill()
    cluster.nodes[1].start()
    cluster.world.run_until(cluster.all_started, 30_000, "it serves again")
    assert checks.coverage.events["replica moves interrupted by a crash"] == 1
    assert checks.coverage.events["replica moves continued after a crash"] == 1


def test_a_replica_with_two_logs_is_a_violation(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    checks.check(node, partition)
    logs = logs_of(cluster)
    other = next(each for each in logs.directories if each is not logs.directory_of(T))
    other.add(T, partition.log)
    with pytest.raises(Violation, match="OneLog: t-0: n1 serves the log in"):
        checks.check(node, partition)


def test_a_log_that_lacks_records_after_its_move_is_a_violation(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    checks.check(node, partition)
    target = request_move(cluster)
    cluster.world.run_until(lambda: logs_of(cluster).directory_of(T) is target, 20_000, "it moves")
    partition.log.truncate_to(3, node.now)
    with pytest.raises(Violation, match="SwappedLog: t-0: n1 moved its log from"):
        checks.check(node, partition)


def damaged_before_its_move(cluster, checks):
    """A broker with one log that was damaged and then moved; the copy is sound."""
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    checks.check(node, partition)
    former = partition.log
    target = request_move(cluster)
    cluster.world.run_until(lambda: logs_of(cluster).directory_of(T) is target, 20_000, "it moves")
    disk = node.disks[former.disk.root]
    (folder,) = (x for x in disk.list("") if x.startswith("t-0."))
    disk.content(f"{folder}/{'0' * 20}.log")[8:12] = b"\xcf\xe5\x00\x00"
    return node, partition


def test_a_log_that_was_damaged_before_the_end_of_its_move_is_not_compared(cluster):
    """Seed 75000557."""
    coverage = Coverage()
    checks = LogDirChecks(coverage, lambda *_: None, is_damaged=lambda log: True)
    node, partition = damaged_before_its_move(cluster, checks)
    checks.check(node, partition)
    assert coverage.excuses["log that was damaged before the end of its move"] == 1


def test_the_end_of_a_damaged_log_is_compared(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None, is_damaged=lambda log: True)
    node, partition = damaged_before_its_move(cluster, checks)
    partition.log.truncate_to(3, node.now)
    with pytest.raises(Violation, match="SwappedLog: t-0: n1 moved its log from"):
        checks.check(node, partition)


def test_a_future_log_with_a_higher_high_watermark_is_a_violation(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    request_move(cluster)
    future = logs_of(cluster).futures.get(T)
    assert future.log_end_offset > 0
    checks.check_node(node)
    partition.log.high_watermark = 0
    checks._futures.clear()
    with pytest.raises(Violation, match="FutureLog: t-0: the future log of n1"):
        checks.check_node(node)


@pytest.mark.parametrize("missing", ["get", "futures"])
def test_a_move_without_two_logs_is_a_violation(cluster, monkeypatch, missing):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    request_move(cluster)
    logs = logs_of(cluster)
    if missing == "futures":
        logs.futures.abandon(T)
    else:
        monkeypatch.setattr(LogManager, "get", lambda *_: None)
    with pytest.raises(Violation, match="OneLog: t-0: n1 moves a replica without two logs"):
        checks.check_node(cluster.nodes[1])


def test_a_replica_with_the_log_of_a_former_topic_is_a_violation(cluster):
    checks = LogDirChecks(Coverage(), lambda *_: None)
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    checks.check(node, partition)
    partition.topic_id = Uuid.of(1, 1)
    with pytest.raises(Violation, match="OneLog: t-0: n1 serves the log in .* with topic id"):
        checks.check(node, partition)
