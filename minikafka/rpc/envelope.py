"""Between a frame and a message: request and response headers, and which of their versions applies.

Header versions: a flexible request has header version 2, any other version 1; a flexible response
has header version 1, any other 0. The client id is never compact. ApiVersions responses always
have header version 0, so that a client can read them before it knows anything about the server.

Source: KIP-482, KIP-511; `RequestHeader`, `ResponseHeader`, `ApiVersionsResponse`.
"""

from collections.abc import Callable
from functools import partial
from struct import Struct, error
from typing import NamedTuple

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import (
    APIS,
    ApiKey,
    request_class,
    response_class,
    response_header_version,
)
from minikafka.protocol.message import ApiMessage, encode_into
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    UNBOUNDED,
    ElementBudget,
    MalformedMessage,
    Reader,
    Records,
    Writer,
    read_tagged_fields,
    read_uvarint,
)

MAX_REQUEST_ELEMENTS = 100_000
"""Elements of all arrays of one request. To build and to answer so many takes up to a second."""
MAX_CLIENT_REQUEST_ELEMENTS = 20_000
"""The same where nodes have a listener of their own: up to 0.2 s."""


class RequestHeader(NamedTuple):
    """What stands in front of every request. Tagged header fields are read and dropped."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


class UnknownApiKeyError(ValueError):
    """A request for an API that no schema describes. The connection cannot go on."""

    def __init__(self, header: RequestHeader) -> None:
        """Name the key."""
        super().__init__(f"unknown API key {header.api_key}")
        self.header = header


class UnsupportedApiVersionError(ValueError):
    """A request in a version that no schema describes.

    For ApiVersions the caller answers UNSUPPORTED_VERSION in version 0 (KIP-511); for every other
    API the connection ends, since the response could not be read.
    """

    def __init__(self, header: RequestHeader) -> None:
        """Name the API and the version."""
        super().__init__(f"{APIS[header.api_key].name} has no version {header.api_version}")
        self.header = header


_REQUEST_HEADER = Struct(">hhih")
_REQUEST_HEADER_SIZE = _REQUEST_HEADER.size
# A named tuple's own `__new__` is interpreted code; every request makes a header.
_new_header: Callable[[tuple[int, int, int, str | None]], RequestHeader] = partial(
    tuple.__new__, RequestHeader
)
_CORRELATION_ID = Struct(">i")
_SIZE = Struct(">i")
_RESPONSE_PREFIX = Struct(">ii")
_FLEXIBLE_RESPONSE_PREFIX = Struct(">iix")
_ERROR_CODE = Struct(">h")
# Members of enumerations are slow to look up where every request does.
_API_VERSIONS = int(ApiKey.API_VERSIONS)


def decode_header(
    frame: memoryview, most_elements: int = MAX_REQUEST_ELEMENTS
) -> tuple[RequestHeader, Reader]:
    """The header of a request, and a reader that stands at its body.

    Raises:
        UnknownApiKeyError: before anything behind the client id is read.
        UnsupportedApiVersionError: likewise; the header in it is complete.
        MalformedMessage: if the frame is no request at all.
    """
    # Unlike Kafka: a bound. An element takes a byte at least, so that a small frame needs no count.
    is_small = len(frame) <= most_elements
    elements = UNBOUNDED if is_small else ElementBudget(most_elements)
    try:
        api_key, api_version, correlation_id, size = _REQUEST_HEADER.unpack_from(frame)
        pos = _REQUEST_HEADER_SIZE
        client_id = None
        if size >= 0:
            pos += size
            client_id = str(frame[_REQUEST_HEADER_SIZE:pos], "utf-8")
        header = _new_header((api_key, api_version, correlation_id, client_id))
        info = APIS.get(api_key)
        if info is None:
            raise UnknownApiKeyError(header)
        if not info.min_version <= api_version <= info.max_version:
            raise UnsupportedApiVersionError(header)
        if api_version >= info.flexible_from:
            # Most clients send no tagged fields.
            pos = _skip_tagged_fields(frame, pos, elements) if frame[pos] else pos + 1
    except DECODE_FAILURES as failure:
        raise MalformedMessage(f"request header in {len(frame)} bytes: {failure}") from None
    if pos > len(frame):
        raise MalformedMessage(f"request header reaches past the end of {len(frame)} bytes")
    return header, Reader(frame, pos, elements)


def decode_body(header: RequestHeader, reader: Reader) -> ApiMessage:
    """The body that `header` announces.

    Raises:
        MalformedMessage: if it cannot be read.
    """
    # As Kafka: bytes behind the last field are ignored (`RequestContext.parseRequest`).
    return request_class(header.api_key).decode(reader, header.api_version)


def decode_request(
    frame: memoryview, most_elements: int = MAX_REQUEST_ELEMENTS
) -> tuple[RequestHeader, ApiMessage]:
    """Header and body of one request frame, without its size prefix.

    Records in the body are views of `frame`.

    Raises:
        UnknownApiKeyError, UnsupportedApiVersionError, MalformedMessage: see `decode_header`.
    """
    header, reader = decode_header(frame, most_elements)
    return header, decode_body(header, reader)


def encode_response(correlation_id: int, body: ApiMessage, version: int) -> list[Records]:
    """A whole response, size prefix included, as parts to send one after the other."""
    writer = Writer()
    out = writer.buf
    if version >= body.FLEXIBLE_FROM and body.API_KEY != _API_VERSIONS:
        out += _FLEXIBLE_RESPONSE_PREFIX.pack(0, correlation_id)
    else:
        out += _RESPONSE_PREFIX.pack(0, correlation_id)
    body.encode(writer, version)
    return _with_size(writer)


def encode_request(
    correlation_id: int, client_id: str | None, body: ApiMessage, version: int
) -> list[Records]:
    """A whole request, size prefix included, as parts to send one after the other."""
    writer = Writer()
    out = writer.buf
    out += _SIZE.pack(0)
    name = b"" if client_id is None else client_id.encode()
    size = -1 if client_id is None else len(name)
    out += _REQUEST_HEADER.pack(body.API_KEY, version, correlation_id, size)
    out += name
    if version >= body.FLEXIBLE_FROM:
        out.append(0)
    encode_into(writer, body, version)
    return _with_size(writer)


def correlation_id_of(frame: memoryview) -> int:
    """The correlation id at the front of a response.

    Raises:
        MalformedMessage: if the frame is too short for one.
    """
    try:
        return int(_CORRELATION_ID.unpack_from(frame)[0])
    except error:
        raise MalformedMessage(f"a response of {len(frame)} bytes") from None


def decode_response(frame: memoryview, api_key: int, version: int) -> tuple[int, ApiMessage]:
    """Correlation id and body of one response frame, without its size prefix.

    An ApiVersions response that says UNSUPPORTED_VERSION is read as version 0, whatever was asked.

    Raises:
        KeyError: for an API key that does not exist.
        MalformedMessage: if the frame cannot be read.
    """
    correlation_id = correlation_id_of(frame)
    pos = _CORRELATION_ID.size
    try:
        if response_header_version(api_key, version) == 1:
            pos = _skip_tagged_fields(frame, pos, UNBOUNDED)
        elif api_key == _API_VERSIONS:
            (code,) = _ERROR_CODE.unpack_from(frame, pos)
            version = 0 if code == ErrorCode.UNSUPPORTED_VERSION else version
    except DECODE_FAILURES as failure:
        raise MalformedMessage(f"response header in {len(frame)} bytes: {failure}") from None
    return correlation_id, response_class(api_key).decode(Reader(frame, pos), version)


def _skip_tagged_fields(frame: memoryview, pos: int, elements: ElementBudget) -> int:
    count, pos = read_uvarint(frame, pos)
    return read_tagged_fields(frame, pos, count, elements)[1] if count else pos


def _with_size(writer: Writer) -> list[Records]:
    _SIZE.pack_into(writer.buf, 0, writer.size - _SIZE.size)
    return writer.parts()
