"""A lane changes nothing that anybody can see (`tests/simulation/lanes` runs more seeds)."""

import pytest

from tests.simulation.lanes import histories


@pytest.mark.parametrize("seed", [*range(1, 7), 811])  # 811 refuses batches with small budgets
def test_a_seed_is_the_same_history_without_lanes(seed):
    (first, second), taken = histories(seed, 20_000)
    assert first == second
    assert taken > 20
