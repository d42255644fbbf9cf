"""Replicas whose log is gone, by folder or by disk: copied from a leader, or offline."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.log.log_manager import LogManager
from minikafka.metadata.delta import LocalChanges
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True)
class LostLogs:
    """The logs that broker `broker_id` has lost, and why they are gone.

    A log is lost if its folder is gone (`LogManager.lost`), or if the metadata places the replica
    in a directory that this broker no longer has. An empty log in its place holds nothing that an
    ISR or ELR member promised (E7), and would hide what may come back. Unlike Kafka: an ISR member
    or the last known leader leads with an empty log there.
    """

    logs: LogManager
    broker_id: int
    _found: dict[TopicPartition, str] = field(default_factory=dict)
    _named: dict[TopicPartition, None] = field(default_factory=dict)
    _promised: dict[TopicPartition, None] = field(default_factory=dict)
    """Those that were lost while the broker ran."""

    def find(self, image: MetadataImage, local: LocalChanges) -> None:
        """Find the replicas in `image` whose logs are gone, before strays are set aside.

        `local` holds all replicas of this broker.
        """
        for name, (path, offset) in self.logs.lost.items():
            registration = image.partition(name.topic, name.partition)
            if registration is None or self.broker_id not in registration.replicas:
                self.logs.forget_lost(name)
            else:
                self._found[name] = f"{path} is gone with the records below offset {offset}"
        for replica in (*local.leaders, *local.followers):
            name = replica.topic_partition
            directory = replica.registration.directory(self.broker_id)
            if self.logs.is_gone(name, replica.topic_id, directory):
                self._found.setdefault(name, f"the log directory of {name} is gone")

    def add(self, name: TopicPartition, reason: str) -> None:
        """Note a log that was lost while the broker ran, and was reported.

        The controller may not know yet, and have the replica in an ISR.
        """
        self._found[name] = reason
        self._named[name] = None
        self._promised[name] = None

    def keep_offline(self, name: TopicPartition, leader: int, members: Sequence[int] = ()) -> bool:
        """Return True if a log is lost and no other broker leads, from which it can be copied.

        One of the `members` of ISR and ELR puts no empty log in the place of one that was lost
        while it ran: it could be elected, and the controller is about to hear of it.
        """
        reason = self._found.get(name)
        if reason is None:
            return False
        if name in self._promised and self.broker_id in members:
            return True
        self._promised.pop(name, None)
        if leader not in (NO_LEADER, self.broker_id):
            _log.warning("%s: copying %s from broker %d", reason, name, leader)
            self._found.pop(name)
            return False
        if name not in self._named:
            self._named[name] = None
            _log.error(
                "%s, and no other replica leads: %s is offline. Bring its folder back and start "
                "the broker again; make an empty folder %s if the records may be lost",
                reason, name, name,
            )  # fmt: skip
        return True

    @property
    def unreported(self) -> list[TopicPartition]:
        """Logs that were lost while this broker ran, and of which the controller may not know.

        After a clean shutdown it would still be a member of their ISR or ELR (E7).
        """
        return list(self._promised)

    def forget(self, name: TopicPartition) -> None:
        """The replica is not this broker's any more."""
        self._promised.pop(name, None)
        if self._found.pop(name, None) is not None:
            self.logs.forget_lost(name)

    def __contains__(self, name: TopicPartition) -> bool:
        return name in self._found
