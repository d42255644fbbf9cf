"""The files of a log: its identity, rolls, and what must be flushed."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.log.checkpoints import read_topic_id
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, TOPIC_ID, append, open_log


@pytest.fixture
def disk():
    return SimDisk()


@pytest.mark.parametrize("reopened", [False, True])
def test_records_that_outlive_a_power_loss_have_their_topic_id(reopened):
    """Without it the log would be a stray: set aside at the next start (C4)."""
    survived = 0
    for seed in range(30):
        disk = SimDisk()
        log = open_log(disk)
        if reopened:
            disk.crash()
            log = open_log(disk)
        append(log)
        disk.lose_power(Random(seed))
        survives = disk.exists("t-0/00000000000000000000.log") and bool(
            disk.open("t-0/00000000000000000000.log").size
        )
        if survives:
            survived += 1
            assert read_topic_id(disk, "t-0") == TOPIC_ID
    assert survived > 0


def test_an_empty_log_syncs_nothing(disk):
    open_log(disk)
    assert disk.syncs == 0


def test_topic_id_is_noted(disk):
    open_log(disk)
    assert read_topic_id(disk, "t-0") == TOPIC_ID


def test_roll_asks_for_a_flush_of_earlier_segments(disk):
    log = open_log(disk, segment_bytes=250)
    append(log)
    assert log.take_flush() is None
    for _ in range(2):
        append(log)
    request = log.take_flush()
    assert request.up_to == log.segments.active.base_offset == log.recovery_point + 4
    assert log.take_flush() is None
    request.run()
    log.flushed(request)
    assert log.recovery_point == request.up_to


def test_flush_messages_and_flush_ms_ask_for_flushes(disk):
    log = open_log(disk, flush_messages=3)
    append(log, 2)
    assert log.take_flush() is None
    append(log, 2)
    assert log.take_flush().up_to == 4
    later = open_log(SimDisk(), flush_ms=10)
    append(later, 1)
    later.tick(Now(NOW.monotonic_ms + 9, 0))
    assert later.take_flush() is None
    later.tick(Now(NOW.monotonic_ms + 10, 0))
    assert later.take_flush().up_to == 1


def test_flush_that_ran_across_a_truncation_does_not_count(disk):
    log = open_log(disk)
    append(log, 4)
    request = log.take_flush(everything=True)
    log.truncate_to(0, NOW)
    append(log, 2)
    log.flushed(request)
    assert log.recovery_point == 0
    assert log.take_flush(everything=True).up_to == 2
