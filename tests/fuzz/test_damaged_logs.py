"""A damaged log gives the error of a refused read, and never a traceback."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.errors import ErrorCode
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.fuzz.damaged_logs import (
    END,
    FOLLOWER,
    LEADER,
    PER_BATCH,
    ask_all,
    content_of,
    damaged_cluster,
    place_of,
    run_damaged,
)
from tests.fuzz.log_lines import tracebacks
from tests.worlds.sim_world import BY_NAME, fetch, fetch_request, produce, replica

SEEDS = range(1, 13)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_damaged_log_is_an_error_and_other_partitions_continue(seed):
    assert run_damaged(seed)


@pytest.mark.parametrize(
    ("at", "value"),
    [(8, b"\xff"), (8, b"\0\0\0\4"), (16, b"\x09")],
    ids=["negative length", "short", "magic"],
)
def test_a_fetch_beyond_bytes_that_are_no_batch_is_refused(at, value):
    """No other replica can lead: what lies before the damage is still served."""
    cluster, client = damaged_cluster(replicas=(LEADER,))
    content = content_of(cluster)
    start, _ = place_of(content, 2)
    content[start + at : start + at + len(value)] = value
    fresh_reader(cluster)
    assert fetch(client, "t", END - 1).error_code == ErrorCode.CORRUPT_MESSAGE
    assert ask_all(cluster, client)["Fetch", "CORRUPT_MESSAGE"] == 2 * (END - 4)


def fresh_reader(cluster):
    """Forget where batches begin: another reader than the last writer comes."""
    log = replica(cluster, LEADER, "t").log
    log.segments.active.indexes.hints.clear()


def test_a_fetch_that_waits_ends_where_the_log_was_damaged_meanwhile():
    cluster, client = damaged_cluster()
    answers = []
    request = fetch_request("t", END - 1, max_wait_ms=60_000, min_bytes=1 << 20)
    client.send(request, answers.append, version=BY_NAME)
    cluster.world.run(1_000)
    assert not answers
    content = content_of(cluster)
    start, _ = place_of(content, 2)
    content[start + 8] = 0xFF
    fresh_reader(cluster)
    assert produce(cluster.client(node_id=LEADER), "t", b"w", acks=1).error_code == ErrorCode.NONE
    cluster.world.run(2_000)
    (found,) = answers
    assert found.responses[0].partitions[0].error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_an_append_does_not_need_the_damaged_start_of_its_segment():
    cluster, client = damaged_cluster()
    content_of(cluster)[8] = 0xFF
    replica(cluster, LEADER, "t").log.segments.active.indexes.first_timestamp = None
    assert produce(client, "t", b"w", acks=1).error_code == ErrorCode.NONE


@pytest.mark.parametrize("at", [8, 16], ids=["length", "magic"])
def test_a_truncation_that_meets_damage_takes_the_directory_offline(at):
    """The follower cannot tell what it may keep; a restart recovers its log or names the byte."""
    with tracebacks() as logged:
        cluster, client = damaged_cluster()
        content = content_of(cluster, node_id=FOLLOWER)
        start, _ = place_of(content, 2)
        content[start + at] = 0xFF
        follower = cluster.nodes[FOLLOWER]
        replica(cluster, FOLLOWER, "t").log.segments.active.indexes.hints.clear()
        leader = replica(cluster, LEADER, "t").log
        leader.truncate_to(END - PER_BATCH, Now(cluster.world.now_ms, EPOCH_MS))
        produce(client, "t", b"w", acks=1)
        cluster.world.run_until(lambda: not follower.alive, 30_000, "the follower ends")
    assert any("goes offline" in line for line in logged)
    *_, reason = logged
    assert f"cannot truncate to offset {END - 1}: " in reason
    assert f"t-0/00000000000000000000.log: batch at byte {start} " in reason
