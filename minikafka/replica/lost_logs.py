"""Replicas whose log folder or disk is missing: they are copied from a leader, or are offline."""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from minikafka.common.ids import (
    DIRECTORY_LOST,
    RESERVED_DIRECTORIES,
    ZERO_UUID,
    TopicPartition,
)
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import Cause, Missing
from minikafka.metadata.delta import LocalReplica
from minikafka.metadata.partition_registration import NO_LEADER

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True, eq=False)
class _Loss:
    """Why a log cannot be used, and who knows it."""

    reason: str
    may_come_back: bool = False
    """True if the log may be in a directory that comes back."""
    is_unreported: bool = True
    """True if the controller may not know of the loss."""
    is_logged: bool = False


@dataclass(slots=True, eq=False, repr=False)
class LostLogs:
    """The logs that broker `broker_id` has lost, with the reasons.

    A log is lost if its folder is missing or was set aside (`LogManager.lost`), if it is in a
    directory that failed during a move, if the metadata places the replica in a directory that this
    broker no longer has, or if it may be in one that was not loaded. An empty or older log in its
    place would lack the records that an ISR or ELR member must have (E7), and would be in the way
    if the folder is restored. Unlike Kafka (row F5), where an ISR member or the last known leader
    leads with such a log.

    A missing folder makes a clean shutdown unclean (`LogDirectory.load`); a missing directory does
    not, and the broker is still in ISR and ELR: it reports such logs before it makes others. Unlike
    Kafka (row F5), which creates an empty log elsewhere (`LogManager.getOrCreateLog`).
    """

    logs: LogManager
    broker_id: int
    _losses: dict[TopicPartition, _Loss] = field(default_factory=dict)

    def found(
        self, missing: Mapping[TopicPartition, Missing], replicas: Iterable[LocalReplica]
    ) -> None:
        """Note the logs of `replicas` that are `missing` at the start."""
        for name, each in missing.items():
            self._losses[name] = _Loss(
                self._reason(name, each), each.may_come_back, each.is_unreported
            )
        self._warn_of_older(replicas)

    def _reason(self, name: TopicPartition, missing: Missing) -> str:
        if missing.place is None:
            if missing.cause is Cause.DIRECTORY_IS_GONE:
                return f"the log directory of {name} is gone"
            return (
                f"the log of {name} may be in a directory that was not loaded (take that out of "
                "log.dirs to use an empty log)"
            )
        home = self.logs.directories[missing.place]
        path = f"{home.disk.root}/{name}"
        match missing.cause:
            case Cause.LOG_IS_SUPERSEDED:
                row = home.folders.get(name)
                marks = [] if row is None else row.marks
                return (
                    f"{path} is out of date since its move to a directory that is offline or was "
                    f"replaced (remove {', '.join(marks)} to use it)"
                )
            case Cause.ONLY_A_COPY:
                copies = [copy.name for copy in home.folders.copies(name)]
                return (
                    f"{home.disk.root}/{copies[0]} may lack records of the log in a directory that "
                    f"is offline or was replaced (rename the folder to {name} to use it)"
                )
            case Cause.LOG_MAY_BE_OLDER:
                return (
                    f"the log of {name} may be out of date: its newer log may be in a directory "
                    "that was not loaded (take that out of log.dirs to use the older one)"
                )
        lost = home.lost[name]
        return f"{path} is gone with the records below offset {lost.end_offset}"

    def _warn_of_older(self, replicas: Iterable[LocalReplica]) -> None:
        """Warn if logs are in use whose newer ones may have been in a directory that is gone."""
        homes = [home.directory_id for home in self.logs.directories]
        older = [
            (each.topic_partition, home.disk.root)
            for each in replicas
            if each.registration.directory(self.broker_id) not in (*RESERVED_DIRECTORIES, *homes)
            and (home := self.logs.directory_of(each.topic_partition)) is not None
        ]
        if older and ZERO_UUID not in homes:
            _log.warning(
                "%d logs are served from another directory than the metadata names, because that "
                "one is not in log.dirs; the first is %s in %s. Records that only such a directory "
                "had are missing",
                len(older), *older[0],
            )  # fmt: skip

    def add(self, name: TopicPartition, reason: str) -> None:
        """Note a log that was lost while the broker ran, and that is being reported.

        The controller may not know it yet and may still have the replica in an ISR.
        """
        self._losses[name] = _Loss(reason, is_logged=True)

    def keep_offline(self, name: TopicPartition, leader: int, members: Sequence[int] = ()) -> bool:
        """True if a log is lost and there is no other leader from which it can be copied.

        Also True for one of the `members` of ISR and ELR if the controller may not know of the
        loss. It must not create an empty log, since it could be elected.
        """
        loss = self._losses.get(name)
        if loss is None:
            return False
        another_leads = leader not in (NO_LEADER, self.broker_id)
        if loss.is_unreported and self.broker_id in members:
            if not another_leads:
                self._log_once(name, loss)
            return True
        loss.is_unreported = False
        if another_leads:
            _log.warning("%s: copying %s from broker %d", loss.reason, name, leader)
            del self._losses[name]
            return False
        self._log_once(name, loss)
        return True

    def to_copy(
        self, followers: Iterable[LocalReplica]
    ) -> tuple[list[TopicPartition], list[TopicPartition]]:
        """Return the lost logs that are copied now.

        The first ones are known as lost to the controller, the others may not be.
        """
        known, unknown = [], []
        for replica in followers:
            name, now = replica.topic_partition, replica.registration
            loss = self._losses.get(name)
            if loss is None or now.leader == NO_LEADER:
                continue
            if now.directory(self.broker_id) == DIRECTORY_LOST:
                known.append(name)
            elif not (loss.is_unreported and self.broker_id in (*now.isr, *now.elr)):
                unknown.append(name)
        return known, unknown

    def is_displaced(self, name: TopicPartition) -> bool:
        """True if the log may be in a directory that comes back.

        While the metadata names that directory, no log is created in another one.
        """
        loss = self._losses.get(name)
        return loss is not None and loss.may_come_back

    def _log_once(self, name: TopicPartition, loss: _Loss) -> None:
        if loss.is_logged:
            return
        loss.is_logged = True
        advice = (
            "Bring the other directory back and restart the broker"
            if loss.may_come_back
            else "Stop the broker, restore the folder and start it again; create an empty folder "
            f"{name} instead if the records may be lost"
        )
        _log.error(
            "%s, and no other replica is leader: %s is offline. %s", loss.reason, name, advice
        )

    @property
    def unreported(self) -> list[TopicPartition]:
        """Logs that are lost and whose loss the controller may not know.

        After a clean shutdown the broker would still be a member of their ISR or ELR (E7).
        """
        return [name for name, loss in self._losses.items() if loss.is_unreported]

    def reason(self, name: TopicPartition) -> str | None:
        """Why a log cannot be used; None if it is not lost."""
        loss = self._losses.get(name)
        return None if loss is None else loss.reason

    def forget(self, name: TopicPartition) -> None:
        """Drop a replica that this broker no longer has."""
        self._losses.pop(name, None)

    def __contains__(self, name: TopicPartition) -> bool:
        return name in self._losses
