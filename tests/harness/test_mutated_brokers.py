"""S2: brokers that break a promise are found out, and the same schedule without them is verified."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.transaction_mutations import COUNT_ABORTED, READ_ABORTED, READ_OPEN

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

HERE = Path(__file__).parent
MUTATIONS = HERE / "mutated"
PROJECT = HERE.parent.parent
H4 = "H4: acknowledged before it is replicated"
E5 = "E5: each replica outside the ISR is eligible"

CUT_OFF_LEADER = [
    {"kind": "isolate", "at_s": 3, "duration_s": 7, "targets": ["leader of 0"]},
]
"""The broker still has clients, and no follower replicates their records."""

IS_MUTATED = "this node is mutated"

BEHIND_BEFORE_THE_OTHERS = [
    {"kind": "kill", "at_s": 2, "duration_s": 9, "targets": [1]},
    {"kind": "kill", "at_s": 8, "duration_s": 9, "targets": [2, 3]},
]
"""Broker 1 misses six seconds of records; it is back 3 s before the brokers that have them."""


def verified(out, faults, mutation=None, *, more=(), seconds=20):
    schedule = {"schema": "minikafka.schedule/1", "seed": 7, "seconds": seconds, "faults": faults}
    out.mkdir()
    file = out / "wanted.json"
    file.write_text(json.dumps(schedule))
    environ = dict(os.environ)
    if mutation:
        paths = [str(MUTATIONS), str(PROJECT), environ.get("PYTHONPATH", "")]
        environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        environ["MINIKAFKA_TEST_MUTATION"] = mutation
    done = subprocess.run(
        [sys.executable, "-m", "minikafka.cli.verify", "--schedule", str(file),
         "--out", str(out / "run"), "--rate", "400", "--partitions", "3", "--seed", "7",
         "--controllers", "one", "--engine", "local", *more],
        capture_output=True, text=True, check=False, env=environ,
    )  # fmt: skip
    shown = done.stdout + done.stderr
    assert done.returncode in (0, 1), shown
    nodes = [log.read_text() for log in (out / "run").glob("cluster/node-*/node.log")]
    assert len(nodes) == 4
    # A node in a network namespace says so itself; others are forked from a process that does.
    is_mutated = IS_MUTATED in shown or all(IS_MUTATED in log for log in nodes)
    assert is_mutated == bool(mutation)
    assert is_mutated or not any(IS_MUTATED in log for log in nodes)
    verdict = json.loads((out / "run" / "verdict.json").read_text())
    assert all(fault["problem"] == "" for fault in verdict["faults"]), verdict["faults"]
    return done.returncode, verdict


@pytest.mark.parametrize(
    ("faults", "mutation"), [(CUT_OFF_LEADER, H4), (BEHIND_BEFORE_THE_OTHERS, E5)]
)
def test_a_weakened_guard_loses_records_and_the_verdict_names_them(tmp_path, faults, mutation):
    status, verdict = verified(tmp_path / "mutated", faults, mutation)
    assert (status, verdict["outcome"]) == (1, "broken")
    lost = verdict["promises"]["lost"]
    assert lost["count"] > 0
    assert lost["first"][0]["record"]


@pytest.mark.parametrize("faults", [CUT_OFF_LEADER, BEHIND_BEFORE_THE_OTHERS])
def test_no_record_is_lost_without_the_mutation(tmp_path, faults):
    """The same faults without a mutated broker: nothing is lost (H4, E1, E5)."""
    status, verdict = verified(tmp_path / "whole", faults)
    assert (status, verdict["outcome"]) == (0, "verified"), verdict["sentence"]


@pytest.mark.parametrize(
    ("mutation", "kinds"),
    [
        (READ_ABORTED, {"failed_but_read", "loop_aborted_read"}),
        (READ_OPEN, {"loop_changed", "loop_aborted_read"}),
        (COUNT_ABORTED, {"loop_lost"}),
    ],
)
def test_a_weakened_guard_of_transactions_is_found_by_the_loops(tmp_path, mutation, kinds):
    """S2: an aborted or open transaction that is read, and one whose inputs count as done."""
    more = ("--transactions",)
    status, verdict = verified(tmp_path / "mutated", [], mutation, more=more, seconds=10)
    assert (status, verdict["outcome"]) == (1, "broken")
    broken = {kind for kind, row in verdict["promises"].items() if row["count"]}
    assert kinds <= broken, (broken, verdict["loops"])


def test_transactions_are_verified_without_a_mutation(tmp_path):
    """The same loops without a mutated broker: exactly once."""
    more = ("--transactions",)
    status, verdict = verified(tmp_path / "whole", [], more=more, seconds=10)
    assert (status, verdict["outcome"]) == (0, "verified"), verdict["sentence"]
    loops = verdict["loops"]
    assert loops["inputs"] == loops["transformed"] == loops["read_live"] == loops["read_afresh"]
    assert loops["inputs"] >= 1_000
    assert min(loops["committed"], loops["aborted"]) > 0
    assert all(row["committed"] for row in loops["members"])
    page = (tmp_path / "whole" / "run" / "report.html").read_text()
    assert 'data-lane="transactions"' in page
    assert 'data-lane="coordinators"' in page
