"""Anomalies of producers and consumers: each a function from what happened to what was wrong.

`excused(partition, offset)` says that a record may be missing there, and another may be in its
place: the metadata log shows an unclean election that took it away.

Source: Jepsen's queue checker (lost write, aborted read, inconsistent offset, duplicate, skipped
and backward poll); SPEC H4, H7, S2.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Anomaly, Log, Poll, Written

Excused = Callable[[TopicPartition, int], bool]
ExcusedLoss = Callable[[TopicPartition, Written], bool]
"""Whether this very value may be missing."""


def lost_writes(
    where: TopicPartition, written: Iterable[Written], log: Log, excused: ExcusedLoss
) -> Iterator[Anomaly]:
    """Acknowledged by all in-sync replicas, and not at its offset."""
    for each in written:
        if not each.is_promised or each.offset is None or log.get(each.offset) == each.value:
            continue
        if not excused(where, each):
            yield Anomaly("lost", f"{where} {each.value!r}, acknowledged at {each.offset}")


def aborted_reads(where: TopicPartition, written: Iterable[Written], log: Log) -> Iterator[Anomaly]:
    """Refused, and there all the same."""
    places = _places(log)
    for each in written:
        at = places.get(each.value)
        if each.refused and at:
            yield Anomaly("aborted read", f"{where} {each.value!r} was refused, is at {at}")


def duplicates(where: TopicPartition, log: Log) -> Iterator[Anomaly]:
    """Written once, and at more than one offset."""
    for value, at in _places(log).items():
        if len(at) > 1:
            yield Anomaly("duplicate", f"{where} {value!r} at {at}")


def phantoms(where: TopicPartition, written: Iterable[Written], log: Log) -> Iterator[Anomaly]:
    """In the log, and never sent."""
    sent = {each.value: None for each in written}
    for offset, value in log.items():
        if value not in sent:
            yield Anomaly("phantom", f"{where} {value!r} at {offset}")


def inconsistent_offsets(
    where: TopicPartition, logs: Sequence[Log], excused: Excused
) -> Iterator[Anomaly]:
    """One offset, two values, in what was read at different times or from different replicas."""
    seen: Log = {}
    for log in logs:
        for offset, value in log.items():
            before = seen.setdefault(offset, value)
            if before != value and not excused(where, offset):
                yield Anomaly(
                    "inconsistent offset", f"{where} {offset} held {before!r} and {value!r}"
                )


def backward_polls(polls: Iterable[Poll]) -> Iterator[Anomaly]:
    """A consumer that nobody has told to go back saw an offset at or before its last one."""
    for key, before, after in _steps(polls):
        if after <= before:
            consumer, _, where = key
            yield Anomaly("backward poll", f"{where}: {consumer} saw {after} after {before}")


def skipped_polls(
    polls: Iterable[Poll], logs: Mapping[TopicPartition, Log], excused: Excused
) -> Iterator[Anomaly]:
    """A consumer went over an offset that is there."""
    for key, before, after in _steps(polls):
        consumer, _, where = key
        log = logs.get(where, {})
        for offset in range(before + 1, after):
            if offset in log and not excused(where, offset):
                yield Anomaly(
                    "skipped poll", f"{where}: {consumer} went from {before} to {after}, "
                    f"{log[offset]!r} is at {offset}",
                )  # fmt: skip
                break


_Key = tuple[str, int, TopicPartition]


def _steps(polls: Iterable[Poll]) -> Iterator[tuple[_Key, int, int]]:
    """Every offset that was seen, with the one before it in the same life."""
    last: dict[_Key, int] = {}
    for poll in polls:
        key = (poll.consumer, poll.life, poll.partition)
        for offset in poll.offsets:
            before = last.get(key)
            last[key] = offset
            if before is not None and offset != before + 1:
                yield key, before, offset


def _places(log: Log) -> dict[bytes, list[int]]:
    places: dict[bytes, list[int]] = {}
    for offset, value in log.items():
        places.setdefault(value, []).append(offset)
    return places
