"""TLS above the blocking socket of a tool."""

import socket
import ssl
from collections.abc import Callable

from minikafka.config.ssl_keys import SslSettings
from minikafka.tls.contexts import client_context


def secured_by(settings: SslSettings) -> Callable[[socket.socket, str], socket.socket]:
    """Return a function that puts TLS above a socket that is connected to a host.

    Raises:
        TlsError: the settings or files cannot be used.
    """
    context = client_context(settings)

    def secure(connected: socket.socket, host: str) -> socket.socket:
        try:
            return context.wrap_socket(connected, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            raise ConnectionError(
                f"the certificate of the server is not valid: {error.verify_message}"
            ) from None
        except (ssl.SSLEOFError, ssl.SSLZeroReturnError):
            raise ConnectionError(
                "the server closed the connection in the TLS handshake; is this a listener without "
                "TLS?"
            ) from None

    return secure
