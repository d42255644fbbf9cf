"""Log start offsets move where retention is entitled to move them, and consumers go on there."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Written
from minikafka.messages.produce import ProduceResponse
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.final_checks import final_checks
from minikafka.sim.checks.history import History
from minikafka.sim.checks.retention_checks import RetentionChecks
from minikafka.sim.drive.workload import ClientConnections, SimConsumer
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from minikafka.sim.world.violation import Violation
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    produce_request,
    replica,
    started_cluster,
)

WHERE = TopicPartition("t", 0)
KEPT_BYTES = 200
GIVEN = {
    "log.roll.ms": "1000",
    "log.retention.bytes": str(KEPT_BYTES),
    "log.retention.check.interval.ms": "2000",
    "log.initial.task.delay.ms": "2000",
}


@pytest.fixture
def cluster():
    """Three replicas that have let their first segments go."""
    cluster = started_cluster(3, given=GIVEN)
    create_topic(cluster, "t", replicas=[[1, 2, 3]])
    for number in range(8):
        # Segments are rolled by the times in records.
        records = batch(b"%d" % number, timestamp=EPOCH_MS + cluster.world.now_ms)
        cluster.client().ask(produce_request("t", records), ProduceResponse, version=BY_NAME)
        cluster.world.run(1_500)
    cluster.world.run(5_000)
    assert replica(cluster, 1, "t").log.log_start_offset > 0
    return cluster


def look(cluster, checks):
    for node_id in cluster.broker_ids:
        checks.check(cluster.nodes[node_id], replica(cluster, node_id, "t"))


def test_retention_is_noted_once_a_replica(cluster):
    checks = RetentionChecks(KEPT_BYTES)
    look(cluster, checks)
    look(cluster, checks)
    start = max(replica(cluster, x, "t").log.log_start_offset for x in cluster.broker_ids)
    assert (checks.trimmed, checks.coverage.checks) == ({WHERE: start}, 3)


@pytest.mark.parametrize("retention_bytes", [-1, 100_000])
def test_a_log_that_keeps_less_than_its_retention_is_found(cluster, retention_bytes):
    with pytest.raises(Violation, match=r"retention: t-0: n1 starts at \d+ and keeps \d+ bytes"):
        look(cluster, RetentionChecks(retention_bytes))


def test_a_log_that_begins_above_its_high_watermark_is_found(cluster):
    log = replica(cluster, 1, "t").log
    log.high_watermark = log.log_start_offset - 1
    with pytest.raises(Violation, match="retention: t-0: n1 starts at .* above its high watermark"):
        look(cluster, RetentionChecks(KEPT_BYTES))


def test_a_follower_may_begin_where_a_leader_has_begun(cluster):
    checks = RetentionChecks(KEPT_BYTES)
    checks.check(cluster.nodes[1], replica(cluster, 1, "t"))
    checks.retention_bytes = 100_000
    follower = replica(cluster, 2, "t")
    follower.log.log_start_offset = checks.trimmed[WHERE]
    checks.check(cluster.nodes[2], follower)
    assert checks.coverage.checks == 2


def test_a_replica_with_a_later_log_start_restarts_behind_an_unclean_leader(cluster):
    """The leader's move must be noted then, or its followers' moves are violations."""
    checks = RetentionChecks(KEPT_BYTES)
    first = replica(cluster, 1, "t")
    start = first.log.log_start_offset
    look(cluster, checks)
    checks.records_removed(WHERE, 0)
    for at, trimmed in ((0, 0), (start, start)):
        first.log.log_start_offset = at
        checks.check(cluster.nodes[1], first)
        assert checks.trimmed[WHERE] == trimmed


def test_a_follower_may_begin_where_an_unclean_leader_began_before(cluster):
    checks = RetentionChecks(KEPT_BYTES)
    leader, follower = (replica(cluster, node, "t") for node in (1, 2))
    start = leader.log.log_start_offset
    checks.check(cluster.nodes[1], leader)
    checks.records_removed(WHERE, 0)
    checks.retention_bytes = 100_000
    follower.log.log_start_offset = start
    checks.check(cluster.nodes[2], follower)
    assert checks.trimmed[WHERE] == 0
    follower.log.log_start_offset = start + 1
    with pytest.raises(Violation, match=f"n2 starts at {start + 1}"):
        checks.check(cluster.nodes[2], follower)


def die_after_a_deletion(cluster, checks):
    """Broker 1 ends in the step that deletes its first segments, and loses its last record."""
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    start, partition.log.log_start_offset = partition.log.log_start_offset, 0
    checks.check(node, partition)
    node.on_end = checks.process_ended
    node.kill()
    (disk,) = node.disks.values()
    last = max(path for path, size in disk.sizes("t-0").items() if path.endswith(".log") and size)
    disk.content(last).clear()
    partition.log.log_start_offset = start
    return partition


def test_what_a_process_deletes_in_its_last_step_is_compared_with_what_it_leaves(cluster):
    """Seed 70004218: the machine lost power in that step, and unsynced records with it."""
    log = replica(cluster, 1, "t").log
    checks = RetentionChecks(log.size_bytes)
    partition = die_after_a_deletion(cluster, checks)
    assert log.size_bytes < checks.retention_bytes
    assert checks.trimmed == {WHERE: log.log_start_offset}
    checks.check(cluster.nodes[1], partition)


@pytest.mark.parametrize("keeps_everything", [True, False])
def test_a_process_that_deletes_too_much_in_its_last_step_is_found(cluster, keeps_everything):
    size = replica(cluster, 1, "t").log.size_bytes
    checks = RetentionChecks(-1 if keeps_everything else size + 1)
    partition = die_after_a_deletion(cluster, checks)
    assert checks.trimmed == {}
    with pytest.raises(Violation, match=r"retention: t-0: n1 starts at \d+ and keeps \d+ bytes"):
        checks.check(cluster.nodes[1], partition)


def test_a_process_that_deletes_uncommitted_records_in_its_last_step_is_found(cluster):
    log = replica(cluster, 1, "t").log
    log.high_watermark = log.log_start_offset - 1
    checks = RetentionChecks(log.size_bytes)
    partition = die_after_a_deletion(cluster, checks)
    assert checks.trimmed == {}
    with pytest.raises(Violation, match="above its high watermark"):
        checks.check(cluster.nodes[1], partition)


def test_only_records_removed_by_retention_may_be_missing(cluster):
    """An unclean election gives the same offsets to new records, which are not old yet."""
    checkers = Checkers(History(), 2, elr_enabled=True, nodes=cluster.nodes)
    checkers.retention.retention_bytes = KEPT_BYTES
    checkers.check(cluster.nodes[1])
    start = checkers.retention.trimmed[WHERE]
    checkers.history.writes[WHERE] = [Written(b"a", -1, 0, start - 1), Written(b"b", -1, 0, start)]
    [problem] = final_checks(checkers, checkers.history, {WHERE: {}})
    assert problem.startswith(f"lost: {WHERE} b'b'")
    checkers.retention.records_removed(WHERE, start - 1)
    assert len(final_checks(checkers, checkers.history, {WHERE: {}})) == 2


def test_a_consumer_goes_on_where_the_log_begins(cluster):
    history = History()
    bootstrap = [(host(1), BROKER_PORT)]
    connections = ClientConnections(cluster.world, cluster.network, "c", bootstrap, Random(1))
    consumer = SimConsumer(connections, history, [WHERE])
    consumer.start()
    log = replica(cluster, 1, "t").log
    cluster.world.run_until(
        lambda: consumer.positions[WHERE] == log.log_end_offset, 5_000, "everything is read"
    )
    assert min(history.reads[WHERE]) == log.log_start_offset
    assert consumer.resets == 1


def restored(cluster, checks, *, log_start_offset, is_checked_at_once=True):
    """Broker 1 has restarted its log behind an unclean leader; then a backup of it comes back."""
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    checks.check(node, partition)
    checks.records_removed(WHERE, 0)
    partition.log.log_start_offset = 0
    checks.check(node, partition)
    checks.retention_bytes = 100_000
    partition.log.log_start_offset = log_start_offset
    node.starts += 1
    node.has_old_disks = True
    if not is_checked_at_once:
        checks.process_ended(node)
        node.has_old_disks = False
        node.starts += 1
    checks.check(node, partition)


@pytest.mark.parametrize("is_checked_at_once", [True, False])
def test_a_backup_has_its_log_start_offset(cluster, is_checked_at_once):
    """Seed 74000171."""
    checks = RetentionChecks(KEPT_BYTES)
    start = replica(cluster, 1, "t").log.log_start_offset
    restored(cluster, checks, log_start_offset=start, is_checked_at_once=is_checked_at_once)
    assert checks.coverage.events["log start offsets from backups"] == 1
    assert checks.trimmed[WHERE] == 0
    # The next move is the replica's own.
    node, partition = cluster.nodes[1], replica(cluster, 1, "t")
    partition.log.log_start_offset = 0
    checks.check(node, partition)
    partition.log.log_start_offset = start
    with pytest.raises(Violation, match=f"n1 starts at {start}"):
        checks.check(node, partition)


def test_no_backup_begins_later_than_its_replica_ever_did(cluster):
    start = replica(cluster, 1, "t").log.log_start_offset + 1
    with pytest.raises(Violation, match=f"n1 starts at {start}"):
        restored(cluster, RetentionChecks(KEPT_BYTES), log_start_offset=start)
