"""Neighbours that become one segment when they are cleaned."""

from minikafka.log.cleaner.segment_groups import GroupLimits, SegmentSizes, segment_groups


def grouped(sizes, limits):
    segments = [
        SegmentSizes(base, end, size, offsets, times) for base, end, size, offsets, times in sizes
    ]
    return [[each.base_offset for each in group] for group in segment_groups(segments, limits)]


def test_no_group_exceeds_a_segment():
    limits = GroupLimits(100, 1_000)
    assert grouped([(n * 10, n * 10 + 10, 40, 8, 12) for n in range(5)], limits) == [
        [0, 10], [20, 30], [40]
    ]  # fmt: skip
    # One that is larger than the limit today stands alone.
    assert grouped([(0, 1, 500, 8, 12), (1, 2, 10, 8, 12)], limits) == [[0], [1]]


def test_no_group_exceeds_an_index():
    limits = GroupLimits(10_000, 20)
    assert grouped([(n, n + 1, 1, 8, 0) for n in range(5)], limits) == [[0, 1], [2, 3], [4]]
    assert grouped([(n, n + 1, 1, 0, 12) for n in range(3)], limits) == [[0], [1], [2]]


def test_offsets_must_fit_into_an_index_of_the_first_segment():
    limits = GroupLimits(1 << 30, 1 << 20)
    far = (1 << 31) - 1
    assert grouped([(0, 5, 1, 8, 12), (5, far + 1, 1, 8, 12)], limits) == [[0, 5]]
    assert grouped([(0, 5, 1, 8, 12), (5, far + 2, 1, 8, 12)], limits) == [[0], [5]]
    # An empty segment has no offsets.
    assert grouped([(0, 5, 1, 8, 12), (5, far + 2, 0, 0, 0)], limits) == [[0, 5]]
    assert grouped([], limits) == []
