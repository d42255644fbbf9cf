from pathlib import Path

import pytest

from minikafka.sim.checks.catalog import CHECKS
from tools.rule_places import checking, deciding, reporting

KNOWN = ("H1", "H2", "H3", "H4")


@pytest.fixture
def package(tmp_path):
    for name, source in {
        "controller/a": '"""About H1."""\n',
        "controller/b": '"""About H1-H2."""\n# H2, too\n',
        "cli/c": "# H1\n# H1\n# H1\n",
        "records/d": '"""H1"""\n',
        "history/e": '"""About H2 and H4."""\n',
        "harness/verdict/f": '"""About H4."""\n',
        "sim/checks/g": '"""About H1."""\nself.coverage.rules["H2, H3: a"] += 1\n',
        "sim/checks/h": 'raise Violation(f"H2: {x} H1")\n',
    }.items():
        path = tmp_path / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return tmp_path


def test_modules_decide_the_rules_that_they_cite_the_core_before_the_tools(package):
    assert deciding(KNOWN, package) == {
        "H1": ["controller/a", "controller/b", "cli/c"],
        "H2": ["controller/b"],
        "H3": [],
        "H4": [],
    }


def test_the_simulator_checks_what_it_counts_or_reports(package):
    assert checking(KNOWN, package) == {
        "H1": [],
        "H2": ["sim/checks/g", "sim/checks/h", "history/e"],
        "H3": ["sim/checks/g"],
        "H4": ["history/e", "harness/verdict/f"],
    }


def test_every_check_of_the_catalog_is_reported_by_a_module():
    package = Path(__file__).parents[3] / "minikafka"
    found = reporting(CHECKS, package)
    assert [name for name, modules in found.items() if not modules] == []
    assert found["WeakIsr"] == ["sim/checks/replica_checks"]
    assert found["moved commit"] == ["history/group_anomalies"]


def test_a_function_that_nothing_calls_reports_nothing(package):
    """A check of docs/simulation.md was called by its unit test alone."""
    path = package / "history" / "anomalies.py"
    path.write_text(
        "def found():\n    yield Anomaly('lost', '')\n\n\n"
        "def dead():\n    yield Anomaly('gone', '')\n"
    )
    (package / "sim" / "checks" / "final.py").write_text(
        "from history import anomalies\nanomalies.found()\n"
    )
    assert reporting(("lost", "gone"), package) == {"lost": ["history/anomalies"], "gone": []}
