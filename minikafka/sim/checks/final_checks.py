"""The checks at the end of a run: what clients wrote and read, compared with the readable records.

Source: H4, and Jepsen's names for anomalies (`history.anomalies`, `history.group_anomalies`).
"""

from minikafka.common.ids import TopicPartition
from minikafka.history import anomalies
from minikafka.history import group_anomalies as groups
from minikafka.history.operations import Anomaly, Log, Written
from minikafka.sim.checks.checkers import Checkers
from minikafka.sim.checks.committed_records import Committed
from minikafka.sim.checks.history import Contradiction, History, RejectedWrite


def final_checks(
    checkers: Checkers, history: History, logs: dict[TopicPartition, Log]
) -> list[str]:
    """Return the violations at the end of a run; `logs` are the readable values, by offset.

    Every acknowledged record is present once, at its offset, unless an unclean election or
    retention removed it. No record is present that was never sent, or that was rejected. Consumers
    read records in order.
    """
    excuses = checkers.coverage.excuses

    def excused(where: TopicPartition, offset: int) -> bool:
        if offset < checkers.retention.trimmed.get(where, 0):
            return True
        lost = checkers.committed.get(where, Committed()).lost
        return any(each.covers(offset) for each in lost)

    def excused_loss(where: TopicPartition, written: Written) -> bool:
        """A loss by retention, or by the election that removed this value at this offset."""
        assert written.offset is not None
        if written.offset < checkers.retention.trimmed.get(where, 0):
            excuses["lost record: retention"] += 1
            return True
        for each in checkers.committed.get(where, Committed()).lost:
            if each.holds(written.offset, written.value):
                excuses[f"lost record: {each.why}"] += 1
                return True
        return False

    def excused_contradiction(seen: Contradiction) -> bool:
        """A leader that does not know that it is deposed still serves records that were removed."""
        lost = checkers.committed.get(seen.where, Committed()).lost
        found = any(
            each.holds(seen.offset, value) for each in lost for value in (seen.before, seen.after)
        )
        excuses["contradiction: read from a deposed leader"] += found
        return found

    found: list[Anomaly | str] = []
    for where, written in history.writes.items():
        log = logs.get(where, {})
        found += anomalies.lost_writes(where, written, log, excused_loss)
        found += anomalies.aborted_reads(where, written, log)
        found += anomalies.duplicates(where, log)
        found += anomalies.phantoms(where, written, log)
    found += anomalies.backward_polls(history.polls)
    found += anomalies.skipped_polls(history.polls, logs, excused)
    if not checkers.offsets_may_be_lost:
        found += checkers.groups.found
    found += groups.shared_partitions(history.owned, lambda: checkers.offsets_may_be_lost)
    found += groups.moved_commits(history.group, lambda: checkers.offsets_may_be_lost)
    found += [
        problem
        for each in checkers.rejected_writes
        if (problem := _wrongly_rejected(checkers, logs, each))
    ]
    contradictions = [x for x in history.contradictions if not excused_contradiction(x)]
    return [*map(str, contradictions), *map(str, found)]


def _wrongly_rejected(
    checkers: Checkers, logs: dict[TopicPartition, Log], write: RejectedWrite
) -> str | None:
    """H4: a leader does not reject a write that it committed while it led.

    A producer that is not idempotent would write it again.
    """
    where = write.where
    known = checkers.committed.get(where, Committed())
    for offset, value in logs.get(where, {}).items():
        if value == write.value and known.in_own_term.get(offset) == write.host:
            return (
                f"H4: {where}: {write.host} committed {value!r} at {offset} in its own term, and "
                f"answered NOT_LEADER_OR_FOLLOWER"
            )
    return None
