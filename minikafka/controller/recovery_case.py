"""A partition without leader as the Unclean Recovery Manager sees it: its step and its answers.

Source: KIP-966 "Unclean Recovery Manager".
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicIdPartition
from minikafka.controller.election import LogInfo, RecoveryStep, Strategy
from minikafka.metadata.partition_registration import PartitionRegistration


@dataclass(slots=True, eq=False)
class RecoveryRequest:
    """A recovery request of an operator; partitions move from `pending` to `results`.

    The request itself is also the wait key that is notified of each result.
    """

    strategy: Strategy
    pending: dict[TopicIdPartition, None]
    results: dict[TopicIdPartition, ErrorCode] = field(default_factory=dict)


class ReplicaReport(NamedTuple):
    """The log end of a replica, as one incarnation of its broker reported it."""

    log: LogInfo
    broker_epoch: int


@dataclass(slots=True, eq=False, repr=False)
class RecoveryCase:
    """One partition without leader. `strategy` is set while a recovery runs."""

    name: str
    step: RecoveryStep
    replicas: tuple[int, ...]
    leader_epoch: int
    strategy: Strategy | None = None
    started_ms: int = 0
    alarm_ms: int = -1
    answers: dict[int, ReplicaReport] = field(default_factory=dict)
    requests: list[RecoveryRequest] = field(default_factory=list)

    @property
    def waits_for(self) -> str:
        """Return the reason of the wait, in words for an operator."""
        if self.step is not RecoveryStep.RECOVER:
            return str(self.step.value)
        silent = [str(x) for x in self.replicas if x not in self.answers]
        return f"no decision yet; replicas without answer: {', '.join(silent) or 'none'}"

    def reason(self, registration: PartitionRegistration) -> str:
        """The reason for the recovery that runs, for a log line."""
        assert self.strategy is not None
        who = "requested by an operator" if self.requests else "by configuration"
        return (
            f"{self.strategy.value}, {who}; ISR {list(registration.isr)}, "
            f"ELR {list(registration.elr)}, last known ELR {list(registration.last_known_elr)}"
        )

    def renew(self, registration: PartitionRegistration) -> list[int]:
        """Follow a new registration; return the brokers whose answers no longer count.

        Those are removed replicas, and all if the leader epoch is new (U4).
        """
        is_stale = registration.leader_epoch != self.leader_epoch
        dropped = [x for x in self.replicas if is_stale or x not in registration.replicas]
        for broker_id in dropped:
            self.answers.pop(broker_id, None)
        self.replicas, self.leader_epoch = registration.replicas, registration.leader_epoch
        return dropped

    def end_recovery(self) -> None:
        """Drop the answers; the partition stays without leader, or the case is closed."""
        self.answers.clear()
        self.strategy, self.alarm_ms = None, -1


def last_known(registration: PartitionRegistration) -> tuple[int, ...]:
    """Return the LastKnownELR members that are still replicas: the others will never answer."""
    return tuple(x for x in registration.last_known_elr if x in registration.replicas)
