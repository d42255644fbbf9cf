"""The harness's producers against a node: every client, each with the acks that it can have."""

import warnings

import pytest
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.harness.clients import producer
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.clients.outbox import Outbox, ProducerTask
from minikafka.harness.clients.records import digest
from minikafka.harness.plan.workload_options import CLIENTS
from tests.integration.stored import codecs

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of kafka-python, about itself
    from kafka import KafkaConsumer, TopicPartition

CHOICES = [
    *((client, "all", True) for client in CLIENTS),
    *((client, "0", False) for client in CLIENTS),
    ("kafka-python", "1", False),
]


def topic_name(*words):
    return "-".join(words)


@pytest.fixture
def wrote(node, tmp_path, monkeypatch):
    """Write some two hundred records and read them back; the ledger, and what is in the log."""

    def write(client, acks, *, idempotent, **more):
        topic = topic_name(client, acks, *more.values())
        admin = AdminClient({"bootstrap.servers": node.bootstrap_servers})
        admin.create_topics([NewTopic(topic, 2, 1)])[topic].result()
        task = ProducerTask(
            run="r",
            pid=4,
            client=client,
            bootstrap_servers=node.bootstrap_servers,
            topic=topic,
            topic_id="",
            partitions=2,
            seed=1,
            rate=2_000,
            seconds=60,
            drain_s=20,
            ledger=str(tmp_path / "ledger"),
            events=str(tmp_path / "events"),
            acks=acks,
            idempotent=idempotent,
            size_min_bytes=10,
            size_max_bytes=20,
            key_skew=1.0,
            **more,
        )
        monkeypatch.setattr(Outbox, "is_over", property(lambda self: self._sent_count > 200))
        assert producer.main(task.to_json()) == 0
        table = read_ledger(tmp_path / "ledger")
        return table, read_all(node.bootstrap_servers, topic, table.counts()["sent"])

    return write


def read_all(bootstrap_servers, topic, count):
    """Everything in the topic, once it has so many records: with acks=0 they may yet come."""
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap_servers, auto_offset_reset="earliest", enable_auto_commit=False
    )
    partitions = [TopicPartition(topic, number) for number in range(2)]
    consumer.assign(partitions)
    consumer.seek_to_beginning(*partitions)
    found = []
    while len(found) < count:
        for records in consumer.poll(timeout_ms=1000).values():
            found += records
    assert sum(consumer.end_offsets(partitions).values()) == len(found)
    consumer.close()
    return found


@pytest.mark.parametrize(("client", "acks", "idempotent"), CHOICES)
def test_the_ledger_has_the_records_of_the_log(wrote, client, acks, idempotent):
    """S1: any client, any acks, idempotent or not."""
    table, found = wrote(client, acks, idempotent=idempotent)
    assert (table.header["acks"], table.header["idempotent"]) == (acks, idempotent)
    counts = table.counts()
    assert counts["acked"] == counts["sent"] > 200
    placed = {}
    for record in found:
        seq = int(dict(record.headers)["s"])
        crc = digest(record.value, record.key, record.headers)
        placed[seq] = (record.partition, record.offset, crc)
    assert sorted(placed) == list(range(counts["sent"]))
    told = zip(table.partition, table.ack_offset, table.crc, strict=True)
    for seq, (partition, offset, crc) in enumerate(told):
        assert placed[seq] == (partition, placed[seq][1] if acks == "0" else offset, crc)
    assert (table.ack_offset == -1).all() == (acks == "0")


@pytest.mark.parametrize("compression", ["gzip", "snappy", "lz4", "zstd"])
@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_compresses_in_every_way(node, wrote, client, compression):
    """S1."""
    table, found = wrote(client, "all", idempotent=True, compression=compression)
    assert table.counts()["acked"] == table.counts()["sent"] == len(found)
    # A batch that compression would not make smaller may stay as it is.
    stored = codecs(node, topic_name(client, "all", compression), partitions=2)
    assert compression in stored
    assert stored <= {compression, "none"}
