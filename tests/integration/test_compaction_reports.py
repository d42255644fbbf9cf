"""What users of other brokers reported of compaction, on real nodes."""

from contextlib import closing
from random import Random

import pytest
from confluent_kafka import KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import BrokerConnection
from minikafka.common.errors import ErrorCode
from minikafka.messages.init_producer_id import InitProducerIdRequest
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.scan import split_batches
from minikafka.testing import Cluster
from tests.integration.compacted import (
    CLEANER,
    COMPACT,
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
from tests.integration.stored import segments

PATIENCE_S = 20
VERSION = 11
"""The last version of Produce that names topics."""


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=CLEANER) as running:
        yield running


def produce_once(cluster, topic, producer_id, sequence, key):
    """Send one record of an idempotent producer to the leader; return error and offset."""
    record = NewRecord(1_000_000, key, b"of the producer")
    options = BatchOptions(producer_id=producer_id, producer_epoch=0, base_sequence=sequence)
    rows = [PartitionProduceData(0, build_batch([record], options))]
    request = ProduceRequest(
        acks=-1, timeout_ms=10_000, topic_data=[TopicProduceData(topic, partition_data=rows)]
    )
    port = cluster.port(cluster.leader(topic))
    with closing(BrokerConnection("127.0.0.1", port, "test", PATIENCE_S)) as connection:
        answer = connection.ask(request, VERSION).responses[0].partition_responses[0]
    return answer.error_code, answer.base_offset


def new_producer_id(cluster):
    port = cluster.port(cluster.running[0])
    with closing(BrokerConnection("127.0.0.1", port, "test", PATIENCE_S)) as connection:
        answer = connection.ask(InitProducerIdRequest(None, 60_000), 4)
    assert answer.error_code == ErrorCode.NONE
    return answer.producer_id


def batches_of(cluster, node, topic, producer_id):
    """Base offset and number of records of a producer's batches on a node's disk."""
    return [
        (header.base_offset, header.record_count)
        for path in segments(cluster, node, f"{topic}-0")
        for _, header in split_batches(path.read_bytes())
        if header.producer_id == producer_id
    ]


def test_commits_and_aborts_of_many_producers_on_the_same_keys(cluster):
    """Markers are not compacted by key, and no aborted value wins over a committed one."""
    cluster.create_topic("ends", assignment=[[1, 2, 3]], config=COMPACT)
    rng, rows = Random(7), []
    producers = [
        Producer({"bootstrap.servers": cluster.bootstrap_servers, "transactional.id": f"ends-{at}"})
        for at in range(4)
    ]
    for each in producers:
        each.init_transactions(PATIENCE_S)
    for number in range(120):
        producer, is_commit = rng.choice(producers), rng.random() < 0.5
        new = [(b"%d" % rng.randrange(8), b"%d" % number * 2_000) for _ in range(6)]
        producer.begin_transaction()
        for key, value in new:
            producer.produce("ends", value, key, 0)
        # An abort drops what was not sent.
        producer.flush(PATIENCE_S)
        if is_commit:
            producer.commit_transaction(PATIENCE_S)
            rows += new
        else:
            producer.abort_transaction(PATIENCE_S)
        if number == 60:
            await_cleaning(cluster, "ends", 1, 2, 3)
    rows += write(cluster.bootstrap_servers, "ends", rounds(40, keys=1, size=30_000))
    await_cleaning(cluster, "ends", 1, 2, 3)
    for leader in (1, 2, 3):
        cluster.move_leader("ends", to=leader)
        assert state(cluster, "ends", committed=True) == latest(rows)


def test_the_last_batch_of_a_producer_outlives_its_record_on_each_replica(cluster):
    """A retry of its last request is told its offset, also by a leader that only knows its log."""
    cluster.create_topic("retried", assignment=[[1, 2, 3]], config=COMPACT)
    producer_id = new_producer_id(cluster)
    sent = [produce_once(cluster, "retried", producer_id, at, b"key-0") for at in range(3)]
    assert [error for error, _ in sent] == [ErrorCode.NONE] * 3
    last = sent[-1][1]
    rows = write(cluster.bootstrap_servers, "retried", rounds(60))
    await_cleaning(cluster, "retried", 1, 2, 3)
    for node in (1, 2, 3):
        assert batches_of(cluster, node, "retried", producer_id) == [(last, 0)]
    first_leader = cluster.leader("retried")
    followers = [node for node in (1, 2, 3) if node != first_leader]
    for node in followers:
        cluster.stop(node)
        for path in folder(cluster, node, "retried").glob("*.snapshot"):
            path.unlink()
        cluster.start(node)
        cluster.wait_until_in_sync("retried")
    cluster.move_leader("retried", to=followers[0])
    end = cluster.records("retried", 0)[-1].offset
    assert produce_once(cluster, "retried", producer_id, 2, b"key-0") == (ErrorCode.NONE, last)
    assert cluster.records("retried", 0)[-1].offset == end
    assert produce_once(cluster, "retried", producer_id, 3, b"other") == (ErrorCode.NONE, end + 1)
    rows.append((b"other", b"of the producer"))
    assert state(cluster, "retried") == latest(rows)


def test_segment_configs_change_on_a_log_that_is_open(cluster):
    small = {"cleanup.policy": "delete", "segment.bytes": 64 * 1024 * 1024}
    cluster.create_topic("segments", assignment=[[1]], config=small)
    servers = cluster.bootstrap_servers
    write(servers, "segments", rounds(30, size=4_000))
    assert len(names(cluster, 1, "segments", ".log")) == 1
    configure(cluster, "segments", segment_bytes=1024 * 1024)
    write(servers, "segments", rounds(60, size=4_000))
    found = segments(cluster, 1, "segments-0")
    assert len(found) > 3
    assert all(path.stat().st_size <= 1024 * 1024 for path in found[1:])
    configure(cluster, "segments", segment_bytes=64 * 1024 * 1024, segment_ms=500)
    count = len(found)

    def has_rolled():
        write(servers, "segments", rounds(1, keys=1))
        return len(names(cluster, 1, "segments", ".log")) > count

    wait_for(has_rolled, "segment.ms has no effect")


def test_tiered_storage_is_refused(cluster):
    client = AdminClient({"bootstrap.servers": cluster.bootstrap_servers, "log_level": 0})
    topic = NewTopic("tiered", 1, 1, config={"remote.storage.enable": "true"})
    with pytest.raises(KafkaException) as refused:
        client.create_topics([topic])["tiered"].result(PATIENCE_S)
    assert refused.value.args[0].name() == "INVALID_CONFIG"
    assert "remote.storage.enable" in refused.value.args[0].str()
