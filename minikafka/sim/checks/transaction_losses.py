"""Losses of transactions that a run permits: the excuses of `history.transaction_anomalies`.

Records and markers are excused as all acknowledged records are: only those that an election has
removed from the committed records (`replica_checks.Committed.lost`), or retention. The state of a
transactional id is excused only if such an election was in its partition of `__transaction_state`,
and the log of the last leader there lacks a committed record of the id.
"""

from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.sim.checks.checkers import Checkers


@dataclass(slots=True)
class TransactionLosses:
    """The losses of a run. Each excuse that is used is counted."""

    checkers: Checkers
    held_back: dict[TopicPartition, int] = field(default_factory=dict)
    """The last stable offset at a transaction that is still open because its marker was lost."""
    _values: dict[TopicPartition, frozenset[bytes]] = field(default_factory=dict)
    _markers: dict[TopicPartition, frozenset[int]] = field(default_factory=dict)
    _ids: frozenset[str] | None = None
    """The transactional ids with lost decisions."""

    def _used(self, what: str, *, is_excused: bool) -> bool:
        self.checkers.coverage.excuses[f"transaction: {what}"] += is_excused
        return is_excused

    def record(self, where: TopicPartition, offset: int, value: str) -> bool:
        """Return True if this value at this offset may be missing."""
        if offset < self.checkers.retention.trimmed.get(where, 0):
            return self._used("retention", is_excused=True)
        known = self.checkers.committed.get(where)
        lost = () if known is None else known.lost
        found = any(each.holds(offset, value.encode()) for each in lost)
        return self._used("lost record", is_excused=found)

    def value(self, where: TopicPartition, value: str) -> bool:
        """Return True if this value at any offset may be missing."""
        if where not in self._values:
            known = self.checkers.committed.get(where)
            lost = () if known is None else known.lost
            self._values[where] = frozenset(
                bytes(value) for each in lost for value in each.values if value is not None
            )
        return self._used("lost record", is_excused=value.encode() in self._values[where])

    def offset(self, where: TopicPartition, offset: int) -> bool:
        """Return True if a committed record at this offset was lost."""
        known = self.checkers.committed.get(where)
        found = known is not None and any(each.covers(offset) for each in known.lost)
        return self._used("lost input", is_excused=found)

    def marker(self, where: TopicPartition, producer_id: int) -> bool:
        """Return True if a marker of this producer was lost."""
        return self._used("lost marker", is_excused=producer_id in self._lost_markers(where))

    def any_marker(self, where: TopicPartition) -> bool:
        """Return True if a marker of any producer was lost."""
        return self._used("lost marker", is_excused=bool(self._lost_markers(where)))

    def decisions(self, transactional_id: str) -> bool:
        """Return True if decisions about this transactional id were lost."""
        if self._ids is None:
            known = self.checkers.transactions.decisions
            self._ids = frozenset[str]().union(
                *[
                    known.lost_ids(where)
                    for where in known.coordinated
                    if self.checkers.may_lose_decisions(where)
                ]
            )
        return self._used("lost decision", is_excused=transactional_id in self._ids)

    def decisions_about(self, producer_id: int) -> bool:
        """Return True if decisions about the owner of this producer id were lost."""
        owner = self.checkers.transactions.decisions.owners.get(producer_id)
        return owner is not None and self.decisions(owner.transactional_id)

    def unexcused_decisions(self) -> dict[TopicPartition, list[str]]:
        """Return the ids with lost decisions where nothing permits to lose them, by partition."""
        known = self.checkers.transactions.decisions
        found = {
            where: sorted(known.lost_ids(where))
            for where in known.coordinated
            if where not in known.unread and not self.checkers.may_lose_decisions(where)
        }
        return {where: names for where, names in found.items() if names}

    def group_offsets(self) -> bool:
        """Return True if committed offsets of groups may be lost."""
        return self._used("lost offsets", is_excused=self.checkers.offsets_may_be_lost)

    def is_held_back(self, where: TopicPartition, offset: int) -> bool:
        """Return True if a transaction whose marker was lost hides this offset from readers."""
        stable = self.held_back.get(where)
        return self._used("held back", is_excused=stable is not None and offset >= stable)

    def _lost_markers(self, where: TopicPartition) -> frozenset[int]:
        if where not in self._markers:
            known = self.checkers.committed.get(where)
            lost = () if known is None else known.lost
            markers = self.checkers.transactions.markers.get(where, {})
            found = [markers.get((each.batch.base_offset, each.batch.crc)) for each in lost]
            self._markers[where] = frozenset(x.producer_id for x in found if x is not None)
        return self._markers[where]

    def forget(self) -> None:
        """Compute what was lost again: the run has gone on."""
        self._values.clear()
        self._markers.clear()
        self._ids = None
