"""Replicas whose log was here and is gone: they are copied from a leader, or stay offline."""

import logging
from dataclasses import dataclass, field

from minikafka.common.ids import TopicPartition
from minikafka.log.log_manager import LogManager
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER

_log = logging.getLogger("minikafka.replica")


@dataclass(slots=True)
class LostLogs:
    """What `LogManager.lost` found at the start of broker `broker_id`, and what is left of it.

    Nobody counts on what an empty log in place of such a log holds (E7), and it would hide what may
    come back. Unlike Kafka: the last known leader leads with an empty log there.
    """

    logs: LogManager
    broker_id: int
    _found: dict[TopicPartition, tuple[str, int]] = field(default_factory=dict)
    _named: dict[TopicPartition, None] = field(default_factory=dict)

    def find(self, image: MetadataImage) -> None:
        """Take on what the start found, as far as the metadata gives it to this broker."""
        for name, lost in self.logs.lost.items():
            registration = image.partition(name.topic, name.partition)
            if registration is None or self.broker_id not in registration.replicas:
                self.logs.forget_lost(name)
            else:
                self._found[name] = lost

    def keep_offline(self, name: TopicPartition, leader: int) -> bool:
        """Return True if a log is lost and no other broker leads, from which it can be copied."""
        lost = self._found.get(name)
        if lost is None:
            return False
        path, offset = lost
        if leader not in (NO_LEADER, self.broker_id):
            _log.warning("%s is gone: copying %s from broker %d", path, name, leader)
            self._found.pop(name)
            return False
        if name not in self._named:
            self._named[name] = None
            _log.error(
                "%s is gone with the records below offset %d, and no other replica leads: %s is "
                "offline. Bring the folder back and start the broker again; make an empty folder "
                "of that name if the records may be lost",
                path, offset, name,
            )  # fmt: skip
        return True

    def forget(self, name: TopicPartition) -> None:
        """The replica is not this broker's any more."""
        if self._found.pop(name, None) is not None:
            self.logs.forget_lost(name)

    def __contains__(self, name: TopicPartition) -> bool:
        return name in self._found
