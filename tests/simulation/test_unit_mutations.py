"""A guard that no plan needs is held by the unit test that is named for it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.unit_mutations import UNIT_MUTATIONS

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [each.name for each in UNIT_MUTATIONS])
def test_a_unit_test_notices(name):
    ran = subprocess.run(
        [sys.executable, "-m", "tests.unit_mutations", name],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED, ran.stdout + ran.stderr
    assert "1 failed" in ran.stdout
