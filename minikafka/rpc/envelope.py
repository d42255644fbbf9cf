"""The headers of requests and responses, and their versions.

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
"""The limit for the elements of all arrays of one request, which takes up to 1 s to handle."""
MAX_CLIENT_REQUEST_ELEMENTS = 20_000
"""The limit for a client's request if nodes have a separate listener: up to 0.2 s."""

MAX_HEARTBEAT_ELEMENTS = 200_000
"""The limit for a ConsumerGroupHeartbeat, whose elements cost less: 100,000 topics use 0.15 s."""


class RequestHeader(NamedTuple):
    """The header of every request. Tagged header fields are read and dropped."""

    api_key: int
    api_version: int
    correlation_id: int
    client_id: str | None


class UnknownApiKeyError(ValueError):
    """A request for an API without a schema. The connection must be closed."""

    def __init__(self, header: RequestHeader) -> None:
        """Make the text from the API key."""
        super().__init__(f"unknown API key {header.api_key}")
        self.header = header


class UnsupportedApiVersionError(ValueError):
    """A request in a version without a schema.

    For ApiVersions the caller must respond UNSUPPORTED_VERSION in version 0 (KIP-511). For every
    other API it must close the connection, since the client could not read a response.
    """

    def __init__(self, header: RequestHeader) -> None:
        """Make the text from the API and the version."""
        super().__init__(f"{APIS[header.api_key].name} has no version {header.api_version}")
        self.header = header


_REQUEST_HEADER = Struct(">hhih")
_REQUEST_HEADER_SIZE = _REQUEST_HEADER.size
# The `__new__` of a named tuple is Python code, which is slow; every request makes a header.
_new_header: Callable[[tuple[int, int, int, str | None]], RequestHeader] = partial(
    tuple.__new__, RequestHeader
)
_CORRELATION_ID = Struct(">i")
_SIZE = Struct(">i")
_RESPONSE_PREFIX = Struct(">ii")
_FLEXIBLE_RESPONSE_PREFIX = Struct(">iix")
_ERROR_CODE = Struct(">h")
# The look-up of an enumeration's member is too slow for every request.
_API_VERSIONS = int(ApiKey.API_VERSIONS)
_CONSUMER_GROUP_HEARTBEAT = int(ApiKey.CONSUMER_GROUP_HEARTBEAT)


def decode_header(
    frame: memoryview, most_elements: int = MAX_REQUEST_ELEMENTS
) -> tuple[RequestHeader, Reader]:
    """Decode the header of a request; return it with a reader at the start of the body.

    Raises:
        UnknownApiKeyError: the bytes after the client id were not read.
        UnsupportedApiVersionError: likewise; it contains the complete header.
        MalformedMessage: the frame is not a request.
    """
    try:
        api_key, api_version, correlation_id, size = _REQUEST_HEADER.unpack_from(frame)
        # Unlike Kafka (row B2): elements are limited. Each takes at least a byte: no count for a
        # small frame.
        elements = UNBOUNDED
        if len(frame) > most_elements:
            is_heartbeat = api_key == _CONSUMER_GROUP_HEARTBEAT
            elements = ElementBudget(MAX_HEARTBEAT_ELEMENTS if is_heartbeat else most_elements)
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
    """Decode the body that follows `header`.

    Raises:
        MalformedMessage: it cannot be decoded.
    """
    # As Kafka: bytes behind the last field are ignored (`RequestContext.parseRequest`).
    return request_class(header.api_key).decode(reader, header.api_version)


def decode_request(
    frame: memoryview, most_elements: int = MAX_REQUEST_ELEMENTS
) -> tuple[RequestHeader, ApiMessage]:
    """Decode header and body of one request frame without its size prefix.

    Records in the body are views of `frame`.

    Raises:
        UnknownApiKeyError, UnsupportedApiVersionError, MalformedMessage: see `decode_header`.
    """
    header, reader = decode_header(frame, most_elements)
    return header, decode_body(header, reader)


def encode_response(correlation_id: int, body: ApiMessage, version: int) -> list[Records]:
    """Encode a whole response with its size prefix, as parts to send in order."""
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
    """Encode a whole request with its size prefix, as parts to send in order."""
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
    """Read the correlation id at the start of a response.

    Raises:
        MalformedMessage: the frame is too short for one.
    """
    try:
        return int(_CORRELATION_ID.unpack_from(frame)[0])
    except error:
        raise MalformedMessage(f"a response of {len(frame)} bytes") from None


def decode_response(frame: memoryview, api_key: int, version: int) -> tuple[int, ApiMessage]:
    """Decode correlation id and body of one response frame without its size prefix.

    An ApiVersions response with UNSUPPORTED_VERSION is always decoded as version 0.

    Raises:
        KeyError: the API key does not exist.
        MalformedMessage: the frame cannot be decoded.
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
