"""The brokers that were fenced a moment ago, which Metadata responses still name.

A client that learns of a partition's new leader from the response in which the former leader is
missing for the first time may lose the partition until its next refresh (librdkafka closes the
broker and resets the partitions that it had). So the former leader stays in the responses until
clients have moved their partitions.
"""

from dataclasses import dataclass, field
from typing import Final

from minikafka.common.environment import Environment
from minikafka.metadata.image import MetadataImage

_LISTED_MS: Final = 2000
"""Twice the interval at which librdkafka looks for partitions whose leader cannot be reached."""


@dataclass(slots=True, eq=False, repr=False)
class LeavingBrokers:
    """Brokers that were fenced outside of a controlled shutdown, with the time of their removal.

    A controlled shutdown ends when the other brokers know the new leaders, so that clients have
    moved before. Whether a broker led partitions does not count: their changes may have come in
    earlier batches of the metadata than its fencing.
    """

    env: Environment
    _until_ms: dict[int, int] = field(default_factory=dict)

    def changed(self, before: MetadataImage, image: MetadataImage) -> None:
        """Note which brokers were fenced by a change of the metadata."""
        until_ms = self.env.clock.monotonic_ms + _LISTED_MS
        for broker_id, broker in image.brokers.items():
            was = before.brokers.get(broker_id)
            if not broker.fenced:
                self._until_ms.pop(broker_id, None)
            elif was is not None and not was.fenced and not broker.in_controlled_shutdown:
                self._until_ms[broker_id] = until_ms

    @property
    def ids(self) -> tuple[int, ...]:
        """The ids of the brokers that are still named."""
        if self._until_ms:
            now_ms = self.env.clock.monotonic_ms
            self._until_ms = {each: at for each, at in self._until_ms.items() if at > now_ms}
        return tuple(self._until_ms)
