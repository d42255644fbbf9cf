"""Fetch and ListOffsets of consumers that read only committed transactions."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.producers.verification import UNCHECKED
from minikafka.messages.fetch import FetchResponse
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from minikafka.records.builder import BatchOptions, NewRecord, TransactionEnd, build_batch
from minikafka.records.reader import read_records
from minikafka.sim.world.machine_clock import EPOCH_MS
from tests.worlds.sim_world import (
    BY_NAME,
    create_topic,
    fetch,
    fetch_request,
    produce,
    replica,
    started_cluster,
)

COMMITTED, ALL = 1, 0
LATEST, MAX_TIMESTAMP = -1, -3


@pytest.fixture
def cluster():
    cluster = started_cluster(1)
    create_topic(cluster, "t", config={"index.interval.bytes": "0"})
    return cluster


@pytest.fixture
def pair():
    cluster = started_cluster(2)
    create_topic(cluster, "t", replicas=[[1, 2]])
    return cluster


class Writer:
    """Writes transactions to the leader's log, as Produce and WriteTxnMarkers do."""

    def __init__(self, cluster, node_id=1):
        self.partition = replica(cluster, node_id, "t")
        self.next = {}

    def write(self, pid, count=1, timestamp=EPOCH_MS):
        sequence = self.next.get(pid, 0)
        self.next[pid] = sequence + count
        options = BatchOptions(
            producer_id=pid, producer_epoch=0, base_sequence=sequence, is_transactional=True
        )
        records = build_batch([NewRecord(timestamp, None, b"p%d" % pid)] * count, options)
        return self.partition.append_as_leader(
            memoryview(records), required_acks=1, guard=UNCHECKED
        ).first_offset

    def end(self, pid, *, commit):
        return self.partition.append_end_marker(TransactionEnd(pid, 0, commit, 0, 0)).first_offset


def read(cluster, offset=0, isolation=COMMITTED, **changes):
    """(offsets, last stable offset, aborted transactions) of one fetch."""
    got = fetch(cluster.client(), "t", offset, isolation_level=isolation, **changes)
    assert got.error_code == ErrorCode.NONE
    aborted = got.aborted_transactions
    return (
        [record.offset for record in read_records(got.records or b"")],
        got.last_stable_offset,
        None if aborted is None else [(each.producer_id, each.first_offset) for each in aborted],
    )


def test_open_transaction_ends_what_is_read(cluster):
    writer = Writer(cluster)
    produce(cluster.client(), "t", b"plain")
    writer.write(1)
    produce(cluster.client(), "t", b"behind")
    assert read(cluster) == ([0], 1, [])
    assert read(cluster, isolation=ALL) == ([0, 1, 2], 1, None)
    writer.end(1, commit=True)
    assert read(cluster) == ([0, 1, 2, 3], 4, [])


def test_aborted_transactions_of_the_bytes_are_listed_and_no_others(cluster):
    """The list has the transactions of what was read, not all up to the last stable offset."""
    writer = Writer(cluster)
    for pid in range(1, 51):
        writer.write(pid)
        writer.end(pid, commit=pid % 2 == 0)
    offsets, stable, aborted = read(cluster, max_bytes=1000)
    assert stable == 100
    assert 4 <= offsets[-1] + 1 < 30
    assert aborted[0] == (1, 0)
    assert len(aborted) <= offsets[-1] // 4 + 2
    covered = {pid for pid, _ in aborted}
    assert {offset // 2 + 1 for offset in offsets if (offset // 2) % 2 == 0} <= covered
    assert read(cluster, 100) == ([], 100, [])


def test_interleaved_transactions(cluster):
    writer = Writer(cluster)
    writer.write(1)
    writer.write(2)
    writer.write(1)
    writer.end(2, commit=False)
    assert read(cluster) == ([], 0, [])
    writer.end(1, commit=True)
    assert read(cluster) == ([0, 1, 2, 3, 4], 5, [(2, 1)])


@pytest.mark.parametrize("commit", [True, False])
@pytest.mark.parametrize("session_epoch", [-1, 0])
def test_long_poll_ends_when_the_marker_is_committed(cluster, commit, session_epoch):
    """The high watermark is behind the record already; only the marker makes it readable."""
    writer = Writer(cluster)
    writer.write(1)
    answers = []
    request = fetch_request(
        "t", max_wait_ms=20_000, isolation_level=COMMITTED, session_epoch=session_epoch
    )
    cluster.client().send(request, answers.append, version=BY_NAME)
    cluster.world.run(2000)
    assert answers == []
    writer.end(1, commit=commit)
    produce(cluster.client("other"), "t", b"a step of the node")
    cluster.world.run_until(lambda: bool(answers), 1000, "the response")
    (row,) = answers[0].responses[0].partitions
    assert [record.offset for record in read_records(row.records)][:2] == [0, 1]
    assert bool(row.aborted_transactions) is not commit


def test_session_has_news_when_only_the_last_stable_offset_moved(cluster):
    writer, client = Writer(cluster), cluster.client()
    writer.write(1)
    first = client.ask(
        fetch_request("t", isolation_level=COMMITTED, session_epoch=0), FetchResponse,
        version=BY_NAME,
    )  # fmt: skip
    assert len(first.responses[0].partitions[0].records or b"") == 0
    writer.end(1, commit=True)
    request = fetch_request(
        "t", isolation_level=COMMITTED, session_id=first.session_id, session_epoch=1
    )
    request.topics = []
    again = client.ask(request, FetchResponse, version=BY_NAME)
    (row,) = again.responses[0].partitions
    assert [record.offset for record in read_records(row.records)] == [0, 1]


def test_marker_counts_when_it_is_replicated(pair):
    pair.nodes[2].pause()
    writer = Writer(pair)
    writer.write(1)
    writer.end(1, commit=True)
    assert read(pair) == ([], 0, [])
    pair.nodes[2].resume()
    pair.world.run_until(lambda: replica(pair, 1, "t").log.high_watermark == 2, 5000, "the ISR")
    assert read(pair) == ([0, 1], 2, [])


def test_follower_builds_the_same_state(pair):
    writer = Writer(pair)
    for pid in range(1, 6):
        writer.write(pid)
    writer.end(2, commit=False)
    writer.end(4, commit=True)
    produce(pair.client(), "t", b"x")
    leader, follower = (replica(pair, node_id, "t").log for node_id in (1, 2))
    pair.world.run_until(
        lambda: follower.high_watermark == leader.high_watermark == 8, 5000, "the follower"
    )
    assert follower.producers.ongoing == leader.producers.ongoing == {1: 0, 3: 2, 5: 4}
    assert follower.last_stable_offset == leader.last_stable_offset == 0
    assert follower.aborted_transactions(0, 8) == leader.aborted_transactions(0, 8)
    assert len(leader.aborted_transactions(0, 8)) == 1


def list_offset(cluster, timestamp, isolation):
    request = ListOffsetsRequest(
        replica_id=-1,
        isolation_level=isolation,
        topics=[ListOffsetsTopic("t", [ListOffsetsPartition(0, -1, timestamp)])],
    )
    response = cluster.client().ask(request, ListOffsetsResponse, version=7)
    (row,) = response.topics[0].partitions
    assert row.error_code == ErrorCode.NONE
    return row.offset


def test_list_offsets_at_both_isolation_levels(cluster):
    writer = Writer(cluster)
    writer.write(1, timestamp=EPOCH_MS)
    writer.end(1, commit=True)
    writer.write(2, timestamp=EPOCH_MS + 500_000)
    assert list_offset(cluster, LATEST, ALL) == 3
    assert list_offset(cluster, LATEST, COMMITTED) == 2
    assert list_offset(cluster, EPOCH_MS + 400_000, ALL) == 2
    assert list_offset(cluster, EPOCH_MS + 400_000, COMMITTED) == -1
    assert list_offset(cluster, MAX_TIMESTAMP, ALL) == 2
    assert list_offset(cluster, MAX_TIMESTAMP, COMMITTED) == -1
    writer.end(2, commit=False)
    assert list_offset(cluster, LATEST, COMMITTED) == 4
    assert list_offset(cluster, EPOCH_MS + 400_000, COMMITTED) == 2
