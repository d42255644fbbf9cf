"""The numbered, checksummed records that producers write and Spark recognises.

A record's name is made of its producer and its sequence number in that producer: `p1#42`.

    value    producer id (4 bytes), sequence (8), send time in microseconds (8), payload; big-endian
    key      one of 64 per producer
    headers  `p`: the producer id, `s`: the sequence, `c`: CRC-32 of value and key, `t`: the send
             time in microseconds, all in decimal

The ledger's checksum is CRC-32 over value, key, the sizes of value and key, the number of headers,
and the names and values of the headers. `DIGEST_COLUMNS` computes the same in Spark SQL. The
timestamp of a record is its send time in milliseconds. Everything except the send time is
determined by seed, producer and sequence.
"""

import itertools
import math
import random
import struct
from typing import NamedTuple
from zlib import crc32

US_PER_MS = 1000
_PREFIX = struct.Struct(">IQQ")
_POOL_SIZE_BYTES = 1 << 16
_KEYS_PER_PRODUCER = 64
_BITS = 32
_MASK = (1 << _BITS) - 1

_HEADERS = 4
_HEADERS_SQL = ", ".join(
    f"cast(coalesce(get(headers, {number}).key, '') as binary), cast(':' as binary),"
    f" coalesce(get(headers, {number}).value, x''), cast(';' as binary)"
    for number in range(_HEADERS)
)
"""Names and values of the first `_HEADERS` headers; a missing header counts as empty."""

DIGEST_COLUMNS = {
    "pid": "coalesce(try_cast(conv(hex(substring(value, 1, 4)), 16, 10) as bigint), -1L)",
    "seq": "coalesce(try_cast(conv(hex(substring(value, 5, 8)), 16, 10) as bigint), -1L)",
    "crc": (
        "crc32(concat(coalesce(value, x''), coalesce(key, x''), cast(concat_ws(',',"
        " coalesce(length(value), 0), coalesce(length(key), 0), coalesce(size(headers), 0),"
        f" '') as binary), {_HEADERS_SQL}))"
    ),
    "size": "length(value)",
}
"""Column name → Spark SQL over the Kafka source's columns. Evaluated entirely in the JVM.

A value that is too short for its numbers has pid or seq -1, or 0 if a few digits are left. In both
cases its checksum is in no ledger.
"""


class NumberedRecord(NamedTuple):
    """One record as it is handed to a client."""

    seq: int
    partition: int
    key: bytes
    value: bytes
    headers: list[tuple[str, bytes]]
    crc: int
    timestamp_ms: int


def record_name(pid: int, seq: int) -> str:
    """The name of a record in the verdict and on the page."""
    return f"p{pid}#{seq}"


class RecordFactory:
    """Makes one producer's records in sequence.

    Payloads are slices of a pool of random bytes: incompressible, and cheap to make.
    """

    def __init__(
        self,
        *,
        seed: int,
        pid: int,
        partitions: int,
        sizes: tuple[int, int] = (60, 340),
        distribution: str = "uniform",
        key_skew: float = 0.0,
    ) -> None:
        """Draw the pool from the seed; sizes and skew are those of `WorkloadOptions`."""
        self.pid = pid
        self._rng = random.Random(f"{seed}/{pid}")
        self._pool_bytes = max(_POOL_SIZE_BYTES, 2 * sizes[1])
        self._pool = self._rng.randbytes(self._pool_bytes)
        self._is_even = distribution == "uniform"
        self._partitions = partitions
        self._sizes = sizes
        # Cumulative weights, as `random.choices` expects them; None if all keys are equally likely.
        weights = ((key + 1) ** -key_skew for key in range(_KEYS_PER_PRODUCER))
        self._weights = list(itertools.accumulate(weights)) if key_skew else None
        self._pid_header = ("p", b"%d" % pid)
        self._keys = [b"p%d-k%d" % (pid, number) for number in range(_KEYS_PER_PRODUCER)]
        self._next_seq = 0

    def make(self, send_us: int) -> NumberedRecord:
        """The next record, stamped with its send time."""
        seq = self._next_seq
        self._next_seq += 1
        # One draw for everything uniform: a draw in a range costs as much as the rest of a record.
        bits = self._rng.getrandbits(64)
        size = self._size()
        start = (bits & _MASK) * (self._pool_bytes - size) >> _BITS
        bits >>= _BITS
        value = _PREFIX.pack(self.pid, seq, send_us) + self._pool[start : start + size]
        if self._weights is None:
            number, partition = bits % _KEYS_PER_PRODUCER, bits // _KEYS_PER_PRODUCER
        else:
            [number] = self._rng.choices(range(_KEYS_PER_PRODUCER), cum_weights=self._weights)
            partition = number
        key = self._keys[number]
        crc = crc32(key, crc32(value))
        headers = [
            self._pid_header,
            ("s", b"%d" % seq),
            ("c", b"%d" % crc),
            ("t", b"%d" % send_us),
        ]
        # The same as `digest`, without a second pass over value and key.
        about = b"%d,%d,4,p:%b;s:%d;c:%d;t:%d;"
        parts = (len(value), len(key), self._pid_header[1], seq, crc, send_us)
        crc = crc32(about % parts, crc)
        at_ms = send_us // US_PER_MS
        return NumberedRecord(seq, partition % self._partitions, key, value, headers, crc, at_ms)

    def _size(self) -> int:
        """Draw the size of a payload, uniformly or log-uniformly."""
        low, high = self._sizes
        if low == high:
            return low
        if self._is_even:
            return low + (self._rng.getrandbits(_BITS) * (high - low + 1) >> _BITS)
        drawn = math.exp(self._rng.uniform(math.log(low + 1), math.log(high + 1))) - 1
        return min(high, max(low, round(drawn)))


def digest(value: bytes, key: bytes, headers: list[tuple[str, bytes]]) -> int:
    """The checksum of a record's content."""
    crc = crc32(key, crc32(value))
    crc = crc32(b"%d,%d,%d," % (len(value), len(key), len(headers)), crc)
    named = [*headers[:_HEADERS], *[("", b"")] * (_HEADERS - len(headers))]
    for name, content in named:
        crc = crc32(b"%b:%b;" % (name.encode(), content), crc)
    return crc


def identity(value: bytes) -> tuple[int, int]:
    """The producer and the sequence in a value, as `DIGEST_COLUMNS` computes them."""
    pid, seq = value[:4], value[4:12]
    number = int.from_bytes(seq, "big") if seq else -1
    return int.from_bytes(pid, "big") if pid else -1, number if number < _BIGINT_END else -1


_BIGINT_END = 1 << 63
