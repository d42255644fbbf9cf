"""The indexes of a segment: entries, files, what stays in memory."""

import pytest

from minikafka.log.disk import read_file
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import NOW as LOG_NOW
from tests.worlds.one_log import append, open_log
from tests.worlds.one_segment import BASE, CONFIG, NOW, written_segment


@pytest.fixture
def segment():
    return written_segment()


def test_index_entries_name_the_last_offset_of_a_batch(segment):
    size = segment.batch_size(0)
    first = segment.indexes.offset_index.entries()[0]
    assert first.position % size == 0
    assert first.position > CONFIG.index_interval_bytes
    assert first.offset == BASE + first.position // size * 2 + 1


def test_recovery_makes_the_same_indexes(segment):
    offsets = segment.indexes.offset_index.entries()
    segment.indexes.write_last()
    times = segment.indexes.time_index.entries()
    assert segment.recover(verify=True) == BASE + 40
    assert segment.indexes.offset_index.entries() == offsets
    assert segment.indexes.time_index.entries() == times
    assert read_file(segment.disk, segment.path(".index")) == segment.indexes.offset_index.encode()


def test_a_search_by_time_reports_damage_that_hides_a_timestamp(segment):
    """Without the entry of the time index it would find a later record, or none."""
    segment.indexes.write_last()
    size = segment.batch_size(0)
    content = segment.disk.content(segment.path(".log"))
    latest = slice(19 * size + 35, 19 * size + 43)
    before, content[latest] = content[latest], bytes(8)
    again = Segment.open(segment.disk, "t-0", BASE, CONFIG, NOW, create=False)
    for _ in range(2):
        with pytest.raises(DamagedRecordsError, match=f"damaged at byte {19 * size}: "):
            again.batch_at_or_after(1_019, BASE)
    content[latest] = before
    assert (
        Segment.open(segment.disk, "t-0", BASE, CONFIG, NOW, create=False)
        .batch_at_or_after(1_019, BASE)
        .header.base_offset
        == BASE + 38
    )
    again.truncate_to(BASE + 38)
    assert again.batch_at_or_after(1_018, BASE).header.base_offset == BASE + 36


def test_aborted_transactions_follow_a_truncation(segment):
    kept, gone = AbortedTransaction(1, 100, 105, 106), AbortedTransaction(1, 110, 125, 126)
    for aborted in (kept, gone):
        segment.indexes.add_aborted(aborted)
    segment.truncate_to(120)
    again = Segment.open(segment.disk, "t-0", BASE, CONFIG, NOW, create=False)
    assert again.indexes.aborted == [kept]


def test_indexes_of_rolled_segments_leave_the_memory_when_they_are_not_used():
    """A segment of 1 GiB has 5 MB of them."""
    log = open_log(SimDisk(), segment_bytes=400, index_interval_bytes=50)
    for _ in range(20):
        append(log)

    def loaded():
        return [segment.indexes._offset_index is not None for segment in log.segments.items]

    count = len(log.segments.items)
    assert count > 3
    log.delete_old_segments(LOG_NOW)
    log.delete_old_segments(LOG_NOW)
    assert loaded() == [False] * (count - 1) + [True]
    for offset in range(4, log.log_end_offset):
        data = log.read(offset, 1 << 20, upper_bound_offset=log.log_end_offset).slice.read()
        assert int.from_bytes(bytes(data)[:8], "big") in (offset, offset - 1)
    log.delete_old_segments(LOG_NOW)
    assert any(loaded()[:-1]), "used a moment ago"
    log.delete_old_segments(LOG_NOW)
    assert loaded() == [False] * (count - 1) + [True]
