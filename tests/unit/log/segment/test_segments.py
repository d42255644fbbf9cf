"""The list of segments."""

import pytest

from minikafka.common.clock import Now
from minikafka.log.config import LogConfig
from minikafka.log.segment.reads import LogPosition
from minikafka.log.segment.segment import Segment
from minikafka.log.segment.segments import Segments
from minikafka.sim.world.sim_disk import SimDisk


@pytest.fixture
def segments():
    disk = SimDisk()
    disk.make_dir("t-0")
    items = [
        Segment.open(disk, "t-0", base, LogConfig(), Now(0, 0), create=True) for base in (0, 10, 20)
    ]
    return Segments(disk, "t-0", items)


@pytest.mark.parametrize(("offset", "index"), [(0, 0), (9, 0), (10, 1), (19, 1), (20, 2), (99, 2)])
def test_segment_of_an_offset(segments, offset, index):
    assert segments.index_of(offset) == index
    assert segments.from_offset(offset) == segments.items[index:]


def test_newer_segments_go_and_an_active_one_stays(segments):
    segments.doom_from(10)
    assert [segment.base_offset for segment in segments.items] == [0]
    with pytest.raises(AssertionError):
        segments.doom_from(0)


def test_older_segments_go_and_an_active_one_stays(segments):
    segments.doom_first(2)
    assert segments.first is segments.active
    with pytest.raises(AssertionError):
        segments.doom_first(1)


def test_files_are_removed_once_the_delay_is_over(segments):
    segments.doom_first(2)
    segments.remove_doomed(100, 60)
    segments.remove_doomed(159, 60)
    assert len(segments.disk.list("t-0")) == 9
    segments.remove_doomed(160, 60)
    assert len(segments.disk.list("t-0")) == 3


def test_segments_must_rise(segments):
    with pytest.raises(AssertionError):
        segments.add(segments.first)


def test_bytes_between_positions_of_one_segment(segments):
    assert segments.bytes_between(LogPosition(0, 0, 5), LogPosition(3, 0, 25)) == 20
