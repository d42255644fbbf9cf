"""A table of the tests of a whole run; the end of `make test`.

    python -m tests.summary FOLDER

FOLDER holds the JUnit files that pytest wrote (*.xml) and the results of the seeds of CI
(floors.json). Exit status 1 where a kind of test has fewer tests than stated here, where no test of
a module ran, where a test was skipped or failed,
where data is missing (`conformance.evidence`), and where the seeds, the floors or the mutants are
not all there; each is named.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from tests.conformance import evidence
from tests.simulation import floors
from tests.simulation.mutations import MUTATIONS

LEAST = {
    "unit": 12_000,
    "property": 3_000,
    "conformance": 3_700,
    "simulation": 800,
    "log_directories": 20,
    "scenario": 50,
    "fuzz": 150,
    "integration": 450,
    "fault": 170,
    "golden": 50,
    "attacks": 15,
    "harness": 180,
}
"""How many tests of each kind there must be: fewer would mean that many are not found any more."""
_KILLERS = ("tests.simulation.test_killers", "test_a_mutant_is_killed")
_FLOORS = "floors.json"


class Row(NamedTuple):
    """A kind of what was run: how many there were, and how many seconds the tests of it took."""

    kind: str
    count: int
    seconds: float | None = None

    def __str__(self):
        took = "" if self.seconds is None else f" {self.seconds:>10,.1f}"
        return f"{self.kind:42}{self.count:>9,}{took}"


def modules():
    """The names of all modules with tests."""
    root = evidence.TESTS.parent
    paths = sorted(evidence.TESTS.rglob("test_*.py"))
    return [".".join(path.relative_to(root).with_suffix("").parts) for path in paths]


class Run:
    """The tests of a run by kind, as JUnit files tell them."""

    def __init__(self, folder):
        """Read every JUnit file of a folder."""
        self.tests = Counter()
        self.seconds = Counter()
        self.not_passed = []
        self.killed = 0
        self.names = set()
        for path in sorted(folder.glob("*.xml")):
            for case in ET.parse(path).iter("testcase"):
                self._add(case)

    def _add(self, case):
        where, name = case.get("classname", ""), case.get("name", "")
        words = where.split(".")
        self.names |= {".".join(words[:count]) for count in range(1, len(words) + 1)}
        kind = [*words, "", ""][1]
        self.tests[kind] += 1
        self.seconds[kind] += float(case.get("time", 0))
        outcomes = [each.tag for each in case if each.tag in ("failure", "error", "skipped")]
        self.not_passed += [f"{where}.{name}: {outcome}" for outcome in outcomes]
        self.killed += (where, name.partition("[")[0]) == _KILLERS and not outcomes

    def problems(self):
        """A line for each kind with too few tests, for each module without a test that
        ran, and for each test that did not pass.
        """
        few = [
            f"{kind}: {self.tests[kind]} tests, at least {least} are stated in tests/summary.py"
            for kind, least in LEAST.items()
            if self.tests[kind] < least
        ]
        idle = [
            f"{name}: no test of this module ran" for name in modules() if name not in self.names
        ]
        strange = [
            f"{kind}: a kind of test that is not stated" for kind in self.tests if kind not in LEAST
        ]
        return few + idle + strange + self.not_passed

    def rows(self):
        """The kinds in their order."""
        return [Row(kind, self.tests[kind], self.seconds[kind]) for kind in LEAST]


def seeds_of(folder):
    """The results of the seeds of CI; empty if they did not run."""
    path = folder / _FLOORS
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def problems_of_seeds(came_to):
    """A line for each count of the simulator that is not what it must be."""
    wanted = {"seeds": len(floors.SEEDS), "floors reached": floors.count(), "problems": 0}
    return [
        f"simulator: {came_to.get(name, 'no')} {name}, {count} are wanted"
        for name, count in wanted.items()
        if came_to.get(name) != count
    ]


def main():
    """Print the table; what is missing comes last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    run, came_to = Run(folder), seeds_of(folder)
    problems = [*run.problems(), *problems_of_seeds(came_to)]
    if run.killed != len(MUTATIONS):
        problems.append(f"simulator: {run.killed} of {len(MUTATIONS)} mutants were killed")
    data = [each for of_kind in evidence.ALL.values() for each in of_kind]
    counts = [(each, each.count()) for each in data]
    problems += [
        f"{each.kind}: {count}, {each.stated} are stated"
        for each, count in counts
        if count != each.stated
    ]
    print(f"{'tests':42}{'count':>9} {'seconds':>10}")
    rows = run.rows()
    for row in rows:
        print(row)
    print(Row("together", run.tests.total(), run.seconds.total()))
    print(f"\n{'data':42}{'count':>9}")
    for each, count in counts:
        print(Row(each.kind, count))
    print(f"\n{'simulator':42}{'count':>9}")
    for name, count in came_to.items():
        print(Row(name, count))
    print(Row("mutants killed by their plans", run.killed))
    for problem in problems:
        print(f"\n{problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
