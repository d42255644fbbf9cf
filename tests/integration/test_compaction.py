"""Compacted topics on real nodes, as their clients see them."""

import threading
from contextlib import closing
from pathlib import Path

import pytest

from minikafka.admin.client import BrokerConnection
from minikafka.common.errors import ErrorCode
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.testing import Cluster
from tests.integration.compacted import (
    CLEANER,
    COMPACT,
    active_base,
    await_cleaning,
    configure,
    folder,
    latest,
    names,
    rounds,
    state,
    wait_for,
    write,
)

MIB = 1 << 20


@pytest.fixture(scope="module")
def node():
    config = {
        **CLEANER, "log.retention.check.interval.ms": "100", "log.initial.task.delay.ms": "100",
    }  # fmt: skip
    with Cluster(nodes=1, config=config) as running:
        yield running


def test_a_policy_changes_under_load(node):
    """From deletion to compaction and back, while a producer writes."""
    node.create_topic("switched", config={**COMPACT, "cleanup.policy": "delete"})
    ended, rows = threading.Event(), []

    def load():
        number = 0
        while not ended.is_set():
            rows.extend(write(node.bootstrap_servers, "switched", rounds(10, first=number)))
            number += 10

    thread = threading.Thread(target=load)
    thread.start()
    try:
        wait_for(lambda: active_base(node, 1, "switched") > 0)
        for policy in ("compact", "delete", "compact"):
            configure(node, "switched", cleanup_policy=policy)
            base = active_base(node, 1, "switched")
            wait_for(lambda base=base: active_base(node, 1, "switched") > base)
    finally:
        ended.set()
        thread.join()
    await_cleaning(node, "switched", 1)
    found = node.records("switched")
    assert latest(rows) == state(node, "switched")
    assert len(found) < len(rows)
    configure(node, "switched", cleanup_policy="delete")
    assert node.records("switched") == found
    assert "ERROR" not in node.log_text(1)


def test_a_log_is_compacted_and_its_oldest_segments_are_deleted(node):
    node.create_topic("both", config={**COMPACT, "cleanup.policy": "compact,delete"})
    # Most keys occur once: cleaned segments stay large.
    rows = [
        (b"%d" % number, b"%d" % number + b"." * 2_000) if number % 2 else (b"hot", b"%d" % number)
        for number in range(4_000)
    ]
    assert write(node.bootstrap_servers, "both", rows) == rows
    await_cleaning(node, "both", 1)
    assert state(node, "both") == latest(rows)
    configure(node, "both", retention_bytes=MIB)
    wait_for(lambda: len(names(node, 1, "both", ".log")) < 3)
    configure(node, "both", retention_bytes=-1)
    found = node.records("both")
    start = found[0].offset
    assert start > 1_000
    assert write(node.bootstrap_servers, "both", rows) == rows
    await_cleaning(node, "both", 1)
    assert state(node, "both") == latest(rows)


def test_a_key_of_a_mebibyte(node):
    node.create_topic(
        "large", config={**COMPACT, "segment.bytes": 4 * MIB, "max.message.bytes": 3 * MIB}
    )
    keys = [b"a" * MIB, b"a" * (MIB - 1) + b"b"]
    rows = [(key, b"%d" % number) for number in range(4) for key in keys]
    options = {"message.max.bytes": 3 * MIB, "linger.ms": 0}
    for row in rows:
        assert write(node.bootstrap_servers, "large", [row], **options) == [row]
    await_cleaning(node, "large", 1)
    found = node.records("large")
    assert latest([(it.key, it.value) for it in found]) == latest(rows)
    base = active_base(node, 1, "large")
    assert base > 0
    assert len([it for it in found if it.offset < base]) <= len(keys)


def peak_mib(node):
    """The greatest memory of a node since its start."""
    lines = Path(f"/proc/{node.pid(1)}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) // 1024


def test_one_key_in_many_records_needs_little_memory(node):
    node.create_topic("hot", config={**COMPACT, "min.cleanable.dirty.ratio": "1.0"})
    rows = [(b"key", b"%d" % number) for number in range(200_000)]
    options = {"linger.ms": 50, "queue.buffering.max.messages": 300_000}
    assert len(write(node.bootstrap_servers, "hot", rows, **options)) == len(rows)
    before = peak_mib(node)
    configure(node, "hot", min_cleanable_dirty_ratio=0.01)
    await_cleaning(node, "hot", 1)
    assert peak_mib(node) - before < 50
    base = active_base(node, 1, "hot")
    assert base > 100_000
    assert len([it for it in node.records("hot") if it.offset < base]) <= 1
    assert state(node, "hot") == {b"key": b"199999"}


@pytest.mark.parametrize("policy", ["compact", "compact,delete"])
def test_records_without_a_key_are_refused_one_by_one(node, policy):
    topic = f"keyless-{policy.replace(',', '-')}"
    node.create_topic(topic, config={**COMPACT, "cleanup.policy": policy})
    rows = [NewRecord(0, key, b"v") for key in (b"a", None, b"", None)]
    with closing(BrokerConnection("127.0.0.1", node.port(1), "test", 20)) as connection:
        asked = MetadataRequest([MetadataRequestTopic(name=topic)])
        topic_id = connection.ask(asked).topics[0].topic_id

        def produce(records):
            data = PartitionProduceData(0, build_batch(records, BatchOptions()))
            by_topic = [TopicProduceData(topic, topic_id, [data])]
            request = ProduceRequest(acks=-1, timeout_ms=5_000, topic_data=by_topic)
            return connection.ask(request).responses[0].partition_responses[0]

        answer = produce(rows)
        assert answer.error_code == ErrorCode.INVALID_RECORD
        assert [it.batch_index for it in answer.record_errors] == [1, 3]
        assert node.records(topic) == []
        assert produce([it for it in rows if it.key is not None]).error_code == ErrorCode.NONE
    assert [it.key for it in node.records(topic)] == [b"a", b""]


def test_a_topic_of_deletion_may_have_records_without_keys_before(node):
    """As in Apache Kafka, a cleaning removes them: no one can ask for them by a key."""
    node.create_topic("former", config={**COMPACT, "cleanup.policy": "delete"})
    rows = [(None, b"." * 2_000), (b"a", b"1")] * 600
    assert write(node.bootstrap_servers, "former", rows) == rows
    configure(node, "former", cleanup_policy="compact")
    await_cleaning(node, "former", 1)
    base = active_base(node, 1, "former")
    assert base > 0
    below = [it for it in node.records("former") if it.offset < base]
    assert [it.key for it in below] in ([b"a"], [])
    assert state(node, "former")[b"a"] == b"1"
    assert folder(node, 1, "former").exists()
