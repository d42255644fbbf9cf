import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.messages.api_keys import APIS, ApiKey, request_class, response_class
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from minikafka.messages.delete_topics import DeleteTopicsRequest
from minikafka.messages.fetch import FetchableTopicResponse, FetchResponse, PartitionData
from minikafka.messages.headers import RequestHeader as RequestHeaderMessage
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic, MetadataResponse
from minikafka.protocol.message import ApiMessage, encode_message
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import (
    MAX_HEARTBEAT_ELEMENTS,
    MAX_REQUEST_ELEMENTS,
    RequestHeader,
    UnknownApiKeyError,
    UnsupportedApiVersionError,
    decode_request,
    decode_response,
    encode_request,
    encode_response,
)
from tests.worlds.all_messages import make_importable


def frame_of(parts: list) -> memoryview:
    """The frame behind the size prefix, which must say how long it is."""
    data = b"".join(parts)
    assert int.from_bytes(data[:4]) == len(data) - 4
    return memoryview(data)[4:]


@pytest.mark.parametrize("client_id", [None, "", "client", "größe"])
@pytest.mark.parametrize("version", [8, 9])
def test_request_survives_the_round_trip(client_id: str | None, version: int) -> None:
    body = MetadataRequest(allow_auto_topic_creation=False)
    frame = frame_of(encode_request(7, client_id, body, version))
    assert decode_request(frame) == (RequestHeader(3, version, 7, client_id), body)


def listed(topics: int, partitions: int) -> ListOffsetsRequest:
    rows = [ListOffsetsPartition()] * partitions
    return ListOffsetsRequest(topics=[ListOffsetsTopic("", rows)] * topics)


MOST = MAX_REQUEST_ELEMENTS
TAG = [(9, b"")]


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (listed(MOST, 0), 7),
        (listed(1, MOST), 7),
        (listed(MOST // 11, 10), 1),
        (DeleteTopicsRequest(topic_names=["t"] * MOST), 3),
        (DeleteTopicsRequest(topic_names=["t"] * MOST), 5),
        (MetadataRequest(topics=[MetadataRequestTopic(name="t")] * (MOST // 3)), 9),
    ],
)
def test_a_request_has_a_bounded_number_of_elements(body: ApiMessage, version: int) -> None:
    frame = frame_of(encode_request(7, None, body, version))
    assert decode_request(frame)[1] == body


@pytest.mark.parametrize(
    ("body", "version"),
    [
        (listed(MOST + 1, 0), 7),
        (listed(1, MOST + 1), 7),
        (listed(MOST // 10, 10), 1),
        (listed(MOST // 2, 2), 7),
        (DeleteTopicsRequest(topic_names=["t"] * (MOST + 1)), 3),
        (DeleteTopicsRequest(topic_names=["t"] * (MOST + 1)), 5),
        (MetadataRequest(topics=[], unknown_tagged_fields=TAG * (MOST + 1)), 9),
        (
            MetadataRequest(
                topics=[MetadataRequestTopic(name="t", unknown_tagged_fields=TAG * 2)] * (MOST // 2)
            ),
            9,
        ),
    ],
)
def test_a_request_of_too_many_elements_is_malformed(body: ApiMessage, version: int) -> None:
    frame = frame_of(encode_request(7, None, body, version))
    with pytest.raises(MalformedMessage, match=f"more than {MOST} elements"):
        decode_request(frame)


def test_a_heartbeat_of_a_consumer_group_may_have_more_elements() -> None:
    body = ConsumerGroupHeartbeatRequest(subscribed_topic_names=["t"] * MAX_HEARTBEAT_ELEMENTS)
    frame = frame_of(encode_request(7, None, body, 1))
    assert decode_request(frame, 10)[1] == body
    body.subscribed_topic_names = ["t"] * (MAX_HEARTBEAT_ELEMENTS + 1)
    frame = frame_of(encode_request(7, None, body, 1))
    with pytest.raises(MalformedMessage, match=f"more than {MAX_HEARTBEAT_ELEMENTS} elements"):
        decode_request(frame, 10)


def test_tagged_fields_of_a_header_count_as_elements() -> None:
    header = RequestHeaderMessage(3, 9, 7, "c", unknown_tagged_fields=TAG * (MOST + 1))
    frame = encode_message(header, 2) + encode_message(MetadataRequest(), 9)
    with pytest.raises(MalformedMessage, match=f"more than {MOST} elements"):
        decode_request(memoryview(frame))


def test_request_header_is_the_one_of_the_schema() -> None:
    for version, header_version in ((8, 1), (9, 2)):
        header = RequestHeaderMessage(3, version, 7, "client")
        body = MetadataRequest()
        expected = encode_message(header, header_version) + encode_message(body, version)
        assert frame_of(encode_request(7, "client", body, version)) == expected


def test_tagged_fields_in_a_request_header_are_skipped() -> None:
    header = RequestHeaderMessage(3, 9, 7, "c", unknown_tagged_fields=[(4, b"abc")])
    frame = encode_message(header, 2) + encode_message(MetadataRequest(), 9)
    assert decode_request(memoryview(frame))[1] == MetadataRequest()


@pytest.mark.parametrize(("version", "header"), [(8, 4), (9, 5)])
def test_response_header_has_tags_where_the_response_is_flexible(version: int, header: int) -> None:
    body = MetadataResponse(controller_id=5)
    frame = frame_of(encode_response(7, body, version))
    assert frame[header:] == encode_message(body, version)
    assert decode_response(frame, ApiKey.METADATA, version) == (7, body)


@pytest.mark.parametrize("version", [0, 3, 4])
def test_api_versions_response_never_has_header_tags(version: int) -> None:
    body = ApiVersionsResponse(api_keys=[ApiVersion(18, 0, 4)])
    frame = frame_of(encode_response(7, body, version))
    assert frame[4:] == encode_message(body, version)
    assert decode_response(frame, ApiKey.API_VERSIONS, version) == (7, body)


def test_refused_api_versions_is_read_as_version_0_whatever_was_asked() -> None:
    body = ApiVersionsResponse(error_code=35, api_keys=[ApiVersion(18, 0, 3)])
    frame = frame_of(encode_response(7, body, 0))
    assert decode_response(frame, ApiKey.API_VERSIONS, 4) == (7, body)


def test_unknown_key_and_unsupported_version_have_different_errors() -> None:
    unknown = RequestHeaderMessage(77_7, 0, 5, "c")
    with pytest.raises(UnknownApiKeyError, match="777") as refused:
        decode_request(memoryview(encode_message(unknown, 1)))
    assert refused.value.header == RequestHeader(777, 0, 5, "c")
    late = RequestHeaderMessage(ApiKey.API_VERSIONS, 99, 6, "c")
    with pytest.raises(UnsupportedApiVersionError, match="ApiVersions has no version 99") as old:
        decode_request(memoryview(encode_message(late, 2)))
    assert old.value.header.correlation_id == 6


@pytest.mark.parametrize("size", range(14))
def test_header_cut_short_is_malformed(size: int) -> None:
    frame = frame_of(encode_request(7, "client", ApiVersionsRequest(), 3))
    with pytest.raises(MalformedMessage):
        decode_request(frame[:size])


def test_response_cut_short_is_malformed() -> None:
    frame = frame_of(encode_response(7, MetadataResponse(), 9))
    for size in range(len(frame)):
        with pytest.raises(MalformedMessage):
            decode_response(frame[:size], ApiKey.METADATA, 9)


@given(st.binary(max_size=60))
def test_any_bytes_are_a_request_or_refused_by_name(garbage: bytes) -> None:
    try:
        header, _ = decode_request(memoryview(garbage))
    except (UnknownApiKeyError, UnsupportedApiVersionError, MalformedMessage):
        return
    assert header.api_key in APIS


@given(st.sampled_from(sorted(APIS)), st.data(), st.binary(max_size=60))
def test_any_body_behind_a_good_header_is_read_or_malformed(
    key: int, data: st.DataObject, garbage: bytes
) -> None:
    make_importable()
    info = APIS[key]
    version = data.draw(st.integers(info.min_version, info.max_version))
    header = RequestHeaderMessage(key, version, 1, None)
    front = encode_message(header, 2 if version >= info.flexible_from else 1)
    try:
        _, body = decode_request(memoryview(front + garbage))
    except MalformedMessage:
        return
    assert type(body) is request_class(key)


def test_large_records_leave_as_a_part_of_their_own_and_count_in_the_size() -> None:
    records = memoryview(bytes(10_000))
    topic = FetchableTopicResponse(topic="t", partitions=[PartitionData(records=records)])
    parts = encode_response(1, FetchResponse(responses=[topic]), 11)
    assert any(part is records for part in parts)
    frame_of(parts)


def test_every_api_has_both_classes_of_its_key_and_versions() -> None:
    def facts(kind: type[ApiMessage]) -> tuple[int, ...]:
        return kind.API_KEY, kind.MIN_VERSION, kind.MAX_VERSION, kind.FLEXIBLE_FROM

    make_importable()
    for key, info in APIS.items():
        expected = (key, info.min_version, info.max_version, info.flexible_from)
        assert facts(request_class(key)) == facts(response_class(key)) == expected
    with pytest.raises(KeyError):
        request_class(12345)


def test_a_request_that_cannot_be_read_keeps_no_bytes_when_its_error_is_gone():
    class Frame(bytearray):
        """Can be referred to weakly."""

    request = MetadataRequest(topics=[MetadataRequestTopic(name="t")])
    frame = Frame(b"".join(encode_request(1, "me", request, 4))[4:-4])
    released = weakref.ref(frame)
    gc.collect()
    gc.disable()
    try:
        with pytest.raises(MalformedMessage):
            decode_request(memoryview(frame))
        del frame
        assert released() is None
    finally:
        gc.enable()
