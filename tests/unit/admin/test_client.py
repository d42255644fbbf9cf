"""The admin client against small servers on loopback."""

import contextlib
import socket
import threading
import time

import pytest

from minikafka.admin import client as client_module
from minikafka.admin.client import AdminClient, AdminError, check, error_text
from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from minikafka.messages.list_groups import ListGroupsRequest
from minikafka.messages.metadata import (
    MetadataRequest,
    MetadataResponse,
    MetadataResponseBroker,
)
from tests.worlds.fake_server import ANSWERS, Server


@pytest.fixture
def start():
    """Starts servers, and ends them afterwards."""
    servers = []

    def started(*args, **kwargs):
        servers.append(Server(*args, **kwargs))
        return servers[-1]

    yield started
    for server in servers:
        server.close()


def client(addresses, timeout_s=5.0):
    return AdminClient(addresses, client_id="test", timeout_s=timeout_s)


def unused_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_brokers_are_known_by_id_and_address(start):
    server = start(ANSWERS)
    with client(server.address) as admin:
        assert admin.brokers() == {7: ("127.0.0.1", server.port)}


def test_the_next_server_is_tried_where_one_does_not_listen(start):
    server = start(ANSWERS)
    with client(f"127.0.0.1:{unused_port()},{server.address}") as admin:
        assert 7 in admin.brokers()


class Silent(Server):
    """Accepts connections, and does not answer."""

    def __init__(self):
        self.ended = threading.Event()
        super().__init__({})

    def converse(self, _):
        self.ended.wait(30)

    def close(self):
        self.ended.set()
        super().close()


@pytest.fixture
def silent():
    """Servers that accept connections, and do not answer."""
    servers = [Silent() for _ in range(3)]
    yield servers
    for server in servers:
        server.close()


@pytest.mark.parametrize("count", [1, 3])
def test_the_next_server_is_asked_where_others_do_not_answer(start, silent, count):
    server = start(ANSWERS)
    named = ",".join([*(each.address for each in silent[:count]), server.address])
    with client(named, timeout_s=0.8) as admin:
        assert 7 in admin.brokers()
        assert admin.ask(ListGroupsRequest()).groups == []
    assert [each.accepted for each in silent[:count]] == [1] * count
    assert server.accepted == 1


def test_no_attempt_takes_longer_than_the_request_timeout(silent, start):
    server = start(ANSWERS)
    begin_s = time.monotonic()
    named = f"{silent[0].address},{server.address}"
    with AdminClient(named, client_id="t", timeout_s=60, request_timeout_s=0.1) as admin:
        assert 7 in admin.brokers()
    assert time.monotonic() - begin_s < 20


def test_every_server_without_an_answer_is_named_with_the_reason(silent):
    first, second = silent[0].address, f"127.0.0.1:{unused_port()}"
    expected = pytest.raises(
        AdminError, match=rf"no answer from {first},{second}: {first}: timed out; {second}: .*efus"
    )
    with client(f"{first},{second}", timeout_s=0.2) as admin, expected as error:
        admin.brokers()
    assert error.value.code == ErrorCode.REQUEST_TIMED_OUT


def test_a_server_that_sends_a_response_byte_by_byte_gets_no_more_time():
    class Slow(Server):
        def converse(self, connection):
            connection.recv(65536)
            with contextlib.suppress(OSError):
                for byte in b"\0\0\1\0" + bytes(256):
                    connection.sendall(bytes([byte]))
                    time.sleep(0.02)

    slow = Slow({})
    begin_s = time.monotonic()
    try:
        with client(slow.address, timeout_s=0.1) as admin, pytest.raises(AdminError):
            admin.brokers()
        assert time.monotonic() - begin_s < 2
    finally:
        slow.close()


@pytest.mark.parametrize(
    ("servers", "timeout_s", "expected_ms"),
    [("a:1", 5, 5000), ("a:1", 60, 30_000), ("a:1,b:1", 5, 2500), ("a:1,b:1,c:1,d:1", 60, 20_000)],
)
def test_requests_have_the_time_of_an_attempt(servers, timeout_s, expected_ms):
    assert client(servers, timeout_s=timeout_s).timeout_ms == expected_ms


def test_requests_have_the_time_of_an_attempt_beside_brokers_that_were_seen(start):
    """Else a server was given more time than the client waited for it."""
    server = start(ANSWERS)
    with client(f"a:1,{server.address}", timeout_s=60) as admin:
        admin._learned = [("b", 1), ("c", 1)]
        assert admin.timeout_ms == 20_000


def test_a_broker_that_was_seen_stands_in_for_one_that_was_named(start):
    """The server that was named is gone; the brokers that it listed are still used."""
    other = start(ANSWERS)
    seen = MetadataResponse(brokers=[MetadataResponseBroker(1, "127.0.0.1", other.port)])
    named = start({**ANSWERS, MetadataRequest: lambda *_: seen})
    with client(named.address) as admin:
        assert list(admin.brokers()) == [1]
        admin.close()
        named.close()
        assert list(admin.brokers()) == [7]


def test_a_broken_connection_is_made_again(start):
    server = start(ANSWERS, broken_connections=1)
    with client(server.address) as admin:
        assert 7 in admin.brokers()
    assert server.accepted == 2


def test_an_api_that_the_server_lacks_is_named(start):
    server = start(ANSWERS)
    with (
        client(server.address) as admin,
        pytest.raises(AdminError, match=r"(?i)describe_?cluster") as e,
    ):
        admin.ask(DescribeClusterRequest())
    assert e.value.code == ErrorCode.UNSUPPORTED_VERSION


def test_a_connection_is_still_good_after_an_api_that_the_server_lacks(start):
    server = start(ANSWERS)
    with client(server.address) as admin:
        with pytest.raises(AdminError):
            admin.ask(DescribeClusterRequest())
        assert 7 in admin.brokers()
    assert server.accepted == 1


def test_a_request_goes_to_the_broker_it_is_meant_for(start):
    second = start(ANSWERS)
    elsewhere = lambda *_: MetadataResponse(  # noqa: E731
        brokers=[MetadataResponseBroker(9, "127.0.0.1", second.port)]
    )
    first = start({**ANSWERS, MetadataRequest: elsewhere})
    with client(first.address) as admin:
        assert admin.ask_broker(9, ListGroupsRequest()).groups == []
    assert (first.accepted, second.accepted) == (1, 1)


def test_a_broker_that_is_not_alive_is_refused(start):
    server = start(ANSWERS)
    with client(server.address) as admin, pytest.raises(AdminError, match="broker 8 is not alive"):
        admin.ask_broker(8, ListGroupsRequest())


class OfControllers(AdminClient):
    """A client of controllers, whose descriptions of the cluster are (active controller, all)."""

    def __init__(self, *described, timeout_s=5.0):
        super().__init__("h:1", client_id="t", timeout_s=timeout_s, of_controllers=True)
        self.described = list(described)

    def _ask_any(self, _):
        active, known = self.described.pop(0) if len(self.described) > 1 else self.described[0]
        return DescribeClusterResponse(
            controller_id=active,
            brokers=[DescribeClusterBroker(each, "127.0.0.1", self.port) for each in known],
        )


@pytest.mark.parametrize("first", [(-1, [7]), (7, [])])
def test_an_active_controller_is_waited_for(start, first):
    with OfControllers(first, first, (7, [7])) as admin:
        admin.port = start(ANSWERS).port
        assert admin.ask_active(ListGroupsRequest()).groups == []


def test_no_active_controller_before_the_timeout():
    with (
        OfControllers((-1, []), timeout_s=0.2) as admin,
        pytest.raises(AdminError, match="no controller is active"),
    ):
        admin.ask_active(ListGroupsRequest())


def test_a_long_wait_is_reported_once_with_its_reason(start, monkeypatch):
    monkeypatch.setattr(client_module, "NOTICE_AFTER_S", 0.01)
    told, heard = [], threading.Event()

    def on_wait(what):
        told.append(what)
        heard.set()

    def late(server, request):
        assert heard.wait(10)
        return ANSWERS[MetadataRequest](server, request)

    server = start({**ANSWERS, MetadataRequest: late})
    with AdminClient(server.address, client_id="t", timeout_s=20, on_wait=on_wait) as admin:
        assert 7 in admin.brokers()
    (sentence,) = told
    assert sentence.startswith(f"waiting for Metadata from {server.address}, up to 20 s")
    assert "active controller" in sentence


def test_a_long_wait_is_reported_with_the_error_that_is_answered(monkeypatch):
    monkeypatch.setattr(client_module, "NOTICE_AFTER_S", 0.2)
    told = []
    with AdminClient("h:1", client_id="t", timeout_s=0.6, on_wait=told.append) as admin:
        admin.settle(lambda: ErrorCode.NOT_COORDINATOR, int)
    (sentence,) = told
    assert sentence.startswith("waiting for an operation that the cluster cannot do yet, up to 0.6")
    assert sentence.endswith(f": {error_text(ErrorCode.NOT_COORDINATOR, None)}")


def test_a_quick_answer_is_not_reported(start):
    told = []
    server = start(ANSWERS)
    with AdminClient(server.address, client_id="t", on_wait=told.append) as admin:
        admin.brokers()
    assert told == []


def test_a_refused_connection_is_reported_with_the_address():
    port = unused_port()
    expected = pytest.raises(AdminError, match=f"no answer from 127.0.0.1:{port}")
    with client(f"127.0.0.1:{port}", timeout_s=0.01) as admin, expected:
        admin.brokers()


def test_a_server_that_is_not_a_broker_is_reported(start):
    class Other(Server):
        def converse(self, connection):
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    other = Other({})
    try:
        expected = pytest.raises(AdminError, match="no answer from")
        with client(other.address, timeout_s=0.01) as admin, expected:
            admin.brokers()
    finally:
        other.close()


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("nowhere", "the port is missing"),
        ("", "the port is missing"),
        (":9092", "the host is missing"),
        ("localhost:0", "port 0 is not"),
        ("localhost:99999", "'99999' is not a port"),
        ("localhost:" + "9" * 5000, "is not a port"),
        ("localhost:\u00b2", "is not a port"),
        ("a" * 64 + ".org:9092", "the host is not valid: between its dots are 1 to 63"),
        ("a..b:9092", "the host is not valid: between its dots are 1 to 63"),
        ("\u00fc" * 63 + ":9092", "the host is not valid: it is no name in Unicode"),
    ],
)
def test_an_invalid_address_is_refused(address, why):
    with pytest.raises(AdminError, match=f"^--bootstrap-server '{address[:10]}.*{why}"):
        client(address)


def test_an_address_of_a_broker_that_is_no_host_name_is_an_error(start):
    other = MetadataResponse(brokers=[MetadataResponseBroker(9, "a" * 64, 9092)])
    server = start({**ANSWERS, MetadataRequest: lambda *_: other})
    with (
        client(server.address) as admin,
        pytest.raises(AdminError, match="no answer from broker 9: invalid host name"),
    ):
        admin.ask_broker(9, ListGroupsRequest())


def test_a_retriable_outcome_is_asked_for_again():
    outcomes = [ErrorCode.NOT_CONTROLLER, ErrorCode.NOT_CONTROLLER, ErrorCode.NONE]
    settled = client("127.0.0.1:1").settle(lambda: outcomes.pop(0), int)
    assert settled == ErrorCode.NONE
    assert outcomes == []


@pytest.mark.parametrize(
    "code", [ErrorCode.TOPIC_ALREADY_EXISTS, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION]
)
def test_a_final_outcome_is_not_asked_for_again(code):
    outcomes = [code, ErrorCode.NONE]
    assert client("127.0.0.1:1").settle(lambda: outcomes.pop(0), int) == code


def test_retrying_ends_when_the_time_is_over():
    outcome = client("127.0.0.1:1", timeout_s=0.0).settle(lambda: ErrorCode.NOT_CONTROLLER, int)
    assert outcome == ErrorCode.NOT_CONTROLLER


@pytest.mark.parametrize(
    "code",
    [ErrorCode.NETWORK_EXCEPTION, ErrorCode.REQUEST_TIMED_OUT, ErrorCode.BROKER_NOT_AVAILABLE],
)
def test_a_broker_that_is_looked_up_again_may_have_a_successor(code):
    def ask():
        if len(asked) < 3:
            asked.append("gone")
            raise AdminError("gone", code)
        return ErrorCode.NONE

    asked = []
    with pytest.raises(AdminError, match="gone"):
        client("127.0.0.1:1").settle(ask, int)
    assert client("127.0.0.1:1").settle(ask, int, looks_up=True) == ErrorCode.NONE
    assert asked == ["gone"] * 3


def test_no_successor_before_the_timeout():
    def ask():
        raise AdminError("gone", ErrorCode.NETWORK_EXCEPTION)

    begin_s = time.monotonic()
    with pytest.raises(AdminError, match="gone"):
        client("127.0.0.1:1", timeout_s=0.5).settle(ask, int, looks_up=True)
    assert 0.2 <= time.monotonic() - begin_s < 20


def test_a_server_that_is_not_reached_is_not_waited_for_twice():
    begin_s = time.monotonic()
    with reaching(f"127.0.0.1:{unused_port()}") as admin, pytest.raises(AdminError, match="efused"):
        admin.settle(lambda: admin.ask(ListGroupsRequest()), int, looks_up=True)
    assert time.monotonic() - begin_s < 20


def test_an_operation_has_one_timeout_for_all_its_requests(silent, start):
    """The look-up of a broker, and what it is asked then."""
    elsewhere = MetadataResponse(brokers=[MetadataResponseBroker(9, *_host_and_port(silent[0]))])
    server = start({**ANSWERS, MetadataRequest: lambda *_: elsewhere})
    begin_s = time.monotonic()
    with client(server.address, timeout_s=1) as admin, pytest.raises(AdminError) as error:
        admin.settle(lambda: admin.ask_broker(9, ListGroupsRequest()), int, looks_up=True)
    assert time.monotonic() - begin_s < 1.9
    assert error.value.code == ErrorCode.REQUEST_TIMED_OUT


def _host_and_port(server):
    host, port = server.address.split(":")
    return host, int(port)


def test_the_servers_message_goes_before_the_summary_of_the_code():
    assert error_text(ErrorCode.INVALID_REQUEST, "for a reason") == "for a reason"
    assert error_text(ErrorCode.TOPIC_ALREADY_EXISTS, None)


def test_check_keeps_the_code():
    check(ErrorCode.NONE, "not used")
    with pytest.raises(AdminError, match="exists") as error:
        check(ErrorCode.TOPIC_ALREADY_EXISTS, "exists")
    assert error.value.code == ErrorCode.TOPIC_ALREADY_EXISTS


def reaching(addresses, **options):
    return AdminClient(addresses, client_id="t", timeout_s=60, reach_timeout_s=0.3, **options)


def test_an_address_at_which_no_server_listens_is_an_error_soon():
    begin_s = time.monotonic()
    port = unused_port()
    with (
        reaching(f"127.0.0.1:{port}") as admin,
        pytest.raises(AdminError, match=f": 127.0.0.1:{port}: Connection refused$"),
    ):
        admin.brokers()
    assert 0.3 <= time.monotonic() - begin_s < 20


def test_controllers_that_are_not_reached_are_an_error_soon():
    begin_s = time.monotonic()
    with (
        reaching(f"127.0.0.1:{unused_port()}", of_controllers=True) as admin,
        pytest.raises(AdminError, match="Connection refused"),
    ):
        admin.ask_active(ListGroupsRequest())
    assert time.monotonic() - begin_s < 20


def test_a_name_that_is_unknown_is_an_error_at_once(monkeypatch):
    asked = []

    def resolve(host, *_, **__):
        asked.append(host)
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with (
        reaching("nosuchhost:9092") as admin,
        pytest.raises(AdminError, match=r": nosuchhost:9092: Name or service not known$"),
    ):
        admin.brokers()
    assert asked == ["nosuchhost"]


def test_a_name_that_is_resolved_slowly_is_an_error_soon(monkeypatch):
    end = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: end.wait(30) and [])
    begin_s = time.monotonic()
    with reaching("slow:9092") as admin, pytest.raises(AdminError, match="not resolved in time"):
        admin.brokers()
    assert time.monotonic() - begin_s < 20
    end.set()


def test_a_server_that_accepts_connections_has_the_whole_time(start):
    def late(server, request):
        time.sleep(1)
        return ANSWERS[MetadataRequest](server, request)

    server = start({**ANSWERS, MetadataRequest: late})
    with reaching(server.address) as admin:
        assert 7 in admin.brokers()


def test_a_server_that_was_reached_may_be_away_for_long(start):
    server = start(ANSWERS)
    with reaching(server.address) as admin:
        assert 7 in admin.brokers()
        port = server.port
        admin._disconnect()
        server.close()
        again = threading.Timer(1, lambda: start(ANSWERS, port=port))
        again.start()
        assert 7 in admin.brokers()
        again.join()


def test_a_wait_for_a_wrong_address_tells_the_reason(monkeypatch):
    monkeypatch.setattr(client_module, "NOTICE_AFTER_S", 0.1)
    told = []
    port = unused_port()
    with reaching(f"127.0.0.1:{port}", on_wait=told.append) as admin, pytest.raises(AdminError):
        admin.brokers()
    assert told == [f"waiting for Metadata from 127.0.0.1:{port}, up to 0.3 s: Connection refused"]


def test_a_limit_counts_within_its_block(silent):
    with client(silent[0].address, timeout_s=60) as admin:
        begin_s = time.monotonic()
        with admin.limited(0.1), pytest.raises(AdminError):
            admin.brokers()
        assert time.monotonic() - begin_s < 20
        assert admin.timeout_ms == 30_000
