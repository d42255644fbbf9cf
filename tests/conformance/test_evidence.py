"""The data that other tests read is all there; a test without its data would pass unseen."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import evidence

PROJECT = Path(__file__).parents[2] / "pyproject.toml"
COUNTED = [each for of_kind in evidence.ALL.values() for each in of_kind]


@pytest.mark.parametrize("each", COUNTED, ids=lambda each: each.kind)
def test_data_counts_are_as_stated(each):
    assert each.count() == each.stated


def test_every_file_of_the_recorded_data_is_counted():
    counted = ("kafka", "consumer_offsets", "coordinators", "secured_metadata")
    others = {
        "acls.json", "admin_answers.json", "assignments.json", "authorization.json", "client_quotas.json", "codec_frames.json", "config_values.json", "coordinator_partitions.txt",
        "group_sequences.json", "group_tool_cases.json", "operator_cases.json", "partition_changes.txt",
        "pending_transactions.json", "tokens.json",
        "transaction_cases.json", "transaction_state.log",
    }  # fmt: skip
    assert {path.name for path in evidence.DATA.iterdir()} == {*counted, *others}


def test_a_test_without_its_data_is_an_error(tmp_path):
    """`empty_parameter_set_mark` of pyproject.toml: pytest would skip it."""
    file = tmp_path / "test_empty.py"
    file.write_text(
        "import pytest\n\n"
        "@pytest.mark.parametrize('name', [])\n"
        "def test_it(name):\n"
        "    raise AssertionError\n"
    )
    command = [sys.executable, "-m", "pytest", "-c", PROJECT, "--rootdir", tmp_path, file]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert "Empty parameter set in 'test_it'" in done.stdout
