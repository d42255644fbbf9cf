"""The login of a client on a new connection, before its first request."""

import secrets
import socket
import time
from typing import Final

from minikafka.admin.reach import connected_socket
from minikafka.admin.security import ClientSecurity
from minikafka.config.sasl import OwnLogin
from minikafka.protocol.framing import FrameReader
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.login_exchange import LoginExchange
from minikafka.security.sasl_client import SaltedPasswords, client_of

_RECEIVE_BYTES: Final = 64 * 1024
_MAX_ANSWER_BYTES: Final = 1024 * 1024
_SALTED: Final[SaltedPasswords] = {}


def logged_in_socket(
    host: str, port: int, client_id: str, timeout_s: float, security: ClientSecurity
) -> socket.socket:
    """Return a socket that is connected to host:port, with TLS and after a login if that is wanted.

    Raises:
        LoginFailedError: the server refuses, or is not the right one.
        OSError: it cannot be connected, the server closed it, or the login took too long.
    """
    connected = connected_socket(host, port, timeout_s, security.secure)
    login = security.login
    if login is None:
        return connected
    try:
        _log_in(connected, login, client_id, timeout_s)
    except MalformedMessage as error:
        connected.close()
        raise ConnectionError(f"the server is not a Kafka broker: {error}") from None
    except BaseException:
        connected.close()
        raise
    return connected


def _log_in(connected: socket.socket, login: OwnLogin, client_id: str, timeout_s: float) -> None:
    deadline_s = time.monotonic() + timeout_s
    client = client_of(login, secrets.token_bytes, time.time_ns() // 1_000_000, _SALTED)
    exchange = LoginExchange(login.mechanism, client, client_id)
    frames = FrameReader(_MAX_ANSWER_BYTES)
    request: bytes | None = exchange.begin()
    while request is not None:
        _limit(connected, deadline_s)
        connected.sendall(request)
        request = exchange.receive(_answer(connected, frames, deadline_s))


def _answer(connected: socket.socket, frames: FrameReader, deadline_s: float) -> bytes:
    while True:
        _limit(connected, deadline_s)
        data = connected.recv(_RECEIVE_BYTES)
        if not data:
            raise ConnectionError("the broker closed the connection during the login")
        for frame in frames.feed(data):
            return bytes(frame)


def _limit(connected: socket.socket, deadline_s: float) -> None:
    left_s = deadline_s - time.monotonic()
    if left_s <= 0:
        raise TimeoutError("timed out")
    connected.settimeout(left_s)
