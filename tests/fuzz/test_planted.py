"""Faults that are put back fit the source, and some are found right here."""

import pytest

from tests.fuzz.planted import FAULTS, Verdict, judge, table
from tests.mutation import applied

QUICK = {"Produce: checksums": 1, "Produce: records are not": 1, "Produce: a bomb": 2}
"""Faults and the seeds that find them soon."""
_MOST_FRAMES = 6_000
"""Ten times what a seed needs on average: a new API changes what every seed draws."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_the_source(fault):
    with applied(fault):
        pass


@pytest.mark.parametrize("name", QUICK)
def test_a_fault_that_is_put_back_is_found(name):
    (fault,) = [each for each in FAULTS if each.name.startswith(name)]
    verdict = judge(fault, start=QUICK[name], most_frames=_MOST_FRAMES)
    assert verdict.where, f"{verdict.frames} frames did not find it"


def test_the_table_has_a_line_for_each_fault():
    text = table(
        [
            Verdict("a", "here", 10, 1.0),
            Verdict("a", "", 30, 3.0),
            Verdict("a", "here", 8, 1.0, True),
        ]
    )
    assert text.endswith("| a | 1 of 2 | 20 | 2.0 | 1 of 1 | 8 | 1.0 |\n")
