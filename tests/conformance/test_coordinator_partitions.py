"""Ids of groups and transactions belong to the partitions that Apache Kafka 4.3.1 chooses.

`coordinator_partitions.txt` was written by `record_coordinator_partitions`. `coordinators/` has the
segments of the 50 partitions of `__consumer_offsets` and `__transaction_state` that were not empty
after clients of a Kafka 4.3.1 broker had committed offsets of 18 groups, 8 of them with chosen
names, and initialized 3 transactional ids.
"""

from pathlib import Path

import pytest

from minikafka.coordinator.partitioning import java_hash, partition_of
from minikafka.group.records import parse_record
from minikafka.records.reader import read_batch
from minikafka.records.scan import split_batches
from minikafka.transaction.records import parse_transaction
from tests.conformance.coordinator_names import LOWEST_HASH, PARTITIONS, names

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
