"""The protocol that consumers embed in JoinGroup and SyncGroup: subscriptions and assignments.

The bytes start with a version. Later versions only append fields, so that a version that is not
known is read as the last one that is.

Source: `ConsumerProtocol`.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from minikafka.messages.data.consumer_protocol_assignment import (
    ConsumerProtocolAssignment,
    TopicPartition,
)
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.protocol.primitives import MalformedMessage, Reader, Writer

_VERSION_SIZE: Final = 2


def version_of(data: bytes) -> int:
    """Return the version that embedded bytes start with.

    Raises:
        MalformedMessage: they start with none.
    """
    if len(data) < _VERSION_SIZE:
        raise MalformedMessage("a subscription or assignment must start with its version")
    version = int.from_bytes(data[:_VERSION_SIZE], "big", signed=True)
    if version < 0:
        raise MalformedMessage("the version of a subscription or assignment must not be negative")
    return version


def subscription_of(data: bytes) -> ConsumerProtocolSubscription:
    """Return the subscription in a member's metadata.

    Raises:
        MalformedMessage: there is none.
    """
    known = min(version_of(data), ConsumerProtocolSubscription.MAX_VERSION)
    return ConsumerProtocolSubscription.decode(Reader(data, _VERSION_SIZE), known)


def assignment_of(data: bytes) -> ConsumerProtocolAssignment:
    """Return the assignment in a leader's SyncGroup.

    Raises:
        MalformedMessage: there is none.
    """
    known = min(version_of(data), ConsumerProtocolAssignment.MAX_VERSION)
    return ConsumerProtocolAssignment.decode(Reader(data, _VERSION_SIZE), known)


def assignment_bytes(partitions: Mapping[str, Iterable[int]], version: int) -> bytes:
    """Return an assignment of partitions by topic name, for a member of this version."""
    known = min(version, ConsumerProtocolAssignment.MAX_VERSION)
    writer = Writer()
    writer.buf += version.to_bytes(_VERSION_SIZE, "big")
    ConsumerProtocolAssignment(
        [TopicPartition(topic, sorted(indexes)) for topic, indexes in partitions.items()]
    ).encode(writer, known)
    return bytes(writer.buf)
