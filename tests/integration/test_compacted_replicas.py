"""Replicas, offsets, epochs and transactions of a log with gaps, on real nodes."""

from collections import Counter
from contextlib import closing

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka import TopicPartition as ClientPartition
from confluent_kafka.admin import AdminClient

from minikafka.admin import client as admin
from minikafka.admin.offsets import EARLIEST, LATEST, list_offsets
from minikafka.admin.reassignments import alter_reassignments
from minikafka.common.ids import TopicPartition
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.offset_for_leader_epoch import (
    OffsetForLeaderEpochRequest,
    OffsetForLeaderPartition,
    OffsetForLeaderTopic,
)
from minikafka.records.reader import read_records
from minikafka.records.scan import split_batches
from minikafka.testing import Cluster
from tests.integration.compacted import (
    CLEANER,
    COMPACT,
    active_base,
    await_cleaning,
    configure,
    latest,
    names,
    rounds,
    state,
    wait_for,
    write,
)
from tests.integration.stored import segments

NEVER = {**COMPACT, "min.cleanable.dirty.ratio": "1.0"}
MAX_TIMESTAMP = -3
PATIENCE_S = 20


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=CLEANER) as running:
        yield running


def transaction(producer, topic, rows, *, is_commit):
    producer.begin_transaction()
    for key, value in rows:
        producer.produce(topic, value, key, 0)
    producer.flush(PATIENCE_S)
    (producer.commit_transaction if is_commit else producer.abort_transaction)(PATIENCE_S)


def fill(cluster, topic, first=0):
    """Write in three leader epochs, with transactions; return what a reader must find."""
    servers, rows = cluster.bootstrap_servers, []
    producer = Producer({"bootstrap.servers": servers, "transactional.id": f"{topic}-{first}"})
    producer.init_transactions(PATIENCE_S)
    for number, leader in enumerate(cluster.isr(topic)):
        cluster.move_leader(topic, to=leader)
        start = first + 40 * number
        rows += write(servers, topic, rounds(30, first=start))
        for aborted in (True, False):
            new = rounds(5, first=start + 30 + 5 * (not aborted))
            transaction(producer, topic, new, is_commit=not aborted)
            rows += [] if aborted else new
    return rows


def epochs_of(cluster, topic, node, last):
    """The end of each leader epoch, as the leader says."""
    asked = [OffsetForLeaderPartition(0, -1, epoch) for epoch in range(last + 1)]
    with closing(admin.BrokerConnection("127.0.0.1", cluster.port(node), "t", 20)) as connection:
        answers = [
            connection.ask(
                OffsetForLeaderEpochRequest(-1, [OffsetForLeaderTopic(topic, [each])])
            ).topics[0].partitions[0]
            for each in asked
        ]  # fmt: skip
    return [(each.error_code, each.leader_epoch, each.end_offset) for each in answers]


def leader_epoch(cluster, topic):
    with admin.AdminClient(cluster.bootstrap_servers, client_id="test") as client:
        answer = client.ask(MetadataRequest([MetadataRequestTopic(name=topic)]))
    return answer.topics[0].partitions[0].leader_epoch


def offset(cluster, topic, timestamp):
    at = TopicPartition(topic, 0)
    with admin.AdminClient(cluster.bootstrap_servers, client_id="test") as client:
        return list_offsets(client, [at], timestamp)[at]


def delete_records(cluster, topic, before):
    """Delete the records before an offset; return the new start, or the error."""
    client = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    asked = client.delete_records([ClientPartition(topic, 0, before)])
    try:
        return next(iter(asked.values())).result(PATIENCE_S).low_watermark
    except KafkaException as error:
        return error.args[0].name()


def check_offsets(cluster, topic):
    """ListOffsets agrees with the records of the leader's log, to which markers belong."""
    start = offset(cluster, topic, EARLIEST)
    found = [
        record
        for path in segments(cluster, cluster.leader(topic), f"{topic}-0")
        for record in read_records(path.read_bytes())
        if record.offset >= start
    ]
    for record in found[:: max(len(found) // 20, 1)]:
        stamp = record.timestamp
        first = next(it.offset for it in found if it.timestamp >= stamp)
        assert offset(cluster, topic, stamp) == first
    greatest = max(it.timestamp for it in found)
    by_max = offset(cluster, topic, MAX_TIMESTAMP)
    assert by_max in [it.offset for it in found if it.timestamp == greatest]
    assert offset(cluster, topic, greatest + 1) == -1


def cleaned(cluster, topic, *nodes):
    configure(cluster, topic, min_cleanable_dirty_ratio="0.01")
    await_cleaning(cluster, topic, *nodes)


def stored(cluster, node, topic):
    """The batches of a replica."""
    return [
        (header.base_offset, header.last_offset, header.leader_epoch)
        for path in segments(cluster, node, f"{topic}-0")
        for _, header in split_batches(path.read_bytes())
    ]


def check_reader(cluster, topic, rows):
    """A reader of committed records finds the latest values, and none twice below the dirty part."""
    found = cluster.records(topic, 0, committed=True)
    assert latest([(it.key, it.value) for it in found]) == latest(rows)
    assert {(it.key, it.value) for it in found} <= set(rows)
    base = active_base(cluster, cluster.leader(topic), topic)
    below = Counter(it.key for it in found if it.offset < base)
    assert not below or max(below.values()) == 1


def test_offsets_and_epochs_of_a_log_with_gaps(cluster):
    cluster.create_topic("gaps", assignment=[[1, 2]], config=NEVER)
    rows = fill(cluster, "gaps")
    leader, last = cluster.leader("gaps"), leader_epoch(cluster, "gaps")
    assert last >= 1
    edges = [EARLIEST, LATEST]
    known = [offset(cluster, "gaps", spec) for spec in edges]
    ends = epochs_of(cluster, "gaps", leader, last)
    check_offsets(cluster, "gaps")
    cleaned(cluster, "gaps", 1, 2)
    assert [offset(cluster, "gaps", spec) for spec in edges] == known
    assert epochs_of(cluster, "gaps", leader, last) == ends
    check_offsets(cluster, "gaps")
    check_reader(cluster, "gaps", rows)
    # The epochs of a start are those of before, too.
    cluster.kill(leader)
    cluster.start(leader)
    cluster.wait_until_in_sync("gaps")
    cluster.move_leader("gaps", to=leader)
    assert epochs_of(cluster, "gaps", leader, last) == ends
    check_reader(cluster, "gaps", rows)
    assert offset(cluster, "gaps", edges[1]) == known[1]


def test_records_are_deleted_up_to_an_offset_in_a_gap(cluster):
    cluster.create_topic("deleted", assignment=[[1, 2]], config=NEVER)
    rows = fill(cluster, "deleted")
    cleaned(cluster, "deleted", 1, 2)
    found = cluster.records("deleted")
    at = found[0].offset - 1
    assert at > 0
    assert delete_records(cluster, "deleted", at) == "POLICY_VIOLATION"
    configure(cluster, "deleted", cleanup_policy="compact,delete")
    wait_for(lambda: delete_records(cluster, "deleted", at) == at)
    assert offset(cluster, "deleted", EARLIEST) == at
    assert cluster.records("deleted") == [it for it in found if it.offset >= at]
    check_offsets(cluster, "deleted")
    rows += fill(cluster, "deleted", first=500)
    await_cleaning(cluster, "deleted", 1, 2)
    assert state(cluster, "deleted", committed=True) == latest(rows)
    assert offset(cluster, "deleted", EARLIEST) >= at


def test_a_new_replica_copies_a_log_with_gaps(cluster):
    cluster.create_topic("moved", assignment=[[1, 2]], config=NEVER)
    rows = fill(cluster, "moved")
    cleaned(cluster, "moved", 1, 2)
    with admin.AdminClient(cluster.bootstrap_servers, client_id="test") as client:
        assert alter_reassignments(client, {TopicPartition("moved", 0): [3, 1]}) == {}
    wait_for(lambda: set(cluster.isr("moved")) == {1, 3})
    cluster.move_leader("moved", to=3)
    check_reader(cluster, "moved", rows)
    check_offsets(cluster, "moved")
    rows += fill(cluster, "moved", first=500)
    await_cleaning(cluster, "moved", 1, 3)
    for node in (1, 3):
        cluster.move_leader("moved", to=node)
        check_reader(cluster, "moved", rows)
    assert not names(cluster, 3, "moved", ".unflushed")


def test_a_replica_that_was_down_follows_over_the_gaps(cluster):
    cluster.create_topic("late", assignment=[[1, 2]], config=COMPACT)
    rows = fill(cluster, "late")
    cluster.move_leader("late", to=1)
    cluster.kill(2)
    rows += fill(cluster, "late", first=500)
    await_cleaning(cluster, "late", 1)
    cluster.start(2)
    cluster.wait_until_in_sync("late")
    check_reader(cluster, "late", rows)
    await_cleaning(cluster, "late", 2)
    cluster.move_leader("late", to=2)
    check_reader(cluster, "late", rows)
    check_offsets(cluster, "late")
    # What one has, the other has, or it is older than a record that both have.
    assert stored(cluster, 1, "late")[-1] == stored(cluster, 2, "late")[-1]
