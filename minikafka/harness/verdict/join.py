"""The join of the ledgers with the records read: every broken promise, as SQL.

There are two joins, each with one shuffle: by identity (producer, sequence) and by position
(partition, offset). Only a bounded number of findings reaches the driver.

What was promised is judged (S2); the ledger has the acks and idempotence of each record:
- acknowledged with acks=all: the record is in the log at the acknowledged offset, with the value,
  key, headers, size and timestamp that were sent. With other acks, absence is not a finding but is
  counted (`unpromised_absent`);
- failed: the record is not in the log;
- unknown (no answer, or an inconclusive one): the record is in the log or not, but never changed.
A record of an idempotent producer is in the log at most once, and in order. Without idempotence a
client's retry may repeat or reorder records, which is not a finding but is counted (`repeated`).

One failure may show as several kinds: a swap is two `moved` and a `reordered`, a duplicate is a
`reordered` as well. `lost` means that the log no longer has the record; `skipped` means that the
log has it, but the stream never delivered it.

The relations (`relations`) are `ledger`, the reads `streamed` and `reread`, `stream_ends`, and
`elected`.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.harness.clients.ledger_table import STATUSES
from minikafka.harness.clients.records import record_name
from minikafka.harness.verdict.engine import Engine, case, json_object, json_string
from minikafka.harness.verdict.relations import FINDING_SCHEMA, finding, read_columns
from minikafka.harness.verdict.time_checks import beside
from minikafka.harness.verdict.verdict_file import KINDS

ACKS = ("0", "1", "all")
PERCENTILES = (0.5, 0.9, 0.99, 0.999, 1.0)


def seen_rows() -> str:
    """Select one row for each distinct (partition, offset, identity, content), with its reads.

    A record that was delivered twice within one read is one row here. `is_due` is true if the
    record is in the second read and before the end of the stream.
    """
    return f"""
    select /*+ BROADCAST(e) */ s.*,
      s.in_reread and coalesce(s.offset < e.end_offset, false) as is_due
    from (
      select r.partition, r.offset, r.pid, r.seq, r.crc,
        bool_or(r.in_stream) as in_stream, bool_or(not r.in_stream) as in_reread,
        min(case when r.in_stream then r.read_ms end) as read_ms,
        {", ".join(_ends(name, f"r.{name}", f"r.{name}") for name in _SHOWN)}
      from (
        select {read_columns("x")}, true as in_stream from streamed x
        union all
        select {read_columns("y")}, false as in_stream from reread y
      ) r
      group by r.partition, r.offset, r.pid, r.seq, r.crc
    ) s
    left join stream_ends e on s.partition = e.partition"""


_SHOWN = ("size", "timestamp_ms")
"""The columns of a record that are compared besides its checksum."""


def _ends(name: str, least: str, greatest: str) -> str:
    """Return the columns with the least and the greatest value, named after `name`."""
    return f"min({least}) as {name}_first, max({greatest}) as {name}_last"


def records() -> str:
    """Select one row for each identity, with its entry in a ledger and everything seen of it."""
    codes = {"status": _code("l.status", STATUSES), "acks": _code("l.acks", ACKS)}
    sent = {
        **codes,
        **{name: f"l.{name}" for name in ("idempotent", "send_us", "ack_us", "sent_ms")},
        "sent_crc": "l.crc",
        "sent_size": "l.size",
        "ack_place": case({"l.ack_offset is not null": _pack("l.partition", "l.ack_offset")}),
    }
    shown = [f"{name}_{end}" for name in _SHOWN for end in ("first", "last")]
    seen = {
        **{name: f"s.{name}" for name in ("read_ms", "is_due", *shown)},
        "seen_crc": "s.crc",
        "stream_place": case({"s.in_stream": _pack("s.partition", "s.offset")}),
        "reread_place": case({"s.in_reread": _pack("s.partition", "s.offset")}),
    }
    every = (*sent, *seen)
    sides = [
        ", ".join(f"{values.get(name, 'null')} as {name}" for name in every)
        for values in (sent, seen)
    ]
    # Numbers only: with strings or structs in the aggregates Spark would sort instead of hash.
    flags = ("idempotent", "is_due")
    aggregates = [f"bool_or(b.{name}) as {name}" for name in flags]
    aggregates += [f"max(b.{name}) as {name}" for name in sent if name not in flags]
    aggregates.append("min(b.read_ms) as read_ms")
    aggregates += [_ends(name, f"b.{name}_first", f"b.{name}_last") for name in _SHOWN]
    aggregates += [
        f"count(b.{name}) as {name}_count, {_ends(name, f'b.{name}', f'b.{name}')}"
        for name in _EXTENTS
    ]
    named = [name for name in sent if name not in codes]
    named += ["read_ms", "is_due", *shown]
    named += [f"{name}_{part}" for name in _EXTENTS for part in ("count", "first", "last")]
    return f"""
    select a.pid, a.seq, {_named_code("a.status", STATUSES)} as status,
      {_named_code("a.acks", ACKS)} as acks, {", ".join(f"a.{name}" for name in named)}
    from (
      select b.pid, b.seq, {", ".join(aggregates)}
      from (
        select l.pid, l.seq, {sides[0]} from ledger l
        union all
        select s.pid, s.seq, {sides[1]} from seen s
      ) b
      group by b.pid, b.seq
    ) a"""


_EXTENTS = ("seen_crc", "stream_place", "reread_place")
_OFFSET_BITS = 44
_STRETCH_BITS = 12


def _pack(partition: str, offset: str) -> str:
    """Pack a place in the log into one number: partition in the high bits, offset in the low."""
    return f"shiftleft(cast({partition} as bigint), {_OFFSET_BITS}) | {offset}"


def _partition(place: str) -> str:
    return f"cast(shiftright({place}, {_OFFSET_BITS}) as int)"


def _offset(place: str) -> str:
    return f"({place} & {(1 << _OFFSET_BITS) - 1})"


def _place_json(place: str) -> str:
    """Return a place as a JSON object; null for null."""
    unpacked = json_object({"partition": _partition(place), "offset": _offset(place)})
    return case({f"{place} is not null": unpacked})


def _code(name: str, names: Sequence[str]) -> str:
    """Map a column of names to their indexes in `names`; null for null."""
    return case({f"{name} = '{each}'": code for code, each in enumerate(names)})


def _named_code(name: str, names: Sequence[str]) -> str:
    """Map a column of indexes back to names."""
    return case({f"{name} = {code}": f"'{each}'" for code, each in enumerate(names)})


def by_identity(engine: Engine, *, stream_is_complete: bool) -> str:
    """Select the findings from each record's history, which are in the relation `records`."""
    conditions = _identity_kinds(stream_is_complete=stream_is_complete)
    kinds = [case({f"f.is_{kind}": f"'{kind}'"}) for kind in conditions]
    place = "f.place"
    detail = {
        "status": json_string("f.status"),
        **{name: f"f.{name}" for name in ("sent_crc", "sent_size", "sent_ms")},
        **{f"{name}_{end}": f"f.{name}_{end}" for name in _SHOWN for end in ("first", "last")},
        "ack_place": _place_json("f.ack_place"),
        "seen_crc": json_object(
            {end: f"f.seen_crc_{end}" for end in ("count", "first", "last")},
        ),
        **{f"{read}_place": _extent_json(f"f.{read}_place") for read in ("stream", "reread")},
    }
    values = {
        **{name: f"f.{name}" for name in ("pid", "seq")},
        "partition": _partition(place),
        "offset": _offset(place),
        "severity": "greatest(f.stream_place_count, f.reread_place_count)",
        "detail": json_object(detail),
        "at_us": "f.ack_us",
    }
    flags = ", ".join(f"{condition} as is_{kind}" for kind, condition in conditions.items())
    return f"""
    select {finding("e.kind", {name: f"e.{name}" for name in values})}
    from (
      select {engine.exploded(kinds)} as kind,
        {", ".join(f"{value} as {name}" for name, value in values.items())}
      from (
        select r.*,
          coalesce(r.reread_place_first, r.stream_place_first, r.ack_place) as place, {flags}
        from records r
      ) f
      where {" or ".join(f"f.is_{kind}" for kind in conditions)}
    ) e
    where e.kind is not null"""


def _extent_json(place: str) -> str:
    ends = {end: _place_json(f"{place}_{end}") for end in ("first", "last")}
    return json_object({"count": f"{place}_count", **ends})


def _totals(engine: Engine) -> dict[str, str]:
    weak = "status = 'acked' and acks <> 'all'"
    return {
        "acknowledged": _count_when("status = 'acked'"),
        "failed": _count_when("status = 'failed'"),
        "unknown_found": _count_when("status = 'unknown' and seen_crc_count > 0"),
        "unknown_absent": _count_when("status = 'unknown' and seen_crc_count = 0"),
        "read_by_stream": "coalesce(sum(stream_place_count), 0)",
        "read_afresh": "coalesce(sum(reread_place_count), 0)",
        "unpromised_absent": _count_when(f"{weak} and reread_place_count = 0"),
        "repeated": _count_when("not idempotent and reread_place_count > 1"),
        **{
            f"{name}/{acks}": _latency(engine, acks, value)
            for acks in ACKS
            for name, value in _LATENCIES.items()
        },
    }


def _count_when(condition: str) -> str:
    return f"count(case when {condition} then 1 end)"


_LATENCIES = {
    "send_to_ack": "ack_us - send_us",
    "send_to_read": "read_ms * 1000 - send_us",
}


def _latency(engine: Engine, acks: str, value: str) -> str:
    """Return percentiles, in microseconds, over records acknowledged with these acks, or null."""
    of_these = case({f"acks = '{acks}' and status = 'acked'": value})
    return engine.percentiles(of_these, PERCENTILES)


def _identity_kinds(*, stream_is_complete: bool) -> dict[str, str]:
    in_ledger = "r.status is not null"
    acked = "r.status = 'acked'"
    promised = f"({acked} and r.acks = 'all')"
    once = f"{in_ledger} and r.idempotent"
    streamed = "r.stream_place_count"
    reread = "r.reread_place_count"

    def is_elsewhere(read: str) -> str:
        # With more than two copies the acknowledged one may be neither the first nor the last.
        first, last, count = f"r.{read}_first", f"r.{read}_last", f"r.{read}_count"
        can_tell = f"{count} > 0 and (r.idempotent or {count} <= 2)"
        return f"({can_tell} and r.ack_place not in ({first}, {last}))"

    def differs(seen: str, sent: str) -> str:
        return f"coalesce(r.{seen}_first <> r.{sent} or r.{seen}_last <> r.{sent}, false)"

    changed = (
        differs("seen_crc", "sent_crc"),
        differs("size", "sent_size"),
        differs("timestamp_ms", "sent_ms"),
    )
    # A record with an unknown outcome that is in the log must be in the stream as well.
    must_stream = f"({acked} or (r.status = 'unknown' and coalesce(r.is_due, false)))"
    skipped = f"{must_stream} and {reread} > 0 and {streamed} = 0"
    return {
        "lost": f"({promised} and {reread} = 0)",
        "skipped": f"({skipped})" if stream_is_complete else "false",
        "vanished": f"(coalesce(not {promised}, true) and {streamed} > 0 and {reread} = 0)",
        "duplicated": f"({once} and ({reread} > 1 or {streamed} > 1))",
        "changed": f"({in_ledger} and ({' or '.join(changed)}))",
        "moved": f"({promised} and ({' or '.join(map(is_elsewhere, _READ_PLACES))}))",
        "phantom": f"(not ({in_ledger}))",
        "failed_but_read": f"(r.status = 'failed' and {reread} + {streamed} > 0)",
    }


_READ_PLACES = ("stream_place", "reread_place")


class Workings(NamedTuple):
    """Facts about the producers that the ledger's table does not have.

    `renewals` are (producer, first sequence) of each further client instance: order is promised
    within an instance. With `transactions` the markers at their ends take offsets too.
    """

    renewals: Sequence[tuple[int, int]] = ()
    transactions: bool = False

    def instance(self) -> str:
        """Return the number of the client instance of a row `s` with pid and seq."""
        later = (case({f"s.pid = {pid} and s.seq >= {seq}": 1}, "0") for pid, seq in self.renewals)
        return " + ".join(["0", *later])


def by_position(workings: Workings) -> list[str]:
    """Select the findings at one place in the log, and in the order of a partition.

    Without transactions and compaction a log has no gaps: every offset between two records had a
    record. A gap is reported with the record after it and the first missing offset.
    """
    found = [_two_contents(), _reordered(workings)]
    return found if workings.transactions else [*found, _gaps()]


def _two_contents() -> str:
    content = ("pid", "seq", "crc")
    ends = {"a": "s.place = 1", "b": "s.place = s.severity"}
    picked = ", ".join(
        f"max(case when {condition} then s.{name} end) as {end}_{name}"
        for end, condition in ends.items()
        for name in content
    )
    detail = {end: json_object({name: f"c.{end}_{name}" for name in content}) for end in ends}
    values = {
        "pid": "c.a_pid",
        "seq": "c.a_seq",
        "partition": "c.partition",
        "offset": "c.offset",
        "severity": "c.severity",
        "detail": json_object(detail),
    }
    return f"""
    select {finding("'two_contents'", values)}
    from (
      select s.partition, s.offset, max(s.severity) as severity, {picked}
      from (
        select /*+ BROADCAST(k) */ s.partition, s.offset, s.pid, s.seq, s.crc, k.severity,
          row_number() over (
            partition by s.partition, s.offset order by s.pid, s.seq, s.crc
          ) as place
        from seen s
        join (
          select c.partition, c.offset, count(*) as severity
          from seen c group by c.partition, c.offset having count(*) > 1
        ) k on s.partition = k.partition and s.offset = k.offset
      ) s
      group by s.partition, s.offset
    ) c"""


def _reordered(workings: Workings) -> str:
    values = {
        **{name: f"h.{name}" for name in ("pid", "seq", "partition", "offset")},
        "severity": "h.highest - h.seq",
        "detail": json_object({"highest": "h.highest"}),
    }
    return f"""
    select {finding("'reordered'", values)}
    from (
      select s.*, max(s.seq) over (
        partition by s.partition, s.pid, s.instance order by s.offset
        rows between unbounded preceding and 1 preceding
      ) as highest
      from (
        select /*+ BROADCAST(u) */ s.pid, s.seq, s.partition, s.offset,
          {workings.instance()} as instance
        from seen s
        anti join (select distinct l.pid from ledger l where not l.idempotent) u on s.pid = u.pid
        where s.in_reread
      ) s
    ) h
    where h.highest > h.seq"""


def _gaps() -> str:
    """Select the records that come after missing offsets.

    Only ranges of offsets that are not full, or that begin after a gap, are sorted.
    """
    values = {
        **{name: f"g.{name}" for name in ("pid", "seq", "partition")},
        "offset": "g.last_offset + 1",
        "severity": "g.offset - g.last_offset - 1",
        "detail": json_object({"last_missing": "g.offset - 1"}),
    }
    stretch = f"shiftright(s.offset, {_STRETCH_BITS})"
    return f"""
    select {finding("'gap'", values)}
    from (
      select /*+ BROADCAST(x) */ s.pid, s.seq, s.partition, s.offset, coalesce(
        lag(s.offset) over (partition by s.partition, x.stretch order by s.offset), x.before
      ) as last_offset
      from seen s
      join (
        select y.partition, y.stretch, y.before
        from (
          select z.*, lag(z.last_offset) over (
            partition by z.partition order by z.stretch
          ) as before
          from (
            select s.partition, {stretch} as stretch, count(distinct s.offset) as filled,
              min(s.offset) as first_offset, max(s.offset) as last_offset
            from seen s where s.in_reread group by s.partition, {stretch}
          ) z
        ) y
        where y.filled <= y.last_offset - y.first_offset or y.before < y.first_offset - 1
      ) x on s.partition = x.partition and {stretch} = x.stretch
      where s.in_reread
    ) g
    where g.offset - g.last_offset - 1 > 0"""


class VerdictSummary(NamedTuple):
    """The counts and latencies of a run.

    `latency_ms` has, by measure (send_to_ack, send_to_read) and acks, a value for each of
    `PERCENTILES`; a pair without records is left out. `send_to_read` ends when the stream's reader
    has the record, so with Spark it includes the trigger interval.
    """

    counts: dict[str, int]
    latency_ms: dict[str, dict[str, list[float]]]


def judge(
    engine: Engine,
    findings: Path,
    *,
    stream_is_complete: bool,
    workings: Workings = Workings(),  # noqa: B008 - a value
    more: Sequence[str] = (),
) -> VerdictSummary:
    """Write every finding to the folder `findings`; return the summary.

    If the stream did not reach the end, records that it did not read are not findings. `more` are
    statements with the findings of other checks.
    """
    engine.table("seen", seen_rows())
    totals = _totals(engine)
    observed = engine.observe("records", records(), totals)
    found = [
        by_identity(engine, stream_is_complete=stream_is_complete),
        *by_position(workings),
        *more,
    ]
    engine.view("found", " union all ".join(found))
    engine.write(beside(), findings)
    values = observed()
    summary = _split({name: values[name] for name in totals})
    engine.drop("seen")
    return summary


def _split(values: Mapping[str, Any]) -> VerdictSummary:
    counts = {name: value for name, value in values.items() if "/" not in name}
    latency_ms: dict[str, dict[str, list[float]]] = {}
    for name, value in values.items():
        measure, _, acks = name.partition("/")
        micros = json.loads(value) if acks and value is not None else None
        if micros is not None:
            latency_ms.setdefault(measure, {})[acks] = [us / 1000 for us in micros]
    return VerdictSummary(counts, latency_ms)


def summarise(engine: Engine, findings: Path, examples: int) -> dict[str, dict[str, Any]]:
    """Return by kind its count, the first records (by sequence) and the worst (by severity)."""
    engine.parquet("findings_of_run", findings, f"{FINDING_SCHEMA}, election string")
    engine.table("findings", "select * from findings_of_run")
    counts = {
        row["kind"]: row["total"]
        for row in engine.rows("select f.kind, count(*) as total from findings f group by f.kind")
    }
    result: dict[str, dict[str, Any]] = {}
    for kind, meaning in KINDS.items():
        result[kind] = {"meaning": meaning, "count": counts.get(kind, 0)}
        for name, order in _ORDERS.items():
            chosen = f"select * from findings f where f.kind = '{kind}'"
            # A statement costs Spark a job, so there is none for a kind that was not found.
            statement = f"{chosen} order by {order} limit {examples}"
            result[kind][name] = [*map(_named, engine.rows(statement))] if kind in counts else []
    return result


_BY_SEQUENCE = "f.seq nulls first, f.pid nulls first, f.offset nulls first, f.detail"
_ORDERS = {"first": _BY_SEQUENCE, "worst": f"f.severity desc nulls last, {_BY_SEQUENCE}"}


def _named(row: Mapping[str, Any]) -> dict[str, Any]:
    beside_it = {"election": json.loads(row["election"])} if row["election"] else {}
    return {
        "record": record_name(row["pid"], row["seq"]),
        "partition": row["partition"],
        "offset": row["offset"],
        "severity": row["severity"],
        "detail": row["detail"],
        **beside_it,
    }
