"""Anomalies of producers and consumers: each function finds one kind of anomaly (H4, H7, S2).

`excused(partition, offset)` is True if a record may be missing there, or replaced by another one,
because the metadata log shows an unclean election that lost it.

Source: Jepsen's queue checker (lost write, aborted read, duplicate, skipped and backward poll).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Anomaly, Log, Poll, Written

ExcusedOffset = Callable[[TopicPartition, int], bool]
ExcusedLoss = Callable[[TopicPartition, Written], bool]
"""True if this value may be missing."""


def lost_writes(
    where: TopicPartition, written: Iterable[Written], log: Log, excused: ExcusedLoss
) -> Iterator[Anomaly]:
    """Find values that were acknowledged with acks=all and are not at their offset."""
    for each in written:
        if not each.is_promised or each.offset is None or log.get(each.offset) == each.value:
            continue
        if not excused(where, each):
            yield Anomaly("lost", f"{where} {each.value!r}, acknowledged at {each.offset}")


def aborted_reads(where: TopicPartition, written: Iterable[Written], log: Log) -> Iterator[Anomaly]:
    """Find values that were refused and are in the log all the same."""
    places = _places(log)
    for each in written:
        at = places.get(each.value)
        if each.refused and at:
            yield Anomaly("aborted read", f"{where} {each.value!r} was refused, is at {at}")


def duplicates(where: TopicPartition, log: Log) -> Iterator[Anomaly]:
    """Find values that were written once and are at more than one offset."""
    for value, at in _places(log).items():
        if len(at) > 1:
            yield Anomaly("duplicate", f"{where} {value!r} at {at}")


def phantoms(where: TopicPartition, written: Iterable[Written], log: Log) -> Iterator[Anomaly]:
    """Find values in the log that were never sent."""
    sent = {each.value: None for each in written}
    for offset, value in log.items():
        if value not in sent:
            yield Anomaly("phantom", f"{where} {value!r} at {offset}")


def backward_polls(polls: Iterable[Poll]) -> Iterator[Anomaly]:
    """Find consumers that read an offset at or before their last one without a reset."""
    for key, before, after in _steps(polls):
        if after <= before:
            consumer, _, where = key
            yield Anomaly("backward poll", f"{where}: {consumer} saw {after} after {before}")


def skipped_polls(
    polls: Iterable[Poll], logs: Mapping[TopicPartition, Log], excused: ExcusedOffset
) -> Iterator[Anomaly]:
    """Find consumers that skipped an offset that is in the log."""
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
    """Yield offsets that do not follow the one read before, with that one, in the same life."""
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
