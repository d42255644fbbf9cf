"""The file of aborted transactions, and its recovery."""

from copy import deepcopy
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.disk import write_file
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.segment.transaction_index import ENTRY_SIZE, AbortedTransaction, decode, encode
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.records.validation import AppendOrigin
from minikafka.sim.world.crashes import CrashWithinStep
from minikafka.sim.world.sim_disk import SimDisk

NOW = Now(0, 50_000)

ENTRIES = [AbortedTransaction(5, 10, 20, 15), AbortedTransaction(6, 12, 30, 31)]


def test_round_trip():
    assert decode(encode(ENTRIES)) == ENTRIES
    assert len(encode(ENTRIES)) == 2 * ENTRY_SIZE == 68


def test_partial_entry_at_the_end_is_left_out():
    assert decode(encode(ENTRIES)[:-1]) == ENTRIES[:1]


def open_log(disk, *, clean=False, **remembered):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=LogConfig(), now=NOW, rng=Random(1),
        checkpointed=CheckpointedOffsets(clean=clean, **remembered),
    )  # fmt: skip


def power_losses(disk):
    """The disk after each of many ways in which power may be lost now."""
    for seed in range(20):
        other = deepcopy(disk)
        other.lose_power(Random(seed))
        yield other


def abort_transaction(log, sequence=0):
    """Append a transaction of one record, and the marker that aborts it."""
    ids = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    data = build_batch([NewRecord(1_000, b"k", b"v")], BatchOptions(base_sequence=sequence, **ids))
    log.append_as_leader(memoryview(data), leader_epoch=0, now=NOW, guard=UNCHECKED)
    marker = build_batch(
        [control_record(ControlType.ABORT, end_marker_value(0), 1_000)],
        BatchOptions(is_control=True, **ids),
    )
    log.append_as_leader(
        memoryview(marker), leader_epoch=0, now=NOW, origin=AppendOrigin.COORDINATOR
    )


def flush(log):
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)


def with_aborted_transaction(disk):
    """A log with one aborted transaction, which is flushed."""
    log = open_log(disk, clean=True)
    abort_transaction(log)
    flush(log)
    assert len(log.aborted_transactions(0, 2)) == 1
    return log


def damaged_transaction_index(content=b"\xff" * 40):
    """A disk with a damaged transaction index below the recovery point, and what it held."""
    disk = SimDisk()
    log = with_aborted_transaction(disk)
    log.roll(NOW)
    aborted = log.aborted_transactions(0, 2)
    log.close()
    write_file(disk, f"t-0/{0:020d}.txnindex", content, sync=True)
    return disk, aborted


def test_a_damaged_index_is_made_again():
    for content in (b"\1" * 34, b"\0" * 34 + b"\0" * 3, b"\xff" * 40):
        disk, aborted = damaged_transaction_index(content)
        assert open_log(disk, clean=True).aborted_transactions(0, 2) == aborted


def test_a_flushed_index_survives_crashes_and_then_a_power_loss():
    """The first start reads the segment, the later ones do not: it is below the recovery point."""
    disk = SimDisk()
    aborted = with_aborted_transaction(disk).aborted_transactions(0, 2)
    disk.crash()
    open_log(disk, recovery_point=2).roll(NOW)
    disk.crash()
    open_log(disk, recovery_point=2)
    for later in power_losses(disk):
        assert open_log(later, recovery_point=2).aborted_transactions(0, 2) == aborted


@pytest.mark.parametrize("kept", [0, 1, 2])
def test_a_truncation_in_front_of_a_new_segment_cannot_come_undone(kept):
    """The recovery point is the base of the new segment: no start reads the truncated one."""
    disk = SimDisk()
    log = open_log(disk, clean=True)
    for sequence in range(3):
        abort_transaction(log, sequence)
    flush(log)
    wanted = log.aborted_transactions(0, 6)[:kept]
    end_offset = 2 * kept + 1
    log.truncate_to(end_offset, NOW)
    log.roll(NOW)
    seen = set()
    for later in power_losses(disk):
        log = open_log(later, recovery_point=end_offset)
        seen.add(len(log.segments.items))
        assert log.aborted_transactions(0, 6) == wanted
    assert seen == {1, 2}


@pytest.mark.parametrize("content", [b"", b"\0" * 20, b"\0" * 68])
def test_a_torn_index_is_made_again_durably(content):
    """It grew after the last flush, and a power loss left another content."""
    disk = SimDisk()
    aborted = with_aborted_transaction(disk).aborted_transactions(0, 2)
    write_file(disk, f"t-0/{0:020d}.txnindex", content, sync=True)
    disk.crash()
    open_log(disk, recovery_point=2).roll(NOW)
    disk.crash()
    open_log(disk, recovery_point=2)
    for later in power_losses(disk):
        assert open_log(later, recovery_point=2).aborted_transactions(0, 2) == aborted


def test_an_index_that_was_made_again_is_durable_after_a_clean_shutdown():
    """C1: an index that is empty, or not there, is believed."""
    disk, aborted = damaged_transaction_index()
    open_log(disk, clean=True).close()
    for later in power_losses(disk):
        assert open_log(later, clean=True).aborted_transactions(0, 2) == aborted


@pytest.mark.parametrize("clean", [True, False])
def test_an_index_that_was_made_again_survives_a_power_loss(clean):
    """The next start does not read that segment again: an index that is not there is believed."""
    disk, aborted = damaged_transaction_index()
    log = open_log(disk, clean=clean, recovery_point=2)
    assert log.aborted_transactions(0, 2) == aborted
    for later in power_losses(disk):
        assert open_log(later, recovery_point=2).aborted_transactions(0, 2) == aborted


def test_a_crash_while_an_index_is_made_again_loses_no_entry():
    crashes = 0
    for change in range(1, 20):
        disk, aborted = damaged_transaction_index()
        left = iter(range(change))

        def crash(operation, data, left=left):
            if next(left, None) is None:
                raise CrashWithinStep(0.5)

        disk.before_change = crash
        try:
            open_log(disk, clean=True)
        except CrashWithinStep:
            crashes += 1
        disk.before_change = lambda operation, data: None
        disk.crash()
        assert open_log(disk, recovery_point=2).aborted_transactions(0, 2) == aborted
    assert crashes > 3


def test_aborted_transactions_of_all_segments_are_found():
    log = open_log(SimDisk("/d"), clean=True)
    for sequence in range(3):
        abort_transaction(log, sequence)
        log.roll(NOW)
    assert [each.first_offset for each in log.aborted_transactions(0, 6)] == [0, 2, 4]
    assert [each.first_offset for each in log.aborted_transactions(2, 6)] == [2, 4]


def test_records_below_the_start_of_the_log_hold_back_no_reader():
    log = open_log(SimDisk("/d"), clean=True)
    ids = {"producer_id": 7, "producer_epoch": 0, "is_transactional": True}
    for sequence in range(3):
        data = build_batch(
            [NewRecord(1_000, b"k", b"v")], BatchOptions(base_sequence=sequence, **ids)
        )
        log.append_as_leader(memoryview(data), leader_epoch=0, now=NOW, guard=UNCHECKED)
    log.update_high_watermark(3)
    assert log.first_unstable_offset == 0
    log.increment_log_start_offset(2)
    assert (log.first_unstable_offset, log.last_stable_offset) == (2, 2)
