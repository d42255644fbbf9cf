"""Ids of groups and transactions belong to the partitions that Apache Kafka 4.3.1 chooses.

`coordinator_partitions.txt` was written by `record_coordinator_partitions`. `coordinators/` has the
segments of the 50 partitions of `__consumer_offsets` and `__transaction_state` that were not empty
after clients of a Kafka 4.3.1 broker had committed offsets of 18 groups, 8 of them with chosen
names, and initialized 3 transactional ids. A node with these files serves them, and writes what
follows into the same partitions.
"""

from pathlib import Path

import pytest

from minikafka.common.ids import Uuid
from minikafka.coordinator.partitioning import java_hash, partition_of
from minikafka.group.records import OffsetRecord, parse_record
from minikafka.messages.describe_transactions import (
    DescribeTransactionsRequest,
    DescribeTransactionsResponse,
)
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchResponse,
)
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.transaction.records import parse_transaction
from tests.conformance.coordinator_names import LOWEST_HASH, PARTITIONS, names
from tests.worlds.sim_world import create_topic, replica, started_cluster

DATA = Path(__file__).parent / "data"
SEGMENTS = sorted((DATA / "coordinators").glob("*.log"))
ROWS = (DATA / "coordinator_partitions.txt").read_text().splitlines()
CHOSEN = {
    "g-1", "orders", "polygenelubricants", "Kunden-Ä", "группа", "日本", "\N{GRINNING FACE}",
    "payments-7", "tx-1", "tx-neu-ß",
}  # fmt: skip


def test_the_partition_of_every_name_is_that_of_kafka():
    recorded = [ord(each) - ord("0") for each in "".join(ROWS)]
    assert [partition_of(each, PARTITIONS) for each in names()] == recorded


def test_the_names_have_hashes_of_each_kind():
    hashes = [java_hash(each) for each in names()]
    assert sum(each == LOWEST_HASH for each in hashes) == 98
    assert sum(each > LOWEST_HASH for each in hashes) > 3_000
    assert sum(0 < each < LOWEST_HASH for each in hashes) > 3_000


def ids_in(segment):
    """The ids of groups or transactions in a segment."""
    data = segment.read_bytes()
    for position, header in split_batches(data):
        for record in read_batch(data, position, header):
            if segment.name.startswith("__transaction_state"):
                yield parse_transaction(record.key, record.value).transactional_id
            elif (parsed := parse_record(record.key, record.value)) is not None:
                yield parsed.key.group


@pytest.mark.parametrize("segment", SEGMENTS, ids=lambda each: each.stem)
def test_the_ids_in_a_partition_that_kafka_wrote_belong_to_it(segment):
    found = set(ids_in(segment))
    assert found
    index = int(segment.stem.rsplit("-", 1)[1])
    assert {partition_of(each, PARTITIONS) for each in found} == {index}


def test_the_recorded_partitions_have_negative_hashes_and_all_chosen_names():
    found = {each for segment in SEGMENTS for each in ids_in(segment)}
    assert found >= CHOSEN
    assert sum(java_hash(each) >= LOWEST_HASH for each in found) == 5


def records_of(parse, topic):
    """What `parse` returns for each record of a topic's partitions."""
    for segment in SEGMENTS:
        if segment.stem.startswith(topic):
            data = segment.read_bytes()
            for position, header in split_batches(data):
                for record in read_batch(data, position, header):
                    yield parse(record.key, record.value)


@pytest.fixture(scope="module")
def opened():
    """A broker on the segments of Kafka."""
    count = str(PARTITIONS)
    given = {"offsets.topic.num.partitions": count, "transaction.state.log.num.partitions": count}
    cluster = started_cluster(1, given=given)
    (topic_id,) = {
        each.value.topic_id
        for each in records_of(parse_record, "__consumer_offsets")
        if isinstance(each, OffsetRecord)
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Uuid, "draw", lambda _: topic_id)
        create_topic(cluster, "t", partitions=2)
    for kind in (0, 1):
        request = FindCoordinatorRequest("x", kind)
        while cluster.client().ask(request, FindCoordinatorResponse, version=3).error_code:
            cluster.world.run(100)
    cluster.world.run(5_000)
    node = cluster.nodes[1]
    node.kill()
    (disk,) = node.disks.values()
    for segment in SEGMENTS:
        disk.open(f"{segment.stem}/{0:020}.log", create=True).append(segment.read_bytes())
    node.start()
    cluster.world.run_until(lambda: node.started, 60_000, "the node serves")
    cluster.world.run(5_000)
    return cluster


def offsets(cluster, group):
    request = OffsetFetchRequest(groups=[OffsetFetchRequestGroup(group, topics=None)])
    (answer,) = cluster.client().ask(request, OffsetFetchResponse, version=9).groups
    assert answer.error_code == 0
    return {
        (topic.name, each.partition_index): each.committed_offset
        for topic in answer.topics
        for each in topic.partitions
    }


def test_a_broker_on_the_files_of_kafka_has_every_committed_offset(opened):
    stored = {}
    for each in records_of(parse_record, "__consumer_offsets"):
        if isinstance(each, OffsetRecord):
            key = each.key
            stored.setdefault(key.group, {})[key.topic, key.partition] = each.value.offset
    assert len(stored) == 8
    assert {group: offsets(opened, group) for group in stored} == stored


def test_a_broker_on_the_files_of_kafka_has_every_transactional_id(opened):
    stored = {
        each.transactional_id: each.transaction.producer_id
        for each in records_of(parse_transaction, "__transaction_state")
    }
    assert len(stored) == 3
    request = DescribeTransactionsRequest(list(stored))
    rows = opened.client().ask(request, DescribeTransactionsResponse).transaction_states
    assert {row.transactional_id: row.producer_id for row in rows} == stored
    assert {row.transaction_state for row in rows} == {"Empty"}


def test_a_broker_on_the_files_of_kafka_commits_where_kafka_looks_for_it(opened):
    """The partition of a segment is the one that Kafka has chosen for the group."""
    for segment in SEGMENTS:
        topic, index = segment.stem.rsplit("-", 1)
        group = next(iter(ids_in(segment)))
        if topic == "__consumer_offsets" and group in CHOSEN:
            log = replica(opened, 1, topic, int(index)).log
            before = log.log_end_offset
            rows = [OffsetCommitRequestPartition(0, 9_000)]
            topics = [OffsetCommitRequestTopic("t", partitions=rows)]
            request = OffsetCommitRequest(group, topics=topics)
            opened.client().ask(request, OffsetCommitResponse, version=8)
            assert log.log_end_offset == before + 1
            assert offsets(opened, group)["t", 0] == 9_000
