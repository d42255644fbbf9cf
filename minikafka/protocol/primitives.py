"""The primitive types of Kafka's protocol: numbers, varints, compact forms, tagged fields.

There are two layers. The functions take a buffer and a position and return the value and the next
position: generated code keeps both in local variables, inlines the common cases, and calls these
functions for the rest. All other code uses `Reader` and `Writer`.

Invariant of the functions that read: a slice past the end of the buffer is short and raises no
error, but the returned position is past the end. Nothing can be read there, and the end of each
message is compared with the end of the buffer once. `DECODE_FAILURES` are the errors that invalid
bytes may cause; `malformed` converts them to the one error that callers get.

Source: Kafka protocol guide, "Protocol Primitive Types"; KIP-482 (tagged fields).
"""

from collections.abc import Callable, Sequence
from struct import Struct, error, pack, unpack_from
from types import TracebackType
from typing import Any, TypeAlias

from minikafka.common.file_slice import FileSlice
from minikafka.common.ids import Uuid

Buffer: TypeAlias = bytes | bytearray | memoryview
Records: TypeAlias = bytes | bytearray | memoryview | FileSlice
TaggedFields: TypeAlias = list[tuple[int, bytes]]

UNSET: Any = object()
"""The value for "not given" where None means null; never stored."""

DECODE_FAILURES = (IndexError, error, UnicodeDecodeError, OverflowError)
"""The errors that decoding code may raise on invalid bytes, besides `MalformedMessage` itself."""

INLINE_RECORDS_SIZE = 512
"""Records up to this size are copied into the writer's buffer; larger ones become a part."""

_new_uuid = bytes.__new__
_SMALL_VARINTS = tuple(bytes((value,)) for value in range(128))
_VARINT_BITS = 32
_SMALL_ARRAY = 16
_INT32_ARRAYS = tuple(Struct(f">{count}i") for count in range(_SMALL_ARRAY))


class MalformedMessage(ValueError):  # noqa: N818 - the protocol's word
    """Bytes that are not a message: cut short, an impossible length, text that is not UTF-8."""


class UnsupportedFieldError(ValueError):
    """A field has a value, but the requested version does not have the field."""

    def __init__(self, message: str, field: str, version: int) -> None:
        """Make the text from the message, the field and the version."""
        super().__init__(f"{message} version {version} cannot carry {field}")
        self.field = field
        self.version = version


class OutOfRangeError(ValueError):
    """A field has a number or a text that its type cannot hold."""

    def __init__(self, message: str, version: int) -> None:
        """Make the text from the message and its version; the field is not known here."""
        super().__init__(
            f"{message} version {version}: a number is out of the range of its field, or a text is "
            "too long for it or not valid Unicode"
        )


class UnknownMessageVersionError(ValueError):
    """A message does not have the requested version."""

    def __init__(self, message: str, version: int) -> None:
        """Make the text from the message and the version."""
        super().__init__(f"{message} has no version {version}")
        self.version = version


def malformed(message: str, version: int, size: int, failure: Exception) -> MalformedMessage:
    """The error to raise when decoding `message` from `size` bytes failed with `failure`.

    Decoding code keeps its position in a local variable, which the traceback still has: so the
    error can name the byte, and the fast path has no cost for it.
    """
    position = _position_of(failure.__traceback__)
    # Frames whose `f_locals` were read keep them, including `failure`: the request's bytes would
    # stay in memory until the next garbage collection.
    failure.__traceback__ = None
    where = "" if position is None else f" near byte {min(position, size)} of {size}"
    return MalformedMessage(f"{message} version {version}{where}: {failure}")


def _position_of(traceback: TracebackType | None) -> int | None:
    found: int | None = None
    while traceback is not None:
        found = traceback.tb_frame.f_locals.get("pos", found)
        traceback = traceback.tb_next
    return found


def null_not_allowed(field: str) -> MalformedMessage:
    """The error for a null that the version does not allow."""
    return MalformedMessage(f"{field} is null")


def cut_short(message: str, version: int, size: int) -> MalformedMessage:
    """The error for a message whose last field reaches past the end of its `size` bytes."""
    return MalformedMessage(f"{message} version {version} reaches past its end at byte {size}")


def too_many(count: int, remaining: int) -> MalformedMessage:
    """The error for an array of `count` elements in the `remaining` bytes.

    It prevents that a few invalid bytes allocate gigabytes.
    """
    return MalformedMessage(f"an array of {count} elements in {max(remaining, 0)} bytes")


def wrong_tag_size(tag: int, size: int) -> MalformedMessage:
    """The error for a tagged field whose content is shorter or longer than its size."""
    return MalformedMessage(f"tagged field {tag} does not take the {size} bytes it claims")


def read_uvarint(buf: Buffer, pos: int) -> tuple[int, int]:
    """Read an unsigned varint of at most 32 bits.

    Raises:
        MalformedMessage: it is longer than five bytes or does not fit.
    """
    value = shift = 0
    while True:
        byte = buf[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> _VARINT_BITS:
                raise MalformedMessage(f"varint {value} is wider than 32 bits")
            return value, pos
        shift += 7
        if shift > 28:
            raise MalformedMessage("varint longer than 5 bytes")


def read_length(buf: Buffer, pos: int) -> tuple[int, int]:
    """Read a compact length: an unsigned varint, one more than the length; -1 for null."""
    value, pos = read_uvarint(buf, pos)
    return value - 1, pos


def read_varlong(buf: Buffer, pos: int) -> tuple[int, int]:
    """Read a zigzag varint of at most 64 bits, as in record batches (also for 32-bit values).

    Raises:
        MalformedMessage: it is longer than ten bytes or does not fit.
    """
    value = shift = 0
    while True:
        byte = buf[pos]
        pos += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            if value >> 64:
                raise MalformedMessage("varlong wider than 64 bits")
            return (value >> 1) ^ -(value & 1), pos
        shift += 7
        if shift > 63:
            raise MalformedMessage("varlong longer than 10 bytes")


def uvarint(value: int) -> bytes:
    """Encode `value`, not negative and at most 32 bits, as an unsigned varint."""
    if value < 0x80:
        return _SMALL_VARINTS[value]
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def varlong(value: int) -> bytes:
    """Encode `value`, signed and at most 64 bits, as a zigzag varint."""
    return uvarint((value << 1) ^ (value >> 63))


class ElementBudget:
    """The number of elements that the arrays of one frame may still have, with tagged fields.

    With `None` only the bytes of the frame are the limit. Arrays of one element or of less than 16
    integers are not counted, because their cost per containing element is constant.
    """

    __slots__ = ("_bound", "_left")

    def __init__(self, bound: int | None) -> None:
        """Set the limit to `bound` elements."""
        self._bound = bound
        self._left = bound or 0

    def take(self, count: int, remaining: int, size: int = 1) -> None:
        """Count an array before it is read: `count` elements of at least `size` bytes each.

        Raises:
            MalformedMessage: the `remaining` bytes of the frame cannot hold them, the limit is
                exceeded, or the count is negative.
        """
        if count * size > remaining or count < 0:
            raise too_many(count, remaining)
        if self._bound is not None:
            self._left -= count
            if self._left < 0:
                raise MalformedMessage(
                    f"the arrays of the request have more than {self._bound} elements"
                )


UNBOUNDED = ElementBudget(None)


def read_int32s(
    buf: Buffer, pos: int, count: int, elements: ElementBudget = UNBOUNDED
) -> tuple[list[int], int]:
    """Read `count` 32-bit integers."""
    if 0 <= count < _SMALL_ARRAY:
        return list(_INT32_ARRAYS[count].unpack_from(buf, pos)), pos + 4 * count
    return read_fixed(buf, pos, count, "i", 4, elements)


def read_fixed(  # noqa: PLR0917 - generated code has all arguments in local variables
    buf: Buffer, pos: int, count: int, code: str, size: int, elements: ElementBudget = UNBOUNDED
) -> tuple[list[Any], int]:
    """Read `count` numbers of the `struct` type `code`, `size` bytes each."""
    elements.take(count, len(buf) - pos, size)
    return list(unpack_from(f">{count}{code}", buf, pos)), pos + count * size


def read_uuids(
    buf: Buffer, pos: int, count: int, elements: ElementBudget = UNBOUNDED
) -> tuple[list[Uuid], int]:
    """Read `count` UUIDs."""
    elements.take(count, len(buf) - pos, 16)
    end = pos + 16 * count
    return [_new_uuid(Uuid, buf[start : start + 16]) for start in range(pos, end, 16)], end


def read_strings(
    buf: Buffer, pos: int, count: int, elements: ElementBudget = UNBOUNDED
) -> tuple[list[str], int]:
    """Read `count` strings with 16-bit lengths, none of them null."""
    elements.take(count, len(buf) - pos)
    return _read_each(buf, pos, count, _read_length16)


def read_compact_strings(
    buf: Buffer, pos: int, count: int, elements: ElementBudget = UNBOUNDED
) -> tuple[list[str], int]:
    """Read `count` compact strings, none of them null."""
    elements.take(count, len(buf) - pos)
    return _read_each(buf, pos, count, read_length)


def _read_each(
    buf: Buffer, pos: int, count: int, length_of: Callable[[Buffer, int], tuple[int, int]]
) -> tuple[list[str], int]:
    strings: list[str] = []
    for _ in range(count):
        length, pos = length_of(buf, pos)
        if length < 0:
            raise null_not_allowed("an element of an array of strings")
        end = pos + length
        strings.append(str(buf[pos:end], "utf-8"))
        pos = end
    return strings, pos


_INT16 = Struct(">h")


def _read_length16(buf: Buffer, pos: int) -> tuple[int, int]:
    return _INT16.unpack_from(buf, pos)[0], pos + 2


def read_tagged_fields(
    buf: Buffer, pos: int, count: int, elements: ElementBudget = UNBOUNDED
) -> tuple[TaggedFields, int]:
    """Read `count` unknown tagged fields, without decoding their content."""
    elements.take(count, len(buf) - pos, 2)
    fields: TaggedFields = []
    for _ in range(count):
        tag, pos = read_uvarint(buf, pos)
        size, pos = read_uvarint(buf, pos)
        end = pos + size
        fields.append((tag, bytes(buf[pos:end])))
        pos = end
    return fields, pos


def write_tagged_fields(out: bytearray, known: TaggedFields, unknown: TaggedFields | None) -> None:
    """Append a whole tag section: the count, then known and unknown fields in tag order."""
    fields = sorted(known + unknown, key=_by_tag) if unknown else known
    out += uvarint(len(fields))
    for tag, content in fields:
        out += uvarint(tag) + uvarint(len(content))
        out += content


def _by_tag(field: tuple[int, bytes]) -> int:
    return field[0]


def pack_int32s(values: Sequence[int]) -> bytes:
    """Encode consecutive 32-bit integers, without a count."""
    count = len(values)
    if count < _SMALL_ARRAY:
        return _INT32_ARRAYS[count].pack(*values)
    return pack(f">{count}i", *values)


def pack_fixed(values: Sequence[Any], code: str) -> bytes:
    """Encode consecutive numbers of the `struct` type `code`, without a count."""
    return pack(f">{len(values)}{code}", *values)


def write_strings(out: bytearray, values: Sequence[str]) -> None:
    """Append strings with 16-bit lengths."""
    for value in values:
        data = value.encode()
        out += _INT16.pack(len(data))
        out += data


def write_compact_strings(out: bytearray, values: Sequence[str]) -> None:
    """Append compact strings."""
    for value in values:
        data = value.encode()
        out += uvarint(len(data) + 1)
        out += data


def records_size(records: Records) -> int:
    """The size of `records` in bytes."""
    return records.length if isinstance(records, FileSlice) else len(records)


class Reader:
    """A buffer and a position in it; `decode` moves it to the end of the message."""

    __slots__ = ("buf", "elements", "pos")

    def __init__(self, buf: Buffer, pos: int = 0, elements: ElementBudget = UNBOUNDED) -> None:
        """Read `buf` from byte `pos`; `elements` limits the elements of its arrays."""
        self.buf = buf
        self.pos = pos
        self.elements = elements

    @property
    def remaining(self) -> int:
        """The number of bytes that are left."""
        return len(self.buf) - self.pos

    def snapshot(self) -> bytes:
        """The whole buffer as `bytes`: faster to decode, and valid longer than the frame."""
        return self.buf if isinstance(self.buf, bytes) else bytes(self.buf)

    def view(self) -> memoryview:
        """The whole buffer as a view, for messages whose records must not be copied."""
        return self.buf if isinstance(self.buf, memoryview) else memoryview(self.buf)

    def read_int(self, size: int, *, signed: bool = True) -> int:
        """Read a big-endian integer of `size` bytes."""
        return int.from_bytes(self.read_bytes(size), "big", signed=signed)

    def read_uvarint(self) -> int:
        """Read an unsigned varint."""
        try:
            value, self.pos = read_uvarint(self.buf, self.pos)
        except IndexError:
            raise self._cut_short("a varint") from None
        return value

    def read_varlong(self) -> int:
        """Read a zigzag varint of up to 64 bits."""
        try:
            value, self.pos = read_varlong(self.buf, self.pos)
        except IndexError:
            raise self._cut_short("a varint") from None
        return value

    def read_bytes(self, size: int) -> bytes:
        """Read and copy the next `size` bytes.

        Raises:
            MalformedMessage: there are fewer.
        """
        end = self.pos + size
        if size < 0 or end > len(self.buf):
            raise self._cut_short(f"{size} bytes")
        data = bytes(self.buf[self.pos : end])
        self.pos = end
        return data

    def _cut_short(self, wanted: str) -> MalformedMessage:
        return MalformedMessage(f"no {wanted} at byte {self.pos} of {len(self.buf)}")


class Writer:
    """A buffer to which messages are written; large records and file slices are not copied.

    `buf` has everything else; `spliced` has the records to insert, as (position in `buf`, records)
    with ascending positions.
    """

    __slots__ = ("buf", "spliced")

    def __init__(self) -> None:
        """Start empty."""
        self.buf = bytearray()
        self.spliced: list[tuple[int, Records]] = []

    @property
    def size(self) -> int:
        """The number of bytes written, including spliced ones."""
        size = len(self.buf)
        for _, records in self.spliced:
            size += records_size(records)
        return size

    def splice(self, records: Records) -> None:
        """Append `records`: copied if small, else by reference."""
        if isinstance(records, FileSlice) or len(records) > INLINE_RECORDS_SIZE:
            self.spliced.append((len(self.buf), records))
        else:
            self.buf += records

    def parts(self) -> list[Records]:
        """Return the written bytes as parts to send in order. Do not use the writer afterwards."""
        if not self.spliced:
            return [self.buf]
        parts: list[Records] = []
        view = memoryview(self.buf)
        start = 0
        for position, records in self.spliced:
            if position > start:
                parts.append(view[start:position])
            parts.append(records)
            start = position
        if start < len(view):
            parts.append(view[start:])
        return parts

    def to_bytes(self) -> bytes:
        """Return all written bytes in one piece; read and copy spliced records."""
        if not self.spliced:
            return bytes(self.buf)
        return b"".join(
            part.read() if isinstance(part, FileSlice) else part for part in self.parts()
        )
