"""Rules for compacted logs at the end of a run.

Replicas are cleaned independently: they may differ in the records that they still have, but not in
the latest committed value of each key. Where no replica was cleaned, their batches are the same.
Below the end of its last cleaning, a log has one value of a key. Its index names each aborted
transaction that has records left, and none whose marker is gone. A transaction without a marker is
open.

Source: `Cleaner`, KIP-98 (transactions in compacted logs).
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import BatchHeader
from minikafka.records.reader import read_batch
from minikafka.sim.checks.log_batches import stored_batches
from minikafka.sim.checks.log_scan import LogScan


class KeyedRecord(NamedTuple):
    """A committed record of a compacted log."""

    offset: int
    key: bytes | None
    value: bytes | None


class KeyedWrite(NamedTuple):
    """A record that a client sent.

    `offset` is None unless it was acknowledged, and committed if it belongs to a transaction;
    `may_be_read` is False if it was refused or aborted.
    """

    key: bytes | None
    value: bytes | None
    offset: int | None
    may_be_read: bool


def committed_records(log: UnifiedLog, end_offset: int | None = None) -> Iterator[KeyedRecord]:
    """Yield the records that a read_committed reader sees, in the order of their offsets."""
    start, end = log.log_start_offset, log.log_end_offset
    if end_offset is not None:
        end = end_offset
    aborted = log.aborted_transactions(start, end)

    def is_aborted(header: BatchHeader) -> bool:
        return header.is_transactional and any(
            each.producer_id == header.producer_id
            and each.first_offset <= header.base_offset <= each.last_offset
            for each in aborted
        )

    for data, at, header in stored_batches(log, start, end):
        if not header.is_control and not is_aborted(header):
            for record in read_batch(data, at, header):
                yield KeyedRecord(record.offset, record.key, record.value)


def lost_updates(
    where: TopicPartition, writes: Iterable[KeyedWrite], records: Iterable[KeyedRecord],
    is_excused: Callable[[int], bool], may_be_stale: Callable[[KeyedRecord], bool],
) -> Iterator[str]:  # fmt: skip
    """Yield the keys whose last record is older than an acknowledged one, or was never sent.

    `records` are those that can be read at the end; `is_excused` says if the record at an offset
    may be missing, `may_be_stale` if a record may be there although a tombstone has deleted it.
    """
    acknowledged: dict[bytes | None, KeyedWrite] = {}
    sent: dict[tuple[bytes | None, bytes | None], bool] = {}
    for each in writes:
        sent[each.key, each.value] = sent.get((each.key, each.value), False) or each.may_be_read
        if each.offset is None or is_excused(each.offset):
            continue
        before = acknowledged.get(each.key)
        if before is None or before.offset is None or before.offset < each.offset:
            acknowledged[each.key] = each
    latest = {record.key: record for record in records}
    for key, found in latest.items():
        if not sent.get((key, found.value), False):
            yield f"CompactedLog: {where}: {found} was refused or aborted, or never sent"
    for key, wanted in acknowledged.items():
        held = latest.get(key)
        assert wanted.offset is not None
        if held is None:
            if wanted.value is not None:
                yield f"CompactedLog: {where}: {wanted} was acknowledged, and no record is left"
        elif wanted.value is None and may_be_stale(held):
            continue
        elif held.offset < wanted.offset or (
            held.offset == wanted.offset and held.value != wanted.value
        ):
            yield f"CompactedLog: {where}: {wanted} was acknowledged, but the last is {held}"


def unlike_values(
    logs: Mapping[int, UnifiedLog], may_be_stale: Callable[[int, KeyedRecord], bool]
) -> str | None:
    """Return the first key whose latest value differs in two replicas; None if there is none.

    `logs` are those of the leader and of another replica, by node. `may_be_stale` says if a node
    may hold a record that a tombstone has deleted, which it never had.
    """
    found = {node_id: _latest(log) for node_id, log in logs.items()}
    for key in sorted(
        {key for latest in found.values() for key in latest}, key=lambda key: key or b""
    ):
        held = {node_id: latest.get(key) for node_id, latest in found.items()}
        values = {node_id: None if each is None else each.value for node_id, each in held.items()}
        if len(set(values.values())) == 1:
            continue
        only = [(node_id, each) for node_id, each in held.items() if each is not None]
        if len(only) == 1 and may_be_stale(*only[0]):
            continue
        return f"{key!r} has the value " + " and ".join(
            f"{value!r} at n{node_id}" for node_id, value in values.items()
        )
    return None


def _latest(log: UnifiedLog) -> dict[bytes | None, KeyedRecord]:
    records = {record.key: record for record in committed_records(log)}
    return {key: record for key, record in records.items() if record.value is not None}


def repeated_key(where: TopicPartition, log: UnifiedLog) -> str | None:
    """Return a key with two values below the end of the last cleaning; None if there is none."""
    seen: dict[bytes | None, int] = {}
    for record in committed_records(log):
        if record.offset >= (log.cleaned_offset or 0):
            return None
        if record.key in seen:
            return (
                f"{where}: cleaned up to {log.cleaned_offset}, but {record.key!r} is at offsets "
                f"{seen[record.key]} and {record.offset}"
            )
        seen[record.key] = record.offset
    return None


def lost_last_batch(where: TopicPartition, log: UnifiedLog) -> str | None:
    """Return the first producer whose last batch is not in the log; None if there is none.

    Without it a start that rebuilds the producers from the batches would not know its sequence.
    """
    ends = {
        (header.producer_id, header.last_offset)
        for _, _, header in stored_batches(log, log.log_start_offset, log.log_end_offset)
    }
    for producer_id, entry in log.producers.producers.items():
        last = entry.batches[-1].last_offset if entry.batches else -1
        if last >= log.log_start_offset and (producer_id, last) not in ends:
            return f"{where}: the batch of producer {producer_id} that ends at {last} is gone"
    return None


def wrong_index(
    log: UnifiedLog, found: list[AbortedTransaction],
    may_lack_marker: Callable[[int], bool] = lambda _: False,
) -> str | None:  # fmt: skip
    """Return how the index of a compacted log contradicts its batches; None if it does not.

    `found` are the aborted transactions in its index. `may_lack_marker` says if the marker of a
    transaction may have been cleaned before the log had it, by the first offset.
    """
    scan = LogScan.of(log)
    scan.go_on()
    indexed = {(each.producer_id, each.last_offset): each for each in found}
    for wanted in scan.aborted:
        known = indexed.get((wanted.producer_id, wanted.last_offset))
        if known is None or known.first_offset > wanted.first_offset:
            return f"the log has {wanted}, the index {known}"
    markers = {
        (each.producer_id, each.base_offset) for each in scan.markers if not each.is_commit
    }  # fmt: skip
    gone = [each for each in found if (each.producer_id, each.last_offset) not in markers]
    if gone:
        return f"the index has {gone}, the log no such markers"
    return _lost_marker(log, may_lack_marker)


def _lost_marker(log: UnifiedLog, may_lack_marker: Callable[[int], bool]) -> str | None:
    """Return the first transaction with records and without its marker; None if there is none.

    One that is followed by another is found if that has another producer epoch (KIP-890), and the
    same leader epoch: an unclean leader may lack the marker, and goes on with the next transaction.
    """
    open_batches: dict[int, BatchHeader] = {}
    for _, _, header in stored_batches(log, log.log_start_offset, log.log_end_offset):
        producer_id = header.producer_id
        if header.is_control:
            open_batches.pop(producer_id, None)
        elif header.is_transactional:
            first = open_batches.setdefault(producer_id, header)
            if first.leader_epoch != header.leader_epoch or (
                first.producer_epoch != header.producer_epoch and may_lack_marker(first.base_offset)
            ):
                open_batches[producer_id] = header
            elif first.producer_epoch != header.producer_epoch:
                return (
                    f"producer {producer_id} has records of epochs {first.producer_epoch} and "
                    f"{header.producer_epoch}, and no marker before {header.base_offset}"
                )
    for producer_id in open_batches:
        if log.loading is None and producer_id not in log.producers.ongoing:
            return f"the last records of producer {producer_id} have no marker"
    return None
