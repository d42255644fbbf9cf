"""Logins on outbound connections, after they are open and before the requests that wait for them.

A login whose session ends is repeated on the same connection before that: requests are held
meanwhile, and the responses of earlier ones are delivered.

Source: `SaslClientAuthenticator`, KIP-368.
"""

import asyncio
import logging
import os
import random
import time
from functools import partial
from typing import Final, Protocol

from minikafka.common.effects import Channel
from minikafka.config.sasl import OwnLogin, SaslConfig
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.login_exchange import LoginExchange, LoginFailedError
from minikafka.security.sasl_client import SaltedPasswords, client_of

_log = logging.getLogger("minikafka.authentication")
_RENEW_FROM: Final = 0.85
_RENEW_TO: Final = 0.95
_LOG_AGAIN_S: Final = 10.0


class LoginLink(Protocol):
    """The connection of a login."""

    channel: Channel

    def write_now(self, data: bytes) -> None:
        """Write before everything that is held."""

    def hold(self) -> None:
        """Queue requests until `release`."""

    def release(self) -> None:
        """Write what is queued, and all further requests."""

    def fail(self, reason: str) -> None:
        """Close, and report the reason."""


class OutboundLogins:
    """How a node logs in to brokers and to controllers."""

    def __init__(self, sasl: SaslConfig, client_id: str, loop: asyncio.AbstractEventLoop) -> None:
        """Take the credentials."""
        self._sasl = sasl
        self._client_id = client_id
        self.loop = loop
        self._salted: SaltedPasswords = {}
        self._tokens: dict[str, str] = {}
        self._logged_s = -_LOG_AGAIN_S

    def login_of(self, link: LoginLink) -> "OutboundLogin | None":
        """Return the login of a new connection; None if its listener has no SASL."""
        sasl = self._sasl
        own = sasl.to_controllers if link.channel.is_to_controller else sasl.to_brokers
        return None if own is None else OutboundLogin(self, link, own)

    def exchange(self, own: OwnLogin) -> LoginExchange:
        """Return a new exchange.

        Raises:
            LoginFailedError: the file of its token has never had one.
        """
        token = self._token(own.token_file) if own.token_file else ""
        client = client_of(own, os.urandom, time.time_ns() // 1_000_000, self._salted, token)
        return LoginExchange(own.mechanism, client, self._client_id)

    def failed(self, channel: Channel, reason: str) -> None:
        """Log a failed login, unless one was logged a moment ago."""
        self._warn(f"cannot log in to {channel.host}:{channel.port}: {reason}")

    def _token(self, path: str) -> str:
        """Return the token in a file; the last one if the file cannot be used."""
        # A node without such files does not import this.
        from minikafka.tls.token_file import TokenFileError, read_token  # noqa: PLC0415

        try:
            self._tokens[path] = read_token(path)
        except TokenFileError as error:
            if path not in self._tokens:
                raise LoginFailedError(str(error)) from None
            self._warn(f"the token of the last login is used again: {error}")
        return self._tokens[path]

    def _warn(self, text: str) -> None:
        now_s = self.loop.time()
        if now_s >= self._logged_s + _LOG_AGAIN_S:
            self._logged_s = now_s
            _log.warning("%s", text)


class OutboundLogin:
    """The login on one connection, with its repetitions."""

    def __init__(self, owner: OutboundLogins, link: LoginLink, own: OwnLogin) -> None:
        """Prepare; `begin` starts."""
        self._owner = owner
        self._link = link
        self._own = own
        self._exchange: LoginExchange | None = None
        self._timer: asyncio.TimerHandle | None = None

    def begin(self) -> None:
        """Log in, for the first time or again; requests are held until the login is complete."""
        self._link.hold()
        try:
            self._exchange = self._owner.exchange(self._own)
        except LoginFailedError as error:
            self._fail(str(error))
            return
        self._link.write_now(self._exchange.begin())

    def take(self, frame: memoryview) -> bool:
        """Take a response if it is that of a login; False if it is another one."""
        exchange = self._exchange
        if exchange is None:
            return False
        try:
            if not exchange.is_answer(frame):
                return False
        except MalformedMessage as error:
            self._fail(str(error))
            return True
        if exchange.computes:
            work = partial(_outcome, exchange, bytes(frame))
            future = self._owner.loop.run_in_executor(None, work)
            future.add_done_callback(lambda done: self._computed(exchange, done))
        else:
            self._proceed(exchange, _outcome(exchange, frame))
        return True

    def close(self) -> None:
        """Forget the login: the connection is closed."""
        self._exchange = None
        if self._timer is not None:
            self._timer.cancel()

    def _computed(
        self, exchange: LoginExchange, done: asyncio.Future[bytes | LoginFailedError | None]
    ) -> None:
        if not done.cancelled():
            self._proceed(exchange, done.result())

    def _proceed(self, exchange: LoginExchange, outcome: bytes | LoginFailedError | None) -> None:
        if self._exchange is not exchange:
            return
        if isinstance(outcome, LoginFailedError):
            self._fail(str(outcome))
        elif outcome is not None:
            self._link.write_now(outcome)
        else:
            self._exchange = None
            if exchange.lifetime_ms > 0:
                part = random.uniform(_RENEW_FROM, _RENEW_TO)
                delay_s = exchange.lifetime_ms / 1000 * part
                self._timer = self._owner.loop.call_later(delay_s, self.begin)
            self._link.release()

    def _fail(self, reason: str) -> None:
        self._exchange = None
        self._owner.failed(self._link.channel, reason)
        self._link.fail(f"cannot log in: {reason}")


def _outcome(exchange: LoginExchange, frame: memoryview | bytes) -> bytes | LoginFailedError | None:
    try:
        return exchange.receive(frame)
    except LoginFailedError as error:
        return error
