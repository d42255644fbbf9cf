"""Compacted logs of unclean leaders: what they lack was cleaned, or was never there."""

import pytest

from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.log_batches import BatchIdentity
from minikafka.sim.checks.replica_checks import _first_replaced
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.one_log import append, open_log


@pytest.mark.parametrize(
    ("is_open", "epoch", "is_missing"),
    [(True, 0, False), (True, 8, True), (False, 8, False)],
    ids=["cleaned", "of another history", "no unclean election"],
)
def test_a_batch_that_is_not_there(is_open, epoch, is_missing):
    log = open_log(SimDisk(), compacted=True)
    append(log, 2, epoch=0)
    append(log, 2, epoch=2)
    known = Committed(is_open=is_open, unclean_epoch=9)
    # Within the offsets of the first batch, whose last offset is another one.
    batch = BatchIdentity(0, 0, 1, epoch)
    known.add(batch, (b"v",))
    assert (_first_replaced(log, known) == batch) is is_missing
