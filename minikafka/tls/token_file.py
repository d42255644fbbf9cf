"""The token by which a node or a tool logs in with OAUTHBEARER, from its file.

Source: `FileJwtRetriever`.
"""

from pathlib import Path
from typing import Final

from minikafka.config.sasl_keys import TOKEN_ENDPOINT_URL
from minikafka.security.oauthbearer import InvalidTokenError, end_ms

_MAX_BYTES: Final = 1 << 16


class TokenFileError(Exception):
    """A file without a token; `str()` names the setting and the file, and has no token."""


def read_token(path: str) -> str:
    """Return the token in a file.

    Raises:
        TokenFileError: see there.
    """
    source = f"{TOKEN_ENDPOINT_URL.name}: {path}"
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except OSError as error:
        raise TokenFileError(f"{source}: cannot be read: {error.strerror}") from None
    except ValueError:
        raise TokenFileError(f"{source}: is no path of a file") from None
    if len(content) > _MAX_BYTES:
        raise TokenFileError(f"{source}: has more than {_MAX_BYTES} bytes")
    token = content.decode(errors="replace").strip()
    try:
        end_ms(token)
    except InvalidTokenError as error:
        raise TokenFileError(f"{source}: has no token to log in with: {error}") from None
    return token
