"""Each rule: evidence that lacks exactly one thing is not enough, and no rule is idle.

`MUTANTS` weakens every rule, one edit each; some case of `CASES` must then end otherwise.
"""

from dataclasses import replace

import pytest

from minikafka.harness.plan.lenient import LENIENT, unknown_rules
from minikafka.harness.verdict import evidence_rules, verdict_file
from minikafka.harness.verdict.evidence_rules import RULES, UNKNOWN_SHARE_MAX
from minikafka.harness.verdict.silence import RECOVERY_S
from minikafka.harness.verdict.verdict_file import decide
from tests.mutation import Mutation, applied, mutation
from tests.worlds.verdict_evidence import (
    ACKED,
    FULL,
    SENT,
    UNKNOWN,
    failover,
    fault,
    judged,
    of_controller,
    window,
)
from tests.worlds.verdict_schema import ROOT


def counted(**counts):
    return judged(counts={**judged()["counts"], **counts})


ENDED = {"node": 2, "at_ms": 1, "how": "signal 9", "log": "last words"}
TRACEBACK = {"node": 3, "at_ms": 1, "error": "ValueError: x", "log": "Traceback ..."}
SHORT = {"message": "t-0: the log of node 2 is empty", "nodes": [2]}

CASES = {
    "answer": ({"judged": None}, "The engine gave no answer."),
    "obstacle": ({"obstacles": ["No way."]}, "No way."),
    "stream, cut short": (
        {"judged": judged(stream_is_complete=False, stream_problem="it died.")},
        "The stream did not read to the end: it died.",
    ),
    "stream, strayed": (
        {"stream": {"strayed": ["batch 3"]}},
        "did not continue at its checkpoint: batch 3.",
    ),
    "group": ({"judged": judged(group_is_complete=False)}, "The consumer group did not read"),
    "loops": (
        {"loops": {**FULL.loops, "drained": False}},
        "The loops did not read to the end of every partition.",
    ),
    "loops, idle": (
        {"loops": {**FULL.loops, "transformed": 0}},
        "The loops show nothing: no input was transformed.",
    ),
    "loops, none": (
        {"loops": {}, "settings": {"workload": {"transactions": True}}},
        "The run has transactions, but no loops.",
    ),
    "ledger, acknowledgements": (
        {"claimed_acknowledged": ACKED + 1},
        "Acknowledgements that producers counted: 9,921; in the ledgers: 9,920.",
    ),
    "ledger, records": (
        {"producers": [{"sent": SENT + 1, "acked": ACKED, "failed": 0, "unknown": UNKNOWN}]},
        "Records sent: 10,001; judged: 10,000.",
    ),
    "injection": ({"inject": "loss"}, "did not find its own injection"),
    "nothing": (
        {
            "judged": counted(acknowledged=0, failed=ACKED),
            "claimed_acknowledged": 0,
            "min_acknowledged": 1,
        },
        "No record was acknowledged.",
    ),
    "acknowledged, too few": (
        {"min_acknowledged": ACKED + 1},
        "Acknowledged records: 9,920; a verdict needs at least 9,921 (--min-acknowledged).",
    ),
    "unknown": (
        {
            "judged": counted(acknowledged=ACKED - 21, unknown_absent=71),
            "claimed_acknowledged": 0,
            "min_acknowledged": 1,
        },
        "The outcome of 101 of 10,000 records is unknown: 1.0%, and the limit is 1%.",
    ),
    "producers": ({"producer_failures": ["Producer 2 ended."]}, "Producer 2 ended."),
    "silence, beside a fault": (
        {"windows": [window(17.1)]},
        "nothing for 17.1 s, starting at 10.0 s; the faults at that time explain 17.0 s.",
    ),
    "silence, beside a fault that was cut short": (
        {"faults": [fault(duration_s=30.0)], "windows": [window(17.1)]},
        "nothing for 17.1 s, starting at 10.0 s; the faults at that time explain 17.0 s.",
    ),
    "silence, without a fault": (
        {"windows": [window(15.1, began_s=40.0, partition=4)]},
        "Partition 4 acknowledged nothing for 15.1 s, starting at 40.0 s",
    ),
    "silence, before a fault": (
        {
            "faults": [fault(done_at_ms=1_030_000, healed_at_ms=1_032_000)],
            "windows": [window(15.1, began_s=12.0), window(15.0, began_s=60.0)],
        },
        "nothing for 15.1 s, starting at 12.0 s; the faults at that time explain 15.0 s.",
    ),
    "silence, long after a fault": (
        {"windows": [window(15.1, began_s=27.1)]},
        "nothing for 15.1 s, starting at 27.1 s; the faults at that time explain 15.0 s.",
    ),
    "faults, not done": (
        {"faults": [fault(problem="not done: partition 0 had no leader")]},
        "Fault 'kill leader of 0' at 10 s: not done: partition 0 had no leader.",
    ),
    "faults, not healed": ({"faults": [fault(problem="not healed: x")]}, "at 10 s: not healed: x."),
    "failover": (
        {"faults": [fault(), of_controller(failover=None)]},
        "Fault 'kill controller' at 10 s: no other controller became active.",
    ),
    "failover, by the same node": (
        {"faults": [fault(), of_controller(failover=failover(after=1))]},
        "'kill controller' at 10 s: the controller's epoch did not become newer.",
    ),
    "failover, in the same epoch": (
        {"faults": [fault(), of_controller(kind="wipe", failover=failover(epoch_after=4))]},
        "Fault 'wipe controller' at 10 s: the controller's epoch did not become newer.",
    ),
    "changes": (
        {"changes": {**FULL.changes, "acknowledged": 0}},
        "No change of a topic or configuration was acknowledged.",
    ),
    "changes, not compared": (
        {"changes": {**FULL.changes, "compared": False}, "lost_changes": None},
        "were not compared: no broker answered.",
    ),
    "nodes, ended": (
        {"nodes": {"ended": [ENDED], "tracebacks": []}},
        "Node 2 exited unexpectedly: signal 9.",
    ),
    "nodes, traceback": (
        {"nodes": {"ended": [], "tracebacks": [TRACEBACK]}},
        "Node 3 logged a traceback: ValueError: x.",
    ),
    "nodes, not shut down": (
        {"shutdown_problem": "Node 2 ended with status 1."},
        "Node 2 ended with status 1.",
    ),
    "whole": ({"is_whole": False}, "After the faults not every replica returned to the ISR."),
    "replicas": (
        {"replicas": {"compared": False, "why_not": "The logs cannot be read: EIO."}},
        "The replicas were not compared: The logs cannot be read: EIO.",
    ),
    "replicas, empty": ({"replicas": {**FULL.replicas, "batches": 0}}, "no log has a batch"),
    "replicas, never tried": ({"replicas": {}}, "The replicas were not compared"),
    "replica-ends": (
        {"replicas": {**FULL.replicas, "incomplete": [SHORT]}},
        "t-0: the log of node 2 is empty.",
    ),
    "timestamps": ({"timestamps": "append"}, "so they were not compared."),
    "elr": ({"elections": {"from_isr": 3, "from_elr": 0}}, "No leader was elected from the ELR"),
    "elr, not counted": ({"elections": {}}, "No leader was elected from the ELR"),
}
"""Name (the rule first) → what is otherwise than in `FULL`, and what the sentence says."""


def rule_of(name):
    return name.partition(",")[0]


def test_sufficient_evidence_is_verified():
    verdict = decide(FULL)
    assert (verdict["outcome"], verdict["reasons"], verdict["rules"]) == ("verified", [], [])
    assert verdict["lenient"] == {"rules": [], "left_out": []}


@pytest.mark.parametrize("name", CASES)
def test_evidence_that_lacks_one_item_is_undecided_and_names_it(name):
    changes, said = CASES[name]
    verdict = decide(replace(FULL, **changes))
    assert (verdict["outcome"], verdict["exit_status"]) == ("undecided", 2)
    assert verdict["rules"] == [rule_of(name)]
    [reason] = verdict["reasons"]
    assert said in reason
    assert verdict["sentence"] == f"Undecided: {reason}"


def test_every_rule_has_a_case_and_a_meaning():
    assert {rule_of(name) for name in CASES} == set(RULES)
    assert all(rule.meaning for rule in RULES.values())


@pytest.mark.parametrize("name", [name for name in CASES if rule_of(name) in LENIENT])
def test_rules_that_lenient_leaves_out_are_in_the_verdict_and_its_sentence(name):
    changes, said = CASES[name]
    rule = rule_of(name)
    verdict = decide(replace(FULL, **changes, lenient=(rule,)))
    assert (verdict["outcome"], verdict["reasons"]) == ("verified", [])
    assert verdict["lenient"]["rules"] == [rule]
    [left_out] = verdict["lenient"]["left_out"]
    assert left_out["rule"] == rule
    assert said in left_out["sentence"]
    assert (
        f"Rules not required (--lenient): {rule}. Left out: {left_out['sentence']}"
        in (verdict["sentence"])
    )


def test_a_lenient_run_is_marked_even_if_no_rule_was_left_out():
    verdict = decide(replace(FULL, lenient=("faults", "whole")))
    assert verdict["sentence"].endswith(
        "acknowledged. Rules not required (--lenient): faults, whole."
    )


@pytest.mark.parametrize("name", [name for name in CASES if rule_of(name) not in LENIENT])
def test_some_rules_cannot_be_left_out(name):
    assert unknown_rules([rule_of(name), *LENIENT]) == [rule_of(name)]


def test_the_lenient_rules_are_named():
    assert tuple(name for name, rule in RULES.items() if rule.is_lenient) == LENIENT


def test_a_promise_is_broken_regardless_of_rules_left_out():
    answer = judged([("lost", "p1#7")])
    verdict = decide(replace(FULL, judged=answer, is_whole=False, lenient=LENIENT))
    assert verdict["exit_status"] == 1


def test_a_sentence_that_comes_often_is_counted():
    faults = [fault(problem="not done: x", at_s=float(n)) for n in range(9)]
    reasons = decide(replace(FULL, faults=faults))["reasons"]
    assert len(reasons) == 6
    assert reasons[-1] == "And 4 more by rule 'faults'."


def test_the_replicas_of_another_cluster_need_not_be_compared():
    assert decide(replace(FULL, is_own=False, replicas={"compared": False}))["exit_status"] == 0


def test_a_fault_that_replaces_no_controller_needs_no_other_one():
    for changes in (
        {"has_standby": False, "faults": [of_controller(failover=None)]},
        {"faults": [of_controller(kind="restart", failover=None)]},
        {"faults": [of_controller(targets=["controller", 1], failover=None)]},
        {"faults": [of_controller(done_at_ms=0, healed_at_ms=0, failover=None)]},
    ):
        assert decide(replace(FULL, windows=[], **changes))["exit_status"] == 0


def test_without_changes_on_another_cluster_nothing_is_missing():
    without = {"changes": {}, "lost_changes": None}
    assert decide(replace(FULL, is_own=False, **without))["exit_status"] == 0


def test_without_elr_no_election_is_required():
    assert decide(replace(FULL, elr_required=False, elections={}))["exit_status"] == 0


def test_a_replica_check_that_was_not_asked_for_is_no_reason():
    assert decide(replace(FULL, is_whole=None))["exit_status"] == 0


def test_the_share_is_one_in_a_hundred():
    assert UNKNOWN_SHARE_MAX == 0.01
    assert RECOVERY_S == 15.0


def weakened(name, function, old, new):
    return mutation(name, ("harness.verdict.evidence_rules", function, old, new))


MUTANTS: list[Mutation] = [
    weakened("an obstacle is none", "_obstacles", "yield from evidence.obstacles", "yield from ()"),
    weakened("no answer is one", "_answer", "evidence.judged is None", "False"),
    weakened("no acknowledgement is enough", "_nothing", 'not counts["acknowledged"]', "False"),
    weakened("few are enough", "_acknowledged", "< evidence.min_acknowledged", "< 0"),
    weakened(
        "a short stream is whole", "_stream", 'not evidence.judged["stream_is_complete"]', "0"
    ),
    weakened("a stream may stray", "_stream", 'evidence.stream.get("strayed") or ()', "()"),
    weakened("a short group is whole", "_group", 'not judged.get("group_is_complete")', "False"),
    weakened("ledgers may lose", "_ledger", "< evidence.claimed_acknowledged", "< 0"),
    weakened("records may go unjudged", "_ledger", "accounted != ", "False and accounted != "),
    weakened("injections may go unseen", "_injection", "evidence.inject is not None", "False"),
    weakened("everything may be unknown", "_unknown", "share > UNKNOWN_SHARE_MAX", "share > 1"),
    weakened(
        "unknown ones are not counted", "_unknown", 'counts["unknown"] / ', 'counts["failed"] / '
    ),
    weakened("producers may fail", "_producers", "from evidence.producer_failures", "from ()"),
    weakened("loops may show nothing", "_loops", "from loop_reasons(evidence.loops)", "from ()"),
    weakened("transactions need no loops", "_loops", "not evidence.loops", "False"),
    weakened("silence is allowed", "_silence", "too_long(evidence.windows, evidence.faults)", "()"),
    weakened("faults may be left out", "_faults", 'if fault["problem"]', "if False"),
    weakened("no failover is enough", "_failover", 'fault["done_at_ms"] and', "False and"),
    weakened(
        "the same controller may follow",
        "_failover",
        'replaced["after"] == replaced["before"]',
        "0",
    ),
    weakened("an old epoch is enough", "_failover", 'replaced["epoch_after"] <= ', "-1 >= 0 * "),
    weakened(
        "no change is enough", "_changes", 'not evidence.changes.get("acknowledged")', "False"
    ),
    weakened("changes need no comparison", "_changes", 'not evidence.changes["compared"]', "False"),
    weakened("nodes may end", "_nodes", 'evidence.nodes.get("ended", ())', "()"),
    weakened("nodes may fail", "_nodes", 'evidence.nodes.get("tracebacks", ())', "()"),
    weakened("a shutdown may fail", "_nodes", "if evidence.shutdown_problem", "if False"),
    weakened("a cluster may stay in parts", "_whole", "is False", "== ()"),
    weakened(
        "replicas need no comparison",
        "_replicas",
        'if not evidence.replicas.get("compared")',
        "if False",
    ),
    weakened(
        "replicas may be empty",
        "_replicas",
        'elif not evidence.replicas.get("batches")',
        "elif False",
    ),
    weakened(
        "replicas may be short", "_replica_ends", 'evidence.replicas.get("incomplete", ())', "()"
    ),
    weakened("timestamps need no comparison", "_timestamps", "!= SENT_TIME", "is None"),
    weakened("no ELR is enough", "_elr", "evidence.elr_required and", "False and"),
    weakened("only the first rules count", "reasons", "RULES.items()", "list(RULES.items())[:6]"),
    mutation(
        "a fault excuses twice as much silence",
        ("harness.verdict.silence", "_bound_ms", "recovery_ms * max(1", "2 * recovery_ms * max(1"),
    ),
    mutation(
        "a fault excuses more than it lasted",
        (
            "harness.verdict.silence",
            "_spans",
            'min(end_ms, fault["healed_at_ms"] or end_ms)',
            "end_ms",
        ),
    ),
    mutation(
        "every fault excuses every silence",
        ("harness.verdict.silence", "_bound_ms", "if begin <= ended_ms and", "if"),
    ),
    mutation(
        "a fault excuses all later silence",
        ("harness.verdict.silence", "_bound_ms", "and end + recovery_ms >= began_ms", ""),
    ),
    mutation(
        "what is left out counts as nothing",
        (
            "harness.verdict.verdict_file",
            "decide",
            "not in evidence.lenient",
            "in evidence.lenient",
        ),
    ),
]


def survives():
    """Whether every case ends as it must, as the tests above see it."""
    found = [verdict_file.decide(replace(FULL, **changes)) for changes, _ in CASES.values()]
    lenient = verdict_file.decide(replace(FULL, is_whole=False, lenient=("whole",)))
    return (
        [verdict_file.decide(FULL)["outcome"], lenient["outcome"]] == ["verified"] * 2
        and [verdict["rules"] for verdict in found] == [[rule_of(name)] for name in CASES]
        and all(
            said in verdict["sentence"]
            for verdict, (_, said) in zip(found, CASES.values(), strict=True)
        )
    )


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_weakened_rule_is_noticed(mutant, monkeypatch):
    assert survives()
    with applied(mutant):
        for name, rule in RULES.items():
            check = getattr(evidence_rules, rule.check.__name__)
            monkeypatch.setitem(RULES, name, rule._replace(check=check))
        assert not survives()


def test_every_rule_is_weakened():
    weak = {edit.function for mutant in MUTANTS for edit in mutant.edits}
    assert {rule.check.__name__ for rule in RULES.values()} <= weak


def test_the_page_has_every_rule_as_it_is():
    page = (ROOT / "docs" / "verify-verdict.md").read_text()
    for name, rule in RULES.items():
        assert f"| `{name}` | {rule.meaning} | {'yes' if rule.is_lenient else 'no'} |" in page
