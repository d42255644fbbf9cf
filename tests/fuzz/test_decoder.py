"""The decoder of the fuzzer reads what the builder writes, and nothing that is damaged."""

import pytest

from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from tests.fuzz.decoder import Decoded, UndecodableError, decode
from tests.fuzz.odd_batches import sealed

ROWS = [NewRecord(1_000, b"k", b"v", (("h", None),)), NewRecord(1_001, None, b"")]


@pytest.mark.parametrize("codec", Codec)
def test_records_of_every_codec_are_read(codec):
    batch = bytes(build_batch(ROWS, BatchOptions(codec=codec)))
    read = [
        Decoded(0, 1_000, b"k", b"v", ((b"h", None),)),
        Decoded(1, 1_001, None, b"", ()),
    ]
    assert decode(batch) == read
    assert decode(batch + batch[:-1]) == read


@pytest.mark.parametrize("at", range(17, len(build_batch(ROWS))))
def test_a_changed_byte_is_found_by_the_checksum(at):
    batch = bytearray(build_batch(ROWS))
    batch[at] ^= 1
    with pytest.raises(UndecodableError):
        decode(batch)


@pytest.mark.parametrize("at", range(57, len(build_batch(ROWS))))
def test_garbage_under_a_right_checksum_never_ends_in_another_error(at):
    for value in (0, 0x7F, 0x80, 0xFF):
        batch = bytearray(build_batch(ROWS))
        batch[at] = value
        try:
            assert decode(sealed(batch))
        except UndecodableError:
            continue
