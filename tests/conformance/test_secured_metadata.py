"""A metadata log that Apache Kafka wrote, with ACLs, quotas and SCRAM credentials (R1).

Recorded by record_secured_metadata.py: the log, and Kafka's own snapshot of a part of it.
"""

from collections import Counter
from pathlib import Path

import pytest

from minikafka.messages.metadata_records.register_broker_record import RegisterBrokerRecord
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.serde import decode_record
from minikafka.metadata.snapshot import snapshot_records
from minikafka.raft.snapshots import encode_snapshot, parse_snapshot
from minikafka.records.batch import CONTROL
from minikafka.records.reader import read_batch
from minikafka.records.scan import check_crc, split_batches

DATA = Path(__file__).parent / "data" / "secured_metadata"
(LOG,) = DATA.glob("*.log")
(SNAPSHOT,) = DATA.glob("*.checkpoint")
END_OFFSET = int(SNAPSHOT.name.partition("-")[0])


def image_of_the_log():
    """The metadata at the offset of Kafka's snapshot."""
    loader = MetadataLoader()
    content = LOG.read_bytes()
    for position, header in split_batches(content):
        if header.base_offset >= END_OFFSET:
            break
        check_crc(content, position, header)
        rows = [] if header.attributes & CONTROL else read_batch(content, position, header)
        loader.load_batch(
            [(row.offset, decode_record(row.value)) for row in rows],
            last_offset=header.last_offset,
            epoch=header.leader_epoch,
        )
    return loader.image


@pytest.fixture(scope="module")
def kafkas():
    return parse_snapshot(SNAPSHOT.read_bytes())


def kinds(records):
    return Counter(type(record).__name__ for record in records)


def in_order(record):
    """A record whose features are ordered by name: Kafka orders those of a broker by hash."""
    if isinstance(record, RegisterBrokerRecord):
        record.features.sort(key=lambda feature: feature.name)
    return record


def test_kafka_keeps_what_was_not_removed(kafkas):
    found = kinds(kafkas.records)
    assert found["AccessControlEntryRecord"] == 2
    assert found["UserScramCredentialRecord"] == 2
    assert found["ClientQuotaRecord"] == 2


def test_our_snapshot_of_the_log_equals_kafkas(kafkas):
    ours = [in_order(record) for record in snapshot_records(image_of_the_log())]
    assert kinds(ours) == kinds(kafkas.records)
    for record in kafkas.records:
        assert in_order(record) in ours


def test_a_snapshot_of_kafka_is_the_same_after_a_round_trip(kafkas):
    loader = MetadataLoader()
    image = loader.load_snapshot(kafkas.records, last_offset=END_OFFSET - 1, epoch=1)
    pieces = encode_snapshot(
        snapshot_records(image), epoch=1, kraft_version=kafkas.kraft_version,
        voters=kafkas.voters, metadata_version=image.feature("metadata.version"),
        last_contained_ms=kafkas.last_contained_ms, now_ms=0,
    )  # fmt: skip
    again = parse_snapshot(b"".join(pieces))
    assert again.voters == kafkas.voters
    assert kinds(again.records) == kinds(kafkas.records)
    for record in kafkas.records:
        assert record in again.records
