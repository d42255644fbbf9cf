"""Log directories that Apache Kafka 4.3.1 wrote, read by our loader.

`data/kafka` was recorded by record_log_files.py; the dumps in it are what Kafka's own
DumpLogSegments says of the same files.
"""

import re
from pathlib import Path
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    RECOVERY_POINTS,
    read_clean_shutdown,
    read_epochs,
    read_meta_properties,
    read_offsets,
    read_topic_id,
)
from minikafka.log.config import LogConfig
from minikafka.log.producers.producer_snapshot import decode, encode
from minikafka.log.producers.producer_state import ProducerState
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.segment.scan import scan_headers
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.reader import read_records
from minikafka.sim.world.sim_disk import SimDisk

DATA = Path(__file__).parent / "data" / "kafka"
NOW = Now(0, 1_800_000_000_000)
LOGS = {"codecs-0": 430, "appendtime-0": 40, "txn-0": 47, "compacted-0": 30}
EVERY_LOG = [*LOGS, "__cluster_metadata-0"]


@pytest.fixture
def disk():
    copy = SimDisk()
    for path in sorted(DATA.rglob("*")):
        name = str(path.relative_to(DATA))
        if path.is_dir():
            copy.make_dir(name)
        elif not name.endswith(".dump.txt"):
            copy.open(name, create=True).append(path.read_bytes())
    return copy


def open_log(disk, name, *, clean):
    topic, _, partition = name.rpartition("-")
    interval = 4096 if name == "__cluster_metadata-0" else 1024
    return UnifiedLog.open(
        disk, name, TopicPartition(topic, int(partition)),
        config=LogConfig(index_interval_bytes=interval),
        checkpointed=CheckpointedOffsets(clean=clean), now=NOW, rng=Random(0),
    )  # fmt: skip


def dumped(name, segment):
    """The batch lines of Kafka's dump of a segment, as dicts."""
    text = (DATA / name / f"{segment.base_offset:020d}.log.dump.txt").read_text()
    return [
        dict(re.findall(r"(\w+): (\S+)", line))
        for line in text.splitlines()
        if line.startswith("baseOffset")
    ]


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize(("name", "end_offset"), LOGS.items())
def test_log_loads_to_the_end_that_kafka_had(disk, name, end_offset, clean):
    log = open_log(disk, name, clean=clean)
    assert log.log_end_offset == end_offset
    assert log.producers.end_offset == end_offset


@pytest.mark.parametrize("name", EVERY_LOG)
def test_every_batch_header_is_as_kafka_prints_it(disk, name):
    for segment in open_log(disk, name, clean=True).segments.items:
        lines = dumped(name, segment)
        headers = list(scan_headers(segment.file))
        assert len(lines) == len(headers) > 0
        for line, (position, header) in zip(lines, headers, strict=True):
            assert int(line["position"]) == position
            assert int(line["baseOffset"]) == header.base_offset
            assert int(line["lastOffset"]) == header.last_offset
            assert int(line["lastSequence"]) == header.last_sequence
            assert int(line["producerId"]) == header.producer_id
            assert int(line["partitionLeaderEpoch"]) == header.leader_epoch
            assert int(line["size"]) == header.size
            assert int(line["crc"]) == header.crc
            assert line["isTransactional"] == str(header.is_transactional).lower()
            assert line["isControl"] == str(header.is_control).lower()


@pytest.mark.parametrize("name", EVERY_LOG)
def test_recovery_finds_every_byte_sound(disk, name):
    sizes = [segment.size for segment in open_log(disk, name, clean=True).segments.items]
    recovered = open_log(disk, name, clean=False)
    assert [segment.size for segment in recovered.segments.items] == sizes


@pytest.mark.parametrize("name", LOGS)
def test_indexes_equal_rebuilt_ones(disk, name):
    recorded = [
        (segment.indexes.offset_index.entries(), segment.indexes.time_index.entries())
        for segment in open_log(disk, name, clean=True).segments.items
    ]
    rebuilt = [
        (segment.indexes.offset_index.entries(), segment.indexes.time_index.entries())
        for segment in open_log(disk, name, clean=False).segments.items
    ]
    assert rebuilt == recorded


@pytest.mark.parametrize("clean", [True, False])
def test_records_of_every_codec_are_read_as_sent(disk, clean):
    log = open_log(disk, "codecs-0", clean=clean)
    read = [
        record
        for segment in log.segments.items
        for record in read_records(segment.file.read_at(0, segment.size))
    ]
    sent = [*range(400), *range(500, 530)]
    assert [record.offset for record in read] == list(range(430))
    for record, i in zip(read, sent, strict=True):
        assert record.key == b"key-%d" % (i % 7)
        assert record.value == b"value %d " % i + b"x" * (i % 50)
        assert record.timestamp == 1_700_000_000_000 + i * 1000
        assert record.headers == ((("n", b"%d" % i), ("null", None)) if i % 5 == 0 else ())


@pytest.mark.parametrize("offset", [0, 79, 80, 399, 429])
def test_time_lookup_finds_the_record(disk, offset):
    log = open_log(disk, "codecs-0", clean=True)
    i = offset if offset < 400 else offset + 100
    found = log.offset_for_timestamp(1_700_000_000_000 + i * 1000)
    assert (found.offset, found.timestamp) == (offset, 1_700_000_000_000 + i * 1000)


def test_transactions_are_read(disk):
    log = open_log(disk, "txn-0", clean=True)
    log.update_high_watermark(log.log_end_offset)
    assert log.last_stable_offset == 40
    recorded = [segment.indexes.aborted for segment in log.segments.items]
    rebuilt = open_log(disk, "txn-0", clean=False)
    assert [segment.indexes.aborted for segment in rebuilt.segments.items] == recorded
    assert [tuple(aborted) for aborted in log.aborted_transactions(0, 47)] == [
        (6, 3, 8, 0), (5, 10, 18, 13), (6, 23, 29, 30), (5, 30, 38, 33),
    ]  # fmt: skip


def test_producer_snapshot_is_the_state_after_a_scan(disk):
    snapshot = DATA / "txn-0" / "00000000000000000047.snapshot"
    scanned = open_log(disk, "txn-0", clean=False).producers
    recorded = decode(snapshot.read_bytes())
    assert [entry.producer_id for entry in recorded] == [5, 6, 7]
    for entry in recorded:
        other = scanned.producers[entry.producer_id]
        assert other.epoch == entry.epoch
        assert other.batches[-1][:3] == entry.batches[-1][:3]
        assert other.transaction_start == entry.transaction_start
        assert other.coordinator_epoch == entry.coordinator_epoch
        assert other.last_timestamp == entry.last_timestamp


@pytest.mark.parametrize("path", sorted(DATA.rglob("*.snapshot")), ids=lambda path: path.name)
def test_producer_snapshot_is_written_back_byte_for_byte(path):
    content = path.read_bytes()
    entries = decode(content)
    state = ProducerState({entry.producer_id: entry for entry in entries})
    assert encode(state) == content


def test_small_files_are_read(disk):
    properties = read_meta_properties(disk)
    assert properties.node_id == 1
    assert properties.directory_id is not None
    assert read_clean_shutdown(disk) > 0
    offsets = read_offsets(disk, RECOVERY_POINTS)
    high_watermarks = read_offsets(disk, HIGH_WATERMARKS)
    for name, end_offset in LOGS.items():
        at = TopicPartition(name.removesuffix("-0"), 0)
        assert offsets[at] == high_watermarks[at] == end_offset
        assert read_topic_id(disk, name) is not None
    assert read_epochs(disk, "codecs-0") == [(0, 0), (2, 400)]


def test_index_files_are_written_back_byte_for_byte(disk):
    for name in LOGS:
        for segment in open_log(disk, name, clean=True).segments.items:
            stem = DATA / name / f"{segment.base_offset:020d}"
            assert segment.indexes.offset_index.encode() == stem.with_suffix(".index").read_bytes()
            assert (
                segment.indexes.time_index.encode() == stem.with_suffix(".timeindex").read_bytes()
            )
