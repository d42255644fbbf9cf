"""The login of a client on a new connection, before its first request."""

import math
import secrets
import socket
import time
from typing import Final

from minikafka.admin.reach import connected_socket
from minikafka.admin.security import ClientSecurity
from minikafka.config.sasl import OwnLogin
from minikafka.protocol.framing import FrameReader
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.login_exchange import LoginExchange, LoginFailedError
from minikafka.security.sasl_client import SaltedPasswords, client_of

_RECEIVE_BYTES: Final = 64 * 1024
_MAX_ANSWER_BYTES: Final = 1024 * 1024
_RENEW_AT: Final = 0.85
_SALTED: Final[SaltedPasswords] = {}


class ClientSession:
    """A connected socket, with TLS and a login if that is wanted; the login is renewed in time."""

    def __init__(
        self, host: str, port: int, client_id: str, timeout_s: float, security: ClientSecurity
    ) -> None:
        """Connect and log in.

        Raises:
            LoginFailedError: the server refuses, or is not the right one.
            OSError: it cannot be connected, the server closed it, or the login took too long.
        """
        self.socket = connected_socket(host, port, timeout_s, security.secure)
        self._login = security.login
        self._client_id = client_id
        self._renew_at_s = math.inf
        if security.login is not None:
            self._log_in(security.login, timeout_s)

    def renew(self, timeout_s: float) -> None:
        """Log in again if the session ends soon. Call only while no request is in flight.

        Raises:
            OSError: the server refuses or closed the connection, or the login took too long.
        """
        if self._login is None or time.monotonic() < self._renew_at_s:
            return
        try:
            self._log_in(self._login, timeout_s)
        except LoginFailedError as error:
            raise ConnectionError(f"cannot log in again: {error}") from None

    def _log_in(self, login: OwnLogin, timeout_s: float) -> None:
        began_s = time.monotonic()
        try:
            lifetime_ms = _log_in(self.socket, login, self._client_id, timeout_s)
        except MalformedMessage as error:
            self.socket.close()
            raise ConnectionError(f"the server is not a Kafka broker: {error}") from None
        except BaseException:
            self.socket.close()
            raise
        self._renew_at_s = began_s + lifetime_ms / 1000 * _RENEW_AT if lifetime_ms else math.inf


def _log_in(connected: socket.socket, login: OwnLogin, client_id: str, timeout_s: float) -> int:
    """Log in; return for how long that counts in milliseconds, or 0 for as long as the socket."""
    deadline_s = time.monotonic() + timeout_s
    token = _token(login.token_file) if login.token_file else ""
    client = client_of(login, secrets.token_bytes, time.time_ns() // 1_000_000, _SALTED, token)
    exchange = LoginExchange(login.mechanism, client, client_id)
    frames = FrameReader(_MAX_ANSWER_BYTES)
    request: bytes | None = exchange.begin()
    while request is not None:
        _limit(connected, deadline_s)
        connected.sendall(request)
        request = exchange.receive(_answer(connected, frames, deadline_s))
    return exchange.lifetime_ms


def _token(path: str) -> str:
    # Only a client with such a file imports this.
    from minikafka.tls.token_file import TokenFileError, read_token  # noqa: PLC0415

    try:
        return read_token(path)
    except TokenFileError as error:
        raise LoginFailedError(str(error)) from None


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
