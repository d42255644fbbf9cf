"""Transactional clients under faults: every promise holds, and a weakened rule is noticed."""

import pytest

from tests.simulation.transactional_run import Run


@pytest.mark.parametrize("seed", range(1, 9))
def test_every_promise_of_transactions_holds(seed):
    run = Run(seed, 12)
    assert run.run() == []
    counts = sum((client.counts for client in run.clients), start=type(run.faults)())
    assert counts["commit"] > 50
    assert counts["abort"] > 10
