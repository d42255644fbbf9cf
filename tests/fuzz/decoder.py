"""A decoder of record batches that shares no code with minikafka: what a consumer makes of bytes.

It is stricter than Kafka's consumer in two points: offsets of records must count up from the base
offset, and the greatest timestamp must be what the header says.

Source: KIP-98, and Kafka's page about record batches.
"""

import gzip
import struct
import zlib
from typing import NamedTuple

import cramjam
import crc32c
import lz4.frame
import snappy

_HEADER = struct.Struct(">qiibIhiqqqhii")
_LENGTH_ENDS_AT = 12
_CRC_STARTS_AT = 21
_LOG_APPEND_TIME = 8
_XERIAL = b"\x82SNAPPY\x00"
_XERIAL_HEADER_BYTES = 16
_MAX_TIMESTAMP = 2**63 - 1
_MAX_BYTES = 64 << 20


class UndecodableError(Exception):
    """A consumer could not read these bytes."""


class Decoded(NamedTuple):
    """One record."""

    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple


def decode(data, *, is_stored=True):
    """Decode all whole batches; a partial one at the end is left out, as consumers do.

    A batch that is not stored yet may state another greatest timestamp: the leader corrects it.
    """
    found = []
    data = bytes(data)
    while len(data) >= _LENGTH_ENDS_AT:
        (length,) = struct.unpack_from(">i", data, 8)
        if length + _LENGTH_ENDS_AT > len(data):
            break
        if length + _LENGTH_ENDS_AT < _HEADER.size:
            raise UndecodableError(f"a batch of {length} bytes")
        found += _batch(data[: length + _LENGTH_ENDS_AT], is_stored=is_stored)
        data = data[length + _LENGTH_ENDS_AT :]
    return found


def _batch(data, *, is_stored):
    (
        base_offset, _, _, magic, checksum, attributes, last_delta, base_timestamp, max_timestamp,
        _, _, _, count,
    ) = _HEADER.unpack_from(data)  # fmt: skip
    if magic != 2:
        raise UndecodableError(f"magic {magic}")
    if crc32c.crc32c(data[_CRC_STARTS_AT:]) != checksum:
        raise UndecodableError(f"the checksum of the batch at offset {base_offset} is wrong")
    section = _open(attributes & 7, data[_HEADER.size :])
    if count < 1 or last_delta != count - 1 or count > len(section):
        raise UndecodableError(f"{count} records up to {last_delta} in {len(section)} bytes")
    records = []
    at = 0
    try:
        for index in range(count):
            size, start = _varint(section, at)
            at = start + size
            if size < 0 or at > len(section):
                raise UndecodableError(f"record {index} has {size} bytes")
            records.append(_record(section[start:at], base_offset, base_timestamp, index))
    except IndexError:
        raise UndecodableError(f"record {len(records)} ends early") from None
    if at != len(section):
        raise UndecodableError(f"{len(section) - at} bytes are left")
    if attributes & _LOG_APPEND_TIME:
        return [record._replace(timestamp=max_timestamp) for record in records]
    if is_stored and max(record.timestamp for record in records) != max_timestamp:
        raise UndecodableError(f"no record has the greatest timestamp {max_timestamp}")
    return records


def _record(body, base_offset, base_timestamp, index):
    timestamp, at = _varint(body, 1)
    timestamp += base_timestamp
    if abs(timestamp) > _MAX_TIMESTAMP:
        raise UndecodableError(f"record {index} has timestamp {timestamp}")
    delta, at = _varint(body, at)
    if delta != index:
        raise UndecodableError(f"record {index} has offset delta {delta}")
    key, at = _bytes(body, at)
    value, at = _bytes(body, at)
    count, at = _varint(body, at)
    if count < 0:
        raise UndecodableError(f"record {index} has {count} headers")
    headers = []
    for _ in range(count):
        name, at = _bytes(body, at)
        if name is None:
            raise UndecodableError(f"record {index} has a header without a key")
        content, at = _bytes(body, at)
        headers.append((name, content))
    if at != len(body):
        raise UndecodableError(f"record {index} has {len(body) - at} bytes too many")
    return Decoded(base_offset + delta, timestamp, key, value, tuple(headers))


def _varint(data, at):
    raw = shift = 0
    while True:
        byte = data[at]
        at += 1
        raw |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return (raw >> 1) ^ -(raw & 1), at


def _bytes(data, at):
    length, at = _varint(data, at)
    if length < -1 or at + length > len(data):
        raise UndecodableError(f"a part of {length} bytes")
    return (None, at) if length < 0 else (data[at : at + length], at + length)


def _open(codec, body):
    try:
        section = _OPEN[codec](body)
    except KeyError:
        raise UndecodableError(f"codec {codec}") from None
    except _FAILURES as failure:
        raise UndecodableError(f"codec {codec}: {failure}") from None
    if len(section) > _MAX_BYTES:
        raise UndecodableError(f"codec {codec}: {len(section)} bytes")
    return section


def _unsnappy(body):
    if not body.startswith(_XERIAL):
        return snappy.uncompress(body)
    blocks = []
    at = _XERIAL_HEADER_BYTES
    while at < len(body):
        (size,) = struct.unpack_from(">i", body, at)
        at += 4
        blocks.append(snappy.uncompress(body[at : at + size]))
        at += size
    return b"".join(blocks)


_OPEN = {
    0: bytes,
    1: gzip.decompress,
    2: _unsnappy,
    3: lz4.frame.decompress,
    4: lambda body: bytes(cramjam.zstd.decompress(body)),
}
_FAILURES = (
    EOFError, OSError, RuntimeError, ValueError, struct.error, zlib.error,
    cramjam.DecompressionError, snappy.UncompressError,
)  # fmt: skip
