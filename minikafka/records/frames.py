"""The frames of gzip, lz4 and zstd, as Apache Kafka's readers delimit them.

Codec libraries disagree about frames with unusual flags, and about bytes behind a frame. Java
consumers read what Kafka's readers read, so a leader must refuse what these refuse.

Source: `Lz4BlockInputStream`; zstd-jni's `ZstdInputStreamNoFinalizer`; `GZIPInputStream` of Java
17; the format specifications of lz4 and zstd, and RFC 1952.
"""

from struct import Struct
from typing import Final
from zlib import crc32

from minikafka.records.errors import ContentTooLargeError, CorruptRecordsError

_UINT: Final = Struct("<I")
_USHORT: Final = Struct("<H")
_BLOCK_COST_BYTES: Final = 64
"""A block counts as at least this much content, so that many empty blocks are refused as well."""

_LZ4_MAGIC: Final = b"\x04\x22\x4d\x18"
_LZ4_VERSION_BITS: Final = 0xC0
_LZ4_VERSION: Final = 0x40
_LZ4_RESERVED: Final = 0x03
_LZ4_INDEPENDENT: Final = 0x20
_LZ4_BLOCK_CHECKSUM: Final = 0x10
_LZ4_CONTENT_SIZE: Final = 0x08
_LZ4_CONTENT_CHECKSUM: Final = 0x04
_LZ4_CONTENT_FLAGS: Final = _LZ4_CONTENT_SIZE | _LZ4_CONTENT_CHECKSUM
_LZ4_BLOCK_SIZES: Final = {0x40: 1 << 16, 0x50: 1 << 18, 0x60: 1 << 20, 0x70: 1 << 22}
_LZ4_END: Final = bytes(4)
_LZ4_RAW: Final = 1 << 31

_ZSTD_MAGIC: Final = _UINT.pack(0xFD2FB528)
_SKIPPABLE_TAIL: Final = b"\x2a\x4d\x18"
_ZSTD_READ_BYTES: Final = 131_075
"""The bytes that zstd-jni reads at once (`ZSTD_DStreamInSize`)."""
_ZSTD_CONTENT_SIZE_BYTES: Final = (0, 2, 4, 8)
_ZSTD_DICTIONARY_BYTES: Final = (0, 1, 2, 4)
_ZSTD_RAW: Final = 0
_ZSTD_REPEATED: Final = 1

_GZIP_MAGIC: Final = b"\x1f\x8b\x08"
_GZIP_FIXED_BYTES: Final = 10
_GZIP_CHECKSUM: Final = 2
_GZIP_EXTRA: Final = 4
_GZIP_TEXTS: Final = (8, 16)
_SEARCHED_BYTES: Final = 256


class BlockBudget:
    """The blocks that a section may have: as many as fit into a content of `limit` bytes."""

    def __init__(self, codec: str, limit: int) -> None:
        """Set the limit in bytes of content."""
        self._codec = codec
        self._limit = limit
        self._left = limit // _BLOCK_COST_BYTES + 1

    def spend(self) -> None:
        """Count a block.

        Raises:
            ContentTooLargeError: it is one too many.
        """
        self._left -= 1
        if self._left < 0:
            raise ContentTooLargeError(
                f"{self._codec}: more blocks than {self._limit} bytes of content need"
            )


def lz4_frame(view: memoryview, limit: int) -> memoryview | bytes:
    """Return the first lz4 frame of a section, without its content size and content checksum.

    As Kafka: bytes behind the frame are ignored, and content size and content checksum are not
    compared with the content.

    Raises:
        ContentTooLargeError: it has too many blocks.
        CorruptRecordsError: Kafka's reader refuses the frame.
    """
    if len(view) < 7 or bytes(view[:4]) != _LZ4_MAGIC:
        raise CorruptRecordsError("lz4: the section does not begin with a frame")
    flags, descriptor = view[4], view[5]
    if flags & _LZ4_VERSION_BITS != _LZ4_VERSION or flags & _LZ4_RESERVED:
        raise CorruptRecordsError(f"lz4: the flags of the frame are {flags:#x}")
    if not flags & _LZ4_INDEPENDENT:
        raise CorruptRecordsError("lz4: the blocks depend on each other; they must be independent")
    most = _LZ4_BLOCK_SIZES.get(descriptor)
    if most is None:
        raise CorruptRecordsError(f"lz4: the block descriptor of the frame is {descriptor:#x}")
    start = 14 if flags & _LZ4_CONTENT_SIZE else 6
    if start >= len(view) or view[start] != _short_xxh32(bytes(view[4:start])) >> 8 & 0xFF:
        raise CorruptRecordsError("lz4: the checksum of the frame's header is wrong")
    end = _lz4_end(view, start + 1, most, 4 if flags & _LZ4_BLOCK_CHECKSUM else 0, limit)
    if not flags & _LZ4_CONTENT_FLAGS and bytes(view[end : end + 4]) == _LZ4_END:
        return view[: end + 4]
    if flags & _LZ4_CONTENT_CHECKSUM and end + 8 > len(view):
        raise CorruptRecordsError("lz4: the stream ends early")
    head = bytes((flags & ~_LZ4_CONTENT_FLAGS, descriptor))
    check = bytes((_short_xxh32(head) >> 8 & 0xFF,))
    return b"".join((_LZ4_MAGIC, head, check, view[start + 1 : end], _LZ4_END))


def _lz4_end(view: memoryview, at: int, most: int, checksum_bytes: int, limit: int) -> int:
    """Return the position of the end mark: a block size of 0, also with the bit of a raw block."""
    blocks = BlockBudget("lz4", limit)
    while at + 4 <= len(view):
        size = _UINT.unpack_from(view, at)[0] & ~_LZ4_RAW
        if not size:
            return at
        if size > most:
            raise CorruptRecordsError(f"lz4: a block has {size} bytes, the frame allows {most}")
        blocks.spend()
        at += 4 + size + checksum_bytes
    raise CorruptRecordsError("lz4: the stream ends early")


def _short_xxh32(data: bytes) -> int:
    """XxHash (32 bits, seed 0) of fewer than 16 bytes."""
    found, at = 0x165667B1 + len(data), 0
    while at + 4 <= len(data):
        found = _rotated(found + _UINT.unpack_from(data, at)[0] * 0xC2B2AE3D, 17) * 0x27D4EB2F
        at += 4
    for byte in data[at:]:
        found = _rotated(found + byte * 0x165667B1, 11) * 0x9E3779B1
    found &= 0xFFFFFFFF
    found = (found ^ found >> 15) * 0x85EBCA77 & 0xFFFFFFFF
    found = (found ^ found >> 13) * 0xC2B2AE3D & 0xFFFFFFFF
    return found ^ found >> 16


def _rotated(value: int, bits: int) -> int:
    value &= 0xFFFFFFFF
    return value << bits | value >> 32 - bits


def zstd_frames(view: memoryview, limit: int) -> memoryview:
    """Return the whole zstd frames of a section, the first bytes of it.

    As Kafka: the begin of another frame behind them is ignored, unless it has content.

    Raises:
        ContentTooLargeError: they have too many blocks.
        CorruptRecordsError: the last frame is not whole, and Kafka's reader notices it. Other
            damage is for the decompressor to find.
    """
    blocks = BlockBudget("zstd", limit)
    at = 0
    while at < len(view):
        blocks.spend()
        end = _zstd_end(view, at, blocks)
        if end is None:
            last_read = (len(view) - 1) // _ZSTD_READ_BYTES * _ZSTD_READ_BYTES
            if at <= last_read:
                raise CorruptRecordsError("zstd: the stream ends early")
            break
        at = end
    return view[:at]


def _zstd_end(view: memoryview, at: int, blocks: BlockBudget) -> int | None:
    """Return the end of the frame at `at`; None if it is not whole and has no content."""
    magic = bytes(view[at : at + 4])
    if len(magic) < 4 and _ZSTD_MAGIC.startswith(magic):
        return None
    if len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == _SKIPPABLE_TAIL:
        end = at + 8
        if end <= len(view):
            end += _UINT.unpack_from(view, at + 4)[0]
        return end if end <= len(view) else None
    if magic != _ZSTD_MAGIC:
        raise CorruptRecordsError("zstd: the section is not a sequence of frames")
    if at + 5 > len(view):
        return None
    descriptor = view[at + 4]
    single = descriptor >> 5 & 1
    size_bytes = _ZSTD_CONTENT_SIZE_BYTES[descriptor >> 6] or single
    at += 6 - single + _ZSTD_DICTIONARY_BYTES[descriptor & 3] + size_bytes
    last = content = 0
    while not last and at + 3 <= len(view):
        word = view[at] | view[at + 1] << 8 | view[at + 2] << 16
        last, kind, size = word & 1, word >> 1 & 3, word >> 3
        at += 3
        end = at + (1 if kind == _ZSTD_REPEATED else size)
        if end <= len(view):
            content += size
        elif kind == _ZSTD_RAW:
            content += len(view) - at
        at = end
        blocks.spend()
    at += 4 if descriptor & 4 else 0
    if last and at <= len(view):
        return at
    if content:
        # Unlike Kafka (row P3), which counts the content before the cut.
        raise CorruptRecordsError("zstd: the stream ends early")
    return None


def gzip_header_size(view: memoryview, at: int) -> int | None:
    """Return the size of the gzip header at `at`; None if there is none or it is damaged.

    As Java: the reserved flags are ignored.
    """
    end = at + _GZIP_FIXED_BYTES
    if end > len(view) or bytes(view[at : at + 3]) != _GZIP_MAGIC:
        return None
    flags = view[at + 3]
    if flags & _GZIP_EXTRA:
        if end + 2 > len(view):
            return None
        end += 2 + int(_USHORT.unpack_from(view, end)[0])
    for flag in _GZIP_TEXTS:
        if flags & flag:
            text_end = _zero_at(view, end)
            if text_end is None:
                return None
            end = text_end + 1
    if flags & _GZIP_CHECKSUM:
        if end + 2 > len(view):
            return None
        if _USHORT.unpack_from(view, end)[0] != crc32(view[at:end]) & 0xFFFF:
            return None
        end += 2
    return end - at if end <= len(view) else None


def _zero_at(view: memoryview, at: int) -> int | None:
    while at < len(view):
        found = bytes(view[at : at + _SEARCHED_BYTES]).find(0)
        if found >= 0:
            return at + found
        at += _SEARCHED_BYTES
    return None
