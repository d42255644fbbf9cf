"""Samples that lanes are made from: the general encoder encodes them (see `serving/lanes`).

Every version is then what it is in the general way. What varies is found by its sample value.
"""

from struct import Struct
from typing import Any, Final

from minikafka.protocol.message import ApiMessage
from minikafka.rpc.envelope import encode_request, encode_response

SAMPLE_OFFSETS: Final = (0x0102030405060708, 0x1112131415161718, 0x2122232425262728)
"""Three offsets that stand together in a response."""
_OFFSETS: Final = Struct(">qqq").pack(*SAMPLE_OFFSETS)
_SIZE_BYTES: Final = 4
_HEAD_BYTES: Final = 8
"""Size and correlation id."""


def request_bytes(client_id: str | None, request: ApiMessage, version: int) -> bytes:
    """Encode a request, without its size, with the correlation id 0."""
    parts: Any = encode_request(0, client_id, request, version)
    return b"".join(parts)[_SIZE_BYTES:]


class ResponseShape:
    """A response that has the sample offsets, in three pieces.

    `before` stands between the correlation id and the offsets, `after` follows them. `size` is that
    of the whole, as its size field says.
    """

    __slots__ = ("after", "before", "size")

    def __init__(self, response: ApiMessage, version: int) -> None:
        """Encode a response whose records, if any, are no part of a file."""
        parts: Any = encode_response(0, response, version)
        encoded = b"".join(parts)
        self.size = len(encoded) - _SIZE_BYTES
        head, _, self.after = encoded.partition(_OFFSETS)
        self.before = head[_HEAD_BYTES:]

    def layout(self, after: bytes) -> Struct:
        """The layout of size, correlation id, `before`, three offsets, and `after`."""
        return Struct(f">ii{len(self.before)}sqqq{len(after)}s")
