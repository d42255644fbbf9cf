"""Replicas whose log folder or disk is missing: they are copied from a leader, or are offline."""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    RESERVED_DIRECTORIES,
    ZERO_UUID,
    TopicPartition,
)
from minikafka.log.log_manager import LogManager
from minikafka.metadata.delta import LocalChanges, LocalReplica
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True, eq=False, repr=False)
class LostLogs:
    """The logs that broker `broker_id` has lost, with the reasons.

    A log is lost if its folder is missing or was set aside (`LogManager.lost`), if it is in a
    directory that failed during a move (`FutureLogs.displaced`), if the metadata places the replica
    in a directory that this broker no longer has, or if it may be in one that was not loaded. An
    empty or older log in its place would lack the records that an ISR or ELR member must have (E7),
    and would be in the way if the folder is restored. Unlike Kafka (row 45), where an ISR member or
    the last known leader leads with such a log.
    """

    logs: LogManager
    broker_id: int
    _found: dict[TopicPartition, str] = field(default_factory=dict)
    _displaced: dict[TopicPartition, None] = field(default_factory=dict)
    """Those of `_found` that are in a directory which may come back."""
    _named: dict[TopicPartition, None] = field(default_factory=dict)
    _promised: dict[TopicPartition, None] = field(default_factory=dict)
    """Those whose loss the controller may not know."""

    def find(self, image: MetadataImage, local: LocalChanges) -> list[TopicPartition]:
        """Find the replicas in `image` whose logs are missing, before strays are set aside.

        `local` has all replicas of this broker. A missing folder makes a clean shutdown unclean
        (`LogDirectory.load`); a missing directory does not, and the broker is still in ISR and ELR.
        Returns those that are missing in a directory and need not come back: the partition is not
        on this broker, or its log is in another directory. `LogManager.forget` must follow.

        Unlike Kafka (row 132), which creates an empty log elsewhere (`LogManager.getOrCreateLog`).
        """
        needless = []
        for name, (path, offset) in self.logs.lost.items():
            registration = image.partition(name.topic, name.partition)
            if (
                registration is None
                or self.broker_id not in registration.replicas
                or self._is_elsewhere(name, image)
            ):
                needless.append(name)
            else:
                self._found[name] = f"{path} is gone with the records below offset {offset}"
        for replica in (*local.leaders, *local.followers):
            name = replica.topic_partition
            directory = replica.registration.directory(self.broker_id)
            if self.logs.is_gone(name, replica.topic_id, directory):
                if directory in (DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING):
                    reason = (
                        f"the log of {name} may be in a directory that was not loaded (take that "
                        "out of log.dirs to use an empty log)"
                    )
                    self._displaced[name] = None
                else:
                    reason = f"the log directory of {name} is gone"
                self._found.setdefault(name, reason)
                if directory != DIRECTORY_LOST:
                    self._promised[name] = None
            displaced = self.logs.futures.displaced(name, replica.topic_id, directory)
            if self.logs.may_be_older(name, replica.topic_id, directory):
                displaced = (
                    f"the log of {name} may be out of date: its newer log may be in a directory "
                    "that was not loaded (take that out of log.dirs to use the older one)"
                )
            if displaced is not None:
                self._found[name] = displaced
                self._displaced[name] = None
                self._promised[name] = None
            log = self.logs.get(name)
            if name in self._found and log is not None and log.topic_id == replica.topic_id:
                self.logs.hold_back(name)
        self._warn_of_older(local)
        return needless

    def _warn_of_older(self, local: LocalChanges) -> None:
        """Tell if logs are in use whose newer ones may have been in a directory that is gone."""
        homes = [home.directory_id for home in self.logs.directories]
        older = [
            (each.topic_partition, home.disk.root)
            for each in (*local.leaders, *local.followers)
            if each.registration.directory(self.broker_id) not in (*RESERVED_DIRECTORIES, *homes)
            and (home := self.logs.directory_of(each.topic_partition)) is not None
            and home.logs[each.topic_partition].topic_id == each.topic_id
        ]
        if older and ZERO_UUID not in homes:
            _log.warning(
                "logs in use that the metadata has in directories which are not in log.dirs: %d, "
                "the first is %s in %s; records that only such a directory had are missing",
                len(older), *older[0],
            )  # fmt: skip

    def _is_elsewhere(self, name: TopicPartition, image: MetadataImage) -> bool:
        """True if another directory has the log of a partition."""
        log, topic = self.logs.get(name), image.topic(name.topic)
        return log is not None and topic is not None and log.topic_id == topic.topic_id

    def add(self, name: TopicPartition, reason: str) -> None:
        """Note a log that was lost while the broker ran, and that is being reported.

        The controller may not know it yet and may still have the replica in an ISR.
        """
        self._found[name] = reason
        self._named[name] = None
        self._promised[name] = None

    def keep_offline(self, name: TopicPartition, leader: int, members: Sequence[int] = ()) -> bool:
        """True if a log is lost and there is no other leader from which it can be copied.

        Also True for one of the `members` of ISR and ELR if the controller may not know of the
        loss. It must not create an empty log, since it could be elected.
        """
        reason = self._found.get(name)
        if reason is None:
            return False
        another_leads = leader not in (NO_LEADER, self.broker_id)
        if name in self._promised and self.broker_id in members:
            if not another_leads:
                self._say(name, reason)
            return True
        self._promised.pop(name, None)
        if another_leads:
            _log.warning("%s: copying %s from broker %d", reason, name, leader)
            self._found.pop(name)
            return False
        self._say(name, reason)
        return True

    def to_copy(self, wanted: Iterable[tuple[LocalReplica, bool]]) -> list[TopicPartition]:
        """The lost logs among replicas that are created now; the second value is True for a leader.

        Only those that the controller knows as lost.
        """
        return [
            replica.topic_partition
            for replica in self._copies(wanted)
            if replica.registration.directory(self.broker_id) == DIRECTORY_LOST
        ]

    def to_copy_unknown(self, wanted: Iterable[tuple[LocalReplica, bool]]) -> list[TopicPartition]:
        """As `to_copy`; those that the controller may not know as lost."""
        return [
            replica.topic_partition
            for replica in self._copies(wanted)
            if (now := replica.registration).directory(self.broker_id) != DIRECTORY_LOST
            and not (
                replica.topic_partition in self._promised and self.broker_id in (*now.isr, *now.elr)
            )
        ]

    def _copies(self, wanted: Iterable[tuple[LocalReplica, bool]]) -> list[LocalReplica]:
        return [
            replica
            for replica, leads in wanted
            if not leads
            and replica.topic_partition in self._found
            and replica.registration.leader != NO_LEADER
        ]

    def is_displaced(self, name: TopicPartition) -> bool:
        """True if the log may be in a directory that comes back.

        While the metadata names that directory, no log is created in another one.
        """
        return name in self._found and name in self._displaced

    def _say(self, name: TopicPartition, reason: str) -> None:
        if name in self._named:
            return
        self._named[name] = None
        advice = (
            "Bring the other directory back and restart the broker"
            if name in self._displaced
            else "Stop the broker, restore the folder and start it again; create an empty folder "
            f"{name} instead if the records may be lost"
        )
        _log.error("%s, and no other replica is leader: %s is offline. %s", reason, name, advice)

    @property
    def unreported(self) -> list[TopicPartition]:
        """Logs that are lost and whose loss the controller may not know.

        After a clean shutdown the broker would still be a member of their ISR or ELR (E7).
        """
        return list(self._promised)

    def forget(self, name: TopicPartition) -> None:
        """Drop a replica that this broker no longer has."""
        self._promised.pop(name, None)
        self._found.pop(name, None)

    def __contains__(self, name: TopicPartition) -> bool:
        return name in self._found
