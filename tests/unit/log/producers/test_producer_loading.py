"""The producer state of a log, loaded at once and in slices."""

import pytest

from minikafka.log.producers import producer_loading
from minikafka.log.producers.producer_loading import finish, load_producers, next_slice
from minikafka.records.builder import TransactionEnd, build_end_marker
from minikafka.records.validation import AppendOrigin
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW, append, open_log


@pytest.fixture
def small_slices(monkeypatch):
    monkeypatch.setattr(producer_loading, "BATCHES_A_SLICE", 4)


def filled(disk, count=30):
    """A log with three producers; that of 1 has an open transaction, that of 2 was aborted."""
    log = open_log(disk)
    for number in range(count):
        append(
            log, 1, producer_id=number % 3, producer_epoch=0, base_sequence=number // 3,
            is_transactional=number % 3 > 0,
        )  # fmt: skip
    log.append_as_leader(
        memoryview(build_end_marker(TransactionEnd(2, 1, False, 0, 2), 50_000)),
        leader_epoch=0, now=NOW, origin=AppendOrigin.COORDINATOR,
    )  # fmt: skip
    return log


def told(state):
    return (
        {
            pid: (each.epoch, each.batches[-1:], each.transaction_start)
            for pid, each in state.producers.items()
        },
        dict(state.ongoing),
        list(state.unreplicated),
        state.end_offset,
    )


def test_slices_load_the_same_state(small_slices):
    log = filled(SimDisk("one"))
    loading = load_producers(log.segments, 0, 31, 0, NOW)
    slices = 1
    while (state := next_slice(loading)) is None:
        slices += 1
    assert slices == 8
    assert told(state) == told(finish(load_producers(log.segments, 0, 31, 0, NOW)))
    assert state.ongoing == {1: 1}
    assert (state.producers[2].epoch, state.unreplicated[0].marker_offset) == (1, 30)


def test_nothing_is_stable_while_a_truncated_log_is_loading(small_slices):
    log = filled(SimDisk("one"))
    log.update_high_watermark(25)
    before = told(finish(load_producers(log.segments, 0, 20, 20, NOW)))
    log.truncate_to(20, NOW, in_slices=True)
    assert log.loading is not None
    assert (log.high_watermark, log.last_stable_offset) == (20, 0)
    slices = 1
    while log.loading is not None:
        log.load_slice()
        slices += 1
    assert slices == 6
    assert told(log.producers) == before
    assert log.last_stable_offset == 1


@pytest.mark.parametrize("what", ["append", "roll", "close"])
def test_what_needs_the_producers_loads_the_rest_first(small_slices, what):
    disk = SimDisk("one")
    log = filled(disk)
    log.truncate_to(20, NOW, in_slices=True)
    expected = told(finish(load_producers(log.segments, 0, 20, 0, NOW)))
    if what == "append":
        append(log, 1)
    elif what == "roll":
        log.roll(NOW)
    else:
        log.close()
    assert log.loading is None
    assert told(log.producers)[:2] == expected[:2]
    if what == "close":
        again = open_log(disk, clean=True)
        assert dict(again.producers.ongoing) == {1: 1, 2: 2}


def test_truncation_while_loading_starts_again(small_slices):
    log = filled(SimDisk("one"))
    log.truncate_to(28, NOW, in_slices=True)
    log.load_slice()
    log.truncate_to(2, NOW, in_slices=True)
    log._finish_loading()
    assert dict(log.producers.ongoing) == {1: 1}
    log.truncate_to(0, NOW, in_slices=True)
    assert log.loading is None
    assert not log.producers.producers


def test_producers_of_a_snapshot_are_loaded_in_slices(small_slices):
    log = open_log(SimDisk("one"))
    for producer_id in range(10):
        append(
            log, 1, producer_id=producer_id, producer_epoch=0, base_sequence=0,
            is_transactional=producer_id == 3,
        )  # fmt: skip
    log.roll(NOW)
    append(log, 1)
    log.truncate_to(10, NOW, in_slices=True)
    slices = 1
    while log.loading is not None:
        assert log.last_stable_offset == 0
        log.load_slice()
        slices += 1
    assert slices == 3
    assert (list(log.producers.producers), log.producers.ongoing) == (list(range(10)), {3: 3})
