"""One broker whose directories fail, move logs and come back, by seeds; see `__main__`."""

import pytest

from tests.log_directories.planted import FAULTS
from tests.log_directories.run import first_finding, run
from tests.mutation import applied

SEEDS_A_TEST = 125
STARTS = range(1, 1001, SEEDS_A_TEST)
FOUND_FROM = (1, 470, 470, 292, 22, 456, 8, 283, 8670, 1814)
"""The first seed that finds each planted fault, in the order of `FOUND_SOON`."""
RARE = (
    "a start does not make the names of retired logs durable",
    "a log is created before the new name of its predecessor is durable",
    "a missing log is not remembered",
    "an older log is used while a directory is offline",
    "checkpoints name the former log after a swap",
    "a log begins where the lost one did that it replaces",
)
"""Not found in 3,000 seeds; unit tests hold them."""
FOUND_SOON = [fault for fault in FAULTS if fault.name not in RARE]


@pytest.mark.parametrize("first", STARTS)
def test_no_record_is_lost_and_each_replica_is_found(first):
    outcome = first_finding(first, SEEDS_A_TEST)
    assert outcome is None, f"python -m tests.log_directories --seed {outcome.seed} --trace"


@pytest.mark.parametrize(
    ("fault", "first"),
    list(zip(FOUND_SOON, FOUND_FROM, strict=True)),
    ids=[fault.name for fault in FOUND_SOON],
)
def test_a_planted_fault_is_found(fault, first):
    with applied(fault):
        assert first_finding(first, 100) is not None


def test_a_seed_is_one_story():
    first, second = run(7), run(7)
    assert first == second
    assert first.starts > 1
    assert first.lines != run(8).lines


def test_operations_of_the_disks_are_told_on_demand():
    told = []
    outcome = run(7, on_line=told.append, shows_operations=True)
    assert tuple(told) == outcome.lines
    assert any(line.strip().startswith("disk: rename") for line in told)


def test_seeds_reach_what_they_are_for():
    lines = [line for seed in range(1, 61) for line in run(seed).lines]
    for event in (
        "POWER LOSS", "KILL", "stopped", "registers after a clean", "registers after an unclean",
        "a directory goes offline", "move ", "delete topic", "unclean election", "offline: ",
        "out ['/d0']", "assigned: ", "reports offline directories",
    ):  # fmt: skip
        assert sum(event in line for line in lines) >= 10, event
