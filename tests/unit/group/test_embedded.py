"""What consumers embed in JoinGroup and SyncGroup."""

import pytest

from minikafka.group.embedded import (
    assignment_bytes,
    assignment_of,
    subscription_of,
    version_of,
)
from minikafka.messages.data.consumer_protocol_subscription import ConsumerProtocolSubscription
from minikafka.protocol.primitives import MalformedMessage, Writer


def test_an_assignment_is_read_as_it_was_written():
    data = assignment_bytes({"t": {2, 0}, "u": {1}}, 3)
    found = assignment_of(data)
    assert [(each.topic, each.partitions) for each in found.assigned_partitions] == [
        ("t", [0, 2]),
        ("u", [1]),
    ]
    assert version_of(data) == 3


@pytest.mark.parametrize("version", [0, 3, 7])
def test_later_versions_are_read_as_the_last_one_that_is_known(version):
    writer = Writer()
    ConsumerProtocolSubscription(["t"]).encode(writer, min(version, 3))
    data = version.to_bytes(2, "big") + bytes(writer.buf) + (b"more" if version == 7 else b"")
    assert subscription_of(data).topics == ["t"]


@pytest.mark.parametrize("data", [b"", b"\0", b"\xff\xff", b"\0\0\0"])
def test_bytes_that_are_no_subscription_are_refused(data):
    with pytest.raises(MalformedMessage):
        subscription_of(data)
