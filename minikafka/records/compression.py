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


def _gzip(data: Buffer, level: int | None) -> bytes:
    compressor = zlib.compressobj(-1 if level is None else level, zlib.DEFLATED, 31)
    return compressor.compress(data) + compressor.flush()


_XERIAL_MAGIC = b"\x82SNAPPY\x00"
_XERIAL_HEADER = _XERIAL_MAGIC + b"\x00\x00\x00\x01" * 2
_XERIAL_BLOCK = 32 * 1024
_INT = Struct(">i")


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
    view = memoryview(data)
    out = bytearray()
    opener = zlib.decompressobj(31)
    # In pieces: zlib copies all bytes after each gzip member, and there may be many members.
    for start in range(0, len(view), _GZIP_PIECE):
        piece: Buffer = view[start : start + _GZIP_PIECE]
        while len(piece):
            if opener.eof:
                opener = zlib.decompressobj(31)
            try:
                out += opener.decompress(piece, limit + 1 - len(out))
            except zlib.error as error:
                raise CorruptRecordsError(f"gzip: {error}") from None
            if len(out) > limit:
                raise _too_large("gzip", limit)
            piece = opener.unused_data
    if view and not opener.eof:
        raise CorruptRecordsError("gzip: the stream ends early")
    return out


def _unsnappy(data: Buffer, limit: int) -> Buffer:
    view = memoryview(data)
    if bytes(view[:8]) != _XERIAL_MAGIC:
        # Some clients write one bare block; released Kafka's reader accepts it as well.
        return _unsnappy_block(view, limit)
    out = bytearray()
    position = len(_XERIAL_HEADER)
    while position < len(view):
        if position + 4 > len(view):
            raise CorruptRecordsError("snappy: the stream ends early")
        size = _INT.unpack_from(view, position)[0]
        position += 4
        if size < 0 or position + size > len(view):
            raise CorruptRecordsError(f"snappy: a block says it has {size} bytes")
        out += _unsnappy_block(view[position : position + size], limit - len(out))
        position += size
    return out


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


def _open_growing(name: str) -> Callable[[Buffer, int], Buffer]:
    """Return a decompressor whose output buffer grows fourfold until the content fits."""

    def opened(data: Buffer, limit: int) -> Buffer:
        module = _cramjam(name)
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
    Codec.LZ4: _open_growing("lz4"),
    Codec.ZSTD: _open_growing("zstd"),
}
