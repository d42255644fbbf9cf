import pytest

from minikafka.raft.quorum_offset import majority_offset, next_quorum_high_watermark


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        ([7], 7),
        ([7, 5], 5),
        ([7, 5, 3], 5),
        ([3, 7, 5], 5),
        ([9, 7, 5, 3], 5),
        ([9, 7, 5, 3, -1], 5),
        ([9, -1, -1], -1),
    ],
)
def test_more_than_half_of_the_voters_hold_everything_below_it(ends, expected):
    assert majority_offset(ends) == expected


def moved(ends, *, start=10, current=-1):
    return next_quorum_high_watermark(ends, epoch_start_offset=start, current=current)


def test_nothing_is_committed_before_a_majority_has_something_of_the_epoch():
    assert moved([20, 10, 10]) == -1
    assert moved([20, 10, 10], current=8) == 8
    assert moved([20, 11, 10]) == 11


def test_it_never_goes_back():
    assert moved([20, 12, 0], current=15) == 15
    assert moved([20, 16, 0], current=15) == 16
