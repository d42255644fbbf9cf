"""Each checker objects where it must, and nowhere else."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.history import anomalies
from minikafka.history.operations import Poll, Written

WHERE = TopicPartition("t", 0)


def taken_from_four_on(where, each):
    return from_four_on(where, each.offset)


def nothing_excused(where, offset):
    return False


def from_four_on(where, offset):
    return offset >= 4


def written(value, offset=None, *, refused=False, acks=-1):
    return Written(value, acks, 0, offset, refused)


@pytest.mark.parametrize(
    ("each", "log", "lost"),
    [
        (written(b"a", 0), {0: b"a"}, False),
        (written(b"a", 0), {}, True),
        (written(b"a", 0), {0: b"b"}, True),
        (written(b"a", 0), {1: b"a"}, True),
        (written(b"a", 0, acks=1), {}, False),
        (written(b"a"), {}, False),
        (written(b"a", 4), {}, False),
    ],
)
def test_lost_writes(each, log, lost):
    assert bool(list(anomalies.lost_writes(WHERE, [each], log, taken_from_four_on))) is lost


def test_aborted_reads():
    each = written(b"a", refused=True)
    (found,) = anomalies.aborted_reads(WHERE, [each], {3: b"a"})
    assert found.kind == "aborted read"
    assert not list(anomalies.aborted_reads(WHERE, [each, written(b"b")], {3: b"b"}))


def test_duplicates():
    (found,) = anomalies.duplicates(WHERE, {0: b"a", 1: b"b", 2: b"a"})
    assert found.text == "t-0 b'a' at [0, 2]"


def test_phantoms():
    (found,) = anomalies.phantoms(WHERE, [written(b"a")], {0: b"a", 1: b"x"})
    assert "b'x' at 1" in found.text


def polls(*offsets, life=1):
    return [Poll("c", life, WHERE, each) for each in offsets]


def test_backward_polls():
    assert not list(anomalies.backward_polls(polls((0, 1), (2,), (5,))))
    for repeated in ((1,), (0,)):
        (found,) = anomalies.backward_polls(polls((0, 1), repeated))
        assert found.kind == "backward poll"
    assert not list(anomalies.backward_polls([*polls((4, 5)), *polls((0, 1), life=2)]))


def test_skipped_polls():
    logs = {WHERE: dict.fromkeys((0, 1, 3, 4, 5), b"v")}
    seen = polls((0, 1), (3,))
    assert not list(anomalies.skipped_polls(seen, logs, nothing_excused)), "2 is not there"
    (found,) = anomalies.skipped_polls(polls((1,), (5,)), logs, nothing_excused)
    assert "went from 1 to 5" in found.text
    assert not list(anomalies.skipped_polls(polls((3,), (5,)), logs, from_four_on))
    assert not list(
        anomalies.skipped_polls([*polls((0,)), *polls((5,), life=2)], logs, nothing_excused)
    )
