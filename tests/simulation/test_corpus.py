"""Plans that once broke a promise, kept as data: they break nothing any more.

`make soak` writes the plan of each seed that it finds broken beside its report. Put it into
`corpus/` with the fix; docs/history/found-by-simulation.md says what each one found.
"""

from pathlib import Path

import pytest

from minikafka.sim.drive.plan_file import plan_of
from minikafka.sim.drive.simulation import Simulation

FOLDER = Path(__file__).with_name("corpus")
PLANS = sorted(FOLDER.glob("*.json"))


def test_the_corpus_exists():
    assert len(PLANS) == 9


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_a_plan_that_once_failed_breaks_nothing(path):
    outcome = Simulation(plan_of(path.read_text(encoding="utf-8"))).run()
    assert outcome.violation is None
    assert outcome.acknowledged
