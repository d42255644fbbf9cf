"""Records of consumer groups on the wire."""

import pytest

from minikafka.messages.coordinator.consumer_group_member_metadata import (
    ClassicMemberMetadata,
    ClassicProtocol,
    ConsumerGroupMemberMetadataValue,
)
from minikafka.protocol.message import decode_message, encode_message

START = "000001010100ffffffff00"


@pytest.mark.parametrize(
    ("classic", "tags"),
    [
        (None, "01000100"),
        (ClassicMemberMetadata(5, []), "01000701000000050100"),
        (
            ClassicMemberMetadata(5, [ClassicProtocol("r", b"\t")]),
            "01000c010000000502027202090000",
        ),
    ],
)
def test_a_member_has_the_bytes_of_apache_kafkas_class(classic, tags):
    """Of version 4.3.1. Without a tag it would read an empty classic member."""
    value = ConsumerGroupMemberMetadataValue(
        None, None, "", "", [], None, -1, None, classic_member_metadata=classic
    )
    data = bytes.fromhex(START + tags)
    assert encode_message(value, 0) == data
    assert decode_message(ConsumerGroupMemberMetadataValue, data, 0) == value


def test_a_member_without_the_tag_is_no_classic_one():
    """Such records are in logs that earlier versions wrote."""
    data = bytes.fromhex(START + "00")
    found = decode_message(ConsumerGroupMemberMetadataValue, data, 0)
    assert found.classic_member_metadata is None
