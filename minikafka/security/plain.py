"""PLAIN (RFC 4616): user name and password, checked against the users of a login module.

Source: `PlainSaslServer`, `PlainServerCallbackHandler`.
"""

from collections.abc import Mapping
from hmac import compare_digest
from typing import Final

from minikafka.security.sasl import SaslError

USER_PREFIX: Final = "user_"
"""The beginning of the options with users; the rest is the name, the value is the password."""
_MAX_TOKENS: Final = 4


def users_of(options: Mapping[str, str]) -> dict[str, bytes]:
    """Return the passwords of the users in the options of a login module, by name."""
    return {
        name.removeprefix(USER_PREFIX): password.encode(errors="surrogateescape")
        for name, password in options.items()
        if name.startswith(USER_PREFIX)
    }


class PlainServer:
    """One exchange of PLAIN."""

    expires_ms: int | None = None

    token_authenticated = False

    def __init__(self, users: Mapping[str, bytes]) -> None:
        """Take the passwords by user."""
        self._users = users
        self.user = ""
        self.is_complete = False

    def evaluate(self, token: bytes, now_ms: int) -> bytes:
        """See `SaslServer`."""
        del now_ms
        text = token.decode(errors="replace")
        parts = text.split("\0", _MAX_TOKENS)[:_MAX_TOKENS]
        if len(parts) != 3:
            raise _told(f"Invalid SASL/PLAIN response: expected 3 tokens, got {len(parts)}")
        authorization_id, self.user, password = parts
        if not self.user:
            raise _told("Authentication failed: username not specified")
        if not password:
            raise _told("Authentication failed: password not specified")
        expected = self._users.get(self.user)
        if expected is None or not compare_digest(expected, password.encode()):
            reason = "the user does not exist" if expected is None else "the password is wrong"
            raise SaslError(reason, "Authentication failed: Invalid username or password")
        if authorization_id not in ("", self.user):
            raise _told(
                "Authentication failed: Client requested an authorization id that is different "
                "from username"
            )
        self.is_complete = True
        return b""


def _told(text: str) -> SaslError:
    """Return an error whose reason the client may know."""
    return SaslError(text, text)
