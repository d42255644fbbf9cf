"""Every message at every version: messages survive the round trip, and garbage is refused."""

from contextlib import suppress
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minikafka.protocol.message import decode_message, encode_message
from minikafka.protocol.primitives import MalformedMessage, Reader, Writer
from tests.worlds.message_samples import Case, all_cases, class_of, sample

CASES = list(all_cases())
FEW = settings(
    max_examples=12, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)


def rngs() -> st.SearchStrategy[Random]:
    return st.integers(0, 2**32).map(Random)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_message_survives_the_round_trip(case: Case) -> None:
    @FEW
    @given(rngs())
    def check(rng: Random) -> None:
        message = sample(case, rng)
        data = encode_message(message, case.version)
        for given_as in (data, bytearray(data), memoryview(bytearray(data))):
            read = decode_message(class_of(case.spec), given_as, case.version)
            assert read == message
        assert encode_message(read, case.version) == data

    check()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_message_of_defaults_survives_the_round_trip(case: Case) -> None:
    kind = class_of(case.spec)
    data = encode_message(kind(), case.version)
    assert decode_message(kind, data, case.version) == kind()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_garbage_is_refused_by_name(case: Case) -> None:
    rng = Random(str(case))
    data = encode_message(sample(case, rng), case.version)
    for _ in range(12):
        broken = bytearray(data[: rng.randint(0, len(data))])
        for _ in range(rng.randrange(4)):
            if broken:
                broken[rng.randrange(len(broken))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        assert_decoded_or_malformed(case, broken)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_truncation_is_refused(case: Case) -> None:
    data = encode_message(sample(case, Random(str(case))), case.version)
    step = max(1, len(data) // 40)
    for size in range(0, len(data), step):
        with pytest.raises(MalformedMessage):
            decode_message(class_of(case.spec), data[:size], case.version)


def assert_decoded_or_malformed(case: Case, data: bytearray) -> None:
    """Either an error of the one kind, or a message that can be written again."""
    reader = Reader(data)
    with suppress(MalformedMessage):
        read = class_of(case.spec).decode(reader, case.version)
        assert reader.pos <= len(data)
        read.encode(Writer(), case.version)
