"""The checkpoint of cleaned offsets: too great an offset would let deleted keys come back."""

from random import Random

import pytest

from minikafka.common.ids import Uuid
from minikafka.log.checkpoints import CLEANED_OFFSETS, read_offsets, write_offsets
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, delete, formatted, start


def cleaned(disk):
    """A log with ten records, of which eight are clean."""
    manager = start([disk])
    log = manager.create(TP, ID, CONFIG, NOW)
    for _ in range(10):
        append(log)
    log.cleaned_offset = 8
    manager.directory_of(TP).checkpoint_cleaned_offsets()
    request = log.take_flush(everything=True)
    request.run()
    log.flushed(request)
    manager.directory_of(TP).checkpoint_recovery_points()
    return manager, log


@pytest.fixture
def disk():
    return formatted("/one", Uuid.of(1, 1))


@pytest.mark.parametrize("power", [False, True])
@pytest.mark.parametrize("offset", [0, 3])
def test_a_truncation_lowers_it_before_other_records_follow(disk, offset, power):
    _, log = cleaned(disk)
    log.truncate_to(offset, NOW)
    while log.log_end_offset < 12:
        append(log)
    if power:
        request = log.take_flush(everything=True)
        request.run()
        disk.lose_power(Random(offset))
    else:
        disk.crash()
    assert (start([disk]).get(TP).cleaned_offset or 0) <= offset


def test_the_log_of_a_new_topic_is_not_clean(disk):
    manager, _ = cleaned(disk)
    delete(manager)
    log = manager.create(TP, Uuid.of(7, 7), CONFIG, NOW)
    for _ in range(12):
        append(log)
    disk.sync_all()
    disk.crash()
    assert start([disk]).get(TP).cleaned_offset is None


def test_a_start_removes_what_does_not_fit_the_log(disk):
    manager, log = cleaned(disk)
    write_offsets(disk, CLEANED_OFFSETS, {TP: 11}, sync=True)
    disk.sync_all()
    disk.crash()
    log = start([disk]).get(TP)
    assert log.cleaned_offset is None
    assert read_offsets(disk, CLEANED_OFFSETS) == {}
    while log.log_end_offset < 15:
        append(log)
    disk.sync_all()
    disk.crash()
    assert start([disk]).get(TP).cleaned_offset is None
