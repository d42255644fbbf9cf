"""Inbound connections with TLS, and the log lines about handshakes that failed.

The connection counts in all limits from its beginning; the node learns of it when the handshake is
complete. A handshake may take `HANDSHAKE_S`. After a failed one the connection is closed
`connection.failed.authentication.delay.ms` later, as in Kafka.
"""

import asyncio
import logging
import ssl
from collections.abc import Callable
from typing import Final

from minikafka.security.certificate import parse_certificate
from minikafka.server.connection import Connection
from minikafka.server.tls import ReceiveBuffer, TlsTransport, is_client_hello

_log = logging.getLogger("minikafka.server")
HANDSHAKE_S: Final = 30.0
_LINES: Final = 10
_WINDOW_S: Final = 10.0
_REASONS: Final = {
    "PEER_DID_NOT_RETURN_A_CERTIFICATE": "the client has shown no certificate",
    "UNSUPPORTED_PROTOCOL": "the client offers only versions of TLS that are not enabled",
    "NO_SHARED_CIPHER": "the client offers no cipher suite that can be used",
    "TLSV1_ALERT_UNKNOWN_CA": "the client does not trust the certificate of this node",
    "SSLV3_ALERT_CERTIFICATE_UNKNOWN": "the client does not accept the certificate of this node",
    "SSLV3_ALERT_BAD_CERTIFICATE": "the client does not accept the certificate of this node",
    "SSLV3_ALERT_CERTIFICATE_EXPIRED": "the client finds the certificate of this node expired",
}


class HandshakeFailures:
    """Counts and logs the handshakes that failed: a few lines in some seconds, then their number.

    `on_failure` is called with the listener of each.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_failure: Callable[[str], None]) -> None:
        """Start without any."""
        self._loop = loop
        self._on_failure = on_failure
        self._left = _LINES
        self._timer: asyncio.TimerHandle | None = None
        self._unlogged = 0

    def report(self, listener: str, address: str, reason: str) -> None:
        """Count and log a handshake."""
        self._on_failure(listener)
        self.log(listener, address, reason)

    def log(self, listener: str, address: str, reason: str) -> None:
        """Log a handshake, unless there are too many lines."""
        if self._timer is None:
            self._timer = self._loop.call_later(_WINDOW_S, self._end_window)
        if not self._left:
            self._unlogged += 1
            return
        self._left -= 1
        _log.warning("TLS handshake with %s on listener %s failed: %s", address, listener, reason)

    def close(self) -> None:
        """Stop the timer."""
        if self._timer is not None:
            self._timer.cancel()

    def _end_window(self) -> None:
        unlogged, self._unlogged = self._unlogged, 0
        self._left, self._timer = _LINES, None
        if unlogged:
            _log.warning("%d more TLS handshakes failed in %g s", unlogged, _WINDOW_S)


class TlsConnection(Connection):
    """One inbound connection above TLS; it opens when the handshake is complete."""

    def started(self) -> None:
        """Wait for the handshake."""

    @property
    def address(self) -> str:
        """The address of the other side."""
        return self._address


class InboundTls(TlsTransport):
    """TLS below an inbound connection."""

    def __init__(
        self,
        connection: TlsConnection,
        context: ssl.SSLContext,
        loop: asyncio.AbstractEventLoop,
        buffer: ReceiveBuffer,
        *,
        failures: HandshakeFailures,
        delay_s: float,
    ) -> None:
        """Prepare; the connection is closed `delay_s` after a failed handshake."""
        super().__init__(connection, context, loop, buffer, handshake_s=HANDSHAKE_S)
        self._connection = connection
        self._failures = failures
        self._delay_s = delay_s

    def begun(self) -> None:
        """Admit the connection."""
        self._connection.connection_made(self)  # type: ignore[arg-type]

    def shaken(self) -> None:
        """Open the connection, with the name in the client's certificate."""
        certificate = self.peer_certificate
        try:
            name = None if certificate is None else parse_certificate(certificate).subject
        except ValueError as error:
            self._fail(error)
        else:
            self._connection.opened(name)

    def failed(self, error: Exception) -> None:
        """Log the reason, and close later."""
        connection = self._connection
        self._failures.report(
            connection.listener, connection.address, self._reason(error, connection.listener)
        )
        self._raw.pause_reading()
        self._loop.call_later(self._delay_s, self._raw.close)

    def connection_lost(self, exc: Exception | None) -> None:
        """Log a client that leaves within its handshake; as in Kafka, that is not counted."""
        connection = self._connection
        if not (self._is_shaken or self._has_failed or self._is_closing) and self.first_bytes:
            reason = "the client closed the connection"
            self._failures.log(connection.listener, connection.address, reason)
        super().connection_lost(exc)
        del self._connection

    def broken(self, error: ssl.SSLError) -> None:
        """Log an error in encrypted data."""
        connection = self._connection
        _log.info(
            "closing connection %s from %s: %s", connection.number, connection.address, _text(error)
        )

    def _reason(self, error: Exception, listener: str) -> str:
        if isinstance(error, TimeoutError):
            return str(error)
        if not is_client_hello(self.first_bytes):
            return (
                f"the client does not use TLS, which listener {listener} needs; see "
                "security.protocol in its configuration"
            )
        return _text(error)


def _text(error: Exception) -> str:
    """Return why TLS failed, in words."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of the client is not valid: {error.verify_message}"
    reason = getattr(error, "reason", None)
    if not isinstance(reason, str):
        return str(error)
    return _REASONS.get(reason, reason.replace("_", " ").lower())
