"""The owners of the partitions of groups, as clients can know them, and commits of others.

A member owns a partition from the response that gives it until the member reports that it has
released it, learns that it is fenced, or may have been removed by the coordinator's rules: after
its session timeout without a heartbeat, or after its rebalance timeout with a partition that it
must revoke. Both are counted from the sending of the last heartbeat that was answered, on the
fastest clock of a simulated machine.

Only responses of a coordinator that led during the whole request count. A deposed coordinator that
does not know it answers heartbeats that change nothing, as in Kafka; its members are removed
elsewhere.

Source: KIP-848 (reconciliation), KIP-62 (sessions).
"""

from dataclasses import dataclass, field
from typing import Final, NamedTuple

from minikafka.common.ids import Uuid
from minikafka.history.operations import Anomaly
from minikafka.sim.checks.coverage import Coverage

FASTEST_CLOCK: Final = 1.1
"""The highest rate of a machine's clock (`faults/clocks.py`)."""


class OwnedPartition(NamedTuple):
    """A partition of a topic that may be deleted and created again."""

    topic: str
    topic_id: Uuid
    partition: int

    def __str__(self) -> str:
        """The name in reports."""
        return f"{self.topic}-{self.partition}"


Partitions = frozenset[OwnedPartition]


@dataclass(slots=True)
class MemberHolding:
    """The partitions of one member.

    `proven_ms` is the sending of the last heartbeat that was answered. `revoking_ms` is the
    earliest time at which the coordinator may have begun to wait for a release, if it does.
    """

    session_ms: int
    rebalance_ms: int
    proven_ms: int = -1
    revoking_ms: int | None = None
    partitions: set[OwnedPartition] = field(default_factory=set)
    unanswered: list[Partitions] = field(default_factory=list)
    """Contents of requests without a response: each may still arrive."""

    def owns(self, partition: OwnedPartition, now_ms: int) -> bool:
        """Return True if no coordinator may have removed the member."""
        if partition not in self.partitions:
            return False
        since_ms = self.proven_ms if self.revoking_ms is None else self.revoking_ms
        return now_ms < min(
            self.proven_ms + self.session_ms / FASTEST_CLOCK,
            since_ms + self.rebalance_ms / FASTEST_CLOCK,
        )

    def may_be_released_late(self, partition: OwnedPartition) -> bool:
        """Return True if a late request may tell the coordinator that it was released."""
        return any(partition not in reported for reported in self.unanswered)


@dataclass(slots=True)
class GroupOwnership:
    """The partitions of all members of all groups, and what was wrong (SoleOwner, FencedCommit)."""

    coverage: Coverage
    found: list[Anomaly] = field(default_factory=list)
    _groups: dict[str, dict[str, MemberHolding]] = field(default_factory=dict)

    def join(self, group: str, member: str, session_ms: int, rebalance_ms: int) -> None:
        """Start with a member that owns nothing."""
        self._groups.setdefault(group, {})[member] = MemberHolding(session_ms, rebalance_ms)

    def answered(
        self, who: tuple[str, str], reported: Partitions, told: Partitions, sent_ms: int
    ) -> MemberHolding:
        """A coordinator that led all the time has answered a heartbeat of a member of a group.

        The member has `reported` what it has, and may have `told`: from this response, or before.
        """
        holding = self._groups[who[0]][who[1]]
        if reported <= told:
            holding.revoking_ms = None
        elif holding.revoking_ms is None:
            holding.revoking_ms = holding.proven_ms
        holding.proven_ms = sent_ms
        holding.partitions |= told
        return holding

    def given(self, group: str, member: str, told: Partitions, now_ms: int) -> None:
        """Check that no other member owns what a member may have now (SoleOwner)."""
        for each in sorted(told):
            self._require_sole_owner(group, member, each, now_ms)

    def _require_sole_owner(
        self, group: str, member: str, partition: OwnedPartition, now_ms: int
    ) -> None:
        self.coverage.rules["SoleOwner"] += 1
        for name, other in self._groups[group].items():
            if name == member or not other.owns(partition, now_ms):
                continue
            if other.may_be_released_late(partition):
                self.coverage.excuses["shared partition: a late request released it"] += 1
                continue
            text = f"{partition} of {group} is given to {member} at {now_ms} ms, and {name} owns it"
            self.found.append(Anomaly("SoleOwner", text))

    def unanswered(self, group: str, member: str, reported: Partitions) -> None:
        """A request that reports what a member has got no response."""
        self._groups[group][member].unanswered.append(reported)

    def release(self, group: str, member: str, partitions: Partitions) -> None:
        """Let a member give partitions up, before it reports it."""
        self._groups[group][member].partitions -= partitions

    def leave(self, group: str, member: str) -> None:
        """Let a member give everything up: it leaves, is fenced, or joins again."""
        holding = self._groups[group].get(member)
        if holding is not None:
            holding.partitions.clear()

    def fenced_commit(self, group: str, member: str, why: str, *, accepted: bool) -> None:
        """Record the result of a commit that must be refused: the coordinator has told `why`."""
        self.coverage.rules["FencedCommit"] += 1
        if accepted:
            text = f"a commit of {member} to {group} was acknowledged after {why}"
            self.found.append(Anomaly("FencedCommit", text))
