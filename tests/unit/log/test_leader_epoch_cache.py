"""Leader epochs: assignment, end offsets, truncation."""

import pytest

from minikafka.log.leader_epoch_cache import LeaderEpochCache


def cache(*entries):
    return LeaderEpochCache(list(entries))


@pytest.mark.parametrize(
    ("epoch", "expected"),
    [
        (-1, (-1, -1)),
        (9, (-1, -1)),
        (7, (7, 50)),
        (6, (4, 30)),
        (4, (4, 30)),
        (2, (2, 20)),
        (1, (1, 10)),
    ],
)
def test_end_offset_of_an_epoch(epoch, expected):
    epochs = cache((2, 10), (4, 20), (7, 30))
    assert epochs.end_offset_for(epoch, 50) == expected


def test_nothing_is_known_without_epochs():
    assert cache().end_offset_for(3, 50) == (-1, -1)
    assert cache().latest_epoch is None
    assert cache().epoch_at(0) is None


def test_repeating_the_latest_epoch_changes_nothing():
    epochs = cache((2, 10))
    epochs.assign(2, 20)
    assert epochs.entries == [(2, 10)]
    assert not epochs.changed


@pytest.mark.parametrize(
    ("epoch", "offset", "expected"),
    [
        (3, 30, [(1, 0), (2, 10), (3, 30)]),
        (3, 10, [(1, 0), (3, 10)]),
        (3, 5, [(1, 0), (3, 5)]),
        (3, 0, [(3, 0)]),
        (1, 20, [(1, 20)]),
    ],
)
def test_assignment_drops_contradicting_entries(epoch, offset, expected):
    epochs = cache((1, 0), (2, 10))
    epochs.assign(epoch, offset)
    assert epochs.entries == expected
    assert epochs.changed


@pytest.mark.parametrize(
    ("epoch", "offset", "expected"),
    [
        (2, 12, [(1, 0), (2, 10)]),
        (2, 10, [(1, 0), (2, 10)]),
        (2, 8, [(1, 0), (2, 8)]),
        (4, 20, [(1, 0), (2, 10), (4, 20)]),
        (4, 25, [(1, 0), (2, 10), (4, 20)]),
        (3, 20, [(1, 0), (2, 10), (3, 20)]),
        (3, 25, [(1, 0), (2, 10), (3, 25)]),
        (5, 30, [(1, 0), (2, 10), (4, 20), (5, 30)]),
        (1, 15, [(1, 0)]),
        (0, 5, [(0, 5)]),
    ],
)
def test_a_batch_that_was_read_drops_contradicting_entries(epoch, offset, expected):
    """Unlike an assignment, it keeps the start of its epoch."""
    epochs = cache((1, 0), (2, 10), (4, 20))
    epochs.learn(epoch, offset)
    assert epochs.entries == expected
    assert epochs.changed == (expected != [(1, 0), (2, 10), (4, 20)])


@pytest.mark.parametrize(("offset", "expected"), [(0, None), (10, 1), (19, 1), (20, 3), (99, 3)])
def test_epoch_at_an_offset(offset, expected):
    assert cache((1, 10), (3, 20)).epoch_at(offset) == expected


def test_truncation_from_the_end_drops_epochs_that_start_there():
    epochs = cache((1, 0), (2, 10), (3, 20))
    epochs.truncate_from_end(10)
    assert epochs.entries == [(1, 0)]


@pytest.mark.parametrize(
    ("offset", "expected"),
    [
        (0, [(1, 5), (2, 10)]),
        (5, [(1, 5), (2, 10)]),
        (7, [(1, 7), (2, 10)]),
        (10, [(2, 10)]),
        (15, [(2, 15)]),
    ],
)
def test_truncation_from_the_start_moves_the_epoch_that_stays(offset, expected):
    epochs = cache((1, 5), (2, 10))
    epochs.truncate_from_start(offset)
    assert epochs.entries == expected
    assert epochs.changed == (expected != [(1, 5), (2, 10)])


def test_clear_forgets_everything():
    epochs = cache((1, 0))
    epochs.clear()
    assert (epochs.entries, epochs.changed) == ([], True)


@pytest.mark.parametrize(
    ("entries", "start", "end", "expected"),
    [
        ([], 0, 0, None),
        ([], 0, 5, None),
        ([(3, 0)], 0, 5, 3),
        ([(3, 0), (5, 4)], 0, 5, 5),
        # A leader of epoch 5 that has written nothing.
        ([(3, 0), (5, 5)], 0, 5, 3),
        ([(5, 0)], 0, 0, None),
        # Retention deleted everything.
        ([(3, 100)], 100, 100, 3),
    ],
)
def test_the_last_written_epoch_is_that_of_the_last_record(entries, start, end, expected):
    """U3."""
    assert cache(*entries).last_written(start, end) == expected
