import struct
import zlib
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.harness.clients.records import RecordFactory, digest, record_name


def test_a_record_carries_its_name_in_value_and_headers():
    factory = RecordFactory(seed=1, pid=7, partitions=3)
    records = [factory.make(1_000 + n) for n in range(5)]
    for seq, record in enumerate(records):
        assert struct.unpack_from(">IQQ", record.value) == (7, seq, 1_000 + seq)
        assert record.headers == [
            ("p", b"7"),
            ("s", b"%d" % seq),
            ("c", b"%d" % zlib.crc32(record.value + record.key)),
            ("t", b"%d" % (1_000 + seq)),
        ]
        assert record.seq == seq
        assert 0 <= record.partition < 3
        assert record.crc == digest(record.value, record.key, record.headers)
    assert record_name(7, 4) == "p7#4"


def test_the_same_seed_makes_the_same_records_and_another_one_does_not():
    def some(seed, pid):
        factory = RecordFactory(seed=seed, pid=pid, partitions=6)
        return [factory.make(0) for _ in range(50)]

    assert some(1, 1) == some(1, 1)
    assert [r.partition for r in some(1, 1)] != [r.partition for r in some(2, 1)]
    assert [r.partition for r in some(1, 1)] != [r.partition for r in some(1, 2)]


def test_sizes_are_bounded_and_a_skew_makes_some_keys_and_partitions_busy():
    """S1."""
    factory = RecordFactory(seed=1, pid=1, partitions=4, sizes=(5, 9), key_skew=1.5)
    records = [factory.make(0) for _ in range(500)]
    prefix = struct.calcsize(">IQQ")
    assert {len(record.value) - prefix for record in records} == {5, 6, 7, 8, 9}
    by_key = Counter(record.key for record in records)
    assert by_key[b"p1-k0"] == max(by_key.values()) > 5 * by_key[b"p1-k9"]
    assert {int(r.key.removeprefix(b"p1-k")) % 4 == r.partition for r in records} == {True}


def test_keys_and_partitions_are_drawn_evenly_and_apart():
    """S1: without a skew no partition is a busy one, and a key is in all of them."""
    factory = RecordFactory(seed=1, pid=1, partitions=4, sizes=(5, 5))
    records = [factory.make(0) for _ in range(8_000)]
    by_partition = Counter(record.partition for record in records)
    assert set(by_partition) == {0, 1, 2, 3}
    assert max(by_partition.values()) < 1.2 * min(by_partition.values())
    by_key = Counter(record.key for record in records)
    assert len(by_key) == 64
    assert max(by_key.values()) < 3 * min(by_key.values())
    assert {r.partition for r in records if r.key == b"p1-k0"} == {0, 1, 2, 3}


@settings(max_examples=50)
@given(st.binary(), st.binary(), st.lists(st.tuples(st.text(), st.binary()), max_size=3))
def test_the_digest_is_the_crc_of_all_parts_in_a_row(value, key, headers):
    counts = f"{len(value)},{len(key)},{len(headers)},".encode()
    parts = [b"%b:%b;" % (name.encode(), content) for name, content in headers]
    missing = [b":;"] * (4 - len(headers))
    joined = b"".join([value, key, counts, *parts, *missing])
    assert digest(value, key, headers) == zlib.crc32(joined)


RECORD = (b"value", b"key", [("a", b"1"), ("b", b"2"), ("c", b"3"), ("d", b"4")])


@pytest.mark.parametrize(
    "other",
    [
        (b"valuek", b"ey", RECORD[2]),
        (b"value", b"keY", RECORD[2]),
        (b"value", b"key", [("A", b"1"), *RECORD[2][1:]]),
        (b"value", b"key", [("a", b"7"), *RECORD[2][1:]]),
        (b"value", b"key", [*RECORD[2][1:], RECORD[2][0]]),
        (b"value", b"key", RECORD[2][:3]),
        (b"value", b"key", [*RECORD[2], ("e", b"")]),
    ],
)
def test_another_key_header_or_boundary_has_another_digest(other):
    assert digest(*other) != digest(*RECORD)


def test_a_record_is_stamped_with_its_send_time():
    assert RecordFactory(seed=1, pid=1, partitions=1).make(1_234_567).timestamp_ms == 1_234
