"""Halves of responses and changed records."""

from minikafka.common.file_slice import FileSlice
from minikafka.faults.endings import HalfParts, corrupted, first_half
from tests.worlds.sim_world import batch


class Source:
    def __init__(self, data):
        self.data = data

    def read_at(self, position, length):
        return self.data[position : position + length]


def joined(parts):
    return b"".join(part.read() if isinstance(part, FileSlice) else bytes(part) for part in parts)


def test_a_half_is_the_first_half_of_the_bytes():
    slice_ = FileSlice(Source(b"..0123456789.."), 2, 10)
    whole = [b"ab", slice_, memoryview(b"cdef")]
    half = first_half(whole)
    assert type(half) is HalfParts
    assert joined(half) == joined(whole)[:8]
    assert joined(first_half([b"abc"])) == b"a"
    assert first_half([b"a"]) == ()


def test_one_byte_of_the_first_batch_is_changed():
    records = batch(b"one") + batch(b"two")
    for given in (records, memoryview(records), FileSlice(Source(records), 0, len(records))):
        changed = corrupted(given)
        places = [at for at, byte in enumerate(records) if changed[at] != byte]
        assert len(places) == 1
        assert 61 <= places[0] < len(batch(b"one"))


def test_without_a_whole_batch_nothing_is_changed():
    records = batch(b"one")
    assert corrupted(None) is None
    assert corrupted(b"") is None
    assert corrupted(records[:-1]) is None
    assert corrupted(records[:10]) is None
