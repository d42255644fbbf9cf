"""A message behind a 16-bit number: its record type in a key, its version in a value."""

from struct import Struct

from minikafka.protocol.message import Message
from minikafka.protocol.primitives import MalformedMessage, Reader, Writer

_SHORT = Struct(">h")


def encode_key(record_type: int, message: Message) -> bytes:
    """Encode a key, in version 0."""
    return _encode(record_type, message, 0)


def encode_value(message: Message, version: int) -> bytes:
    """Encode a value in a version."""
    return _encode(version, message, version)


def _encode(number: int, message: Message, version: int) -> bytes:
    writer = Writer()
    writer.buf += _SHORT.pack(number)
    message.encode(writer, version)
    return bytes(writer.buf)


def number_of(data: bytes) -> int:
    """Read the number."""
    if len(data) < _SHORT.size:
        raise MalformedMessage("a coordinator's key or value must start with a 16-bit number")
    number: int = _SHORT.unpack_from(data)[0]
    return number


def reader_of(data: bytes) -> Reader:
    """A reader of the message."""
    return Reader(data, _SHORT.size)
