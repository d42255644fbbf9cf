"""Snapshots of producer state on a disk."""

import pytest

from minikafka.log.disk import read_file, write_file
from minikafka.log.producers.producer_snapshot import (
    decode,
    encode,
    open_newest,
    snapshot_offsets,
    write_snapshot,
)
from minikafka.log.producers.producer_state import ProducerEntry, ProducerState, WrittenBatch
from minikafka.sim.world.sim_disk import SimDisk


def state(end_offset, transaction_start=-1):
    entry = ProducerEntry(7, 2, 100, 0, coordinator_epoch=4, transaction_start=transaction_start)
    entry.batches.extend((WrittenBatch(3, 8, 1, 90), WrittenBatch(5, 10, 1, 100)))
    return ProducerState({7: entry}, end_offset=end_offset)


@pytest.fixture
def disk():
    made = SimDisk()
    made.make_dir("t-0")
    return made


def newest(disk, *args, **more):
    offset, entries = open_newest(disk, "t-0", *args, offsets=snapshot_offsets(disk, "t-0"), **more)
    loaded = ProducerState(end_offset=offset)
    for entry in entries:
        loaded.load(entry)
    loaded.loaded()
    return loaded


def test_only_the_last_batch_is_kept():
    (entry,) = decode(encode(state(11)))
    assert list(entry.batches) == [WrittenBatch(5, 10, 1, 100)]
    assert (entry.producer_id, entry.epoch, entry.coordinator_epoch) == (7, 2, 4)


@pytest.mark.parametrize("at", range(0, 56, 5))
def test_changed_byte_is_noticed(at):
    content = bytearray(encode(state(11)))
    content[at] ^= 1
    assert decode(bytes(content)) is None
    assert decode(bytes(content[:at])) is None


def test_newest_within_the_log_is_loaded_and_later_ones_go(disk):
    for offset in (5, 11, 30):
        write_snapshot(disk, "t-0", state(offset, transaction_start=3))
    loaded = newest(disk, 0, 20)
    assert (loaded.end_offset, loaded.ongoing) == (11, {7: 3})
    assert snapshot_offsets(disk, "t-0") == [5, 11]


def test_damaged_snapshot_gives_way_to_an_older_one(disk):
    write_snapshot(disk, "t-0", state(5))
    path = write_snapshot(disk, "t-0", state(11))
    write_file(disk, path, read_file(disk, path)[:-1])
    assert newest(disk, 0, 20).end_offset == 5
    assert snapshot_offsets(disk, "t-0") == [5]


def test_without_snapshot_the_state_is_empty_at_the_start(disk):
    write_snapshot(disk, "t-0", state(5))
    loaded = newest(disk, 6, 20)
    assert (loaded.end_offset, loaded.producers) == (6, {})


def test_loaded_producers_expire_as_if_they_had_appended_at_the_load(disk):
    state = ProducerState(end_offset=5)
    state.producers[7] = ProducerEntry(7, 2, 100, 0)
    write_snapshot(disk, "t-0", state)
    assert newest(disk, 0, 20, now_ms=4_000).producers[7].last_append_ms == 4_000
