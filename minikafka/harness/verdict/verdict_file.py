"""`verdict.json`: its schema, and the decision on a run's outcome.

Schema `minikafka.verdict/1`. Within a version fields are only added; readers must ignore unknown
fields. All times are wall milliseconds since the Unix epoch, unless a name says otherwise.

    schema          "minikafka.verdict/1"
    outcome         "verified" | "broken" | "undecided"
    exit_status     0 | 1 | 2, in the same order
    sentence        the outcome for a person
    reasons         why it is undecided, or would be if no promise were broken; [] if verified
    rules           the rule (`evidence_rules`) of each reason, in the same order
    lenient         {rules, left_out}: the rules that --lenient left out, and the sentences
                    ({rule, sentence}) that they would have given; both [] without the option
    injected        null, or {kind, records, found}: how the harness changed its own observations
    run             id, seed, started_at_ms, ended_at_ms, interrupted, replay (command line),
                    topic, topic_id, topic_id_at_end, engine ("spark" or "local": what read and
                    judged the records), cluster, network (the network between the nodes);
                    writing_from_ms and writing_to_ms if producers were started
    counts          sent, acknowledged, failed, unknown, unknown_found, unknown_absent,
                    read_by_stream, read_afresh; with the engine's answer also unpromised_absent
                    (acknowledged with less than acks=all, and not in the log) and repeated (more
                    than once, by a producer without idempotence): neither breaks a promise
    latency_ms      measure (send_to_ack, send_to_read) → acks → values at `percentiles`
    percentiles     of latency_ms
    windows         partition → {windows, total_ms, longest_ms, began_at_ms}: times in which records
                    were sent and none acknowledged for more than a second
    promises        kind → {meaning, count, first, worst}; every kind is present, with count 0 if
                    nothing was found and null if it was not checked.
                    first and worst list up to ten {record, partition, offset, severity, detail};
                    a record is named p<producer>#<sequence>. `worst` is by severity: how often, or
                    how far. Some kinds have no record: high_watermark_regression
                    ({witness, partition, before, after, before_at_ms, after_at_ms}),
                    replicas_differ (see `replicas`), data_loss_reported ({message}, by Spark only),
                    topic_gone and change_lost (both {message, topic}), and the kinds of loops
                    ({message, partition, offset})
    isolation       {read_committed, read_uncommitted, only_committed, only_uncommitted,
                    only_uncommitted_aborted}: records of both reads, and of only one of them
    group           {} without a second reader, else {protocol, polled, commits, refused,
                    assignments, repeated}: the records polled (including those polled again after
                    a rebalance), the commits confirmed and refused, the partitions assigned, and
                    the records that the client library delivered twice during a rebalance, which
                    break no promise (see `verdict.polls`)
    replicas        {compared, partitions, batches, differing, differences, why_not}: every pair of
                    replicas of a cluster that the run started, read from its stopped brokers' logs;
                    differences has {message, topic, partition, nodes, offset}, first difference
                    of each pair, with offset -1 if a log could not be read; incomplete has
                    {message, topic, partition, nodes, offset}: ISR members whose logs are empty,
                    begin late or end before the high watermark
    stream          {starts, stops, kills, ended, strayed}: how often the streaming query was
                    started, stopped on purpose, killed with Spark, and failed; strayed has a
                    sentence for each start that did not continue from the checkpoint, and makes
                    the run undecided; null with the local engine, which has no checkpoint
    nodes           {ended, tracebacks}: nodes that exited unexpectedly ({node, at_ms, how, log}),
                    and tracebacks in their logs ({node, at_ms, error, log})
    elections       {from_isr, from_elr, unclean}: leaders elected during the run, counted in the
                    controller's metadata log; {} if that could not be read
    quorum          {voters, leaders}: the controllers of a cluster that the run started, and each
                    active controller that was seen ({at_ms, leader, epoch}); {} if unknown
    changes         {sent, acknowledged, unacknowledged, compared}: changes of topics and their
                    configurations in a cluster that the run started; {} if none were made
    loops           {} without transactions, else {compared, drained, partitions, inputs,
                    transformed, committed, aborted, unknown, read_live, read_afresh,
                    live_complete, afresh_complete, members, problems}: the committed inputs, the
                    inputs of committed transactions, the transactions by outcome, and the outputs
                    read while the loops ran and at the end; members has {loop, client, instances,
                    ended, committed, aborted, unknown} for each loop
    unavailability  partition → {longest_ms, began_at_ms}: longest time without an acknowledgement
    faults          {kind, at_s, duration_s, heal_at_s, targets, parameters, node, nodes, did,
                    done_at_ms, healed_at_ms, problem, failover}; a fault with a problem was not
                    done, done in part, or not healed. `nodes` are the nodes of the targets (0 for
                    clients), `node` the first of them or -1; `did` says what was done. `failover`
                    is null, or {before, epoch_before, after, epoch_after, seconds}: the active
                    controllers before a fault of the active one and after it
    producers       {producer, client, acks, idempotent, ended, torn_bytes, sent, acked, failed,
                    unknown}; torn_bytes is the size of a torn last entry of its ledger
    notes           problems that do not affect the verdict
    settings        the run's settings
    versions        python, minikafka and the clients; pyspark, connector and java, or duckdb
    files           name → path relative to the verdict
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.evidence_rules import Reason, reasons
from minikafka.harness.verdict.loop_checks import loop_promises
from minikafka.verdict import SCHEMA

KINDS = {
    "lost": "acknowledged, but missing from the log in the second read",
    "skipped": "in the log and not known to have failed, but never delivered to the stream",
    "vanished": "delivered to the stream, but missing from the log in the second read",
    "duplicated": "in the log more than once",
    "reordered": "after a later record of the same producer and partition",
    "changed": "with a value, key, header, size or timestamp other than the one sent",
    "moved": "at a partition or offset other than the acknowledged one",
    "phantom": "in the log, but never sent",
    "failed_but_read": "in the log, although the producer was told that it failed",
    "two_contents": "an offset that showed two different records",
    "gap": "after offsets of the log that hold no record",
    "isolation_difference": "read with only one of read_committed and read_uncommitted",
    "poll_backward": "polled again by the same consumer, without a rebalance",
    "committed_reread": "polled after the group had committed a later offset",
    "poll_skip": "in the log, but polled by no consumer of the group",
}
"""Kind of broken promise → its meaning for a record. These are the kinds that the engine finds."""

READER_KINDS = ("poll_backward", "committed_reread", "poll_skip")
"""The kinds that only the consumer group can show."""

Outcome = Literal["verified", "broken", "undecided"]
EXIT_STATUS: dict[Outcome, int] = {"verified": 0, "broken": 1, "undecided": 2}

Verdict = dict[str, Any]


def decide(evidence: Evidence) -> Verdict:
    """Decide the verdict.

    If a promise is broken, the run is broken, whatever else went wrong. Otherwise any missing
    evidence makes the run undecided, unless `lenient` names its rule.
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
        "quorum": dict(evidence.quorum),
        "changes": dict(evidence.changes),
        "loops": dict(evidence.loops),
        "percentiles": list((evidence.judged or {}).get("percentiles", ())),
        "faults": list(evidence.faults),
        "producers": list(evidence.producers),
        "notes": list(evidence.notes),
        "settings": evidence.settings,
        "versions": evidence.versions,
        "files": dict(evidence.files),
    }


def write(verdict: Verdict, path: Path) -> None:
    """Write the file atomically."""
    unfinished = path.with_suffix(".part")
    unfinished.write_text(json.dumps(verdict, indent=2) + "\n", encoding="utf-8")
    unfinished.replace(path)


def _promises(evidence: Evidence) -> dict[str, dict[str, Any]]:
    unseen: dict[str, Any] = {"count": None, "first": [], "worst": []}
    judged = evidence.judged
    regressions = judged["regressions"] if judged and "regressions" in judged else ()
    regressions = regressions or evidence.regressions
    data_loss = judged["data_loss"] if judged else None
    messages = [{"message": message} for message in data_loss or ()]
    reported = unseen if data_loss is None else _without_records(messages, [0] * len(messages))
    return {
        **{kind: {"meaning": meaning, **unseen} for kind, meaning in KINDS.items()},
        **(judged["promises"] if judged else {}),
        "high_watermark_regression": {
            "meaning": "a high watermark that went back, as seen by one client",
            **_without_records(regressions, [row["after"] - row["before"] for row in regressions]),
        },
        "replicas_differ": {
            "meaning": "two replicas with different bytes below the high watermark",
            **_differing(evidence.replicas),
        },
        "data_loss_reported": {
            "meaning": "a report of data loss by Spark's Kafka source",
            **reported,
        },
        "topic_gone": {
            "meaning": "a topic that was deleted during the run, or replaced by a new one",
            **_gone(evidence),
        },
        "change_lost": {
            "meaning": "an acknowledged change of a topic or configuration that is gone",
            **(
                unseen
                if evidence.lost_changes is None
                else _without_records(evidence.lost_changes, [0] * len(evidence.lost_changes))
            ),
        },
        **loop_promises(evidence.loop_findings),
    }


def _gone(evidence: Evidence) -> dict[str, Any]:
    """The topics whose ids changed between the beginning and the end."""
    run = evidence.run
    if not evidence.topic_asked or not run["topic_id"]:
        return {"count": None, "first": [], "worst": []}
    names, before = run["topic"].split(","), run["topic_id"].split(",")
    after = run["topic_id_at_end"].split(",") if run["topic_id_at_end"] else [""] * len(names)
    rows = [
        {
            "topic": name,
            "message": f"topic {name} had the id {old}, but "
            + (f"the topic with that name now has the id {new}" if new else "no longer exists"),
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
    """Return the engine's counts; without its answer, the counts of the ledgers."""
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
    """Return the sentence of a verified run, which depends on acks and idempotence."""
    records = "record" if counts["acknowledged"] == 1 else "records"
    acknowledged = f"{counts['acknowledged']:,} acknowledged {records}"
    if all(row.get("acks", "all") == "all" and row.get("idempotent", True) for row in producers):
        return (
            f"Verified: each of {acknowledged} was read exactly once, in order, unchanged and where"
            " it was acknowledged."
        )
    return (
        f"Verified: no promise about {acknowledged} was broken. Without a promise:"
        f" {counts.get('unpromised_absent', 0):,} missing from the log,"
        f" {counts.get('repeated', 0):,} repeated in the log."
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
        mark = f" The harness itself injected the {injected['kind']} into its observations."
    return f"Broken: {', '.join(parts)}.{mark}"


def _leniency(rules: Sequence[str], left_out: Sequence[Reason]) -> str:
    """Return what --lenient left out, to be appended to the sentence; empty without it."""
    if not rules:
        return ""
    said = " ".join(reason.sentence for reason in left_out)
    more = f" Left out: {said}" if said else ""
    return f" Rules not required (--lenient): {', '.join(rules)}.{more}"
