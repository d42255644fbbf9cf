import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.disk import read_file, write_file
from minikafka.messages.metadata_records.topic_record import TopicRecord
from minikafka.raft.snapshots import (
    SnapshotId,
    parse_snapshot,
    read_snapshot,
    snapshot_ids,
    write_snapshot,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.scan import split_batches
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.quorum_world import one_voter

PATH = "m/00000000000000000012-0000000003.checkpoint"


@pytest.fixture
def disk():
    disk = SimDisk()
    disk.make_dir("m")
    return disk


def topics(count):
    return [TopicRecord(name=f"t{x}", topic_id=Uuid.of(1, x)) for x in range(count)]


def write(disk, records, *, kraft_version=1, path=PATH):
    write_snapshot(
        disk,
        path,
        records,
        epoch=3,
        kraft_version=kraft_version,
        voters=one_voter() if kraft_version else None,
        metadata_version=30,
        last_contained_ms=777,
        now_ms=1000,
    )


@pytest.mark.parametrize("count", [0, 1, 2500])
def test_a_snapshot_survives_its_file(disk, count):
    write(disk, iter(topics(count)))
    snapshot = read_snapshot(disk, PATH)
    assert snapshot.records == topics(count)
    assert snapshot.kraft_version == 1
    assert snapshot.voters == one_voter()
    assert snapshot.last_contained_ms == 777


def test_a_static_quorum_has_no_voters_in_it(disk):
    write(disk, topics(1), kraft_version=0)
    snapshot = read_snapshot(disk, PATH)
    assert (snapshot.kraft_version, snapshot.voters) == (0, None)


def test_its_batches_have_offsets_from_zero_and_the_epoch(disk):
    write(disk, topics(2))
    headers = [header for _, header in split_batches(read_file(disk, PATH))]
    assert [(x.base_offset, x.last_offset) for x in headers] == [(0, 2), (3, 4), (5, 5)]
    assert {x.leader_epoch for x in headers} == {3}


def test_its_batches_are_bounded_by_bytes(disk):
    records = [TopicRecord(name="t" * 300_000, topic_id=Uuid.of(1, x)) for x in range(9)]
    write(disk, iter(records))
    data = read_file(disk, PATH)
    sizes = [header.size for _, header in split_batches(data) if not header.is_control]
    assert len(sizes) == 3
    assert max(sizes) < 1_500_000
    assert read_snapshot(disk, PATH).records == records


def test_a_file_that_is_not_there_is_none(disk):
    assert read_snapshot(disk, PATH) is None


def test_snapshots_are_found_by_their_names_oldest_first(disk):
    wanted = [SnapshotId(5, 1), SnapshotId(12, 3), SnapshotId(100, 3)]
    for snapshot_id in reversed(wanted):
        write(disk, (), path=f"m/{snapshot_id.file_name}")
    for name in (
        "x-y.checkpoint",
        "1.checkpoint",
        "00000000000000000000.log",
        "5-1.checkpoint.part",
    ):
        write_file(disk, f"m/{name}", b"", sync=False)
    assert SnapshotId(12, 3).file_name == PATH.removeprefix("m/")
    assert snapshot_ids(disk, "m") == wanted


def test_a_half_written_snapshot_is_refused(disk):
    write(disk, topics(3))
    content = read_file(disk, PATH)
    whole = [position for position, _ in split_batches(content)]
    for size in (len(content) - 1, whole[-1], whole[1]):
        write_file(disk, PATH, content[:size], sync=False)
        with pytest.raises(StorageFault, match="checkpoint"):
            read_snapshot(disk, PATH)


def test_damaged_bytes_are_refused(disk):
    write(disk, topics(3))
    content = bytearray(read_file(disk, PATH))
    content[len(content) // 2] ^= 1
    write_file(disk, PATH, bytes(content), sync=False)
    with pytest.raises(StorageFault):
        read_snapshot(disk, PATH)


def test_bytes_without_a_header_are_no_snapshot():
    batch = build_batch([NewRecord(0, None, b"\x01\x14\x00\x00")], BatchOptions())
    with pytest.raises(CorruptRecordsError, match="header"):
        parse_snapshot(bytes(batch))
