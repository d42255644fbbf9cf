"""The HTTP server of the fault interface: hostile, slow and foreign requests."""

import contextlib
import http.client
import json
import random
import socket
import threading
import time
from http import HTTPStatus

import pytest

from minikafka.dev.fault_resources import JsonAnswer
from minikafka.dev.fault_server import MAX_BODY_BYTES, MAX_CONNECTIONS, FaultServer

TIMEOUT_S = 1.0


class Echo:
    """Answers with the request; a path /wait waits for `go`."""

    def __init__(self):
        self.go = threading.Event()
        self.waiting = threading.Event()

    def __call__(self, method, path, body):
        if path == "/wait":
            self.waiting.set()
            self.go.wait(20)
        if path == "/bug":
            raise KeyError("bug")
        return JsonAnswer(
            HTTPStatus.OK, {"method": method, "path": path, "body": body.decode("latin-1")}
        )


@contextlib.contextmanager
def serving(answer, **options):
    server = FaultServer("127.0.0.1", 0, timeout_s=TIMEOUT_S, **options)
    server.serve(answer)
    try:
        yield server
    finally:
        server.close()


@pytest.fixture
def echo():
    found = Echo()
    yield found
    found.go.set()


@pytest.fixture
def server(echo):
    with serving(echo) as running:
        yield running


def talk(server, data, *, timeout_s=10):
    """Send bytes; return all bytes of the answer."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=timeout_s) as connection:
        with contextlib.suppress(OSError):
            connection.sendall(data)
        found = b""
        with contextlib.suppress(ConnectionError):
            while part := connection.recv(65536):
                found += part
        return found


def status_of(answer):
    return int(answer.split(b" ", 2)[1])


def request(line="GET / HTTP/1.1", body=b"", **headers):
    headers = {"Host": "localhost", **headers}
    head = [line, *(f"{name.replace('_', '-')}: {value}" for name, value in headers.items())]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def client(server, method="GET", path="/", body=None, headers=None):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, body, headers or {})
    response = connection.getresponse()
    return response.status, response.read()


def test_requests_of_usual_clients(server):
    status, body = client(server, "PUT", "/links?x=1", b'{"cut": []}')
    assert status == 200
    assert json.loads(body) == {"method": "PUT", "path": "/links", "body": '{"cut": []}'}
    # As a client sends a body of unknown length.
    status, body = client(server, "POST", "/faults", iter([b'{"a":', b" 1}"]))
    assert json.loads(body)["body"] == '{"a": 1}'
    status, body = client(server, "HEAD")
    assert (status, body) == (200, b"")
    assert client(server, headers={"Host": f"127.0.0.1:{server.port}"})[0] == 200
    assert client(server, headers={"Host": "[::1]:80"})[0] == 200
    origin = {"Host": f"localhost:{server.port}", "Origin": f"http://localhost:{server.port}"}
    assert client(server, headers=origin)[0] == 200


def test_a_client_that_asks_before_it_sends_a_body(server):
    data = request("POST /faults HTTP/1.1", b"ab", Content_Length=2, Expect="100-continue")
    found = talk(server, data)
    assert found.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (request(Host="evil.example"), 403),
        (request(Host="evil.example:80"), 403),
        (request(Host="127.0.0.1.evil.example"), 403),
        (request(Host="192.168.1.7"), 403),
        (request(Host=""), 403),
        (b"GET / HTTP/1.1\r\n\r\n", 403),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        (request(Origin="http://evil.example"), 403),
        (request(Origin="null"), 403),
        (request(Origin="https://localhost"), 403),
        (request("GET /"), 400),
        (request("GET / / HTTP/1.1"), 400),
        (request("GET / HTTP/2.0"), 400),
        (b"\x16\x03\x01\x00\x05hello\r\n\r\n", 400),
        (request(X="y" * 10000), 431),
        (request("POST / HTTP/1.1", Content_Length="x"), 400),
        (request("POST / HTTP/1.1", Content_Length="-1"), 400),
        (request("POST / HTTP/1.1", Content_Length="\xb2"), 400),
        (request("POST / HTTP/1.1", Content_Length=MAX_BODY_BYTES + 1), 413),
        (request("POST / HTTP/1.1", Content_Length="9" * 30), 400),
        (request("POST / HTTP/1.1", Transfer_Encoding="gzip"), 501),
        (request("POST / HTTP/1.1", Transfer_Encoding="chunked", Content_Length=1), 501),
        (request("POST / HTTP/1.1", b"zz\r\n", Transfer_Encoding="chunked"), 400),
        (request("POST / HTTP/1.1", b"-1\r\n", Transfer_Encoding="chunked"), 400),
        (request("POST / HTTP/1.1", b"1\r\nabc", Transfer_Encoding="chunked"), 400),
        (request("POST / HTTP/1.1", b"1" * 9000 + b"\r\n", Transfer_Encoding="chunked"), 400),
        (request("POST / HTTP/1.1", b"fffff\r\n", Transfer_Encoding="chunked"), 413),
        (request("GET /bug HTTP/1.1"), 500),
    ],
)
def test_what_is_refused(server, data, status):
    found = talk(server, data)
    assert status_of(found) == status
    assert json.loads(found.partition(b"\r\n\r\n")[2])["error"]


def test_the_answer_to_a_huge_body_arrives(server):
    data = request("POST / HTTP/1.1", b"x" * 4_000_000, Content_Length=4_000_000)
    assert status_of(talk(server, data)) == 413
    chunk = b"8000\r\n" + b"x" * 0x8000 + b"\r\n"
    data = request("POST / HTTP/1.1", chunk * 40, Transfer_Encoding="chunked")
    assert status_of(talk(server, data)) == 413


def test_slow_clients_hold_no_other_and_are_ended(server):
    slow = [
        socket.create_connection(("127.0.0.1", server.port)) for _ in range(MAX_CONNECTIONS + 20)
    ]
    try:
        for each in slow:
            with contextlib.suppress(OSError):
                each.sendall(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx")
        assert client(server)[0] == 200
        slow[-1].settimeout(10)
        found = slow[-1].recv(65536)
        assert status_of(found) == 408
    finally:
        for each in slow:
            each.close()
    assert client(server)[0] == 200


def test_requests_that_wait_hold_no_others(server, echo):
    threads = [threading.Thread(target=client, args=(server, "POST", "/wait")) for _ in range(10)]
    for each in threads:
        each.start()
    assert echo.waiting.wait(10)
    assert client(server)[0] == 200
    echo.go.set()
    for each in threads:
        each.join(10)


def test_the_end_waits_for_no_request(echo):
    with serving(echo) as server:
        waiting = threading.Thread(
            target=talk, args=(server, request("POST /wait HTTP/1.1")), daemon=True
        )
        waiting.start()
        idle = socket.create_connection(("127.0.0.1", server.port))
        assert echo.waiting.wait(10)
        begun_s = time.monotonic()
        server.close()
        assert time.monotonic() - begun_s < 1
        waiting.join(10)
        assert not waiting.is_alive()
        idle.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", server.port))


def test_an_end_at_the_start(echo):
    for _ in range(20):
        server = FaultServer("127.0.0.1", 0)
        server.serve(echo)
        server.close()
    FaultServer("127.0.0.1", 0).close()


def test_random_bytes_break_nothing(server):
    rng = random.Random(46)
    valid = request("POST /faults HTTP/1.1", b"{}", Content_Length=2)
    for _ in range(300):
        data = bytearray(valid)
        for _ in range(rng.randrange(1, 4)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(data[: rng.randrange(len(data) + 1)])
            if rng.random() < 0.5:
                connection.shutdown(socket.SHUT_WR)
    assert client(server)[0] == 200


def test_names_and_addresses_of_a_public_interface(echo):
    server = FaultServer("0.0.0.0", 0, ["kafka"], timeout_s=TIMEOUT_S)
    server.serve(echo)
    try:
        for host, status in (
            ("kafka:80", 200), ("192.168.1.7", 200), ("LOCALHOST", 200), ("evil.example", 403)
        ):  # fmt: skip
            assert client(server, headers={"Host": host})[0] == status
    finally:
        server.close()


def test_a_taken_port_is_an_error(server, echo):
    with pytest.raises(OSError, match="in use"):
        FaultServer("127.0.0.1", server.port)
