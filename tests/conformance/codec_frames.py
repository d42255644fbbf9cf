"""Compressed record sections, valid and not, of every codec: what producers of any library may send.

The generator is deterministic, but the compressors of other versions may write other bytes: the
recorded file has the bytes. The sections are those of `SMALL` and `LARGE`. No chunk of snappy
claims to be huge: Kafka 4.3.1 allocates what it claims, and ends.
"""

import base64
import json
import struct
import zlib
from pathlib import Path

import cramjam

from minikafka.records.batch import HEADER_SIZE, read_header
from minikafka.records.builder import NewRecord, build_batch, reseal
from minikafka.records.compression import Codec

DATA = Path(__file__).parent / "data" / "codec_frames.json"
TIMESTAMP_MS = 1_700_000_000_000
SMALL = build_batch([NewRecord(TIMESTAMP_MS, b"key%d" % i, b"value %d " % i * 4) for i in range(3)])
LARGE = build_batch([NewRecord(TIMESTAMP_MS, None, bytes([97 + i]) * 70_000) for i in range(3)])
PLAIN = {"small": bytes(SMALL[HEADER_SIZE:]), "large": bytes(LARGE[HEADER_SIZE:])}


def batch_of(codec, section, plain="small"):
    """Return a batch of the header of `SMALL` or `LARGE` with these compressed records."""
    header = read_header(SMALL if plain == "small" else LARGE)
    return bytes(reseal(header, codec, section)[0])


def frames():
    """Yield (name, codec, plain, section): a name begins with its codec."""
    for codec, make in (
        (Codec.LZ4, lz4_frames),
        (Codec.SNAPPY, snappy_frames),
        (Codec.ZSTD, zstd_frames),
        (Codec.GZIP, gzip_frames),
    ):
        for name, section, *plain in make():
            yield f"{codec.name.lower()}: {name}", codec, plain[0] if plain else "small", section
    for codec in (5, 6, 7):
        yield f"codec {codec}", codec, "small", PLAIN["small"]


def load():
    """Return the recorded rows: name, codec, plain, section, Kafka's error code."""
    return [
        (name, codec, plain, zlib.decompress(base64.b64decode(section)), code)
        for name, codec, plain, section, code in json.loads(DATA.read_text())
    ]


_PRIMES = 2654435761, 2246822519, 3266489917, 668265263, 374761393
_MASK = 0xFFFFFFFF


def _rotated(value, bits):
    return (value << bits | value >> 32 - bits) & _MASK


def xxh32(data):
    """xxHash of 32 bits with seed 0, by its specification."""
    one, two, three, four, five = _PRIMES
    at = 0
    if len(data) >= 16:
        lanes = [(one + two) & _MASK, two, 0, -one & _MASK]
        while at + 16 <= len(data):
            for lane, word in enumerate(struct.unpack_from("<4I", data, at)):
                lanes[lane] = _rotated((lanes[lane] + word * two) & _MASK, 13) * one & _MASK
            at += 16
        found = sum(_rotated(v, b) for v, b in zip(lanes, (1, 7, 12, 18), strict=True)) & _MASK
    else:
        found = five
    found = (found + len(data)) & _MASK
    while at + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, at)
        found = _rotated((found + word * three) & _MASK, 17) * four & _MASK
        at += 4
    for byte in data[at:]:
        found = _rotated((found + byte * five) & _MASK, 11) * one & _MASK
    found = (found ^ found >> 15) * two & _MASK
    found = (found ^ found >> 13) * three & _MASK
    return found ^ found >> 16


def _lz4_block(data):
    return bytes(cramjam.lz4.compress_block(data, store_size=False))


def lz4_frame(
    content, *, flags=0x60, descriptor=0x40, piece=65536, raw=False, header_error=0,
    size_error=0, content_error=0, block_error=0, end=b"\0\0\0\0", magic=b"\x04\x22\x4d\x18",
    extra=b"", blocks=None,
):  # fmt: skip
    """Return an lz4 frame with these flags; what the flags announce is there."""
    head = bytes([flags, descriptor])
    if flags & 8:
        head += struct.pack("<Q", len(content) + size_error)
    if flags & 1:
        head += struct.pack("<I", 7)
    frame = magic + head + extra + bytes([(xxh32(head) >> 8 & 255) ^ header_error])
    if blocks is None:
        pieces = [content[at : at + piece] for at in range(0, len(content), piece)]
        blocks = [(each, 1 << 31) if raw else (_lz4_block(each), 0) for each in pieces]
    for block, bit in blocks:
        frame += struct.pack("<I", len(block) | bit) + block
        if flags & 16:
            frame += struct.pack("<I", xxh32(block) ^ block_error)
    frame += end
    if flags & 4:
        frame += struct.pack("<I", xxh32(content) ^ content_error)
    return frame


def lz4_frames():
    small, large = PLAIN["small"], PLAIN["large"]
    for name, plain, content in (("small", "small", small), ("large", "large", large)):
        for flags in (0x60, 0x64, 0x68, 0x6C, 0x70, 0x74, 0x78, 0x7C):
            yield f"{name}, flags {flags:x}", lz4_frame(content, flags=flags), plain
    for raw in (False, True):
        for flags in (0x40, 0x44, 0x48, 0x50, 0x61, 0x62, 0x63, 0x69, 0x20, 0xA0, 0xE0, 0x00):
            yield f"flags {flags:x}, raw {raw}", lz4_frame(small, flags=flags, raw=raw)
    for descriptor in range(0, 256, 16):
        yield f"descriptor {descriptor:x}", lz4_frame(small, descriptor=descriptor)
    for descriptor in (0x41, 0x42, 0x44, 0x48, 0x4F, 0xC0):
        yield f"reserved bits {descriptor:x}", lz4_frame(small, descriptor=descriptor)
    for descriptor, piece in ((0x40, 65537), (0x40, 100_000), (0x50, 100_000), (0x70, 300_000)):
        for raw in (False, True):
            frame = lz4_frame(large, descriptor=descriptor, piece=piece, raw=raw)
            yield f"blocks of {piece} in descriptor {descriptor:x}, raw {raw}", frame, "large"
    yield "raw blocks", lz4_frame(small, raw=True)
    yield "tiny blocks", lz4_frame(small, piece=1)
    yield "tiny raw blocks", lz4_frame(small, piece=1, raw=True)
    yield "wrong header checksum", lz4_frame(small, header_error=1)
    yield "wrong content size", lz4_frame(small, flags=0x68, size_error=1)
    yield "huge content size", lz4_frame(small, flags=0x68, size_error=1 << 40)
    yield "zero content size", lz4_frame(small, flags=0x68, size_error=-len(small))
    yield "wrong content checksum", lz4_frame(small, flags=0x64, content_error=1)
    yield "wrong block checksum", lz4_frame(small, flags=0x70, block_error=1)
    yield "wrong both checksums", lz4_frame(small, flags=0x74, block_error=1, content_error=1)
    yield "no end mark", lz4_frame(small, end=b"")
    for cut in (1, 2, 3):
        yield f"end mark cut to {cut}", lz4_frame(small, end=b"\0" * cut)
    yield "no content checksum", lz4_frame(small, flags=0x64)[:-4]
    yield "content checksum cut", lz4_frame(small, flags=0x64)[:-1]
    for cut in (0, 1, 3, 4, 5, 6, 7, 8, 10, 11, 12, 20, 40):
        yield f"cut to {cut}", lz4_frame(small)[:cut]
    for tail in (b"\0", b"x", b"\0" * 4, b"\xff" * 30, lz4_frame(b"more"), lz4_frame(b"")):
        yield f"tail of {len(tail)} {tail[:4].hex()}", lz4_frame(small) + tail
    for at in (0, 1, 20, 60):
        yield f"two frames at {at}", lz4_frame(small[:at]) + lz4_frame(small[at:])
    yield "empty frame first", lz4_frame(b"") + lz4_frame(small)
    yield "two large frames", lz4_frame(large[:80_000]) + lz4_frame(large[80_000:]), "large"
    skippable = struct.pack("<II", 0x184D2A50, 5) + b"abcde"
    yield "skippable first", skippable + lz4_frame(small)
    yield "skippable last", lz4_frame(small) + skippable
    yield "legacy frame", b"\x02\x21\x4c\x18" + struct.pack("<I", len(_lz4_block(small))) + (
        _lz4_block(small)
    )  # fmt: skip
    yield "wrong magic", lz4_frame(small, magic=b"\x05\x22\x4d\x18")
    yield "bare block", _lz4_block(small)
    yield "empty content", lz4_frame(b"")
    yield "less content", lz4_frame(small[:-5])
    yield "more content", lz4_frame(small + b"x")
    yield (
        "more content in a second block",
        lz4_frame(small, blocks=[(small, 1 << 31), (b"x", 1 << 31)]),
    )
    block = _lz4_block(small)
    first, second = _lz4_block(small[:50]), _lz4_block(small[50:])
    for name, blocks in {
        "empty raw block last": [(block, 0), (b"", 1 << 31)],
        "empty raw block first": [(b"", 1 << 31), (block, 0)],
        "empty packed block last": [(block, 0), (b"\0", 0)],
        "empty packed block first": [(b"\0", 0), (block, 0)],
        "empty packed block between": [(first, 0), (b"\0", 0), (second, 0)],
        "three empty packed blocks": [(first, 0), (b"\0", 0), (b"\0", 0), (b"\0", 0), (second, 0)],
        "damaged block": [(block[:-3] + b"\xff\xff\xff", 0)],
        "damaged second block": [(first, 0), (b"\xff\xff\xff", 0)],
        "damaged block after the records": [(block, 0), (b"\xff\xff\xff", 0)],
        "block of a back reference before its start": [(b"\x10a\xff\xff\x00", 0)],
        "block that ends early": [(block[:-1], 0)],
        "block with a zero offset": [(b"\x14a\x00\x00\x50aaaaa", 0)],
    }.items():
        yield name, lz4_frame(small, blocks=blocks)
    yield "block size beyond the frame", lz4_frame(small, blocks=[])[:-4] + b"\0\x10\0\0" + small
    yield "block size of 2 GiB", lz4_frame(small, blocks=[])[:-4] + b"\xff\xff\xff\x7f" + small
    yield "large linked blocks", _linked(large), "large"


def _linked(content):
    found = bytearray()
    compressor = cramjam.lz4.Compressor(None, True, True)
    compressor.compress(content)
    found += bytes(compressor.finish())
    return bytes(found)


_XERIAL = b"\x82SNAPPY\x00"


def _chunk(data, size=None):
    packed = bytes(cramjam.snappy.compress_raw(data))
    return struct.pack(">i", len(packed) if size is None else size) + packed


def xerial(*pieces, version=1, compatible=1):
    return _XERIAL + struct.pack(">ii", version, compatible) + b"".join(map(_chunk, pieces))


def snappy_frames():
    small, large = PLAIN["small"], PLAIN["large"]
    raw = bytes(cramjam.snappy.compress_raw(small))
    yield "one chunk", xerial(small)
    yield "chunks of 32 KiB", xerial(*(large[i : i + 32768] for i in range(0, len(large), 32768))), (
        "large"
    )  # fmt: skip
    yield "one large chunk", xerial(large), "large"
    yield "tiny chunks", xerial(*(small[i : i + 1] for i in range(len(small))))
    yield "two chunks", xerial(small[:50], small[50:])
    yield "bare block", raw
    yield "large bare block", bytes(cramjam.snappy.compress_raw(large)), "large"
    yield "framing format of Google", bytes(cramjam.snappy.compress(small))
    for version in (-1, 0, 1, 2, 3, 1 << 24, (1 << 31) - 1):
        yield f"version {version}", xerial(small, version=version)
        yield f"compatible version {version}", xerial(small, compatible=version)
        yield f"both versions {version}", xerial(small, version=version, compatible=version)
    for cut in (0, 1, 2, 4, 7, 8, 9, 12, 15, 16, 17, 18, 19, 20, 21, 40):
        yield f"cut to {cut}", xerial(small)[:cut]
    for cut in (1, 2, 5, 20):
        yield f"bare block cut by {cut}", raw[:-cut]
        yield f"cut by {cut}", xerial(small)[:-cut]
    for tail in (b"\0", b"x", b"abc", b"\0" * 4, b"\xff" * 4, b"\0\0\0\x05ab", b"\0\0\0\x01\0",
                 b"\0\0\0\x01x", _XERIAL, xerial(), xerial(b""), xerial(b"x"),
                 _XERIAL + b"\0" * 8, b"\x82SNAP"):  # fmt: skip
        yield f"tail {tail[:24].hex()}", xerial(small) + tail
        yield f"bare block with tail {tail[:24].hex()}", raw + tail
    for at in (1, 50, 100):
        yield f"two streams at {at}", xerial(small[:at]) + xerial(small[at:])
        damaged = xerial(small[at:], version=0, compatible=0)
        yield f"two streams at {at}, the second of version 0", xerial(small[:at]) + damaged
        yield f"two streams at {at}, the second cut", xerial(small[:at]) + xerial(small[at:])[:12]
    yield "empty chunk first", xerial(b"", small)
    yield "empty chunk last", xerial(small, b"")
    yield "empty chunk between", xerial(small[:50], b"", small[50:])
    yield "chunk of no bytes first", xerial() + b"\0\0\0\0" + _chunk(small)
    yield "chunk of no bytes between", xerial(small[:50]) + b"\0\0\0\0" + _chunk(small[50:])
    yield "no chunk", xerial()
    yield "only an empty chunk", xerial(b"")
    yield "negative chunk size", xerial() + _chunk(small, -1)
    yield "least chunk size", xerial() + _chunk(small, -(1 << 31))
    yield "chunk size one too many", xerial() + _chunk(small, len(raw) + 1)
    yield "chunk size one too few", xerial() + _chunk(small, len(raw) - 1)
    yield "damaged chunk", xerial() + struct.pack(">i", 4) + b"\xff\xff\xff\xff"
    yield "damaged second chunk", xerial(small[:50]) + struct.pack(">i", 4) + b"\xff\xff\xff\xff"
    yield "damaged chunk after the records", xerial(small) + struct.pack(">i", 4) + b"\xff" * 4
    yield "bare block that claims one byte more", bytes([raw[0] + 1]) + raw[1:]
    yield "bare block that claims one byte less", bytes([raw[0] - 1]) + raw[1:]
    yield "less content", xerial(small[:-5])
    yield "more content", xerial(small + b"x")
    yield "more content in a second chunk", xerial(small, b"x")
    yield "wrong magic", b"\x83" + xerial(small)[1:]


def zstd_frame(
    content, *, window=None, size=True, checksum=None, dictionary=0, reserved=False, raw=True,
    last=True, blocks=None,
):  # fmt: skip
    """Return a zstd frame of raw blocks. `checksum` is the checksum's value."""
    descriptor = (4 if checksum is not None else 0) | (8 if reserved else 0)
    sized = len(content) if size is True else size
    head = b""
    if window is None:
        descriptor |= 0x20
        assert size is not False
    else:
        head += bytes([window])
    if dictionary:
        descriptor |= 3
        head += struct.pack("<I", dictionary)
    if size is not False:
        descriptor |= 0x80
        head += struct.pack("<I", sized)
    found = struct.pack("<I", 0xFD2FB528) + bytes([descriptor]) + head
    if blocks is None:
        blocks = [(0, content)] if raw else [(1, content)]
    for index, (kind, body, *count) in enumerate(blocks):
        end = last and index == len(blocks) - 1
        length = count[0] if count else len(body)
        found += (int(end) | kind << 1 | length << 3).to_bytes(3, "little") + body
    return found + (b"" if checksum is None else struct.pack("<I", checksum))


def zstd_frames():
    small, large = PLAIN["small"], PLAIN["large"]
    for level in (-5, 1, 3, 9, 19):
        yield f"level {level}", bytes(cramjam.zstd.compress(small, level))
        yield f"large, level {level}", bytes(cramjam.zstd.compress(large, level)), "large"
    yield "raw block", zstd_frame(small)
    for log in range(10, 32):
        yield f"window log {log}", zstd_frame(small, window=log - 10 << 3, size=False)
    for window in (0x88, 0x89, 0x8F, 0x97):
        yield f"window {window:x} with size", zstd_frame(small, window=window)
    yield "window smaller than a block", zstd_frame(large[:2000], window=0, size=False)
    for size in (0, len(small) - 1, len(small) + 1, 1 << 28, (1 << 32) - 1):
        yield f"content size {size}", zstd_frame(small, size=size)
        yield f"content size {size} with window", zstd_frame(small, window=80, size=size)
    yield "dictionary", zstd_frame(small, dictionary=7)
    yield "reserved bit", zstd_frame(small, reserved=True)
    yield "wrong checksum", zstd_frame(small, checksum=0x12345678)
    yield "right checksum", zstd_frame(small, checksum=_xxh64(small) & _MASK)
    yield "checksum cut", zstd_frame(small, checksum=_xxh64(small) & _MASK)[:-2]
    yield "no last block", zstd_frame(small, last=False)
    yield "no last block without size", zstd_frame(small, window=80, size=False, last=False)
    skippable = struct.pack("<II", 0x184D2A50, 5) + b"abcde"
    cut = struct.pack("<II", 0x184D2A5F, 500) + b"abcde"
    for name, tail in (("skippable", skippable), ("cut skippable", cut), ("x", b"x"), ("abcd", b"abcd"),
                       ("zeros", b"\0" * 16), ("empty frame", zstd_frame(b"")), ("frame", zstd_frame(b"x")),
                       ("frame head", zstd_frame(small)[:7]), ("magic", zstd_frame(small)[:4]),
                       ("bad frame", zstd_frame(small, reserved=True))):  # fmt: skip
        yield f"tail: {name}", zstd_frame(small) + tail
        yield f"first: {name}", tail + zstd_frame(small)
    for at in range(1, len(zstd_frame(b"x" * 9, size=9)) + 1, 2):
        for size in (0, 9):
            tail = zstd_frame(b"x" * size, checksum=0 if size else _xxh64(b"") & _MASK)
            yield f"tail: frame of {size} cut to {at}", zstd_frame(small) + tail[:at]
    for more in range(-3, 4):
        padding = skippable[:4] + struct.pack("<I", 131_075 - len(zstd_frame(small)) - 8 + more)
        padding += b"p" * (len(padding) and struct.unpack_from("<I", padding, 4)[0])
        yield f"padding, {more} of the next read", padding + zstd_frame(small)
        yield f"padding, {more}, frame head", padding + zstd_frame(small) + zstd_frame(b"x")[:6]
        yield f"padding behind, {more}", zstd_frame(small) + padding + zstd_frame(b"x")[:6]
    for at in (1, 50, 100):
        yield f"two frames at {at}", zstd_frame(small[:at]) + zstd_frame(small[at:])
        damaged = zstd_frame(small[at:], reserved=True)
        yield f"two frames at {at}, the second damaged", zstd_frame(small[:at]) + damaged
    three = [zstd_frame(small[:50]), skippable, zstd_frame(small[50:])]
    yield "two frames around a skippable one", b"".join(three)
    for at in (0, 1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 20, 60):
        yield f"cut to {at}", zstd_frame(small)[:at]
    for by in (1, 3, 20):
        yield f"cut by {by}", zstd_frame(small)[:-by]
    packed = bytes(cramjam.zstd.compress(large, 3))
    for by in (1, 4, 10):
        yield f"packed, cut by {by}", packed[:-by], "large"
    yield "two blocks", zstd_frame(small, blocks=[(0, small[:50]), (0, small[50:])])
    yield "empty block first", zstd_frame(small, blocks=[(0, b""), (0, small)])
    yield "empty block last", zstd_frame(small, blocks=[(0, small), (0, b"")])
    yield (
        "damaged block after the records",
        zstd_frame(small, window=80, size=False, blocks=[(0, small), (2, b"\xff\xff\xff")]),
    )
    yield "block type 3", zstd_frame(small, blocks=[(3, small)])
    yield "damaged block", zstd_frame(small, blocks=[(2, small)])
    yield "repeated byte", zstd_frame(small, blocks=[(1, b"a", len(small))])
    yield "block of 200000 bytes", zstd_frame(large, blocks=[(0, large[:200_000])]), "large"
    yield "less content", zstd_frame(small[:-5])
    yield "more content", zstd_frame(small + b"x")
    yield "empty content", zstd_frame(b"")
    yield "wrong magic", b"\x29" + zstd_frame(small)[1:]
    yield "magic of version 0.7", b"\x27" + zstd_frame(small)[1:]


_P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5)  # fmt: skip
_M64 = (1 << 64) - 1


def _turned(value, bits):
    return (value << bits | value >> 64 - bits) & _M64


def _round(lane, word):
    return _turned((lane + word * _P64[1]) & _M64, 31) * _P64[0] & _M64


def _xxh64(data):
    one, two, three, four, five = _P64
    at = 0
    if len(data) >= 32:
        lanes = [(one + two) & _M64, two, 0, -one & _M64]
        while at + 32 <= len(data):
            for lane, word in enumerate(struct.unpack_from("<4Q", data, at)):
                lanes[lane] = _round(lanes[lane], word)
            at += 32
        found = sum(_turned(v, b) for v, b in zip(lanes, (1, 7, 12, 18), strict=True)) & _M64
        for lane in lanes:
            found = ((found ^ _round(0, lane)) * one + four) & _M64
    else:
        found = five
    found = (found + len(data)) & _M64
    while at + 8 <= len(data):
        (word,) = struct.unpack_from("<Q", data, at)
        found = (_turned(found ^ _round(0, word), 27) * one + four) & _M64
        at += 8
    if at + 4 <= len(data):
        (word,) = struct.unpack_from("<I", data, at)
        found = (_turned(found ^ word * one & _M64, 23) * two + three) & _M64
        at += 4
    for byte in data[at:]:
        found = _turned(found ^ byte * five & _M64, 11) * one & _M64
    found = (found ^ found >> 33) * two & _M64
    found = (found ^ found >> 29) * three & _M64
    return found ^ found >> 32


def gzip_member(
    content, *, flags=0, extra=b"", name=b"", comment=b"", header_checksum=0, method=8,
    magic=b"\x1f\x8b", crc_error=0, size_error=0, body=None, level=6, wbits=-15,
):  # fmt: skip
    """Return a gzip member; what the flags announce must be given."""
    head = magic + bytes([method, flags]) + b"\0\0\0\0\0\xff"
    if flags & 4:
        head += struct.pack("<H", len(extra)) + extra
    head += name + comment
    if flags & 2:
        head += struct.pack("<H", (zlib.crc32(head) & 0xFFFF) ^ header_checksum)
    if body is None:
        compressor = zlib.compressobj(level, zlib.DEFLATED, wbits)
        body = compressor.compress(content) + compressor.flush()
    trailer = struct.pack(
        "<II", zlib.crc32(content) ^ crc_error, (len(content) + size_error) & _MASK
    )
    return head + body + trailer


def gzip_frames():
    small, large = PLAIN["small"], PLAIN["large"]
    for level in (0, 1, 6, 9):
        yield f"level {level}", gzip_member(small, level=level)
        yield f"large, level {level}", gzip_member(large, level=level), "large"
    yield "text flag", gzip_member(small, flags=1)
    yield "header checksum", gzip_member(small, flags=2)
    yield "wrong header checksum", gzip_member(small, flags=2, header_checksum=1)
    yield "extra field", gzip_member(small, flags=4, extra=b"abcd")
    yield "empty extra field", gzip_member(small, flags=4)
    yield "name", gzip_member(small, flags=8, name=b"file\0")
    yield "comment", gzip_member(small, flags=16, comment=b"text\0")
    yield "all fields", gzip_member(small, flags=31, extra=b"x", name=b"y\0", comment=b"z\0")
    yield "long name", gzip_member(small, flags=8, name=b"n" * 9000 + b"\0")
    yield "name without an end", gzip_member(small, flags=8, name=b"n")[:20]
    for bit in (32, 64, 128, 224):
        yield f"reserved flags {bit}", gzip_member(small, flags=bit)
    for method in (0, 7, 9, 255):
        yield f"method {method}", gzip_member(small, method=method)
    yield "wrong magic", gzip_member(small, magic=b"\x1f\x8c")
    yield "zlib stream", zlib.compress(small)
    yield "bare deflate", gzip_member(small)[10:-8]
    yield "wrong checksum", gzip_member(small, crc_error=1)
    yield "wrong size", gzip_member(small, size_error=1)
    yield "size of the next 4 GiB", gzip_member(small, size_error=1 << 32)
    for cut in (0, 1, 2, 3, 5, 9, 10, 11, 20, 40):
        yield f"cut to {cut}", gzip_member(small)[:cut]
    for cut in (1, 4, 7, 8, 9, 12):
        yield f"cut by {cut}", gzip_member(small)[:-cut]
        yield f"large, cut by {cut}", gzip_member(large)[:-cut], "large"
    head = gzip_member(small)[:10]
    for tail in (b"\0", b"x", b"\0" * 8, b"\0" * 17, b"\0" * 18, b"\0" * 19, b"\0" * 600, b"x" * 30,
                 head, head + b"x", head + b"\xff" * 12, head + b"\xff" * 30, gzip_member(b""),
                 gzip_member(b"x"), gzip_member(b"", crc_error=1), gzip_member(b"")[:-1],
                 gzip_member(b"", method=9), gzip_member(b"", flags=2, header_checksum=1)):  # fmt: skip
        yield f"tail of {len(tail)} {tail[:16].hex()}", gzip_member(small) + tail
    for at in (0, 1, 50, 100):
        first = gzip_member(small[:at])
        yield f"two members at {at}", first + gzip_member(small[at:])
        yield f"two members at {at}, bad checksum", first + gzip_member(small[at:], crc_error=1)
        yield f"two members at {at}, bad method", first + gzip_member(small[at:], method=9)
        yield f"two members at {at}, first bad", gzip_member(small[:at], size_error=1) + (
            gzip_member(small[at:])
        )  # fmt: skip
        yield f"two members at {at}, zeros between", first + b"\0" * 5 + gzip_member(small[at:])
    for left in (-9, -8, -1, 0, 1, 8, 9, 17, 18, 19, 25, 26, 27, 28, 40):
        size = 70_000
        while len(gzip_member(large[:size], level=0)) - 18 != 9 * 8192 - left:
            size += 9 * 8192 - left - (len(gzip_member(large[:size], level=0)) - 18)
        first = gzip_member(large[:size], level=0)
        yield f"first member ends {left} before a read", first + gzip_member(large[size:]), "large"
        named = gzip_member(large[size:], flags=8, name=b"n" * 30 + b"\0")
        yield f"first member ends {left} before a read, name", first + named, "large"
        three = gzip_member(b"") + first + gzip_member(large[size:], level=0)
        yield f"second member ends {left} before a read", three, "large"
    yield "members of one byte", b"".join(gzip_member(small[i : i + 1]) for i in range(len(small)))
    yield "twenty empty members", gzip_member(b"") * 20 + gzip_member(small)
    yield "damaged body", gzip_member(small, body=b"\xff" * 20)
    yield "stored block with wrong complement", gzip_member(small, body=b"\x01\x05\0\0\0hello")
    yield "body without an end", gzip_member(small, body=_open_deflate(small))
    yield "preset window", gzip_member(small, wbits=-9)
    yield "less content", gzip_member(small[:-5])
    yield "more content", gzip_member(small + b"x")
    yield "empty content", gzip_member(b"")


def _open_deflate(content):
    compressor = zlib.compressobj(6, zlib.DEFLATED, -15)
    return compressor.compress(content) + compressor.flush(zlib.Z_SYNC_FLUSH)
