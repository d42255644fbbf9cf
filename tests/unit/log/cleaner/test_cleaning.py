"""Cleanings of a log on a simulated disk, also interrupted by crashes."""

from contextlib import suppress
from dataclasses import replace
from itertools import count
from random import Random

import pytest

from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.log.cleaner.cleaning import Cleaning, CleaningAbortedError, Computation, Moved, Sync
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    TransactionEnd,
    build_batch,
    build_end_marker,
)
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.offset_map import OffsetMap
from minikafka.records.reader import read_records
from minikafka.records.validation import AppendOrigin
from minikafka.sim.checks.compaction_checks import committed_records, wrong_index
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, open_log

CONFIG = {"compacted": True, "deletes": False, "segment_bytes": 400, "file_delete_delay_ms": 0}


def write(log, *rows, kind=AppendOrigin.CLIENT, now=NOW, **options):
    records = [NewRecord(50_000, key, value) for key, value in rows]
    data = memoryview(build_batch(records, BatchOptions(**options)))
    return log.append_as_leader(data, leader_epoch=0, now=now, origin=kind, guard=UNCHECKED)


def end(log, producer_id, *, is_commit):
    marker = build_end_marker(TransactionEnd(producer_id, 0, is_commit, 0, 1), 50_000)
    log.append_as_leader(
        memoryview(marker), leader_epoch=0, now=NOW, origin=AppendOrigin.COORDINATOR
    )


def settle(log):
    """Flush everything, and let all of it be replicated."""
    request = log.take_flush(everything=True)
    if request is not None:
        request.run()
        log.flushed(request)
    log.update_high_watermark(log.log_end_offset)


def cleaning_of(log, *, first=0, end=None, now=NOW, slots=1000):
    end = min(log.last_stable_offset, log.segments.active.base_offset) if end is None else end
    return Cleaning(log, first, end, OffsetMap(24 * slots, bytes(16)), now)


def perform(steps, task):
    """Carry out a task, and return the next one; None at the end."""
    try:
        if isinstance(task, Computation):
            try:
                result = task.function()
            except CorruptRecordsError as error:
                return steps.throw(error)
            return steps.send(result)
        if isinstance(task, Sync):
            task.target.run()
        else:
            assert isinstance(task, Moved)
        return steps.send(None)
    except StopIteration:
        return None


def finish(steps, task):
    """Carry out a task and all after it."""
    while task is not None:
        task = perform(steps, task)


def drive(cleaning):
    """Carry all tasks out; return how many there were."""
    steps = cleaning.run()
    task, number = next(steps, None), 0
    while task is not None:
        task = perform(steps, task)
        number += 1
    return number


def records(log):
    found = []
    offset = log.log_start_offset
    while offset < log.log_end_offset:
        read = log.read(
            offset, 1 << 20, upper_bound_offset=log.log_end_offset, min_one_message=True
        )
        if read.slice is None:
            break
        data = bytes(read.slice.read())
        found += [record for record in read_records(data) if record.offset >= offset]
        last = list(headers(data))[-1]
        offset = last.next_offset
    return found


def headers(data):
    from minikafka.records.scan import split_batches

    return [header for _, header in split_batches(data)]


def values(log):
    return [(record.offset, record.key, record.value) for record in records(log)]


def latest(rows):
    """What a reader of all rows knows in the end."""
    found = {key: value for _, key, value in rows}
    return {key: value for key, value in found.items() if value is not None}


@pytest.fixture
def disk():
    return SimDisk()


def filled(disk, rounds=6, **config):
    log = open_log(disk, **(CONFIG | config))
    for number in range(rounds):
        for key in (b"a", b"b", b"c", b"d%d" % number):
            write(log, (key, b"%d" % number * 20), (b"x", None if number % 2 else b"y"))
    settle(log)
    log.tick(NOW)
    assert len(log.segments.items) > 4
    return log


def test_no_record_at_or_above_the_end_is_mapped():
    """If the range is empty, the checkpoint may be within a segment."""
    log = open_log(SimDisk(Random(1)), **CONFIG)
    for number in range(6):
        write(log, (b"k", b"%d" % number))
    log.roll(NOW)
    settle(log)
    values = [each.value for each in committed_records(log)]
    cleaning = cleaning_of(log, first=3, end=3)
    drive(cleaning)
    assert cleaning.stats.end_offset == 3
    assert [each.value for each in committed_records(log)] == values


def test_a_gap_at_the_end_of_a_segment_is_clean_too():
    """Kafka begins a segment at its first batch, and a cleaning may have removed the last one.

    Otherwise the segment would stay dirty, and be cleaned again and again.
    """
    log = open_log(SimDisk(Random(1)), **CONFIG)
    write(log, (b"k", b"1"))
    write(log, (b"k", b"2"))
    record = BatchOptions(base_offset=10, leader_epoch=0)
    data = memoryview(build_batch([NewRecord(50_000, b"k", b"3")], record))
    log._roll(10, NOW)
    log.append_as_follower(data, leader_epoch=0, now=NOW)
    log.roll(NOW)
    settle(log)
    cleaning = cleaning_of(log, end=10)
    drive(cleaning)
    assert cleaning.stats.end_offset == 10
    assert [each.value for each in committed_records(log)] == [b"2", b"3"]


def test_each_key_keeps_its_latest_value_below_the_active_segment(disk):
    log = filled(disk)
    before, active = values(log), log.segments.active.base_offset
    size, end_offset = log.size_bytes, log.log_end_offset
    cleaning = cleaning_of(log)
    assert drive(cleaning) > 10
    after = values(log)
    assert latest(after) == latest(before)
    below = [key for offset, key, _ in after if offset < active]
    assert len(below) == len(set(below))
    assert [row for row in after if row[0] >= active] == [row for row in before if row[0] >= active]
    assert set(after) <= set(before)
    assert log.size_bytes < size
    assert log.log_end_offset == end_offset
    assert cleaning.stats.end_offset == active
    assert not [name for name in disk.list("t-0") if "cleaned" in name or "swap" in name]
    # The next start finds the same.
    log.close()
    assert values(open_log(disk, clean=True, **CONFIG)) == after


def test_a_second_cleaning_of_a_clean_log_changes_nothing(disk):
    log = filled(disk)
    drive(cleaning_of(log))
    before = values(log)
    drive(cleaning_of(log))
    assert values(log) == before
    write(log, (b"a", b"new" * 30), (b"z", b"1" * 100))
    write(log, (b"a", b"newer" * 30), (b"z", b"2" * 100))
    settle(log)
    drive(cleaning_of(log, first=before[-1][0]))
    assert latest(values(log))[b"z"] == b"2" * 100


def test_a_full_map_ends_the_cleaning_early(disk):
    log = filled(disk, rounds=12)
    before = values(log)
    first, ends = 0, []
    while first < log.segments.active.base_offset:
        cleaning = cleaning_of(log, first=first, slots=5)
        drive(cleaning)
        assert cleaning.stats.end_offset > first
        assert cleaning.stats.mapped_keys == cleaning.offsets.count > 0
        first = cleaning.stats.end_offset
        ends.append(first)
        assert latest(values(log)) == latest(before)
    assert len(ends) > 2


def test_a_tombstone_goes_after_its_retention(disk):
    log = filled(disk, delete_retention_ms=1_000)
    write(log, (b"a", None), (b"b", b"1" * 300))
    write(log, (b"c", b"1" * 300))
    settle(log)
    drive(cleaning_of(log))
    assert (b"a", None) in [row[1:] for row in values(log)]
    drive(cleaning_of(log, now=NOW._replace(wall_ms=NOW.wall_ms + 999)))
    assert (b"a", None) in [row[1:] for row in values(log)]
    drive(cleaning_of(log, now=NOW._replace(wall_ms=NOW.wall_ms + 1_000)))
    assert b"a" not in [row[1] for row in values(log)]


def test_aborted_records_never_win_and_markers_go_last(disk):
    log = open_log(disk, **CONFIG, delete_retention_ms=1_000)
    ids = {"producer_epoch": 0, "is_transactional": True}
    write(log, (b"a", b"committed"), producer_id=1, base_sequence=0, **ids)
    end(log, 1, is_commit=True)
    write(log, (b"a", b"aborted"), producer_id=2, base_sequence=0, **ids)
    end(log, 2, is_commit=False)
    # Both producers go on: their last batches are elsewhere.
    for producer_id in (1, 2):
        write(
            log,
            (b"other", b"%d" % producer_id * 300),
            producer_id=producer_id,
            base_sequence=1,
            **ids,
        )
        end(log, producer_id, is_commit=True)
    write(log, (b"z", b"z" * 300))
    settle(log)
    drive(cleaning_of(log))
    found = values(log)
    assert (b"a", b"committed") in [row[1:] for row in found]
    assert (b"a", b"aborted") not in [row[1:] for row in found]
    markers = [row for row in found if row[0] in (1, 3)]
    assert len(markers) == 2
    assert [each.producer_id for each in log.aborted_transactions(0, 100)] == [2]
    # The aborted transaction has no records now: its marker goes, the other one stays.
    for now_ms in (0, 1_000):
        drive(cleaning_of(log, now=NOW._replace(wall_ms=NOW.wall_ms + 100_000 + now_ms)))
    assert [row[0] for row in values(log) if row[0] in (1, 3)] == [1]
    assert log.aborted_transactions(0, 100) == []


def test_the_marker_of_a_transaction_stays_with_records_of_another_group(disk):
    """Without it, the transaction would be open for good to a replica that reads the records."""
    log = open_log(disk, **CONFIG, delete_retention_ms=1_000)
    ids = {"producer_id": 1, "producer_epoch": 0, "is_transactional": True}
    write(log, (b"a", b"1" * 300), base_sequence=0, **ids)
    write(log, (b"b", b"2" * 300))
    end(log, 1, is_commit=True)
    write(log, (b"c", b"3" * 200), base_sequence=1, **ids)
    end(log, 1, is_commit=True)
    write(log, (b"z", b"z" * 300))
    settle(log)
    assert log.segments.first.base_offset == 0 < log.segments.items[1].base_offset <= 2
    for now_ms in (0, 1_000, 2_000):
        drive(cleaning_of(log, now=NOW._replace(wall_ms=NOW.wall_ms + now_ms)))
    assert [row[0] for row in values(log)] == [0, 1, 2, 3, 4, 5]


def test_an_aborted_transaction_of_two_groups_is_indexed_while_its_marker_is_there(disk):
    log = open_log(disk, **CONFIG, delete_retention_ms=1_000)
    ids = {"producer_id": 1, "producer_epoch": 0, "is_transactional": True}
    write(log, (b"a", b"1" * 300), base_sequence=0, **ids)
    write(log, (b"b", b"2" * 300))
    end(log, 1, is_commit=False)
    write(log, (b"c", b"3" * 200), base_sequence=1, **ids)
    end(log, 1, is_commit=True)
    write(log, (b"z", b"z" * 300))
    settle(log)
    drive(cleaning_of(log))
    assert [row[0] for row in values(log)] == [1, 2, 3, 4, 5]
    assert [each.first_offset for each in log.aborted_transactions(0, 100)] == [0]
    for now_ms in (0, 1_000):
        drive(cleaning_of(log, now=NOW._replace(wall_ms=NOW.wall_ms + now_ms)))
    assert [row[0] for row in values(log)] == [1, 3, 4, 5]
    assert log.aborted_transactions(0, 100) == []


def test_the_last_batch_of_a_producer_stays_empty(disk):
    log = open_log(disk, **CONFIG)
    write(log, (b"a", b"1"), producer_id=5, producer_epoch=0, base_sequence=0)
    write(log, (b"a", b"2"), producer_id=5, producer_epoch=0, base_sequence=1)
    write(log, (b"a", b"3" * 300))
    write(log, (b"z", b"z" * 300))
    write(log, (b"z", b"z" * 300))
    settle(log)
    drive(cleaning_of(log))
    assert next(row[:2] for row in values(log)) == (2, b"a")
    log.close()
    # A producer snapshot would hide it.
    for name in disk.list("t-0"):
        if name.endswith(".snapshot"):
            disk.remove(f"t-0/{name}")
    log = open_log(disk, clean=True, **CONFIG)
    info = write(log, (b"a", b"2"), producer_id=5, producer_epoch=0, base_sequence=1)
    assert info.is_duplicate
    assert (
        write(log, (b"a", b"4"), producer_id=5, producer_epoch=0, base_sequence=2).first_offset == 5
    )


@pytest.mark.parametrize("how", ["truncate", "delete", "close", "policy"])
def test_a_log_that_changes_meanwhile_aborts_the_cleaning(disk, how):
    tasks = drive(cleaning_of(filled(SimDisk())))
    for number in range(tasks):
        disk = SimDisk()
        log = filled(disk)
        expected = values(log)
        steps = cleaning_of(log).run()
        task = next(steps)
        for _ in range(number):
            task = perform(steps, task)
        if how == "truncate":
            log.truncate_to(5, NOW)
        elif how == "delete":
            log.increment_log_start_offset(log.segments.active.base_offset)
            log.delete_old_segments(NOW)
        elif how == "close":
            log.abandon()
        else:
            log.config = replace(log.config, compacted=False, deletes=True)
        with suppress(CleaningAbortedError):
            while task is not None:
                task = perform(steps, task)
        if how == "close":
            log = open_log(disk, **CONFIG)
        assert not [name for name in disk.list("t-0") if name.endswith((".cleaned", ".swap"))]
        if how == "truncate":
            assert all(row[0] < 5 for row in values(log))
        elif how == "delete":
            assert values(log) == [row for row in expected if row[0] >= log.log_start_offset]
        else:
            assert latest(values(log)) == latest(expected)


@pytest.mark.parametrize("known", ["high watermark", "cleaned offset"])
def test_a_truncation_of_committed_records_drops_all_of_them(disk, known):
    """After an unclean election. Records behind the new end took the place of those before it."""
    log = filled(disk)
    end_offset = log.log_end_offset
    drive(cleaning_of(log))
    if known == "cleaned offset":
        log.cleaned_offset = log.segments.active.base_offset
        log.high_watermark = 2
    log.truncate_to(3, NOW)
    assert (log.log_start_offset, log.high_watermark, log.log_end_offset) == (0, 0, 0)
    assert values(log) == []
    log.close()
    assert open_log(disk, **CONFIG).log_end_offset == 0 < end_offset


def test_a_truncation_of_other_records_keeps_the_committed_ones(disk):
    log = filled(disk)
    committed = values(log)
    end_offset = log.log_end_offset
    write(log, (b"a", b"not committed"))
    log.truncate_to(end_offset, NOW)
    assert values(log) == committed


def test_a_log_that_is_not_compacted_any_more_is_left_as_it_is(disk):
    log = filled(disk)
    expected = values(log)
    steps = cleaning_of(log).run()
    task = next(steps)
    log.config = replace(log.config, compacted=False, deletes=True)
    with pytest.raises(CleaningAbortedError):
        finish(steps, task)
    assert values(log) == expected


def test_damage_is_named_and_nothing_is_changed(disk):
    log = filled(disk)
    before = values(log)
    name = log.segments.items[1].path(".log")
    disk.flip(name, 90, 3)
    with pytest.raises(DamagedRecordsError, match=name.replace(".", "[.]")):
        drive(cleaning_of(log))
    disk.flip(name, 90, 3)
    assert values(log) == before
    assert not [name for name in disk.list("t-0") if "cleaned" in name]


def test_a_cleaning_starts_with_an_empty_copy(disk):
    """One that ended early for lack of descriptors must leave nothing that the next one appends to."""
    log = filled(disk)
    before = values(log)
    cleaning = cleaning_of(log)
    steps = cleaning.run()
    task = next(steps)
    while not any(name.endswith(".log.cleaned") for name in disk.list("t-0")):
        task = perform(steps, task)
    for _ in range(2):
        task = perform(steps, task)
    with pytest.raises(OutOfFilesError):
        steps.throw(OutOfFilesError("disk", "Too many open files"))
    assert not any(name.endswith(".cleaned") for name in disk.list("t-0"))
    disk.open("t-0/00000000000000000000.log.cleaned", create=True).append(b"left by a crash")
    drive(cleaning_of(log))
    assert latest(values(log)) == latest(before)


@pytest.mark.parametrize("byte", [1, 6, 7])
def test_a_batch_with_offsets_of_others_is_damage(disk, byte):
    """No checksum covers a base offset; a greater one would remove the latest values of its keys."""
    log = filled(disk)
    before = values(log)
    name = log.segments.items[1].path(".log")
    disk.flip(name, byte, 4)
    with pytest.raises(DamagedRecordsError, match="which are not within"):
        drive(cleaning_of(log))
    disk.flip(name, byte, 4)
    assert values(log) == before


def with_aborted(log):
    """Let two producers abort a transaction, and keep their last batches in this part of the log."""
    for producer_id in (1, 2):
        ids = {"producer_id": producer_id, "producer_epoch": 0, "is_transactional": True}
        write(log, (b"a", b"aborted %d" % producer_id), base_sequence=0, **ids)
        end(log, producer_id, is_commit=False)
    write(log, (b"z", b"z" * 300))
    settle(log)
    return log


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("power", [False, True])
def test_a_crash_at_any_operation_loses_no_latest_value(power, trusted):
    """After each disk operation of a cleaning, a crash of the process or of the machine.

    The start reads all segments again, or trusts those that were flushed.
    """
    rng = Random(7)
    seen_swap = 0
    for number in count():
        disk = SimDisk()
        log = with_aborted(filled(disk))
        disk.sync_all()
        recovery_point = log.log_end_offset if trusted else 0
        expected = list(committed_records(log))
        left = [number]

        def failing(*_, left=left):
            if not left[0]:
                raise StorageFault("disk", "crash")
            left[0] -= 1

        disk.before_change = failing
        try:
            drive(cleaning_of(log))
            is_whole = True
        except StorageFault:
            is_whole = False
        disk.before_change = lambda *_: None
        seen_swap += any(name.endswith(".log.swap") for name in disk.list("t-0"))
        if power:
            disk.lose_power(rng)
        else:
            disk.crash()
        checkpointed = CheckpointedOffsets(clean=False, recovery_point=recovery_point)
        again = open_log(disk, checkpointed=checkpointed, **CONFIG)
        found = list(committed_records(again))
        assert latest(found) == latest(expected), number
        assert set(found) <= set(expected)
        assert wrong_index(again, again.aborted_transactions(0, again.log_end_offset)) is None
        offsets = [row[0] for row in found]
        assert offsets == sorted(set(offsets))
        assert again.log_end_offset == log.log_end_offset
        assert not [n for n in disk.list("t-0") if n.endswith((".cleaned", ".swap", ".deleted"))]
        if is_whole:
            break
    assert number > 20
    assert seen_swap > 3


def test_a_copy_that_ends_early_has_lost_nothing():
    """The mark of the next segment would say so after a power loss between their swaps."""
    rng = Random(11)
    for number in range(0, 80, 2):
        disk = SimDisk()
        log = open_log(disk, **CONFIG)
        for round_ in range(6):
            write(log, (b"k%d" % round_, bytes([round_]) * 150))
            write(log, (b"a", bytes([round_]) * 200))
        settle(log)
        disk.sync_all()
        expected = values(log)
        left = [number]

        def failing(*_, left=left):
            if not left[0]:
                raise StorageFault("disk", "crash")
            left[0] -= 1

        disk.before_change = failing
        with suppress(StorageFault):
            drive(cleaning_of(log))
        disk.before_change = lambda *_: None
        disk.lose_power(rng)
        checkpointed = CheckpointedOffsets(clean=False, recovery_point_known=False)
        again = open_log(disk, checkpointed=checkpointed, **CONFIG)
        assert again.log_end_offset == log.log_end_offset, number
        assert latest(values(again)) == latest(expected), number
