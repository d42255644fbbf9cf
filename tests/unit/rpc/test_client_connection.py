import pytest

from minikafka.common.errors import ClusterAuthorizationFailedError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.api_versions import ApiVersion, ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.envelope import EnvelopeRequest
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.messages.produce import ProduceRequest
from minikafka.protocol.framing import FrameReader
from minikafka.protocol.message import ApiMessage
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.client_connection import (
    ClientConnection,
    NegotiationState,
    NoCommonVersionError,
    ServerAnswer,
    TooManyInFlightError,
)
from minikafka.rpc.envelope import RequestHeader, decode_request, encode_response


def requests_of(connection: ClientConnection) -> list[tuple[RequestHeader, ApiMessage]]:
    """The requests that the peer would read."""
    data = b"".join(connection.data_to_send())
    return [decode_request(frame) for frame in FrameReader().feed(data)]


def answer(
    connection: ClientConnection, header: RequestHeader, body: ApiMessage
) -> list[ServerAnswer]:
    version = header.api_version
    return connection.receive(b"".join(encode_response(header.correlation_id, body, version)))


def versions(**served: tuple[int, int]) -> ApiVersionsResponse:
    return ApiVersionsResponse(
        api_keys=[ApiVersion(ApiKey[name], low, high) for name, (low, high) in served.items()]
    )


def ready(**served: tuple[int, int]) -> ClientConnection:
    connection = ClientConnection(client_id="me")
    ((header, _),) = requests_of(connection)
    answer(connection, header, versions(**served))
    return connection


def test_connection_asks_for_versions_first_and_holds_requests_back() -> None:
    connection = ClientConnection(client_id="me")
    connection.send(MetadataRequest(), token="first")
    ((header, body),) = requests_of(connection)
    assert isinstance(body, ApiVersionsRequest)
    assert (header.client_id, connection.state) == ("me", NegotiationState.NEGOTIATING)
    assert answer(connection, header, versions(METADATA=(0, 9))) == []
    ((header, _),) = requests_of(connection)
    assert (header.api_key, header.api_version) == (ApiKey.METADATA, 9)
    assert answer(connection, header, MetadataResponse()) == [
        ServerAnswer("first", 9, MetadataResponse())
    ]


def test_connection_falls_back_to_the_version_of_api_versions_that_the_server_names() -> None:
    connection = ClientConnection()
    ((header, _),) = requests_of(connection)
    refusal = versions(API_VERSIONS=(0, 2))
    refusal.error_code = 35
    connection.receive(b"".join(encode_response(header.correlation_id, refusal, 0)))
    ((header, _),) = requests_of(connection)
    assert (header.api_version, connection.state) == (2, NegotiationState.NEGOTIATING)
    answer(connection, header, versions(METADATA=(0, 1)))
    assert connection.state is NegotiationState.READY
    assert connection.version_for(ApiKey.METADATA) == 1


def test_refused_negotiation_raises_the_server_s_error() -> None:
    connection = ClientConnection()
    ((header, _),) = requests_of(connection)
    with pytest.raises(ClusterAuthorizationFailedError):
        answer(connection, header, ApiVersionsResponse(error_code=31))


def test_fixed_versions_need_no_negotiation() -> None:
    connection = ClientConnection(negotiate=False)
    connection.send(MetadataRequest(), version=4)
    ((header, _),) = requests_of(connection)
    assert (header.api_version, header.client_id) == (4, None)
    assert connection.version_for(ApiKey.METADATA) == 13


def test_answers_come_in_the_order_of_the_requests() -> None:
    connection = ready(METADATA=(0, 9))
    for token in "ab":
        connection.send(MetadataRequest(), token=token)
    headers = [header for header, _ in requests_of(connection)]
    data = b"".join(
        part
        for header in headers
        for part in encode_response(header.correlation_id, MetadataResponse(), 9)
    )
    assert connection.receive(data[:10]) == []
    assert [each.token for each in connection.receive(data[10:])] == ["a", "b"]
    assert connection.in_flight == 0


def test_answer_out_of_order_or_unasked_is_malformed() -> None:
    connection = ready(METADATA=(0, 9))
    with pytest.raises(MalformedMessage, match="unexpected"):
        connection.receive(b"".join(encode_response(1, MetadataResponse(), 9)))
    connection = ready(METADATA=(0, 9))
    for _ in range(2):
        connection.send(MetadataRequest())
    _, (second, _) = requests_of(connection)
    with pytest.raises(MalformedMessage, match="correlation id 2"):
        answer(connection, second, MetadataResponse())


def test_request_without_a_response_does_not_wait_for_one() -> None:
    connection = ready(PRODUCE=(3, 9), METADATA=(0, 9))
    connection.send(ProduceRequest(acks=0), expects_response=False)
    connection.send(MetadataRequest(), token="next")
    _, (header, _) = requests_of(connection)
    assert [each.token for each in answer(connection, header, MetadataResponse())] == ["next"]


def test_api_without_a_common_version_is_refused() -> None:
    connection = ready(METADATA=(0, 9), FETCH=(0, 3))
    with pytest.raises(NoCommonVersionError, match="does not support Envelope"):
        connection.send(EnvelopeRequest())
    expected = "Fetch: the client supports versions 4 to 18, the server 0 to 3"
    with pytest.raises(NoCommonVersionError, match=expected):
        connection.version_for(ApiKey.FETCH)


def test_requests_in_flight_are_bounded_before_and_after_the_negotiation() -> None:
    waiting = ClientConnection(max_in_flight=2)
    waiting.send(MetadataRequest())
    assert not waiting.can_send
    with pytest.raises(TooManyInFlightError):
        waiting.send(MetadataRequest())


def test_correlation_ids_start_again_before_they_leave_32_bits() -> None:
    connection = ready(METADATA=(0, 9))
    connection._next_id = 2**31 - 1
    for _ in range(2):
        connection.send(MetadataRequest())
    assert [header.correlation_id for header, _ in requests_of(connection)] == [2**31 - 1, 0]
