"""Outbound connections to other nodes with TLS."""

import asyncio
import ssl
from typing import Final

from minikafka.server.outbound import Link
from minikafka.server.tls import ReceiveBuffer, TlsTransport

_HANDSHAKE_S: Final = 10.0


class OutboundTls(TlsTransport):
    """TLS below a link; the link opens when the handshake is complete."""

    def __init__(
        self,
        link: Link,
        context: ssl.SSLContext,
        loop: asyncio.AbstractEventLoop,
        buffer: ReceiveBuffer,
    ) -> None:
        """Prepare; the certificate of the other node must have the host of the channel."""
        super().__init__(
            link,
            context,
            loop,
            buffer,
            handshake_s=_HANDSHAKE_S,
            server_hostname=link.channel.host,
        )
        self._link = link
        self._error: Exception | None = None

    def shaken(self) -> None:
        """Open the link."""
        self._link.connection_made(self)  # type: ignore[arg-type]

    def failed(self, error: Exception) -> None:
        """Close the connection; the link reports why."""
        self._error = _TlsLostError(f"the TLS handshake failed: {_text(error)}")
        self._raw.close()

    def broken(self, error: ssl.SSLError) -> None:
        """Keep the error; as of TLS 1.3, that may be the other node's refusal of a certificate."""
        self._error = _TlsLostError(f"TLS failed: {_text(error)}")

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss with its reason."""
        if not (self._is_shaken or self._error or exc):
            exc = _TlsLostError("the TLS handshake failed: the other side closed the connection")
        super().connection_lost(self._error or exc)
        del self._link


class _TlsLostError(OSError):
    """Why a connection with TLS ended."""


def _text(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate of the other node is not valid: {error.verify_message}"
    reason = getattr(error, "reason", None)
    return reason.replace("_", " ").lower() if isinstance(reason, str) else str(error)
