"""The five codecs of record batches, with a limit for the decompressed size.

gzip is zlib's; snappy (in xerial's block framing), lz4 (frame format) and zstd come from cramjam,
which is imported when the first such batch must be decompressed or compressed. A batch that is only
stored and served is never decompressed.
"""

import mmap
import zlib
from collections.abc import Callable
from enum import IntEnum
from functools import cache
from importlib import import_module
from struct import Struct
from typing import Any, Final

from minikafka.records.errors import ContentTooLargeError, CorruptRecordsError
from minikafka.records.frames import BlockBudget, gzip_header_size, lz4_frame, zstd_frames

Buffer = bytes | bytearray | memoryview

DECOMPRESSED_LIMIT: Final = 256 * 1024 * 1024
"""The limit for one decompressed batch in bytes, so that a small request cannot fill the memory."""
_ZEROED_AT_ONCE: Final = 1024 * 1024


class Codec(IntEnum):
    """The codec's number in a batch's attributes. The lower-case name is the config's word."""

    NONE = 0
    GZIP = 1
    SNAPPY = 2
    LZ4 = 3
    ZSTD = 4


def compress(codec: int, data: Buffer, level: int | None = None) -> bytes:
    """Compress `data`; `level` None is the codec's default, and snappy has no levels.

    Raises:
        CorruptRecordsError: the codec is unknown.
    """
    try:
        return _COMPRESS[codec](data, level)
    except KeyError:
        raise CorruptRecordsError(f"unknown compression codec {codec}") from None


def decompress(codec: int, data: Buffer, limit: int = DECOMPRESSED_LIMIT) -> Buffer:
    """Decompress `data` to at most `limit` bytes.

    Raises:
        ContentTooLargeError: the content is larger than `limit`.
        CorruptRecordsError: the codec is unknown, or `data` is damaged.
    """
    try:
        return _DECOMPRESS[codec](data, limit)
    except KeyError:
        raise CorruptRecordsError(f"unknown compression codec {codec}") from None


@cache
def _cramjam(module: str) -> Any:
    return getattr(import_module("cramjam"), module)


def _failure() -> type[Exception]:
    failure: type[Exception] = import_module("cramjam").DecompressionError
    return failure


def _store(data: Buffer, _level: int | None) -> bytes:
    return bytes(data)


_GZIP_PIECE: Final = 8 * 1024
_GZIP_TRAILER: Final = Struct("<II")
_GZIP_IGNORED: Final = 18


def _gzip(data: Buffer, level: int | None) -> bytes:
    compressor = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, 31)
    return compressor.compress(data) + compressor.flush()


_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01" * 2
_XERIAL_BLOCK = 32 * 1024
_INT = Struct(">i")
_XERIAL_MAGIC_AS_SIZE = _INT.unpack_from(_XERIAL_MAGIC)[0]
_XERIAL_VERSION = 1


def _snappy(data: Buffer, _level: int | None) -> bytes:
    raw = _cramjam("snappy").compress_raw
    view = memoryview(data)
    parts = [_XERIAL_HEADER]
    for start in range(0, len(view), _XERIAL_BLOCK):
        block = bytes(raw(view[start : start + _XERIAL_BLOCK]))
        parts += (_INT.pack(len(block)), block)
    return b"".join(parts)


def _lz4(data: Buffer, level: int | None) -> bytes:
    # As Kafka: independent blocks, since its reader (KafkaLZ4BlockInputStream) requires them.
    compressor = _cramjam("lz4").Compressor(level, True, False)
    compressor.compress(bytes(data))
    return bytes(compressor.finish())


def _zstd(data: Buffer, level: int | None) -> bytes:
    return bytes(_cramjam("zstd").compress(data, 3 if level is None else level))


def _gunzip(data: Buffer, limit: int) -> Buffer:
    """Decompress the members as Java's `GZIPInputStream` does.

    It ends, without an error, at bytes that are no member, and at 18 or fewer bytes behind one.
    """
    view = memoryview(data)
    out = bytearray()
    members = BlockBudget("gzip", limit)
    size = gzip_header_size(view, 0)
    if size is None:
        raise CorruptRecordsError("gzip: the section does not begin with a header")
    at = 0
    while size is not None:
        members.spend()
        at += size
        start = len(out)
        end = _inflate(view, at, limit, out)
        at = end + _GZIP_TRAILER.size
        if at > len(view):
            raise CorruptRecordsError("gzip: the stream ends early")
        crc, length = _GZIP_TRAILER.unpack_from(view, end)
        member = memoryview(out)[start:]
        if crc != zlib.crc32(member) or length != len(member) & 0xFFFFFFFF:
            raise CorruptRecordsError("gzip: checksum or size of the trailer are wrong")
        member.release()
        size = gzip_header_size(view, at) if len(view) - at > _GZIP_IGNORED else None
    return out


def _inflate(view: memoryview, at: int, limit: int, out: bytearray) -> int:
    """Append the content of the deflate stream at `at` to `out`; return the end of the stream."""
    opener = zlib.decompressobj(-15)
    # In pieces: zlib copies all bytes after the stream, and there may be many members.
    while at < len(view) and not opener.eof:
        piece = view[at : at + _GZIP_PIECE]
        try:
            out += opener.decompress(piece, limit + 1 - len(out))
        except zlib.error as error:
            raise CorruptRecordsError(f"gzip: {error}") from None
        if len(out) > limit:
            raise _too_large("gzip", limit)
        at += len(piece) - len(opener.unused_data)
    if not opener.eof:
        raise CorruptRecordsError("gzip: the stream ends early")
    return at


def _unsnappy(data: Buffer, limit: int) -> Buffer:
    """Decompress xerial's stream of chunks, or several of them, or one bare block.

    As xerial's `SnappyInputStream`: a chunk size of fewer than four bytes ends the stream, and the
    versions of the first header are ignored.
    """
    view = memoryview(data)
    if len(view) < len(_XERIAL_HEADER) or view[:8] != _XERIAL_MAGIC:
        # Some clients write one bare block; released Kafka's reader accepts it as well.
        return _unsnappy_block(view, limit)
    out = bytearray()
    chunks = BlockBudget("snappy", limit)
    position = len(_XERIAL_HEADER)
    while position + 4 <= len(view):
        chunks.spend()
        size = _INT.unpack_from(view, position)[0]
        if size == _XERIAL_MAGIC_AS_SIZE:
            position = _next_snappy_stream(view, position)
            continue
        position += 4
        if size < 0 or position + size > len(view):
            # Unlike Kafka (row B2), which allocates what a chunk claims.
            raise CorruptRecordsError(f"snappy: a block says it has {size} bytes")
        out += _unsnappy_block(view[position : position + size], limit - len(out))
        position += size
    return out


def _next_snappy_stream(view: memoryview, position: int) -> int:
    """Return the position after the header of a further stream."""
    end = position + len(_XERIAL_HEADER)
    header = view[position:end]
    if (
        len(header) < len(_XERIAL_HEADER)
        or header[:8] != _XERIAL_MAGIC
        or _INT.unpack_from(header, 8)[0] < _XERIAL_VERSION
    ):
        raise CorruptRecordsError("snappy: the header of a further stream is damaged")
    return end


def _unsnappy_block(block: memoryview, limit: int) -> bytes:
    snappy = _cramjam("snappy")
    try:
        if snappy.decompress_raw_len(block) > limit:
            raise _too_large("snappy", limit)
        return bytes(snappy.decompress_raw(block))
    except CorruptRecordsError:
        raise
    except (_failure(), OSError, ValueError) as error:
        raise CorruptRecordsError(f"snappy: {error}") from None


def _open_growing(
    name: str, frames: Callable[[memoryview, int], memoryview | bytes]
) -> Callable[[Buffer, int], Buffer]:
    """Return a decompressor whose output buffer grows fourfold until the content fits.

    `frames` returns the part of a section that is read.
    """

    def opened(section: Buffer, limit: int) -> Buffer:
        module = _cramjam(name)
        data = frames(memoryview(section), limit)
        if not data:
            return b""
        capacity = max(64 * 1024, 4 * len(data))
        while True:
            out = _zeroed(min(capacity, limit))
            try:
                size = module.decompress_into(data, out)
            except (_failure(), OSError, ValueError) as error:
                if "write whole buffer" not in str(error):
                    raise CorruptRecordsError(f"{name}: {error}") from None
            else:
                return memoryview(out)[:size]
            if capacity >= limit:
                raise _too_large(name, limit)
            capacity *= 4

    return opened


def _zeroed(size: int) -> bytearray | memoryview:
    """Return a buffer of zeros. For a large one the kernel zeroes each page at its first use.

    To zero 64 MiB in the interpreter takes 80 ms, during which no other thread runs.
    """
    if size <= _ZEROED_AT_ONCE:
        return bytearray(size)
    return memoryview(mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))


def _too_large(name: str, limit: int) -> ContentTooLargeError:
    return ContentTooLargeError(f"{name}: content is larger than {limit} bytes")


_COMPRESS: dict[int, Callable[[Buffer, int | None], bytes]] = {
    Codec.NONE: _store,
    Codec.GZIP: _gzip,
    Codec.SNAPPY: _snappy,
    Codec.LZ4: _lz4,
    Codec.ZSTD: _zstd,
}
_DECOMPRESS: dict[int, Callable[[Buffer, int], Buffer]] = {
    Codec.NONE: lambda data, _limit: data,
    Codec.GZIP: _gunzip,
    Codec.SNAPPY: _unsnappy,
    Codec.LZ4: _open_growing("lz4", lz4_frame),
    Codec.ZSTD: _open_growing("zstd", zstd_frames),
}
