"""Heads of HTTP/1.1 requests and responses, for the small servers of this package.

They serve one request per connection.
"""

import asyncio
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final, NamedTuple

HEAD_BYTES: Final = 8192
"""The most bytes of a head; the limit of the reader."""
_SINGLE: Final = ("host", "origin", "content-length", "transfer-encoding")
"""Headers of which two would be read differently by different programs."""


class RejectedRequestError(Exception):
    """A request that is answered with an error status."""

    def __init__(self, status: HTTPStatus, message: str = "") -> None:
        """Use the phrase of the status unless there is a message."""
        super().__init__(message or status.phrase)
        self.status = status


class RequestHead(NamedTuple):
    """The first line of a request, and its headers by their names in lower case."""

    method: str
    path: str
    headers: Mapping[str, str]


async def read_head(reader: asyncio.StreamReader) -> RequestHead:
    """Read the head of a request; the path is without the query.

    Raises:
        RejectedRequestError: it is invalid, or too large.
        asyncio.IncompleteReadError: the connection has ended.
    """
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.LimitOverrunError:
        raise RejectedRequestError(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
    line, *fields = head.decode("latin-1").split("\r\n")[:-2]
    words = line.split(" ")
    if len(words) != 3 or not all(words) or not words[2].startswith("HTTP/1."):
        raise RejectedRequestError(HTTPStatus.BAD_REQUEST)
    headers: dict[str, str] = {}
    for field in fields:
        name, separator, value = field.partition(":")
        if not separator or not name or name != name.strip():
            raise RejectedRequestError(HTTPStatus.BAD_REQUEST)
        if name.lower() in headers and name.lower() in _SINGLE:
            raise RejectedRequestError(HTTPStatus.BAD_REQUEST, f"two headers are named {name}")
        headers[name.lower()] = value.strip()
    return RequestHead(words[0], words[1].partition("?")[0], headers)


def response_head(
    status: HTTPStatus, content_type: str, length: int, headers: Mapping[str, str] | None = None
) -> bytes:
    """Return the head of the only response of a connection."""
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {length}",
        "Connection: close",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
