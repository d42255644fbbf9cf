"""The hash of all that targets depend on in the metadata: topics, partitions, racks.

A group's epoch grows when its hash changes. The hash is in the group's record, so that it must be
the one that other brokers compute: XXH3 over numbers in little endian and strings in UTF-16, each
string followed by its length.

Source: `Utils.computeTopicHash`, `computeGroupHash`, `ModernGroup.computeMetadataHash`; KIP-1101.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from struct import Struct
from typing import Final

from minikafka.common.ids import Uuid
from minikafka.metadata.image import MetadataImage, TopicImage

_INT: Final = Struct("<i")
_LONG: Final = Struct("<q")
_HALVES: Final = Struct(">qq")
_LITTLE_HALVES: Final = Struct("<qq")
_MAGIC: Final = b"\0"
_SIGN: Final = 1 << 63


@dataclass(slots=True, eq=False)
class TopicHashes:
    """Hashes of topics. One is computed again when the topic, or the rack of a broker, changes."""

    _known: dict[Uuid, tuple[TopicImage, int]] = field(default_factory=dict)
    _racks: dict[int, str | None] = field(default_factory=dict)
    _brokers: object = None

    def of_group(self, names: Iterable[str], image: MetadataImage) -> int:
        """Return the hash of those topics that exist; 0 if none does."""
        from xxhash import xxh3_64_intdigest  # noqa: PLC0415 - only groups of this protocol need it

        self._take_racks(image)
        # Only those that exist are sorted: a member may name very many others.
        known = sorted((name for name in names if name in image.topic_ids), key=_java_order)
        ids = image.topic_ids
        found = [_LONG.pack(self._of_topic(image.topics[ids[name]])) for name in known]
        return _signed(xxh3_64_intdigest(b"".join(found))) if found else 0

    def _take_racks(self, image: MetadataImage) -> None:
        if self._brokers is image.brokers:
            return
        self._brokers = image.brokers
        racks = {broker_id: broker.rack for broker_id, broker in image.brokers.items()}
        if racks != self._racks:
            self._racks = racks
            self._known.clear()

    def _of_topic(self, topic: TopicImage) -> int:
        known = self._known.get(topic.topic_id)
        if known is not None and known[0] is topic:
            return known[1]
        value = topic_hash(topic, self._racks)
        self._known[topic.topic_id] = (topic, value)
        return value


def topic_hash(topic: TopicImage, racks: dict[int, str | None]) -> int:
    """Return the hash of one topic, as a signed 64-bit number."""
    from xxhash import xxh3_64_intdigest  # noqa: PLC0415

    parts = [
        _MAGIC,
        _LITTLE_HALVES.pack(*_HALVES.unpack(topic.topic_id)),
        _text(topic.name),
        _INT.pack(len(topic.partitions)),
    ]
    for index in range(len(topic.partitions)):
        parts.append(_INT.pack(index))
        here = [racks.get(replica) for replica in topic.partitions[index].replicas]
        for rack in sorted((each for each in here if each is not None), key=_java_order):
            parts += (_INT.pack(_units(rack)), _text(rack))
    return _signed(xxh3_64_intdigest(b"".join(parts)))


def _text(text: str) -> bytes:
    data = text.encode("utf-16-le", "surrogatepass")
    return data + _INT.pack(len(data) // 2)


def _units(text: str) -> int:
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _java_order(text: str) -> bytes:
    return text.encode("utf-16-be", "surrogatepass")


def _signed(value: int) -> int:
    return value - (1 << 64) if value & _SIGN else value
