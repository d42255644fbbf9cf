"""Each scenario plays into itself; `python -m pytest tests/scenario --rewrite` writes it again.

A scenario is read before it is written: what it shows is what the rules that it names ask for.
"""

import pytest

from tests.scenario.files import FOLDER, compare, played


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.txt")), ids=lambda path: path.stem)
def test_a_scenario_plays_into_itself(path, request):
    """A2, A3, C1-C3, E1, E2, E4-E13, H1-H7, L1-L6, L8, U4-U6: each file names those that it shows."""
    found, runner = played(path.read_text(encoding="utf-8"), path.name)
    assert not runner.broken
    compare(path, found, request.config)
