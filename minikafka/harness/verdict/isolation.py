"""The comparison of a read_committed and a read_uncommitted read, as SQL.

Without transactions both must return the same records. With transactions read_uncommitted also
returns aborted and open ones; read_committed never returns a record that the other does not.

Digests of ranges of offsets are compared first, so that two equal reads cost one small shuffle. The
relations are `ledger`, `reread` and `uncommitted`, which was made first.
"""

from typing import NamedTuple

from minikafka.harness.verdict.engine import Engine, json_object, json_string
from minikafka.harness.verdict.relations import finding

_STRETCH_BITS = 12
_CONTENT = ("partition", "offset", "pid", "seq", "crc")


class Isolation(NamedTuple):
    """The findings, and the numbers of records that both reads or only one of them returned."""

    findings: str
    counts: dict[str, int]


def compare(engine: Engine, *, transactions: bool) -> Isolation:
    """Compare the two reads.

    Records after the end of the read_uncommitted one may have been appended later and are not
    compared.
    """
    engine.view("comparable", _COMPARABLE)
    engine.table("differing", _differing(engine))
    engine.view("isolation_judged", _JUDGED)
    allowed = "j.side = 'uncommitted' and j.status in ('failed', 'unknown')"
    left_out = f"not coalesce({allowed}, false)" if transactions else "true"
    values = {
        **{name: f"j.{name}" for name in ("pid", "seq", "partition", "offset")},
        "severity": "1",
        "detail": json_object(
            {"only_in": json_string("j.side"), "status": json_string("j.status")}
        ),
    }
    findings = f"""
    select {finding("'isolation_difference'", values)} from isolation_judged j where {left_out}"""
    [sizes] = engine.rows(
        "select (select count(*) from reread) as read_committed,"
        " (select count(*) from uncommitted) as read_uncommitted"
    )
    [sides] = engine.rows(
        "select count(case when j.side = 'committed' then 1 end) as only_committed,"
        " count(case when j.side = 'uncommitted' then 1 end) as only_uncommitted,"
        " count(case when j.side = 'uncommitted' and j.status = 'failed' then 1 end)"
        " as only_uncommitted_aborted from isolation_judged j"
    )
    return Isolation(findings, {**sizes, **sides})


_COMPARABLE = """
    select /*+ BROADCAST(e) */ c.* from reread c
    join (
      select u.partition, max(u.offset) as end_offset from uncommitted u group by u.partition
    ) e on c.partition = e.partition
    where c.offset <= e.end_offset"""

_JUDGED = """
    select /*+ BROADCAST(k) */ d.*, k.status from differing d
    left join (
      select /*+ BROADCAST(n) */ l.pid, l.seq, l.status from ledger l
      join (select distinct x.pid, x.seq from differing x) n on l.pid = n.pid and l.seq = n.seq
    ) k on d.pid = k.pid and d.seq = k.seq"""


def _differing(engine: Engine) -> str:
    """Select the rows that only one read has, with `side`, the name of that read."""
    sides = {"committed": "comparable", "uncommitted": "uncommitted"}
    digests = " union all ".join(
        _digest(engine, relation, sign)
        for relation, sign in zip(sides.values(), (1, -1), strict=True)
    )
    stretches = f"""
      select g.partition, g.stretch from ({digests}) g
      group by g.partition, g.stretch having sum(g.filled) <> 0 or bit_xor(g.digest) <> 0"""
    content = ", ".join(f"r.{name}" for name in _CONTENT)
    rows = " union all ".join(
        f"""
        select /*+ BROADCAST(t) */ {content}, '{side}' as side
        from {relation} r join ({stretches}) t
        on r.partition = t.partition and shiftright(r.offset, {_STRETCH_BITS}) = t.stretch"""
        for side, relation in sides.items()
    )
    return f"""
    select {content}, min(r.side) as side from ({rows}) r
    group by {content} having min(r.side) = max(r.side)"""


def _digest(engine: Engine, relation: str, sign: int) -> str:
    content = engine.content([f"r.{name}" for name in _CONTENT])
    stretch = f"shiftright(r.offset, {_STRETCH_BITS})"
    return f"""
      select r.partition, {stretch} as stretch, count(*) * {sign} as filled,
        bit_xor({content}) as digest
      from {relation} r group by r.partition, {stretch}"""
