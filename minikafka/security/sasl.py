"""The server's side of a SASL exchange, without I/O: tokens of the client in, tokens out.

Source: `SaslServer`, `SaslServerAuthenticator`.
"""

from typing import Protocol


class SaslError(Exception):
    """A login that has failed.

    `reason` is for the log: it names no password. `client_text` is what the client is told; None
    for a text that is the same for all reasons, since the reason would tell which users exist.
    """

    def __init__(self, reason: str, client_text: str | None = None) -> None:
        """Store both texts."""
        super().__init__(reason)
        self.reason = reason
        self.client_text = client_text


class SaslServer(Protocol):
    """One exchange of one mechanism."""

    @property
    def user(self) -> str:
        """The name that the client gives; empty if it is not known yet, or the token is invalid."""

    @property
    def token_authenticated(self) -> bool:
        """True if the client has logged in with a delegation token, as the owner of it."""

    @property
    def is_complete(self) -> bool:
        """True if the client has proved that it is `user`."""

    @property
    def expires_ms(self) -> int | None:
        """The wall-clock time at which the credential of the client ends; None for never."""

    def evaluate(self, token: bytes, now_ms: int) -> bytes:
        """Return the answer to a token of the client, at the wall-clock time `now_ms`.

        Raises:
            SaslError: the login has failed.
        """
