"""Committed records that no check has seen before retention deleted them."""

from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.log_batches import BatchIdentity


def batch(first, last):
    return BatchIdentity(first, last, 7, 0)


def test_batches_that_retention_took_unseen_are_not_compared():
    """Seed 76000094: followers still have them."""
    known = Committed()
    known.add(batch(0, 3), ())
    known.add(batch(10, 12), ())
    assert (known.end_offset, known.unseen) == (13, [(4, 10)])
    log = [batch(0, 3), batch(4, 6), batch(7, 9), batch(10, 12)]
    assert known.seen(log) == [batch(0, 3), batch(10, 12)]


def test_what_is_unseen_ends_with_the_records_after_it():
    known = Committed()
    known.add(batch(0, 3), ())
    known.add(batch(10, 12), ())
    known.cut(10)
    assert (known.batches, known.end_offset, known.unseen) == ([batch(0, 3)], 4, [])
    known.add(batch(4, 5), ())
    assert known.seen([batch(4, 5)]) == [batch(4, 5)]
