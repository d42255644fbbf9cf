"""Loading what a crash, a full disk or an interrupted cleaner left behind."""

from copy import deepcopy
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import LEADER_EPOCHS, read_epochs, write_epochs
from minikafka.log.config import LogConfig
from minikafka.log.disk import read_file, write_file
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
)
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)
CONFIG = LogConfig(segment_bytes=400, index_interval_bytes=100)


def open_log(disk, *, clean=False, config=CONFIG, **remembered):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=config, now=NOW, rng=Random(1),
        checkpointed=CheckpointedOffsets(clean=clean, **remembered),
    )  # fmt: skip


@pytest.fixture
def disk():
    """Twenty batches of one record in several segments, written by a process that was killed."""
    made = SimDisk()
    log = open_log(made)
    for i in range(20):
        batch = build_batch(
            [NewRecord(1_000 + i, b"k", b"v")],
            BatchOptions(producer_id=5, producer_epoch=0, base_sequence=i),
        )
        log.append_as_leader(memoryview(batch), leader_epoch=i // 10, now=NOW)
    made.crash()
    return made


def segments(disk):
    return [name for name in disk.list("t-0") if name.endswith(".log")]


def damage(disk, name, at):
    path = f"t-0/{name}"
    content = bytearray(read_file(disk, path))
    content[at] ^= 1
    write_file(disk, path, bytes(content))


def test_everything_that_was_written_is_found(disk):
    log = open_log(disk)
    assert (log.log_end_offset, log.leader_epochs) == (20, [(0, 0), (1, 10)])
    assert log.producers.producers[5].batches[-1].last_sequence == 19


def test_log_ends_at_the_first_bad_batch_and_later_segments_go(disk):
    first, second, *_ = segments(disk)
    damage(disk, second, 100)
    log = open_log(disk)
    assert log.log_end_offset == int(second[:20]) + 1
    assert segments(disk) == [first, second]
    assert log.producers.producers[5].batches[-1].last_sequence == log.log_end_offset - 1


@pytest.mark.parametrize("at", [6, 100])
def test_damage_in_front_of_a_segment_that_followed_durable_records_is_no_torn_tail(disk, at):
    """Also where nothing says any more how far the log was flushed, and in a base offset."""
    first, second, third, *_ = segments(disk)
    disk.remove(f"t-0/{third.removesuffix('log')}unflushed")
    size = disk.open(f"t-0/{second}").size
    damage(disk, second, at)
    with pytest.raises(StorageFault, match=f"t-0/{second}: damaged at byte .*move t-0 away"):
        open_log(disk)
    assert disk.open(f"t-0/{second}").size == size
    disk.open(f"t-0/{first}")


def test_segments_below_the_recovery_point_are_believed(disk):
    first, second, *_ = segments(disk)
    damage(disk, first, 100)
    log = open_log(disk, recovery_point=int(second[:20]))
    assert log.log_end_offset == 20


def test_damage_below_the_recovery_point_is_a_fault_and_nothing_is_cut(disk):
    """What was flushed is no torn tail: the disk is broken."""
    *_, last = segments(disk)
    before = disk.list("t-0")
    size = disk.open(f"t-0/{last}").size // 5
    damage(disk, last, 2 * size + 30)
    content = read_file(disk, f"t-0/{last}")
    damaged_at = f"t-0/{last}: damaged at byte {2 * size}, offset {int(last[:20]) + 2}"
    with pytest.raises(StorageFault, match=damaged_at):
        open_log(disk, recovery_point=20)
    assert (read_file(disk, f"t-0/{last}"), disk.list("t-0")) == (content, before)
    assert open_log(disk, recovery_point=int(last[:20])).log_end_offset == int(last[:20]) + 2


def test_a_log_that_ends_before_what_a_clean_shutdown_flushed_is_a_fault(disk):
    open_log(disk).close()
    *_, last = segments(disk)
    disk.open(f"t-0/{last}").truncate(0)
    with pytest.raises(StorageFault, match=f"{last} ends at byte 0 .* below offset 20 was flushed"):
        open_log(disk, clean=True, recovery_point=20)


def test_epochs_beyond_the_end_are_forgotten(disk):
    damage(disk, segments(disk)[0], 100)
    assert open_log(disk).leader_epochs == [(0, 0)]


@pytest.mark.parametrize("content", [None, b"", b"0\n2\n0 0\n1 1"])
def test_lost_or_torn_epochs_are_rebuilt_from_the_batches(disk, content, caplog):
    disk.remove(f"t-0/{LEADER_EPOCHS}")
    if content is not None:
        write_file(disk, f"t-0/{LEADER_EPOCHS}", content)
    assert open_log(disk).leader_epochs == [(0, 0), (1, 10)]
    assert read_epochs(disk, "t-0") == [(0, 0), (1, 10)]
    # Apache Kafka leaves an empty file for a log without epochs: that is no damage.
    assert ("is damaged" in caplog.text) is bool(content)


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
def test_missing_index_is_rebuilt_even_after_a_clean_shutdown(disk, suffix):
    log = open_log(disk)
    log.close()
    entries = [segment.indexes.time_index.entries() for segment in log.segments.items]
    for name in disk.list("t-0"):
        if name.endswith(suffix):
            disk.remove(f"t-0/{name}")
    again = open_log(disk, clean=True)
    assert [segment.indexes.time_index.entries() for segment in again.segments.items] == entries
    assert again.offset_for_timestamp(1_003).offset == 3


@pytest.mark.parametrize("suffix", [".index", ".timeindex"])
@pytest.mark.parametrize("seed", range(20))
def test_garbage_in_an_index_after_a_clean_shutdown_hides_no_record(suffix, seed):
    """Once 2,010 of 3,000 records were read, without a word."""
    rng = Random(seed)
    disk = SimDisk()
    config = LogConfig(index_interval_bytes=100)
    log = open_log(disk, clean=True, config=config)
    for i in range(100):
        batch = build_batch([NewRecord(1_000 + i, b"k", b"v" * 20)])
        log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)
    log.close()
    file = disk.open(f"t-0/{0:020d}{suffix}")
    size = file.size
    file.truncate(0)
    file.append(
        rng.choice((rng.randbytes(size), rng.randbytes(size - 3), b"\0\0\0\1" * (size // 4)))
    )
    again = open_log(disk, clean=True, config=config)
    assert again.log_end_offset == 100
    for offset in range(100):
        data = again.read(offset, 200, upper_bound_offset=100, min_one_message=True).slice.read()
        assert int.from_bytes(bytes(data)[:8], "big") == offset
        assert again.offset_for_timestamp(1_000 + offset).offset == offset


def test_an_index_without_its_log_is_removed(disk):
    write_file(disk, "t-0/00000000000000000999.index", b"x")
    open_log(disk)
    assert "00000000000000000999.index" not in disk.list("t-0")


def test_damaged_snapshot_is_replaced_by_a_scan(disk):
    open_log(disk).close()
    name = "t-0/00000000000000000020.snapshot"
    write_file(disk, name, b"\0\1 damaged")
    log = open_log(disk, clean=True)
    assert log.producers.producers[5].batches[-1].last_offset == 19


def test_a_log_that_ends_before_its_start_offset_restarts_there(disk):
    write_epochs(disk, "t-0", [(1, 50)])
    log = open_log(disk, log_start_offset=50)
    assert (log.log_start_offset, log.log_end_offset, log.size_bytes) == (50, 50, 0)


@pytest.mark.parametrize("clean", [True, False])
@pytest.mark.parametrize("said", [7, 50])
def test_a_start_offset_above_the_first_leader_epoch_takes_no_records_away(
    disk, caplog, clean, said
):
    write_epochs(disk, "t-0", [(0, 4), (1, 10)])
    log = open_log(disk, clean=clean, log_start_offset=said)
    assert (log.log_start_offset, log.log_end_offset) == (4, 20)
    assert (
        f"log-start-offset-checkpoint says that t-0 begins at offset {said}, but its leader "
        "epochs begin at 4: the checkpoint is damaged, using 4"
    ) in caplog.text


def test_high_watermark_is_kept_within_the_log(disk):
    assert open_log(disk, high_watermark=15).high_watermark == 15
    assert open_log(disk, high_watermark=99).high_watermark == 20
    write_epochs(disk, "t-0", [(0, 4), (1, 10)])
    assert open_log(disk, high_watermark=1, log_start_offset=4).high_watermark == 4


def segments_of(disk):
    """The log's end, and where its segments begin."""
    log = open_log(disk)
    return log.log_end_offset, [segment.base_offset for segment in log.segments.items]


def segment_path(base_offset):
    return f"t-0/{base_offset:020d}.log"


def power_losses(disk):
    """The disk after each of many ways in which power may be lost now."""
    for seed in range(20):
        other = deepcopy(disk)
        other.lose_power(Random(seed))
        yield other


def test_records_that_recovery_truncated_stay_away_after_a_clean_shutdown(disk):
    """C1, C4: nothing is left to flush at the shutdown, and the log is not checked after it."""
    open_log(disk).close()
    *_, last = segments(disk)
    damage(disk, last, 8)
    disk.sync_files(".log")
    log = open_log(disk, recovery_point=int(last[:20]))
    assert log.log_end_offset == log.recovery_point == int(last[:20])
    log.close()
    for later in power_losses(disk):
        assert open_log(later, clean=True).log_end_offset == log.log_end_offset


def test_epochs_that_recovery_has_rebuilt_are_durable(disk):
    """C1: after a clean shutdown stale ones would be believed."""
    disk.sync_dir("")
    disk.remove(f"t-0/{LEADER_EPOCHS}")
    open_log(disk)
    for later in power_losses(disk):
        assert read_epochs(later, "t-0") == [(0, 0), (1, 10)]


def test_epochs_of_truncated_records_do_not_come_back_with_their_file():
    """KIP-101: a leader would take the records of another one for those of this epoch."""
    disk, config = SimDisk(), LogConfig()
    log = open_log(disk, config=config)
    for base_offset, epoch in ((0, 5), (2, 5), (4, 8), (6, 9)):
        batches = from_leader(base_offset, epoch=epoch)
        log.append_as_follower(batches, leader_epoch=epoch, now=NOW)
    flush(log)
    log.truncate_to(4, NOW)
    log.append_as_follower(from_leader(4, 6, 8, epoch=5), leader_epoch=12, now=NOW)
    log.segments.active.file.sync()
    stale = 0
    for later in power_losses(disk):
        stale += read_epochs(later, "t-0") == [(5, 0), (8, 4), (9, 6)]
        log = open_log(later, config=config, recovery_point=4)
        assert log.log_end_offset == 10
        assert log.leader_epochs == read_epochs(later, "t-0") == [(5, 0)]
    assert stale


def test_epochs_of_a_log_that_started_over_do_not_come_back_with_their_file():
    disk, config = SimDisk(), LogConfig()
    log = open_log(disk, config=config)
    for base_offset, epoch in ((0, 5), (2, 9)):
        batches = from_leader(base_offset, epoch=epoch)
        log.append_as_follower(batches, leader_epoch=epoch, now=NOW)
    flush(log)
    stale = read_file(disk, f"t-0/{LEADER_EPOCHS}")
    log.truncate_fully_and_start_at(100, NOW)
    log.append_as_follower(from_leader(100, 102, epoch=6), leader_epoch=12, now=NOW)
    disk.crash()
    write_file(disk, f"t-0/{LEADER_EPOCHS}", stale)
    log = open_log(disk, config=config, log_start_offset=100)
    assert (log.log_start_offset, log.log_end_offset) == (100, 104)
    assert log.leader_epochs == read_epochs(disk, "t-0") == [(6, 100)]


@pytest.mark.parametrize(
    "known", [b"0\n1\n1 10\n", b"0\n1\n1 14\n", b"0\n2\n0 6\n1 10\n", b"0\n1\n1 25\n"]
)
@pytest.mark.parametrize(("start", "epochs"), [(0, [(0, 0), (1, 10)]), (3, [(0, 3), (1, 10)])])
def test_a_log_that_begins_before_its_epochs_learns_them(disk, known, start, epochs):
    """The checkpoint of log start offsets is a minute behind the file of epochs."""
    write_file(disk, f"t-0/{LEADER_EPOCHS}", known)
    log = open_log(disk, recovery_point=20, log_start_offset=start)
    assert log.leader_epochs == epochs
    assert read_epochs(disk, "t-0") == epochs


@pytest.mark.parametrize(("start", "epochs"), [(0, [(0, 0), (1, 10)]), (20, [(1, 20)])])
def test_a_clean_log_whose_epochs_begin_at_its_end_learns_them(disk, start, epochs):
    """All records were deleted; at offset 0, the checkpoint of log start offsets is lost."""
    open_log(disk).close()
    write_epochs(disk, "t-0", [(1, 20)])
    log = open_log(disk, clean=True, recovery_point=20, log_start_offset=start)
    assert (log.log_start_offset, log.log_end_offset) == (start, 20)
    assert log.leader_epochs == epochs


def test_a_damaged_log_that_was_flushed_is_a_fault_and_loses_nothing(disk):
    open_log(disk).close()
    *_, last = segments(disk)
    path = f"t-0/{last}"
    content = bytearray(read_file(disk, path))
    at = len(content) - 70
    content[at + 8 : at + 12] = bytes(4)
    write_file(disk, path, bytes(content))
    with pytest.raises(StorageFault, match=f"{path}: batch at byte {at} says it has 12 bytes"):
        open_log(disk, clean=True, recovery_point=20)
    assert read_file(disk, path) == content


def from_leader(*bases, epoch=0):
    """Batches of two records each at these offsets, as a leader sends them."""
    return memoryview(
        b"".join(
            build_batch(
                [NewRecord(1_000, b"k", b"v" * 60)] * 2,
                BatchOptions(base_offset=base, leader_epoch=epoch),
            )
            for base in bases
        )
    )


def follow(log, *bases):
    log.append_as_follower(from_leader(*bases), leader_epoch=0, now=NOW)


def flush(log):
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)


GAPS = (0, 2, 5, 9, 20, 22, 1 << 32, (1 << 32) + 2)
"""First offsets of batches of a compacted log; the last gap is too large for one segment."""


def test_a_follower_keeps_a_log_with_gaps_after_a_kill():
    """C4: compaction leaves gaps, and a leader sends what it has."""
    disk = SimDisk()
    log = open_log(disk, clean=True)
    follow(log, *GAPS)
    before = log.log_end_offset, log.size_bytes
    assert len(log.segments.items) > 3
    disk.crash()
    again = open_log(disk)
    assert (again.log_end_offset, again.size_bytes) == before
    assert again.segments.items[0].size, "no empty segment before a gap"


def test_segments_that_begin_behind_a_gap_are_kept():
    """C4: another broker rolled them with the batch that came next, or a cleaner left them."""
    disk = SimDisk()
    disk.make_dir("t-0")
    for base in (0, 4, 9, 30):
        disk.open(segment_path(base), create=True).append(from_leader(base, base + 2))
    assert segments_of(disk) == (34, [0, 4, 9, 30])


def test_no_empty_segment_is_left_before_a_gap():
    disk = SimDisk()
    log = open_log(disk, clean=True)
    large = build_batch([NewRecord(1_000, b"k", b"v" * 500)], BatchOptions(base_offset=7))
    log.append_as_follower(memoryview(large), leader_epoch=0, now=NOW)
    assert segments_of(disk) == (8, [0])


def test_nothing_is_kept_behind_an_end_of_a_segment_that_was_lost(disk):
    """C4: what came next was written, and a later segment may outlive it in a power loss."""
    _, bases = segments_of(disk)
    disk.crash()
    disk.open(segment_path(bases[1])).truncate(0)
    assert segments_of(disk) == (bases[1], bases[:2])


def test_a_torn_time_index_in_front_of_the_recovery_point_is_completed():
    """C4: an earlier recovery rewrote it, and it was not synced when the power failed."""
    disk = SimDisk()
    log = open_log(disk, clean=True)
    for timestamp in (1_001, 1_002, 1_900, 1_003, 1_004, 1_005, 1_006):
        batch = build_batch([NewRecord(timestamp, b"k", b"v")], BatchOptions())
        log.append_as_leader(memoryview(batch), leader_epoch=0, now=NOW)
    flush(log)
    disk.crash()
    disk.open("t-0/00000000000000000000.timeindex").truncate(0)
    again = open_log(disk, recovery_point=log.recovery_point)
    assert again.segments.active.base_offset > 2
    assert again.offset_for_timestamp(1_900).offset == 2


def test_segments_need_no_predecessor_once_earlier_ones_are_durable():
    disk = SimDisk()
    log = open_log(disk, clean=True)
    follow(log, 0, 2, 4, 6)
    names = [name for name in disk.list("t-0") if name.endswith(".unflushed")]
    assert len(names) == len(log.segments.items) - 1 > 0
    flush(log)
    log.tick(NOW)
    assert not [name for name in disk.list("t-0") if name.endswith(".unflushed")]


def test_a_removed_segment_that_came_back_behind_a_gap_is_dropped(disk):
    """C4: it was not durable; that it was removed, neither."""
    _, bases = segments_of(disk)
    disk.crash()
    disk.remove(segment_path(bases[1]))
    assert segments_of(disk) == (bases[1], bases[:1])


def test_a_truncation_that_the_process_did_not_survive_cannot_come_undone_under_new_records(disk):
    """C4: records of the time before would stand in front of those that were written after."""
    log = open_log(disk)
    flush(log)
    active = log.segments.active
    disk.crash()
    active.file.truncate(0)
    log = open_log(disk, recovery_point=20)
    assert log.log_end_offset == active.base_offset
    follow(log, log.log_end_offset)
    written = bytes(log.segments.active.file.read_at(0, 8192))
    for later in power_losses(disk):
        content = read_file(later, segment_path(active.base_offset))
        assert written.startswith(content.rstrip(b"\0"))


def test_such_a_truncation_is_durable_before_another_segment_begins(disk):
    """C4; seed 44000104: the sync of the truncation had failed."""
    log = open_log(disk)
    flush(log)
    active = log.segments.active
    active.truncate_to(active.base_offset + 1)
    disk.crash()
    log = open_log(disk, recovery_point=20)
    truncated = log.segments.active.file
    log.roll(NOW)
    assert log.segments.active.file is not truncated
    assert not truncated.may_grow_back


def test_a_truncated_tail_that_came_back_is_replaced_by_later_records(disk):
    """C4: the later segment was written behind the truncation."""
    before = segments_of(disk)
    _, bases = before
    disk.crash()
    second = disk.open(segment_path(bases[1]))
    disk.open(segment_path(bases[0])).append(second.read_at(0, second.size))
    assert segments_of(disk) == before
