import pytest

from minikafka.messages.create_topics import CreateTopicsRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic, ReplicaState
from minikafka.messages.metadata import MetadataRequest
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.protocol.message import decode_message, encode_message
from minikafka.protocol.primitives import (
    MalformedMessage,
    OutOfRangeError,
    Reader,
    UnknownMessageVersionError,
    UnsupportedFieldError,
    Writer,
)


def produce(records: bytes) -> ProduceRequest:
    partition = PartitionProduceData(index=1, records=records)
    return ProduceRequest(acks=-1, topic_data=[TopicProduceData("t", partition_data=[partition])])


def test_fetch_request_has_the_bytes_of_the_protocol_guide() -> None:
    request = FetchRequest(
        max_wait_ms=1,
        min_bytes=2,
        max_bytes=3,
        topics=[FetchTopic(topic="t", partitions=[FetchPartition(4, fetch_offset=5)])],
    )
    assert encode_message(request, 4).hex(" ", 4) == bytes.fromhex(
        "ffffffff 00000001 00000002 00000003 00"  # replica, max wait, min and max bytes, isolation
        "00000001 0001 74"  # one topic
        "00000001 00000004 0000000000000005 00000000"  # one partition: index, offset, max bytes
    ).hex(" ", 4)


def test_records_are_a_view_of_the_frame() -> None:
    frame = bytearray(encode_message(produce(b"r" * 100), 9))
    request = ProduceRequest.decode(Reader(memoryview(frame)), 9)
    records = request.topic_data[0].partition_data[0].records
    assert isinstance(records, memoryview)
    frame[frame.index(b"rrr")] = ord("X")
    assert bytes(records[:2]) == b"Xr"


def test_large_records_are_written_by_reference() -> None:
    records = bytes(5000)
    writer = Writer()
    produce(records).encode(writer, 9)
    assert any(part is records for part in writer.parts())


def test_field_that_the_version_lacks_is_refused_by_name_unless_ignorable() -> None:
    stranger = FetchRequest(replica_state=ReplicaState(replica_id=1))
    with pytest.raises(UnsupportedFieldError, match=r"FetchRequest version 14 .* replica_state"):
        encode_message(stranger, 14)
    ignorable = FetchRequest(rack_id="r")
    assert decode_message(FetchRequest, encode_message(ignorable, 4), 4).rack_id == ""


def test_null_where_the_version_has_none_is_refused() -> None:
    assert (
        decode_message(MetadataRequest, encode_message(MetadataRequest(None), 1), 1).topics is None
    )
    with pytest.raises(UnsupportedFieldError, match="null topics"):
        encode_message(MetadataRequest(topics=None), 0)


def test_version_out_of_range_is_refused() -> None:
    for version in (3, 19):
        with pytest.raises(UnknownMessageVersionError, match=f"no version {version}"):
            encode_message(FetchRequest(), version)
        with pytest.raises(UnknownMessageVersionError):
            decode_message(FetchRequest, b"", version)


def test_tagged_struct_is_none_when_absent_and_absent_when_it_equals_a_new_one() -> None:
    assert FetchRequest().replica_state is None
    assert encode_message(FetchRequest(replica_state=ReplicaState()), 15) == encode_message(
        FetchRequest(), 15
    )


def test_unknown_tagged_fields_are_kept() -> None:
    request = FetchRequest(cluster_id="c", unknown_tagged_fields=[(500, b"x")])
    data = encode_message(request, 15)
    read = decode_message(FetchRequest, data, 15)
    assert read.unknown_tagged_fields == [(500, b"x")]
    assert encode_message(read, 15) == data


def test_tagged_field_longer_than_its_content_is_refused() -> None:
    data = encode_message(FetchRequest(cluster_id="c"), 15)
    assert data.endswith(b"\x01\x00\x02\x02c")
    with pytest.raises(MalformedMessage, match="tagged field 0"):
        decode_message(FetchRequest, data[:-3] + b"\x03\x02c\0", 15)


def test_our_extension_leaves_released_bytes_alone_when_unset() -> None:
    # R1; the tag section stays empty.
    assert encode_message(PartitionChangeRecord(partition_id=1), 2).endswith(bytes(16) + b"\0")
    changed = PartitionChangeRecord(partition_id=1, last_known_leader=7)
    data = encode_message(changed, 2)
    assert data.endswith(b"\x01" + b"\x90\x4e" + b"\x04" + b"\0\0\0\x07")
    assert decode_message(PartitionChangeRecord, data, 2) == changed


def test_malformed_message_names_message_version_and_byte() -> None:
    with pytest.raises(MalformedMessage, match=r"MetadataRequest version 12 near byte \d+ of 2"):
        decode_message(MetadataRequest, b"\x02\xff", 12)


def test_bytes_behind_the_message_are_refused_by_decode_message_and_left_by_decode() -> None:
    data = encode_message(MetadataRequest(), 12) + b"more"
    with pytest.raises(MalformedMessage, match="4 bytes left over"):
        decode_message(MetadataRequest, data, 12)
    reader = Reader(data)
    MetadataRequest.decode(reader, 12)
    assert reader.remaining == 4


def test_messages_compare_by_value_and_print_their_fields() -> None:
    assert FetchPartition(1) == FetchPartition(1) != FetchPartition(2)
    assert FetchPartition(1) != FetchTopic()
    assert repr(FetchTopic("t")).startswith("FetchTopic(topic='t', topic_id=Uuid(AAAA")


def test_each_message_has_lists_of_its_own() -> None:
    FetchRequest().topics.append(FetchTopic())
    assert FetchRequest().topics == []


def test_a_number_that_does_not_fit_is_named() -> None:
    request = CreateTopicsRequest(timeout_ms=1 << 40)
    with pytest.raises(OutOfRangeError, match="CreateTopicsRequest version 7: a number is out of"):
        encode_message(request, 7)
