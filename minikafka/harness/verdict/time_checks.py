"""The checks over time, as SQL: elections, high watermarks, unavailability.

The relations (`relations`) are `looks`, `watermarks`, `samples` and `ledger`. Only bounded
summaries reach the driver.
"""

from minikafka.harness.verdict.engine import Engine, Row, case, json_object, whole

_US_PER_MS = 1000


def elections() -> str:
    """Select each change of a partition's leader, as rows of `ELECTION_SCHEMA`.

    `unclean`: the new leader was neither in the ISR nor in the ELR at the poll before. It is null
    if that is unknown, because the ISR was empty and the ELR was not shown (an election from the
    ELR is clean). There may be several elections between two polls, so this is only what a client
    could know.
    """
    unclean = case(
        {
            "array_contains(n.isr_before, n.leader)": "false",
            "array_contains(n.elr_before, n.leader)": "false",
            "n.isr_size_before > 0 or n.elr_before is not null": "true",
        }
    )
    in_order = "over (partition by l.partition order by l.at_ms, l.position)"
    return f"""
    select n.partition, n.at_ms, n.leader, n.before, {unclean} as unclean
    from (
      select p.*, lag(p.leader) over (
        partition by p.partition order by p.at_ms, p.position
      ) as before
      from (
        select l.partition, l.at_ms, l.position, l.leader, lag(l.isr) {in_order} as isr_before,
          lag(l.elr) {in_order} as elr_before, lag(l.isr_size) {in_order} as isr_size_before
        from looks l
      ) p
      where p.leader is not null
    ) n
    where n.leader <> n.before"""


def beside() -> str:
    """Select the findings (`found`) with `election`: the one that may explain a loss, as JSON.

    It is the first election (`elected`) in the partition after the acknowledgement that was or may
    have been unclean, else the first one. A loss stays a loss: the election is information, not an
    excuse.
    """
    order = "partition by e.partition order by e.at_ms, e.leader, e.before, e.unclean nulls first"
    shown = json_object({name: f"u.{name}" for name in ("at_ms", "leader", "before", "unclean")})
    return f"""
    select /*+ BROADCAST(x) */ f.*, x.election
    from found f
    left join (
      select t.partition, t.after_ms, t.at_ms, {shown} as election
      from (
        select n.*, coalesce(min(n.unclean_number) over (
          partition by n.partition order by n.number
          rows between current row and unbounded following
        ), n.number) as chosen
        from (
          select e.partition, e.at_ms, row_number() over ({order}) as number,
            coalesce(lag(e.at_ms) over ({order}), -1) as after_ms,
            case when coalesce(e.unclean, true) then row_number() over ({order}) end
              as unclean_number
          from elected e
        ) n
      ) t
      join (select e.*, row_number() over ({order}) as number from elected e) u
      on t.partition = u.partition and t.chosen = u.number
    ) x
    on f.kind = 'lost' and f.partition = x.partition
      and f.at_us > x.after_ms * {_US_PER_MS} and f.at_us <= x.at_ms * {_US_PER_MS}"""


def samples(topic: str, width: int = 1) -> str:
    """Select the high watermarks that the watcher and the stream saw, as `SAMPLE_SCHEMA`.

    `topic` may be several names, separated by commas, each with `width` partitions; partitions are
    numbered through all topics.
    """
    return f"""
    select s.witness, cast(s.first_partition + s.number as int) as partition, s.end_offset, s.at_ms,
      s.position
    from (
      select w.*, case when w.topic is null then 0 else {first_partition(topic, width)} end
        as first_partition
      from watermarks w
    ) s
    where s.first_partition is not null"""


def first_partition(topic: str, width: int) -> str:
    """Map the column `topic` to the number of its first partition; null for other topics."""
    names = enumerate(topic.split(","))
    return case({f"topic = '{name}'": index * width for index, name in names})


def watermark_regressions() -> str:
    """Select every regression of a high watermark that one witness saw (H7), like `watermarks`.

    The relation is `samples` (`SAMPLE_SCHEMA`).
    """
    in_order = "over (partition by s.witness, s.partition order by s.at_ms, s.position)"
    return f"""
    select r.* from (
      select s.witness, s.partition, lag(s.end_offset) {in_order} as before, s.end_offset as after,
        lag(s.at_ms) {in_order} as before_at_ms, s.at_ms as after_at_ms
      from samples s
    ) r
    where r.after < r.before order by r.after_at_ms, r.witness, r.partition"""


def unavailability(engine: Engine, threshold_us: int) -> str:
    """Select the windows of each partition in which records were sent and none acknowledged.

    A window begins with the first record sent after an acknowledgement. It ends with the next
    acknowledgement, or with the last record sent if there was none. Only windows longer than
    `threshold_us` count. Acknowledgements with acks=0 come from the client and are ignored.
    """
    bucket = whole("l.send_us", threshold_us)
    return f"""
    select w.partition, w.began_us, w.ended_us
    from (
      select /*+ BROADCAST(s) */ l.partition, min(l.send_us) as began_us,
        coalesce(s.next_us, max(l.send_us)) as ended_us
      from ledger l join ({_silences(engine, threshold_us)}) s
      on l.partition = s.partition and {bucket} = s.bucket
      where l.acks <> '0' and l.send_us > s.since_us and l.send_us <= s.until_us
      group by l.partition, s.since_us, s.next_us
    ) w
    where w.ended_us - w.began_us > {threshold_us}"""


def _silences(engine: Engine, threshold_us: int) -> str:
    """Select the times without an acknowledgement, one row for each time bucket that they touch.

    A bucket is as long as the threshold, so no silence within one is too long, and it is enough to
    sort buckets instead of records.
    """
    buckets = engine.numbers(whole("t.from_us", threshold_us), whole("t.until_us", threshold_us))
    answered = whole("l.ack_us", threshold_us)
    extents = """
          select l.partition, min(l.send_us) as first_send_us, max(l.send_us) as last_send_us,
            min(case when l.status = 'acked' then l.ack_us end) as next_us
          from ledger l where l.acks <> '0' group by l.partition"""
    return f"""
      select t.partition, t.since_us, t.next_us, t.until_us, {buckets} as bucket
      from (
        select a.partition, a.since_us, a.next_us, greatest(a.since_us, e.first_send_us) as from_us,
          least(coalesce(a.next_us, e.last_send_us), e.last_send_us) as until_us
        from (
          select b.partition, b.since_us, lead(b.first_us) over (
            partition by b.partition order by b.bucket
          ) as next_us
          from (
            select l.partition, {answered} as bucket, min(l.ack_us) as first_us,
              max(l.ack_us) as since_us
            from ledger l where l.acks <> '0' and l.status = 'acked'
            group by l.partition, {answered}
          ) b
          union all
          select x.partition, -1 as since_us, x.next_us from ({extents}) x
        ) a
        join ({extents}) e on a.partition = e.partition
      ) t
      where t.until_us >= t.from_us
        and coalesce(t.next_us - t.since_us > {threshold_us}, true)"""


def summarise_windows(engine: Engine, windows: str) -> dict[str, dict[str, int]]:
    """Return by partition the number of windows, their sum, and the longest one."""
    length = "w.ended_us - w.began_us"
    rows = engine.rows(f"""
    select w.partition, count(*) as windows, {whole(f"sum({length})", _US_PER_MS)} as total_ms,
      {whole(f"max({length})", _US_PER_MS)} as longest_ms,
      {whole(f"max_by(w.began_us, {length})", _US_PER_MS)} as began_at_ms
    from ({windows}) w group by w.partition order by w.partition""")
    return {str(row["partition"]): {key: row[key] for key in _WINDOW_FIELDS} for row in rows}


_WINDOW_FIELDS = ("windows", "total_ms", "longest_ms", "began_at_ms")


def regressions(engine: Engine) -> list[Row]:
    """Return the rows of `watermark_regressions`."""
    return engine.rows(watermark_regressions())
