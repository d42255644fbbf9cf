"""Metadata records as bytes: the value of each record in the metadata log.

`value = uvarint frame version (1) | uvarint record type | uvarint version | message`; no key.

Source: `AbstractApiMessageSerde`, `MetadataRecordSerde`, `MetadataVersion` (the record versions of
a level).
"""

from functools import cache
from typing import Any, ClassVar, Protocol

from minikafka.messages.metadata_records.record_types import metadata_record_class
from minikafka.protocol.message import Message
from minikafka.protocol.primitives import MalformedMessage, Reader, Writer, uvarint

_FRAME_VERSION = 1


class MetadataRecord(Message, Protocol):
    """A generated message with a record type."""

    API_KEY: ClassVar[int]


def record_version(record: MetadataRecord, metadata_version: int) -> int:
    """The version in which a cluster at `metadata_version` writes a record.

    For BrokerRegistrationChange it is the lowest version that has the fields that are set, as in
    released Kafka.
    """
    name = type(record).__name__
    if name == "BrokerRegistrationChangeRecord":
        return _change_version(record)
    for level, version in _VERSIONS.get(name, ()):
        if metadata_version >= level:
            return version
    return 0


def _change_version(record: Any) -> int:
    if record.cordoned_log_dirs is not None:
        return 3
    if record.log_dirs:
        return 2
    return 1 if record.in_controlled_shutdown else 0


# (metadata.version, record version), highest first.
_VERSIONS: dict[str, tuple[tuple[int, int], ...]] = {
    "RegisterBrokerRecord": ((30, 4), (17, 3), (8, 2), (7, 1)),
    "PartitionRecord": ((23, 2), (17, 1)),
    "PartitionChangeRecord": ((23, 2), (17, 1)),
}


def encode_record(record: MetadataRecord, version: int) -> bytes:
    """Encode a record as a value in the metadata log."""
    writer = Writer()
    writer.buf += _head(record.API_KEY, version)
    record.encode(writer, version)
    return writer.to_bytes()


@cache
def _head(record_type: int, version: int) -> bytes:
    return uvarint(_FRAME_VERSION) + uvarint(record_type) + uvarint(version)


@cache
def _record_class(record_type: int, version: int) -> Any:
    try:
        record_class: Any = metadata_record_class(record_type)
    except KeyError:
        raise MalformedMessage(f"unknown metadata record type {record_type}") from None
    if not record_class.MIN_VERSION <= version <= record_class.MAX_VERSION:
        raise MalformedMessage(f"{record_class.__name__} has no version {version}")
    return record_class


def decode_record(value: bytes | memoryview | None) -> MetadataRecord:
    """Decode a value in the metadata log.

    Raises:
        MalformedMessage: an unknown frame version, record type or record version, too few bytes, or
            bytes left over.
    """
    if not value:
        raise MalformedMessage("a metadata record has no value")
    reader = Reader(value)
    frame_version = reader.read_uvarint()
    if frame_version != _FRAME_VERSION:
        raise MalformedMessage(f"metadata record with frame version {frame_version}, not 1")
    record_type = reader.read_uvarint()
    version = reader.read_uvarint()
    record_class = _record_class(record_type, version)
    record: MetadataRecord = record_class.decode(reader, version)
    if reader.remaining:
        raise MalformedMessage(f"{reader.remaining} bytes after a {record_class.__name__}")
    return record
