"""Messages of refused reads."""

from minikafka.log.segment.reads import OffsetNotInLogError


def test_offset_and_range_are_named():
    error = OffsetNotInLogError(9, 1, 5)
    assert (error.offset, error.start_offset, error.end_offset) == (9, 1, 5)
    assert str(error) == "offset 9 is not between 1 and 5"
