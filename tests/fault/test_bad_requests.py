"""Bad input from the network: Kafka's error, one log line, and the node keeps running."""

import random
import socket
import struct

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.create_topics import CreatableTopic, CreateTopicsRequest
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.protocol.message import decode_message
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.rpc.envelope import decode_response, encode_request


class Client:
    """A socket that sends given bytes."""

    def __init__(self, cluster, port=None):
        self.socket = socket.create_connection(("127.0.0.1", port or cluster.port(1)), timeout=20)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def ask(self, request, version):
        self.send(b"".join(bytes(part) for part in encode_request(7, "bad", request, version)))
        correlation_id, response = decode_response(
            memoryview(self.frame()), request.API_KEY, version
        )
        assert correlation_id == 7
        return response

    def frame(self):
        (size,) = struct.unpack(">i", self.exactly(4))
        return self.exactly(size)

    def exactly(self, count):
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise ConnectionError("closed")
            data += piece
        return data

    def is_closed(self):
        try:
            return self.socket.recv(1) == b""
        except ConnectionError:
            return True


@pytest.fixture(autouse=True)
def node_lives(node):
    """After every test the node still answers."""
    yield
    with Client(node) as client:
        assert client.ask(ApiVersionsRequest("test", "1"), 3).error_code == 0


@pytest.fixture(scope="module")
def topic(node):
    with Client(node) as client:
        request = CreateTopicsRequest(
            topics=[CreatableTopic("t", num_partitions=1, replication_factor=1)], timeout_ms=10_000
        )
        assert client.ask(request, 5).topics[0].error_code == 0
    return "t"


@pytest.mark.parametrize("size", [-1, -(2**31), 1_000_001, 2**31 - 1])
def test_frame_of_a_size_that_is_not_allowed_ends_the_connection(node, size):
    with Client(node) as client:
        client.send(struct.pack(">i", size))
        assert client.is_closed()


def test_garbage_ends_the_connection(node):
    rng = random.Random(3)
    for _ in range(50):
        with Client(node) as client:
            body = rng.randbytes(rng.randrange(1, 200))
            client.send(struct.pack(">i", len(body)) + body)
            client.socket.shutdown(socket.SHUT_WR)
            while client.socket.recv(65536):
                pass


def test_half_a_frame_and_a_broken_connection(node):
    with Client(node) as client:
        client.send(struct.pack(">i", 500) + b"\0" * 100)


def test_unknown_api_key_ends_the_connection(node):
    with Client(node) as client:
        client.send(struct.pack(">ihhih", 10, 12345, 0, 1, -1))
        assert client.is_closed()


@pytest.mark.parametrize("key", [key for key in ApiKey if key != ApiKey.API_VERSIONS])
def test_unknown_version_ends_the_connection(node, key):
    with Client(node) as client:
        client.send(struct.pack(">ihhih", 10, key, APIS[key].max_version + 1, 1, -1))
        assert client.is_closed()


def test_unknown_version_of_api_versions_is_answered_in_version_0(node):
    """KIP-511."""
    with Client(node) as client:
        client.send(struct.pack(">ihhih", 10, ApiKey.API_VERSIONS, 99, 7, -1))
        frame = client.frame()
    response = decode_message(ApiVersionsResponse, frame[4:], 0)
    assert response.error_code == ErrorCode.UNSUPPORTED_VERSION
    assert [(k.api_key, k.min_version) for k in response.api_keys] == [(ApiKey.API_VERSIONS, 0)]


@pytest.mark.parametrize("name", ["", "-bad", "bad name"])
def test_client_software_that_is_no_word_is_refused(node, name):
    with Client(node) as client:
        response = client.ask(ApiVersionsRequest(name, "1"), 3)
    assert response.error_code == ErrorCode.INVALID_REQUEST


def test_controller_apis_are_not_served_to_clients(node):
    with Client(node) as client:
        client.send(struct.pack(">ihhihB", 11, ApiKey.BROKER_HEARTBEAT, 0, 1, -1, 0))
        assert client.is_closed()


def test_every_truncation_of_a_request_is_survived(node):
    whole = b"".join(
        bytes(part)
        for part in encode_request(
            1, "c", MetadataRequest(topics=[MetadataRequestTopic(name="x")]), 12
        )
    )[4:]
    for cut in range(len(whole)):
        with Client(node) as client:
            client.send(struct.pack(">i", cut) + whole[:cut])
            client.socket.shutdown(socket.SHUT_WR)
            while client.socket.recv(65536):
                pass


def produce_request(topic, records, acks=-1):
    return ProduceRequest(
        acks=acks,
        timeout_ms=5000,
        topic_data=[TopicProduceData(topic, partition_data=[PartitionProduceData(0, records)])],
    )


def produce(client, topic, records, version=9, acks=-1):
    answer = client.ask(produce_request(topic, records, acks), version)
    return answer.responses[0].partition_responses[0]


def batch(count=3, **options):
    rows = [NewRecord(1_700_000_000_000, None, b"v%d" % i) for i in range(count)]
    return build_batch(rows, BatchOptions(**options))


def test_wrong_checksum(node, topic):
    records = batch()
    records[-1] ^= 1
    with Client(node) as client:
        assert produce(client, topic, records).error_code == ErrorCode.CORRUPT_MESSAGE


def test_records_that_are_cut_off(node, topic):
    with Client(node) as client:
        answer = produce(client, topic, batch()[:-3])
    assert answer.error_code in (ErrorCode.CORRUPT_MESSAGE, ErrorCode.INVALID_RECORD)


def test_no_records_at_all(node, topic):
    with Client(node) as client:
        assert produce(client, topic, b"").error_code == ErrorCode.INVALID_RECORD


def test_two_batches_in_one_request(node, topic):
    with Client(node) as client:
        assert produce(client, topic, batch() + batch()).error_code == ErrorCode.INVALID_RECORD


def test_control_batch_from_a_client(node, topic):
    with Client(node) as client:
        answer = produce(client, topic, batch(is_control=True))
    assert answer.error_code == ErrorCode.INVALID_RECORD


def test_batch_that_does_not_begin_at_offset_zero(node, topic):
    with Client(node) as client:
        answer = produce(client, topic, batch(base_offset=5))
    assert answer.error_code == ErrorCode.INVALID_RECORD


def test_batch_over_the_size_limit(node):
    with Client(node) as client:
        from minikafka.messages.create_topics import CreatableTopicConfig

        small = CreatableTopic(
            "small",
            num_partitions=1,
            replication_factor=1,
            configs=[CreatableTopicConfig("max.message.bytes", "100")],
        )
        client.ask(CreateTopicsRequest(topics=[small], timeout_ms=10_000), 5)
        answer = produce(client, "small", batch(50))
    assert answer.error_code == ErrorCode.MESSAGE_TOO_LARGE


def test_zstd_before_the_version_that_knows_it(node, topic):
    with Client(node) as client:
        answer = produce(client, topic, batch(codec=4), version=6)
    assert answer.error_code == ErrorCode.UNSUPPORTED_COMPRESSION_TYPE


@pytest.mark.parametrize("acks", [2, -2, 100])
def test_acks_that_do_not_exist(node, topic, acks):
    with Client(node) as client:
        assert (
            produce(client, topic, batch(), acks=acks).error_code == ErrorCode.INVALID_REQUIRED_ACKS
        )


def test_failed_produce_without_acknowledgement_ends_the_connection(node):
    with Client(node) as client:
        request = ProduceRequest(
            acks=0,
            topic_data=[
                TopicProduceData("nowhere", partition_data=[PartitionProduceData(0, batch())])
            ],
        )
        client.send(b"".join(bytes(part) for part in encode_request(1, "c", request, 9)))
        assert client.is_closed()


def test_internal_topics_are_not_for_producers(node):
    with Client(node) as client:
        answer = produce(client, "__consumer_offsets", batch())
    assert answer.error_code in (
        ErrorCode.INVALID_TOPIC_EXCEPTION,
        ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    )


@pytest.mark.parametrize("name", ["", ".", "..", "a b", "a/b", "x" * 250, "ä"])
def test_topic_names_that_are_not_allowed(node, name):
    with Client(node) as client:
        request = CreateTopicsRequest(
            topics=[CreatableTopic(name, num_partitions=1, replication_factor=1)], timeout_ms=5000
        )
        created = client.ask(request, 5).topics[0]
        described = client.ask(MetadataRequest(topics=[MetadataRequestTopic(name=name)]), 9)
    assert created.error_code == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert described.topics[0].error_code == ErrorCode.INVALID_TOPIC_EXCEPTION


def fetch_request(topic, offset, epoch=-1, **changes):
    return FetchRequest(
        max_bytes=1_000_000,
        topics=[
            FetchTopic(
                topic,
                partitions=[
                    FetchPartition(
                        0, fetch_offset=offset, partition_max_bytes=1000, current_leader_epoch=epoch
                    )
                ],
            )
        ],
        **{"max_wait_ms": 0, **changes},
    )


def fetch(client, topic, offset, epoch=-1, **changes):
    return client.ask(fetch_request(topic, offset, epoch, **changes), 12)


def test_fetch_of_an_offset_that_is_not_there(node, topic):
    with Client(node) as client:
        data = fetch(client, topic, 10_000).responses[0].partitions[0]
    assert data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE
    assert data.high_watermark == -1


def test_fetch_with_another_leader_epoch(node, topic):
    with Client(node) as client:
        data = fetch(client, topic, 0, epoch=99).responses[0].partitions[0]
    assert data.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH


def test_fetch_in_a_session_that_does_not_exist(node, topic):
    with Client(node) as client:
        response = fetch(client, topic, 0, session_id=77, session_epoch=3)
    assert response.error_code == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_fetch_with_a_session_epoch_out_of_turn(node, topic):
    with Client(node) as client:
        session = fetch(client, topic, 0, session_epoch=0).session_id
        assert session > 0
        response = fetch(client, topic, 0, session_id=session, session_epoch=5)
    assert response.error_code == ErrorCode.INVALID_FETCH_SESSION_EPOCH


@pytest.mark.parametrize(
    ("timestamp", "version", "code"),
    [
        (-7, 9, ErrorCode.UNSUPPORTED_VERSION),
        (-3, 6, ErrorCode.UNSUPPORTED_VERSION),
        (-3, 7, ErrorCode.NONE),
    ],
)
def test_offsets_by_special_timestamps(node, topic, timestamp, version, code):
    request = ListOffsetsRequest(
        replica_id=-1,
        topics=[ListOffsetsTopic(topic, [ListOffsetsPartition(0, timestamp=timestamp)])],
    )
    with Client(node) as client:
        assert client.ask(request, version).topics[0].partitions[0].error_code == code


def test_the_same_partition_twice_in_list_offsets(node, topic):
    twice = [ListOffsetsPartition(0, timestamp=-1), ListOffsetsPartition(0, timestamp=-2)]
    with Client(node) as client:
        response = client.ask(
            ListOffsetsRequest(replica_id=-1, topics=[ListOffsetsTopic(topic, twice)]), 7
        )
    codes = {partition.error_code for partition in response.topics[0].partitions}
    assert codes == {ErrorCode.INVALID_REQUEST}


def test_answers_of_pipelined_requests_keep_their_order(node, topic):
    """A Produce that waits for its flush, a long poll, and quick requests, all in one go."""
    records = batch()
    with Client(node) as client:
        begin = fetch(client, topic, 0).responses[0].partitions[0].high_watermark
        ends = [begin + 3 * number for number in range(1, 11)]
        sent = [
            pair
            for end in ends
            for pair in (
                (produce_request(topic, records), 9),
                (fetch_request(topic, end, max_wait_ms=30, min_bytes=1), 12),
                (ApiVersionsRequest("c", "1"), 3),
                (MetadataRequest(topics=[]), 9),
            )
        ]
        client.send(
            b"".join(
                bytes(part)
                for number, (request, version) in enumerate(sent)
                for part in encode_request(number, "c", request, version)
            )
        )
        answers = []
        for number, (request, version) in enumerate(sent):
            frame = memoryview(client.frame())
            correlation_id, answer = decode_response(frame, request.API_KEY, version)
            assert correlation_id == number
            answers.append(answer)
    written = [answer.responses[0].partition_responses[0] for answer in answers[::4]]
    assert [(it.error_code, it.base_offset) for it in written] == [(0, end - 3) for end in ends]
    polled = [answer.responses[0].partitions[0] for answer in answers[1::4]]
    assert [(it.error_code, bytes(it.records or b"")) for it in polled] == [(0, b"")] * len(ends)
