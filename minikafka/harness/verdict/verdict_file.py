"""`verdict.json`: its schema, and how a run's outcome follows from what was found.

Schema `minikafka.verdict/1`. Fields are only ever added within a number; readers ignore what they
do not know. All times are wall milliseconds since the Unix epoch, unless a name says otherwise.

    schema          "minikafka.verdict/1"
    outcome         "verified" | "broken" | "undecided"
    exit_status     0 | 1 | 2, in the same order
    sentence        the outcome for a person
    reasons         why it is undecided (or would be, were it not broken); [] if verified
    rules           of each reason, in the same order, the name of its rule (`evidence_rules`)
    lenient         {rules, left_out}: the rules that --lenient left out, and the sentences
                    ({rule, sentence}) that they would have given; both [] without the option
    injected        null, or {kind, records, found}: what the harness did to its own observation
    run             id, seed, started_at_ms, ended_at_ms, interrupted, replay (command line),
                    topic, topic_id, topic_id_at_end, cluster, network (what stood between the
                    nodes); writing_from_ms and
                    writing_to_ms where it came to writing
    counts          sent, acknowledged, failed, unknown, unknown_found, unknown_absent,
                    read_by_stream, read_afresh; with Spark's answer also unpromised_absent
                    (acknowledged with less than acks=all, and not there) and repeated (more than
                    once, by a producer without idempotence): neither breaks a promise
    latency_ms      measure (send_to_ack, send_to_read) → acks → values at `percentiles`
    percentiles     of latency_ms
    windows         partition → {windows, total_ms, longest_ms, began_at_ms}: times in which records
                    were sent and none acknowledged for more than a second
    promises        kind → {meaning, count, first, worst}; every kind is there, with count 0 when
                    nothing was found and null when nobody could look.
                    first and worst list up to ten {record, partition, offset, severity, detail};
                    a record is named p<producer>#<sequence>. `worst` is by severity: how often, or
                    how far. Some kinds have no record: high_watermark_regression
                    ({witness, partition, before, after, before_at_ms, after_at_ms}),
                    replicas_differ (see `replicas`), data_loss_reported ({message}) and topic_gone
                    ({message, topic})
    isolation       {read_committed, read_uncommitted, only_committed, only_uncommitted,
                    only_uncommitted_aborted}: records that both reads showed, and one of them only
    group           {} without a second reader, else {protocol, polled, commits, refused,
                    assignments, repeated}: what the consumer group was given, counting again what
                    was given again after a rebalance; commits confirmed and refused; partitions
                    handed over; records that the client gave again as it was rebalanced around
                    them, which break no promise (see `verdict_polls`)
    replicas        {compared, partitions, batches, differing, differences, why_not}: every pair of
                    replicas of a cluster of this run's own, read from its stopped brokers' logs;
                    differences has {message, topic, partition, nodes, offset}, first difference
                    of each pair, with offset -1 where a log could not be read; incomplete has
                    {message, topic, partition, nodes, offset}: ISR members whose logs are empty,
                    begin late or end before the high watermark
    stream          {starts, stops, kills, ended, strayed}: how often the streaming query was
                    started, stopped on purpose, killed with Spark, and ended by itself; strayed
                    says where it did not go on where its checkpoint says, and makes the run
                    undecided
    nodes           {ended, tracebacks}: nodes that the run did not end ({node, at_ms, how, log}),
                    and tracebacks in their logs ({node, at_ms, error, log})
    elections       {from_isr, from_elr, unclean}: leaders elected while the run went on, out of the
                    controller's metadata log; {} where that could not be read
    unavailability  partition → {longest_ms, began_at_ms}: longest time without an acknowledgement
    faults          {kind, at_s, duration_s, heal_at_s, targets, parameters, node, nodes, did,
                    done_at_ms, healed_at_ms, problem}; a fault with a problem was not done, done in
                    part, or not healed. `nodes` are what the targets were, 0 being whoever is no
                    node, `node` the first of them or -1; `did` says what was done
    producers       {producer, client, acks, idempotent, ended, torn_bytes, sent, acked, failed,
                    unknown}; torn_bytes of its ledger were cut off in the middle of an entry
    notes           what went otherwise than it should without touching the verdict
    settings        the run's settings
    versions        python, minikafka, spark, connector, java and the clients
    files           name → path relative to the verdict
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from minikafka.harness.plan.injections import Injection
from minikafka.harness.plan.workload_options import SENT_TIME
from minikafka.harness.verdict.evidence_rules import Reason, reasons

SCHEMA = "minikafka.verdict/1"

KINDS = {
    "lost": "acknowledged, and not in the log when it was read afresh",
    "skipped": "in the log and not known to have failed, and never given to the stream",
    "vanished": "given to the stream, and not in the log when it was read afresh",
    "duplicated": "in the log more than once",
    "reordered": "after a later record of the same producer and partition",
    "changed": "with another value, key, header, size or timestamp than was sent",
    "moved": "at another partition or offset than was acknowledged",
    "phantom": "in the log, and never sent",
    "failed_but_read": "in the log, though the producer was told that it is not",
    "two_contents": "an offset that showed two different records",
    "gap": "after offsets of the log that hold nothing",
    "isolation_difference": "shown under one of read_committed and read_uncommitted only",
    "poll_backward": "given again to a consumer that had it, without a rebalance",
    "committed_reread": "given to a consumer after the group had committed a later offset",
    "poll_skip": "in the log, and given to no consumer of the group",
}
"""Kind of broken promise → what it says of a record. These are what the join finds."""

READER_KINDS = ("poll_backward", "committed_reread", "poll_skip")
"""What only the consumer group shows."""

Outcome = Literal["verified", "broken", "undecided"]
EXIT_STATUS: dict[Outcome, int] = {"verified": 0, "broken": 1, "undecided": 2}
EXIT_USAGE = 3

Verdict = dict[str, Any]


@dataclass(slots=True, kw_only=True)
class Evidence:
    """All that a verdict rests on.

    `producers` are the ledgers' own summaries, `producer_failures` a sentence for each producer
    that did not end as it should. `claimed_acknowledged` is what the producers counted while they
    ran: fewer in their ledgers means that a ledger lost its tail after it was synced.
    `judged` is the Spark process's answer, None if it gave none; `obstacles` are the sentences that
    say why nothing can be decided. `is_own` says that the run started the cluster, `is_whole` that
    every replica was in the ISR after the faults (None where that was not asked), `topic_asked`
    that the cluster was asked for the topic at the end. `windows` are rows of `timeline.windows`.
    `shutdown_problem` is a sentence about a node that did not shut down as it should. `lenient` are
    the rules that are left out.
    """

    run: dict[str, Any]
    settings: dict[str, Any]
    versions: dict[str, str]
    producers: Sequence[Mapping[str, Any]] = ()
    producer_failures: Sequence[str] = ()
    claimed_acknowledged: int = 0
    judged: Mapping[str, Any] | None = None
    regressions: Sequence[Mapping[str, Any]] = ()
    faults: Sequence[Mapping[str, Any]] = ()
    replicas: Mapping[str, Any] = field(default_factory=dict)
    stream: Mapping[str, Any] = field(default_factory=dict)
    group: Mapping[str, Any] = field(default_factory=dict)
    unavailability: Mapping[str, Any] = field(default_factory=dict)
    windows: Sequence[Mapping[str, Any]] = ()
    nodes: Mapping[str, Any] = field(default_factory=dict)
    shutdown_problem: str = ""
    elections: Mapping[str, int] = field(default_factory=dict)
    is_own: bool = False
    is_whole: bool | None = None
    topic_asked: bool = False
    timestamps: str = SENT_TIME
    elr_required: bool = False
    min_acknowledged: int = 1
    lenient: Sequence[str] = ()
    obstacles: Sequence[str] = ()
    notes: Sequence[str] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    inject: Injection | None = None


def decide(evidence: Evidence) -> Verdict:
    """The verdict that the evidence allows.

    A broken promise is one whatever else went wrong. Without one, any missing evidence makes the
    run undecided, unless `lenient` names its rule.
    """
    promises = _promises(evidence)
    broken = {kind: row for kind, row in promises.items() if row["count"]}
    counts = _counts(evidence)
    injected = _injected(evidence)
    every = reasons(evidence, counts)
    left_out = [reason for reason in every if reason.rule in evidence.lenient]
    counted = [reason for reason in every if reason.rule not in evidence.lenient]
    outcome: Outcome = "broken" if broken else "undecided" if counted else "verified"
    if outcome == "verified":
        sentence = _verified(evidence.producers, counts)
    else:
        sentence = _sentence(outcome, broken, counted, injected)
    return {
        "schema": SCHEMA,
        "outcome": outcome,
        "exit_status": EXIT_STATUS[outcome],
        "sentence": sentence + _leniency(evidence.lenient, left_out),
        "reasons": [reason.sentence for reason in counted],
        "rules": [reason.rule for reason in counted],
        "lenient": {
            "rules": list(evidence.lenient),
            "left_out": [reason._asdict() for reason in left_out],
        },
        "injected": injected,
        "run": evidence.run,
        "counts": counts,
        "promises": promises,
        "unavailability": dict(evidence.unavailability),
        **{
            name: (evidence.judged or {}).get(name, {})
            for name in ("latency_ms", "windows", "isolation")
        },
        "group": _group(evidence),
        "replicas": dict(evidence.replicas),
        "stream": dict(evidence.stream),
        "nodes": dict(evidence.nodes),
        "elections": dict(evidence.elections),
        "percentiles": list((evidence.judged or {}).get("percentiles", ())),
        "faults": list(evidence.faults),
        "producers": list(evidence.producers),
        "notes": list(evidence.notes),
        "settings": evidence.settings,
        "versions": evidence.versions,
        "files": dict(evidence.files),
    }


def write(verdict: Verdict, path: Path) -> None:
    """Write the file in one step."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def _promises(evidence: Evidence) -> dict[str, dict[str, Any]]:
    unseen: dict[str, Any] = {"count": None, "first": [], "worst": []}
    judged = evidence.judged
    regressions = judged["regressions"] if judged and "regressions" in judged else ()
    regressions = regressions or evidence.regressions
    messages = [{"message": message} for message in judged["data_loss"]] if judged else []
    reported = _without_records(messages, [0] * len(messages)) if judged else unseen
    return {
        **{kind: {"meaning": meaning, **unseen} for kind, meaning in KINDS.items()},
        **(judged["promises"] if judged else {}),
        "high_watermark_regression": {
            "meaning": "a high watermark that a client had seen higher before",
            **_without_records(regressions, [row["after"] - row["before"] for row in regressions]),
        },
        "replicas_differ": {
            "meaning": "two replicas that have other bytes below the high watermark",
            **_differing(evidence.replicas),
        },
        "data_loss_reported": {
            "meaning": "Spark's own Kafka source reported lost data",
            **reported,
        },
        "topic_gone": {
            "meaning": "a topic that was written to and does not exist any more",
            **_gone(evidence),
        },
    }


def _gone(evidence: Evidence) -> dict[str, Any]:
    """The topics whose ids at the end are not those of the beginning."""
    if not evidence.topic_asked:
        return {"count": None, "first": [], "worst": []}
    run = evidence.run
    names, before = run["topic"].split(","), run["topic_id"].split(",")
    after = run["topic_id_at_end"].split(",") if run["topic_id_at_end"] else [""] * len(names)
    rows = [
        {
            "topic": name,
            "message": f"topic {name} had the id {old}, and "
            + (f"a topic of that name now has {new}" if new else "is gone"),
        }
        for name, old, new in zip(names, before, after, strict=True)
        if old != new
    ]
    return _without_records(rows, [0] * len(rows))


def _differing(replicas: Mapping[str, Any]) -> dict[str, Any]:
    if not replicas.get("compared"):
        return {"count": None, "first": [], "worst": []}
    rows = replicas["differences"]
    return _without_records(rows, [row["offset"] for row in rows])


def _without_records(rows: Sequence[Mapping[str, Any]], order: Sequence[int]) -> dict[str, Any]:
    worst = [row for _, row in sorted(zip(order, rows, strict=True), key=lambda pair: pair[0])]
    return {"count": len(rows), "first": list(rows[:10]), "worst": worst[:10]}


_COUNTS = (
    "sent",
    "acknowledged",
    "failed",
    "unknown",
    "unknown_found",
    "unknown_absent",
    "read_by_stream",
    "read_afresh",
)


def _counts(evidence: Evidence) -> dict[str, int]:
    """What Spark counted; without its answer, what the ledgers alone say."""
    counts = dict.fromkeys(_COUNTS, 0)
    ledgers = {"sent": "sent", "acknowledged": "acked", "failed": "failed", "unknown": "unknown"}
    for name, status in ledgers.items():
        counts[name] = sum(row[status] for row in evidence.producers)
    if evidence.judged is not None:
        counts |= evidence.judged["counts"]
        counts["unknown"] = counts["unknown_found"] + counts["unknown_absent"]
    return counts


def _injected(evidence: Evidence) -> dict[str, Any] | None:
    if evidence.inject is None:
        return None
    judged = evidence.judged or {"injected": [], "injected_found": False}
    return {
        "kind": evidence.inject,
        "records": list(judged["injected"]),
        "found": judged["injected_found"],
    }


def _group(evidence: Evidence) -> dict[str, Any]:
    if not evidence.group or evidence.judged is None:
        return dict(evidence.group)
    return {**evidence.group, "repeated": evidence.judged["group_repeated"]}


def _verified(producers: Sequence[Mapping[str, Any]], counts: Mapping[str, int]) -> str:
    """What is verified: less where a producer had not acks=all and idempotence."""
    acknowledged = f"{counts['acknowledged']:,} acknowledged records"
    if all(row.get("acks", "all") == "all" and row.get("idempotent", True) for row in producers):
        return (
            f"Verified: each of {acknowledged} was read exactly once, in order, unchanged and where"
            " it was acknowledged."
        )
    return (
        f"Verified: no promise about {acknowledged} was broken. Not promised:"
        f" {counts.get('unpromised_absent', 0):,} of them are not in the log,"
        f" {counts.get('repeated', 0):,} records are there more than once."
    )


def _sentence(
    outcome: Outcome,
    broken: Mapping[str, Any],
    reasons: Sequence[Reason],
    injected: Mapping[str, Any] | None,
) -> str:
    if outcome == "undecided":
        return "Undecided: " + " ".join(reason.sentence for reason in reasons)
    parts = []
    for kind, row in broken.items():
        record = row["first"][0].get("record")
        name = kind.replace("_", " ")
        parts.append(f"{row['count']:,} {name}" + (f" (first {record})" if record else ""))
    mark = ""
    if injected and injected["found"]:
        mark = f" The harness itself injected the {injected['kind']} into what it observed."
    return f"Broken: {', '.join(parts)}.{mark}"


def _leniency(rules: Sequence[str], left_out: Sequence[Reason]) -> str:
    """What --lenient left out, as the end of the sentence; empty without it."""
    if not rules:
        return ""
    said = " ".join(reason.sentence for reason in left_out)
    more = f" Left out: {said}" if said else ""
    return f" Lenient: not required were {', '.join(rules)}.{more}"
