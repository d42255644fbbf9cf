"""The requests of a client that logs in on a connection, without I/O.

SaslHandshake, then SaslAuthenticate for each token. Their correlation ids are negative, so that
they are told apart from the responses of requests that were sent before.

Source: `SaslClientAuthenticator`.
"""

from typing import Final

from minikafka.common.errors import ErrorCode, summary_of
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.sasl_authenticate import SaslAuthenticateRequest, SaslAuthenticateResponse
from minikafka.messages.sasl_handshake import SaslHandshakeRequest, SaslHandshakeResponse
from minikafka.protocol.message import ApiMessage
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import correlation_id_of, decode_response, encode_request
from minikafka.security.sasl import SaslError
from minikafka.security.sasl_client import SaslClient

_HANDSHAKE_VERSION: Final = 1
_AUTHENTICATE_VERSION: Final = 2
_FIRST_ID: Final = -1


class LoginFailedError(Exception):
    """The server or the client has ended the login; the text has no password."""


class LoginExchange:
    """One login: `begin`, then `receive` for each response until `is_complete`."""

    def __init__(self, mechanism: str, client: SaslClient, client_id: str) -> None:
        """Take the client's side of the mechanism."""
        self._mechanism = mechanism
        self._client = client
        self._client_id = client_id
        self._correlation_id = _FIRST_ID + 1
        self._version = _HANDSHAKE_VERSION
        self.is_complete = False
        self.lifetime_ms = 0
        """For how long the login counts; 0 for as long as the connection."""

    @property
    def computes(self) -> bool:
        """True if `receive` may take milliseconds."""
        return self._client.computes

    def begin(self) -> bytes:
        """Return the bytes of the first request."""
        return self._request(SaslHandshakeRequest(self._mechanism), _HANDSHAKE_VERSION)

    def is_answer(self, frame: memoryview | bytes) -> bool:
        """True if a response is that of this login.

        Raises:
            MalformedMessage: the frame is no response.
        """
        return correlation_id_of(memoryview(frame)) == self._correlation_id

    def receive(self, frame: memoryview | bytes) -> bytes | None:
        """Return the bytes of the next request, or None if the login is complete.

        Raises:
            LoginFailedError: the login has failed.
        """
        is_first = self._correlation_id == _FIRST_ID
        key = ApiKey.SASL_HANDSHAKE if is_first else ApiKey.SASL_AUTHENTICATE
        try:
            _, response = decode_response(memoryview(frame), key, self._version)
            if isinstance(response, SaslHandshakeResponse):
                token = self._first_token(response)
            else:
                assert isinstance(response, SaslAuthenticateResponse)
                token = self._next_token(response)
        except MalformedMessage as error:
            raise LoginFailedError(f"the server is not a Kafka broker: {error}") from None
        except SaslError as error:
            raise LoginFailedError(f"{self._mechanism}: {error.reason}") from None
        if self.is_complete:
            return None
        return self._request(SaslAuthenticateRequest(token), _AUTHENTICATE_VERSION)

    def _first_token(self, response: SaslHandshakeResponse) -> bytes:
        if response.error_code == ErrorCode.UNSUPPORTED_SASL_MECHANISM:
            raise LoginFailedError(
                f"the server does not have the mechanism {self._mechanism}; it has: "
                f"{', '.join(response.mechanisms)}"
            )
        if response.error_code:
            raise LoginFailedError(_text(response.error_code, None))
        return self._client.first()

    def _next_token(self, response: SaslAuthenticateResponse) -> bytes:
        if response.error_code:
            raise LoginFailedError(_text(response.error_code, response.error_message))
        token = self._client.respond(bytes(response.auth_bytes))
        self.is_complete = self._client.is_complete
        self.lifetime_ms = response.session_lifetime_ms
        return token

    def _request(self, request: ApiMessage, version: int) -> bytes:
        self._correlation_id -= 1
        self._version = version
        parts = encode_request(self._correlation_id, self._client_id, request, version)
        return b"".join(bytes(part) for part in parts)  # type: ignore[arg-type]


def _text(code: int, message: str | None) -> str:
    return message or summary_of(code) or f"error {code}"
