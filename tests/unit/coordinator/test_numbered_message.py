"""Messages behind a record type or a version."""

import pytest

from minikafka.coordinator.numbered_message import encode_key, encode_value, number_of, reader_of
from minikafka.messages.coordinator.offset_commit import OffsetCommitKey, OffsetCommitValue
from minikafka.protocol.primitives import MalformedMessage


def test_a_key_begins_with_its_type_and_a_value_with_its_version():
    key, value = OffsetCommitKey("g", "t", 3), OffsetCommitValue(offset=7)
    encoded = encode_key(1, key), encode_value(value, 3)
    assert [number_of(each) for each in encoded] == [1, 3]
    assert OffsetCommitKey.decode(reader_of(encoded[0]), 0) == key
    assert OffsetCommitValue.decode(reader_of(encoded[1]), 3).offset == 7


@pytest.mark.parametrize("data", [b"", b"\0"])
def test_a_number_that_is_cut_short_is_malformed(data):
    with pytest.raises(MalformedMessage):
        number_of(data)
