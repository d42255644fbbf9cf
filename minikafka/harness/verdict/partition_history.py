"""The history of a run's partitions, from the most recent metadata log of its controllers.

The log is not used if a controller was active while its clock was skewed: the times of its records
do not fit the others.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.clusters.coordinators import STATE_TOPIC, coordinator_changes
from minikafka.harness.clusters.elections import (
    UnreadableError,
    count_elections,
    most_recent,
    read_changes,
)
from minikafka.harness.faults.injector import InjectedFault
from minikafka.harness.lines import RunEvent
from minikafka.harness.watch.quorum_watcher import Term


@dataclass(slots=True)
class PartitionHistory:
    """The changes of the partitions (`elections.CHANGE`), none if the log was not used.

    `coordinators` are the changes of the transactional ids' coordinators.
    """

    changes: list[RunEvent] = field(default_factory=list)
    coordinators: list[RunEvent] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_read: bool = False

    def elections_before(self, closing_at_ms: int) -> dict[str, int]:
        """Count the elections before the shutdown; empty if the log was not used."""
        if not self.is_read:
            return {}
        return count_elections(it for it in self.changes if it["at_ms"] < closing_at_ms)


def read_history(
    log_dirs: Sequence[Path],
    topics: Sequence[str],
    width: int,
    faults: Sequence[InjectedFault],
    terms: Sequence[Term],
    *,
    transactional_ids: Sequence[str] = (),
) -> PartitionHistory:
    """Read the history of the topics; the controllers must be stopped.

    `log_dirs` are those of the controllers, `width` is the number of partitions of a topic.
    """
    log_dir = most_recent(log_dirs)
    if log_dir is None or _was_skewed(faults, terms):
        return PartitionHistory()
    try:
        more = [STATE_TOPIC] if transactional_ids else []
        every = read_changes(log_dir, [*topics, *more], width)
    except UnreadableError as error:
        return PartitionHistory(notes=[f"Leaders and ISR are shown as they were polled: {error}."])
    first = len(topics) * width
    states = [
        {**change, "partition": change["partition"] - first}
        for change in every
        if change["partition"] >= first
    ]
    return PartitionHistory(
        changes=[change for change in every if change["partition"] < first],
        coordinators=coordinator_changes(states, transactional_ids),
        is_read=True,
    )


def _was_skewed(faults: Sequence[InjectedFault], terms: Sequence[Term]) -> bool:
    """True if a controller was active while its clock was skewed."""
    return any(
        term.leader in fault.nodes
        and term.began_at_ms <= (fault.healed_at_ms or term.ended_at_ms)
        and fault.done_at_ms <= term.ended_at_ms
        for fault in faults
        if fault.plan.kind == "clock" and fault.done_at_ms
        for term in terms
    )
