"""The evidence that a run needs to be verified: one rule for each kind of missing evidence.

Each rule yields the sentences that make a run undecided. `LENIENT` rules may be left out with
`--lenient`; then the verdict lists the rule and its sentences as left out.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from minikafka.harness.plan.schedule import CONTROLLER, DEPOSING
from minikafka.harness.plan.workload_options import SENT_TIME
from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.loop_checks import loop_reasons
from minikafka.harness.verdict.silence import too_long

UNKNOWN_SHARE_MAX = 0.01
"""The share of the records sent whose outcome may be unknown."""

_SENTENCES_MAX = 5


class Reason(NamedTuple):
    """A reason why a run is undecided: the name of the rule, and its sentence."""

    rule: str
    sentence: str


class EvidenceRule(NamedTuple):
    """A rule: its meaning for the documentation, and a check that yields its sentences."""

    meaning: str
    check: Callable[[Evidence, Mapping[str, int]], Iterator[str]]
    is_lenient: bool = True


def reasons(evidence: Evidence, counts: Mapping[str, int]) -> list[Reason]:
    """Return the sentences of all rules, at most five of each."""
    found = []
    for name, rule in RULES.items():
        said = list(rule.check(evidence, counts))
        if len(said) > _SENTENCES_MAX:
            said[_SENTENCES_MAX:] = [f"And {len(said) - _SENTENCES_MAX} more by rule '{name}'."]
        found += [Reason(name, sentence) for sentence in said]
    return found


def _obstacles(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    yield from evidence.obstacles


def _answer(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is None and not evidence.obstacles:
        yield "The engine gave no answer."


def _acknowledged(evidence: Evidence, counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is None:
        return
    if 0 < counts["acknowledged"] < evidence.min_acknowledged:
        yield (
            f"Acknowledged records: {counts['acknowledged']:,}; a verdict needs at least"
            f" {evidence.min_acknowledged:,} (--min-acknowledged)."
        )


def _nothing(evidence: Evidence, counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is not None and not counts["acknowledged"]:
        yield "No record was acknowledged."


def _stream(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is None:
        return
    if not evidence.judged["stream_is_complete"]:
        yield f"The stream did not read to the end: {evidence.judged['stream_problem']}"
    for said in evidence.stream.get("strayed") or ():
        yield f"The stream did not continue at its checkpoint: {said}."


def _group(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    judged = evidence.judged
    if judged is not None and evidence.group and not judged.get("group_is_complete"):
        yield "The consumer group did not read to the end of every partition."


def _loops(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is None:
        return
    if evidence.settings.get("workload", {}).get("transactions") and not evidence.loops:
        yield "The run has transactions, but no loops."
    yield from loop_reasons(evidence.loops)


def _ledger(evidence: Evidence, counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.judged is None:
        return
    if counts["acknowledged"] < evidence.claimed_acknowledged:
        yield (
            f"Acknowledgements that producers counted: {evidence.claimed_acknowledged:,};"
            f" in the ledgers: {counts['acknowledged']:,}."
        )
    accounted = counts["acknowledged"] + counts["failed"] + counts["unknown"]
    if accounted != counts["sent"]:
        yield f"Records sent: {counts['sent']:,}; judged: {accounted:,}."


def _injection(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    judged = evidence.judged
    if evidence.inject is not None and judged is not None and not judged["injected_found"]:
        yield "The harness did not find its own injection: the harness is broken."


def _unknown(_evidence: Evidence, counts: Mapping[str, int]) -> Iterator[str]:
    share = counts["unknown"] / max(1, counts["sent"])
    if share > UNKNOWN_SHARE_MAX:
        yield (
            f"The outcome of {counts['unknown']:,} of {counts['sent']:,} records is unknown:"
            f" {share:.1%}, and the limit is {UNKNOWN_SHARE_MAX:.0%}."
        )


def _producers(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    yield from evidence.producer_failures


def _silence(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    for window in too_long(evidence.windows, evidence.faults):
        yield (
            f"Partition {window.partition} acknowledged nothing for {window.length_s:.1f} s,"
            f" starting at {window.began_s(evidence.run):.1f} s; the faults at that time explain"
            f" {window.bound_s:.1f} s."
        )


def _faults(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    for fault in evidence.faults:
        if fault["problem"]:
            yield f"Fault {_fault_name(fault)}: {fault['problem'].rstrip('.')}."


def _failover(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if not evidence.has_standby:
        return
    for fault in evidence.faults:
        if not (fault["done_at_ms"] and fault["kind"] in DEPOSING):
            continue
        if list(fault.get("targets", ())) != [CONTROLLER]:
            continue
        replaced = fault.get("failover")
        if not replaced:
            yield f"Fault {_fault_name(fault)}: no other controller became active."
        elif (
            replaced["after"] == replaced["before"]
            or replaced["epoch_after"] <= replaced["epoch_before"]
        ):
            yield f"Fault {_fault_name(fault)}: the controller's epoch did not become newer."


def _changes(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if not evidence.is_own or not evidence.topic_asked:
        return
    if not evidence.changes.get("acknowledged"):
        yield "No change of a topic or configuration was acknowledged."
    elif not evidence.changes["compared"]:
        yield "The changes of topics and configurations were not compared: no broker answered."


def _fault_name(fault: Mapping[str, Any]) -> str:
    targets = ", ".join(map(str, fault.get("targets", ())))
    named = f"{fault['kind']} {targets}".strip()
    return f"'{named}' at {fault['at_s']:g} s" if "at_s" in fault else f"'{named}'"


def _nodes(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    for ended in evidence.nodes.get("ended", ()):
        yield f"Node {ended['node']} exited unexpectedly: {ended['how']}."
    for logged in evidence.nodes.get("tracebacks", ()):
        yield f"Node {logged['node']} logged a traceback: {logged['error']}."
    if evidence.shutdown_problem:
        yield evidence.shutdown_problem


def _whole(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.is_whole is False:
        yield "After the faults not every replica returned to the ISR."


def _replicas(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if not evidence.is_own:
        return
    if not evidence.replicas.get("compared"):
        why = evidence.replicas.get("why_not") or "The run ended first."
        yield f"The replicas were not compared: {why}"
    elif not evidence.replicas.get("batches"):
        yield "The replicas were not compared: no log has a batch below the high watermark."


def _replica_ends(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    for row in evidence.replicas.get("incomplete", ()):
        yield f"{row['message']}."


def _timestamps(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.timestamps != SENT_TIME:
        yield "The brokers set the timestamps of the topic, so they were not compared."


def _elr(evidence: Evidence, _counts: Mapping[str, int]) -> Iterator[str]:
    if evidence.elr_required and not evidence.elections.get("from_elr"):
        yield "No leader was elected from the ELR, which this profile requires."


RULES: dict[str, EvidenceRule] = {
    "obstacle": EvidenceRule("the run could not be carried out", _obstacles, is_lenient=False),
    "answer": EvidenceRule("the engine gave no answer", _answer, is_lenient=False),
    "nothing": EvidenceRule("no record was acknowledged", _nothing, is_lenient=False),
    "stream": EvidenceRule(
        "the stream did not read to the end, or did not continue at its checkpoint",
        _stream,
        is_lenient=False,
    ),
    "group": EvidenceRule(
        "the consumer group did not read to the end of every partition", _group, is_lenient=False
    ),
    "loops": EvidenceRule(
        "the loops of `--transactions` did not read to the end, show nothing, or failed",
        _loops,
        is_lenient=False,
    ),
    "ledger": EvidenceRule(
        "the ledgers have fewer acknowledgements or records than were counted",
        _ledger,
        is_lenient=False,
    ),
    "injection": EvidenceRule(
        "what `--inject` injected was not found", _injection, is_lenient=False
    ),
    "acknowledged": EvidenceRule(
        "fewer records were acknowledged than `--min-acknowledged` requires", _acknowledged
    ),
    "unknown": EvidenceRule("more than 1 % of the records sent have no known outcome", _unknown),
    "producers": EvidenceRule("a producer exited early, or did not exit", _producers),
    "silence": EvidenceRule(
        "a partition acknowledged nothing for longer than the faults at that time explain", _silence
    ),
    "faults": EvidenceRule(
        "a fault of the schedule was not done, done in part, or not healed", _faults
    ),
    "failover": EvidenceRule(
        "after a fault of the active controller no other one became active in a newer epoch",
        _failover,
    ),
    "changes": EvidenceRule(
        "no change of a topic or configuration was acknowledged, or they could not be compared",
        _changes,
    ),
    "nodes": EvidenceRule(
        "a node exited unexpectedly, did not shut down, or logged a traceback", _nodes
    ),
    "whole": EvidenceRule("after the faults not every replica returned to the ISR", _whole),
    "replicas": EvidenceRule(
        "the replicas of a cluster that the run started could not be compared", _replicas
    ),
    "replica-ends": EvidenceRule(
        "the log of an ISR member is empty, begins late, or does not reach the high watermark",
        _replica_ends,
    ),
    "timestamps": EvidenceRule(
        "the topic has `message.timestamp.type=LogAppendTime`: timestamps were not compared",
        _timestamps,
    ),
    "elr": EvidenceRule(
        "`--profile harsh` with ELR on, but no leader was elected from the ELR", _elr
    ),
}
"""Every rule by its name, in the order of the verdict's reasons."""
