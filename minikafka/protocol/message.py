"""The protocols of generated messages (R5), and functions to encode, decode and compare them.

`ApiMessage` is a request or a response; `Message` also covers metadata records, coordinator
records and the other schemas without an API.
"""

from struct import error
from typing import ClassVar, Protocol, Self, TypeVar

from minikafka.protocol.primitives import MalformedMessage, OutOfRangeError, Reader, Writer


class Message(Protocol):
    """One class for all versions: the version is an argument of `encode` and `decode`."""

    MIN_VERSION: ClassVar[int]
    MAX_VERSION: ClassVar[int]
    FLEXIBLE_FROM: ClassVar[int]
    """The first version with tagged fields; above MAX_VERSION if there is none."""

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message.

        Raises:
            UnknownMessageVersionError: there is no such version.
            UnsupportedFieldError: a field that the version lacks is set and not ignorable.
        """

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """Decode the message at the reader's position, and move the reader to its end.

        Raises:
            UnknownMessageVersionError: there is no such version.
            MalformedMessage: the bytes are not such a message.
        """


class ApiMessage(Message, Protocol):
    """A request or a response."""

    API_KEY: ClassVar[int]


M = TypeVar("M", bound=Message)


def encode_message(message: Message, version: int) -> bytes:
    """Encode the message, without header or size."""
    writer = Writer()
    encode_into(writer, message, version)
    return writer.to_bytes()


def encode_into(writer: Writer, message: Message, version: int) -> None:
    """Append the message.

    Raises:
        OutOfRangeError: a number or a text does not fit its field.
        UnknownMessageVersionError, UnsupportedFieldError: see `Message.encode`.
    """
    try:
        message.encode(writer, version)
    except (error, UnicodeEncodeError):
        raise OutOfRangeError(type(message).__name__, version) from None


def decode_message(kind: type[M], data: bytes | bytearray | memoryview, version: int) -> M:
    """Decode the message that is all of `data`.

    Raises:
        MalformedMessage: the bytes are not such a message, or bytes are left over.
    """
    reader = Reader(data)
    message = kind.decode(reader, version)
    if reader.remaining:
        raise MalformedMessage(
            f"{kind.__name__} version {version}: {reader.remaining} bytes left over"
        )
    return message


def describe(message: object) -> str:
    """Return `Name(field=value, …)`; the `__repr__` of generated messages."""
    fields = ", ".join(f"{name}={getattr(message, name)!r}" for name in _slots(message))
    return f"{type(message).__name__}({fields})"


def same(message: object, other: object) -> bool:
    """True if both have the same class and equal fields; the `__eq__` of generated messages."""
    return type(message) is type(other) and all(
        getattr(message, name) == getattr(other, name) for name in _slots(message)
    )


def _slots(message: object) -> tuple[str, ...]:
    slots: tuple[str, ...] = type(message).__slots__  # type: ignore[attr-defined]
    return slots
