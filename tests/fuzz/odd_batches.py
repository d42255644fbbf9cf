"""Record batches that no producer makes: each with the checksum of its bytes, if possible."""

from functools import cache
from struct import Struct
from zlib import crc32

from minikafka.records.batch import HEADER, HEADER_SIZE, LOG_OVERHEAD, batch_crc
from minikafka.records.builder import BatchOptions, NewRecord, build_batch, write_varint
from minikafka.records.compression import Codec, compress
from minikafka.sim.world.machine_clock import EPOCH_MS

FIELDS = (
    "base_offset", "batch_length", "leader_epoch", "magic", "crc", "attributes",
    "last_offset_delta", "base_timestamp", "max_timestamp", "producer_id", "producer_epoch",
    "base_sequence", "record_count",
)  # fmt: skip
_BITS = (64, 32, 32, 8, 32, 16, 32, 64, 64, 64, 16, 32, 32)
_BYTES = (0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)
_CRC = Struct(">I")
_CODECS = tuple(Codec)
_BOMB_BYTES = 8 << 20
_EMPTY_HEADERS = 200_000
_MANY_RECORDS = 60_000


def odd_batch(rng, known_producers=(), *, sound=False):
    """Draw the records of one partition of a Produce; only sound ones if `sound`."""
    kind = _sound if sound else rng.choice(_KINDS)
    return kind(rng, known_producers)


def sealed(batch):
    """`batch` with the checksum of its bytes; its length field is left as it is."""
    batch = bytearray(batch)
    if len(batch) >= HEADER_SIZE:
        _CRC.pack_into(batch, 17, batch_crc(batch, 0, len(batch)))
    return bytes(batch)


def with_section(section, count, codec=Codec.NONE, **fields):
    """A batch whose records are `section`, uncompressed; any bytes are accepted."""
    body = compress(codec, section, None) if codec else section
    values = {
        "base_offset": 0, "batch_length": HEADER_SIZE + len(body) - LOG_OVERHEAD,
        "leader_epoch": -1, "magic": 2, "crc": 0, "attributes": int(codec),
        "last_offset_delta": count - 1, "base_timestamp": EPOCH_MS, "max_timestamp": EPOCH_MS,
        "producer_id": -1, "producer_epoch": -1, "base_sequence": -1, "record_count": count,
        **fields,
    }  # fmt: skip
    return sealed(HEADER.pack(*(values[name] for name in FIELDS)) + bytes(body))


def _records(rng):
    headers = (("h", b"v"),) * rng.choice((0, 0, 1, 3))
    return [
        NewRecord(
            EPOCH_MS + rng.choice((0, 0, 1, -1, 1_000_000, -1_000_000)),
            rng.choice((None, b"", b"k")),
            rng.choice((None, b"", b"v" * rng.randrange(300))),
            headers,
        )
        for _ in range(rng.choice((1, 1, 2, 5, 40)))
    ]


def _sound(rng, known_producers):
    given = {}
    if known_producers and rng.randrange(2):
        given = {
            "producer_id": rng.choice(known_producers),
            "producer_epoch": 0,
            "base_sequence": rng.choice((0, 0, 1, 2, 2**31 - 1)),
        }
    return bytes(build_batch(_records(rng), BatchOptions(codec=rng.choice(_CODECS), **given)))


def changed_batch(rng, batch):
    """`batch` with another field, another byte of its records, or repeated; sealed again."""
    kind = rng.randrange(4)
    if len(batch) <= HEADER_SIZE:
        return batch + batch
    if kind == 0:
        batch = bytearray(batch)
        batch[rng.randrange(HEADER_SIZE, len(batch))] = rng.choice(_BYTES)
        return sealed(batch)
    return batch + batch if kind == 1 else _with_odd_field(rng, batch)


def _odd_field(rng, known_producers):
    return _with_odd_field(rng, _sound(rng, known_producers))


def _with_odd_field(rng, batch):
    values = list(HEADER.unpack_from(batch))
    for _ in range(rng.choice((1, 1, 2))):
        at = rng.randrange(len(FIELDS))
        if FIELDS[at] != "crc":
            values[at] = _extreme(rng, _BITS[at])
    return sealed(HEADER.pack(*values) + batch[HEADER_SIZE:])


def _extreme(rng, bits):
    low, high = -(1 << bits - 1), (1 << bits - 1) - 1
    return rng.choice((low, high, 0, -1, 1, 2, high - 1, rng.randint(low, high)))


def _odd_section(rng, known_producers):
    """Damage a section before it is compressed: the checksum is right all the same."""
    rows = _records(rng)
    section = bytearray(build_batch(rows)[HEADER_SIZE:])
    for _ in range(rng.choice((1, 1, 2, 4))):
        if section:
            section[rng.randrange(len(section))] = rng.choice(_BYTES)
    if not rng.randrange(4):
        del section[rng.randrange(len(section)) :]
    elif not rng.randrange(4):
        section += rng.randbytes(rng.randrange(1, 20))
    return with_section(section, len(rows), rng.choice(_CODECS))


def _garbage(rng, known_producers):
    section = rng.randbytes(rng.choice((0, 1, 9, 100)))
    count = rng.choice((0, 1, 3, 2**31 - 1, -1))
    codec = rng.choice(_CODECS)
    delta = max(count - 1, 0)
    if rng.randrange(2):
        return with_section(section, count, codec, last_offset_delta=delta)
    # Not compressed at all, although the header says so.
    return with_section(section, count, attributes=int(codec), last_offset_delta=delta)


def _bomb(rng, known_producers):
    codec = rng.choice((Codec.GZIP, Codec.ZSTD, Codec.LZ4, Codec.SNAPPY))
    kind = rng.randrange(3)
    if kind == 0:
        return with_section(b"", 1, attributes=int(codec)) + b""
    if kind == 1:
        return _bomb_of_zeros(codec)
    return _bomb_of_headers(codec)


@cache
def _bomb_of_zeros(codec):
    return with_section(bytes(_BOMB_BYTES), 1_000_000, codec)


@cache
def _bomb_of_headers(codec):
    """One record of empty headers, in the future."""
    body = bytearray(b"\0\0\0\1\1")
    write_varint(body, _EMPTY_HEADERS)
    body += b"\0\1" * _EMPTY_HEADERS
    section = bytearray()
    write_varint(section, len(body))
    late = EPOCH_MS + (1 << 40)
    return with_section(section + body, 1, codec, base_timestamp=late, max_timestamp=late)


def _edge_of_time(rng, known_producers):
    """Sound records around the last moment that a timestamp can name."""
    deltas = [rng.choice((-1, 0, 1, 2)) for _ in range(rng.choice((1, 2)))]
    section = build_batch([NewRecord(delta, None, b"v") for delta in deltas])[HEADER_SIZE:]
    # Deltas of the section count from its first record.
    base = 2**63 - 1 if rng.randrange(3) else rng.choice((-(2**63), -1, 2**62))
    latest = min(base + max(deltas) - deltas[0], 2**63 - 1)
    codec = rng.choice((Codec.NONE, *_CODECS))
    return with_section(section, len(deltas), codec, base_timestamp=base, max_timestamp=latest)


@cache
def _records_in_the_future():
    """Many records, each of which a leader refuses."""
    late = EPOCH_MS + (1 << 40)
    return bytes(build_batch([NewRecord(late, None, b"")] * _MANY_RECORDS))


def _untimely(rng, known_producers):
    return _records_in_the_future()


def _legacy(rng, known_producers):
    """Messages of magic 0 or 1, some of them inside a wrapper, some of them damaged."""
    magic = rng.randrange(2)
    messages = b"".join(_message(rng, magic, 0, b"v", at) for at in range(rng.choice((1, 1, 3))))
    if rng.randrange(2):
        inner = messages if rng.randrange(3) else rng.randbytes(40)
        codec = rng.choice((1, 1, 2, 3, 4, 7))
        body = bytes(compress(Codec(codec), inner, None)) if codec in (1, 2) else inner
        messages = _message(rng, magic, codec, body, 0)
    return messages


def _message(rng, magic, attributes, value, offset):
    stamp = EPOCH_MS.to_bytes(8, "big") if magic else b""
    size = len(value) if rng.randrange(8) else rng.choice((-1, -2, 2**31 - 1, 5))
    data = b"".join(
        (
            bytes((magic, attributes)), stamp, (-1).to_bytes(4, "big", signed=True),
            size.to_bytes(4, "big", signed=True), value,
        )
    )  # fmt: skip
    checksum = crc32(data) if rng.randrange(8) else 1
    data = checksum.to_bytes(4, "big") + data
    return offset.to_bytes(8, "big") + len(data).to_bytes(4, "big") + data


def _wrong_checksum(rng, known_producers):
    batch = bytearray(_sound(rng, known_producers))
    batch[17 + rng.randrange(4)] ^= 1 << rng.randrange(8)
    return bytes(batch)


def _many(rng, known_producers):
    return _sound(rng, known_producers) + _sound(rng, known_producers)


def _cut(rng, known_producers):
    batch = _sound(rng, known_producers)
    return batch[: rng.randrange(len(batch))]


def _nothing(rng, known_producers):
    return rng.choice((b"", b"r" * 100, rng.randbytes(70)))


_KINDS = (
    _odd_field, _odd_field, _odd_section, _odd_section, _odd_section, _wrong_checksum,
    _wrong_checksum, _wrong_checksum, _garbage, _bomb, _legacy, _many, _cut, _nothing,
    _edge_of_time, _untimely,
)  # fmt: skip
