"""The findings in the consumer group's poll log, as SQL; see `poll_log` for its rows.

There are three kinds. Each needs one partition's history, so one shuffle of a few rows per poll:

- `poll_backward`: within an assignment a member polled an offset that it had already polled;
- `committed_reread`: an offset was polled after the commit of a later one had been confirmed;
- `poll_skip`: a record of the log is between, before or after the polled offsets.

A member that takes over a partition begins at the committed offset. It polls again what others had
polled above that offset, which is not a finding. Nor is it a finding if librdkafka delivers its
last record once more when a cooperative rebalance leaves the partition with its member: it pauses
the partition, and may remember as the position the record that it is just delivering. Brokers have
no part in this (seen against Apache Kafka 4.3.1 without any fault, once in 351 rebalances on a busy
machine). Such repeats are counted (`repeated`); two records, or one without a rebalance, are
findings.
"""

from collections.abc import Mapping

from minikafka.harness.verdict.engine import Engine, json_object
from minikafka.harness.verdict.relations import finding

_NO_RECORD = -1


def judge_polls(*, group_is_complete: bool) -> str:
    """Select the findings, each with its record.

    The relations are `polls` (`POLL_SCHEMA`), `reread`, and `group_ends` (`ENDS_SCHEMA`), the ends
    that the group read to. If it did not, records after its last poll are not findings.
    """
    history = f"""
    select {_finding("h", {"pid": "r.pid", "seq": "r.seq"})}
    from ({_backward()} union all {_reread()}) h
    left join reread r on h.partition = r.partition and h.offset = r.offset"""
    skipped = f"""
    select {_finding("h", {})} from ({_skipped(group_is_complete=group_is_complete)}) h"""
    return f"{history} union all {skipped}"


def _finding(relation: str, values: Mapping[str, str]) -> str:
    names = ("pid", "seq", "partition", "offset", "severity", "detail", "at_us")
    values = {**{name: f"{relation}.{name}" for name in names}, **values}
    for name in ("pid", "seq"):
        values = {**values, name: f"coalesce({values[name]}, {_NO_RECORD})"}
    return finding(f"{relation}.kind", values)


def repeated(engine: Engine) -> int:
    """Count the records that the client library delivered twice during a rebalance."""
    [row] = engine.rows(f"select count(*) as total from ({_WITH_REPEATS}) w where w.is_repeat")
    return int(row["total"])


_WITH_REPEATS = """
    select q.*, coalesce(
      q.kind = 'polled' and q.first = q.before and q.rebalances > q.rebalances_before, false
    ) as is_repeat
    from (
      select p.*,
        lag(p.last) over (
          partition by p.kind, p.partition, p.member, p.assignment order by p.position, p.first
        ) as before,
        lag(p.rebalances) over (
          partition by p.kind, p.partition, p.member, p.assignment order by p.position, p.first
        ) as rebalances_before
      from polls p
    ) q"""
"""The polls with `before`, the previous offset within the assignment, and `is_repeat`."""


def _backward() -> str:
    detail = json_object({name: f"b.{name}" for name in ("member", "assignment", "before", "last")})
    return f"""
      select 'poll_backward' as kind, b.partition, b.first as offset,
        b.before - b.first + 1 as severity, {detail} as detail, b.at_us
      from ({_WITH_REPEATS}) b
      where b.kind = 'polled' and not b.is_repeat and b.first <= b.before"""


def _reread() -> str:
    # Rows with the same position are of one entry, which is either a poll or a commit.
    detail = json_object(
        {name: f"c.{name}" for name in ("member", "assignment", "committed", "last")}
    )
    return f"""
      select 'committed_reread' as kind, c.partition, c.first as offset,
        c.committed - c.first as severity, {detail} as detail, c.at_us
      from (
        select w.*, max(case when w.kind = 'committed' then w.last end) over (
          partition by w.partition order by w.position, w.first
          rows between unbounded preceding and 1 preceding
        ) as committed
        from ({_WITH_REPEATS}) w
      ) c
      where c.kind = 'polled' and c.first < c.committed
        -- The library may have delivered a record before it repeats it, but no later record.
        and not (c.is_repeat and c.committed = c.first + 1)"""


def holes(*, group_is_complete: bool) -> str:
    """Select the offsets that no member polled: partition, from_offset, to_offset (exclusive)."""
    # A run at each end, so that missing offsets before the end are a hole too.
    closing = """
        union all
        select e.partition, e.end_offset as first, e.end_offset as last from group_ends e"""
    return f"""
      select n.partition, n.next_offset as from_offset, n.first as to_offset
      from (
        select g.partition, g.first, coalesce(max(g.last) over (
          partition by g.partition order by g.first, g.last
          rows between unbounded preceding and 1 preceding
        ) + 1, 0) as next_offset
        from (
          select p.partition, p.first, p.last from polls p where p.kind = 'polled'
          {closing if group_is_complete else ""}
        ) g
      ) n
      where n.first > n.next_offset"""


def _skipped(*, group_is_complete: bool) -> str:
    detail = json_object({name: f"m.{name}" for name in ("from_offset", "to_offset")})
    return f"""
      select /*+ BROADCAST(m) */ 'poll_skip' as kind, r.pid, r.seq, r.partition, r.offset,
        1 as severity, {detail} as detail, cast(null as bigint) as at_us
      from reread r join ({holes(group_is_complete=group_is_complete)}) m
      on r.partition = m.partition and r.offset >= m.from_offset and r.offset < m.to_offset"""
