"""Tests that share a resource stay in one process, with pytest's own plug-ins loaded."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests import side_by_side
from tests.side_by_side import group_of, place_of

TESTS = Path(side_by_side.__file__).parent
FILE = """
import os, pathlib, pytest

@pytest.mark.parametrize("number", range(8))
def test_it(number, pytestconfig):
    with pathlib.Path(os.environ["SHOWN"], pathlib.Path(__file__).stem).open("a") as shown:
        print(pytestconfig.workerinput["workerid"], os.environ["MINIKAFKA_PORTS"], file=shown)
"""


@pytest.mark.parametrize(
    ("node_id", "group"),
    [
        ("tests/integration/test_dev.py::test_it[a::b]", "integration/test_dev"),
        ("tests/golden/test_sequences.py::test_sequence[a]", "golden"),
        ("tests/golden/test_elr_schedules.py::test_it", "golden"),
        ("tests/harness/test_verdict_time.py::test_it", "spark"),
        ("tests/harness/test_report_page.py::test_it", "harness/test_report_page"),
        (
            "tests/harness/test_mutated_brokers.py::test_it[b]",
            "harness/test_mutated_brokers/test_it[b]",
        ),
        ("tests/unit/server/test_ports.py::test_it", "tests/unit/server/test_ports.py::test_it"),
    ],
)
def test_tests_are_grouped_by_shared_resources(node_id, group):
    assert group_of(node_id) == group


def test_every_name_is_that_of_a_module():
    for name in (*side_by_side.OF_A_SESSION, *side_by_side.ALONE):
        assert (TESTS / "harness" / f"{name}.py").exists()
    for name in side_by_side.LONGEST:
        assert name == "spark" or (TESTS / name).is_dir() or (TESTS / f"{name}.py").exists()


def test_modules_with_the_session_of_spark_share_it():
    using = {
        path.stem
        for path in (TESTS / "harness").glob("test_*.py")
        if "(spark" in path.read_text() or ", spark)" in path.read_text()
    }
    assert using - {"test_spark_cluster"} <= set(side_by_side.OF_A_SESSION)


def test_the_longest_begin_first():
    longest = place_of("tests/harness/test_spark_cluster.py::test_it")
    assert longest == 0 < place_of("tests/golden/test_sequences.py::test_sequence[a]")
    assert place_of("tests/integration/test_dev.py::test_it") == len(side_by_side.LONGEST)


def test_a_module_stays_in_one_process_with_ports_of_its_own(tmp_path):
    for name in ("test_one", "test_two"):
        (tmp_path / "tests" / "integration").mkdir(parents=True, exist_ok=True)
        (tmp_path / "tests" / "integration" / f"{name}.py").write_text(FILE)
    command = [
        sys.executable, "-m", "pytest", "-p", "tests.conftest", "-n", "2", "--dist", "loadgroup",
        "-c", TESTS.parent / "pyproject.toml", "--rootdir", tmp_path, tmp_path / "tests",
    ]  # fmt: skip
    environment = {**os.environ, "SHOWN": str(tmp_path), "MINIKAFKA_PORTS": "21000-22000"}
    done = subprocess.run(
        command, capture_output=True, text=True, check=False, env=environment, cwd=TESTS.parent
    )
    assert done.returncode == 0, done.stdout + done.stderr
    shown = [(tmp_path / name).read_text().splitlines() for name in ("test_one", "test_two")]
    assert [len(lines) for lines in shown] == [8, 8]
    assert {lines[0] for lines in shown} == {"gw0 21000-21500", "gw1 21500-22000"}
    assert all(len(set(lines)) == 1 for lines in shown)
