"""Anomalies of transactions, from what their clients know and what readers see in the end.

Each function is pure and finds one kind of anomaly. `Losses` says what the plan of a run permits:
records, markers and decisions that were lost in an unclean election, and records that retention has
removed.

Source: KIP-98, KIP-447 and KIP-890.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple, Protocol

from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Anomaly
from minikafka.history.transactions import ProducerIdentity, ReadValue, SentTransaction

Visible = Mapping[TopicPartition, Mapping[int, str]]
"""The values that read_committed readers see at the end, by offset."""


class Losses(Protocol):
    """The losses of a run that its plan permits."""

    def record(self, where: TopicPartition, offset: int, value: str) -> bool:
        """Return True if this value at this offset may be missing."""

    def value(self, where: TopicPartition, value: str) -> bool:
        """Return True if this value at any offset may be missing."""

    def offset(self, where: TopicPartition, offset: int) -> bool:
        """Return True if a committed record at this offset was lost."""

    def marker(self, where: TopicPartition, producer_id: int) -> bool:
        """Return True if a marker of this producer was lost."""

    def any_marker(self, where: TopicPartition) -> bool:
        """Return True if a marker of any producer was lost."""

    def decisions(self, transactional_id: str) -> bool:
        """Return True if decisions about this transactional id were lost."""

    def group_offsets(self) -> bool:
        """Return True if committed offsets of groups may be lost."""

    def is_held_back(self, where: TopicPartition, offset: int) -> bool:
        """Return True if a transaction whose marker was lost hides this offset from readers."""


class _Value(NamedTuple):
    where: TopicPartition
    offset: int
    value: str


def broken_outcomes(
    transactions: Iterable[SentTransaction], visible: Visible, losses: Losses
) -> Iterator[Anomaly]:
    """Find transactions that are not visible whole, or not invisible, as their outcome says.

    EndTxnCommit: an acknowledged commit is visible, whole. AbortedNeverRead: no value is visible of
    a transaction that no client asked to commit. TransactionIsWhole: of any other, all or nothing.
    """
    values = {where: frozenset(log.values()) for where, log in visible.items()}
    for each in transactions:
        yield from _broken_outcome(each, visible, values, losses)


def _broken_outcome(
    transaction: SentTransaction,
    visible: Visible,
    values: Mapping[TopicPartition, frozenset[str]],
    losses: Losses,
) -> Iterator[Anomaly]:
    acknowledged = [
        _Value(where, offset, value)
        for where, offsets in transaction.offsets.items()
        for value, offset in offsets.items()
    ]
    shown: list[_Value] = []
    missing: list[_Value] = []
    for each in acknowledged:
        is_shown = visible.get(each.where, {}).get(each.offset) == each.value
        (shown if is_shown else missing).append(each)
    missing = [each for each in missing if not _may_be_missing(transaction, each, losses)]
    if transaction.is_committed:
        if missing:
            yield Anomaly("EndTxnCommit", f"{_described(transaction)}, not visible: {missing[:3]}")
        return
    if not transaction.read:
        # Values of copies are not unique.
        shown += [
            _Value(where, -1, value)
            for where, written in transaction.values.items()
            for value in written
            if value not in transaction.offsets.get(where, {}) and value in values.get(where, ())
        ]
    shown = [each for each in shown if not _may_be_shown(transaction, each, losses)]
    if transaction.outcome != "commit":
        if shown:
            yield Anomaly("AbortedNeverRead", f"{_described(transaction)}, visible: {shown[:3]}")
    elif shown and missing:
        yield Anomaly(
            "TransactionIsWhole",
            f"{_described(transaction)}, visible: {shown[:3]}, not visible: {missing[:3]}",
        )


def _may_be_missing(transaction: SentTransaction, each: _Value, losses: Losses) -> bool:
    return (
        losses.record(each.where, each.offset, each.value)
        or losses.is_held_back(each.where, each.offset)
        or losses.marker(each.where, transaction.producer.producer_id)
        or losses.decisions(transaction.transactional_id)
    )


def _may_be_shown(transaction: SentTransaction, each: _Value, losses: Losses) -> bool:
    # The transaction stays open, and the next marker of its producer decides about it.
    return losses.marker(each.where, transaction.producer.producer_id) or losses.decisions(
        transaction.transactional_id
    )


def _described(transaction: SentTransaction) -> str:
    asked = transaction.outcome or "no end"
    answered = "acknowledged" if transaction.is_acknowledged else "not acknowledged"
    producer_id, epoch = transaction.producer
    return (
        f"transaction {transaction.name} of {transaction.transactional_id} (producer "
        f"{producer_id}, epoch {epoch}; {asked}, {answered})"
    )


def aborted_reads(
    reads: Iterable[ReadValue], visible: Visible, losses: Losses
) -> Iterator[Anomaly]:
    """AbortedNeverRead: find values that readers saw, and that are not committed."""
    for where, offset, value in reads:
        if visible.get(where, {}).get(offset) != value and not (
            losses.record(where, offset, value)
            or losses.is_held_back(where, offset)
            or losses.any_marker(where)
        ):
            yield Anomaly("AbortedNeverRead", f"{where} {value!r} was read at {offset}")


def broken_copies(
    source: TopicPartition,
    target: TopicPartition,
    copiers: Iterable[str],
    visible: Visible,
    losses: Losses,
) -> Iterator[Anomaly]:
    """OffsetsWithOutputs: find inputs that are not in the output once and in their order.

    `copiers` are the transactional ids that write the output.
    """
    if (
        any(map(losses.decisions, copiers))
        or losses.group_offsets()
        or losses.any_marker(source)
        or losses.any_marker(target)
    ):
        return
    inputs, outputs = visible.get(source, {}), visible.get(target, {})
    offsets = {value: offset for offset, value in inputs.items()}
    copies = [outputs[offset] for offset in sorted(outputs)]
    for value, count in Counter(copies).items():
        if count > 1:
            yield Anomaly("OffsetsWithOutputs", f"{target} has {count} copies of {value!r}")
        if value not in offsets and not losses.value(source, value):
            yield Anomaly("OffsetsWithOutputs", f"{target} has {value!r}, {source} does not")
    order = [offsets[value] for value in copies if value in offsets]
    for before, after in pairwise(order):
        if after < before:
            yield Anomaly(
                "OffsetsWithOutputs",
                f"{target} has {inputs[after]!r} after {inputs[before]!r}, {source} has not",
            )
    copied = frozenset(copies)
    for offset, value in inputs.items():
        if (
            offset < max(order, default=0)
            and value not in copied
            and not losses.offset(source, offset)
            and not losses.value(target, value)
        ):
            yield Anomaly("OffsetsWithOutputs", f"{target} lacks {value!r}, later ones are there")


def repeated_producer_ids(
    given: Iterable[tuple[str | None, ProducerIdentity]], losses: Losses
) -> Iterator[Anomaly]:
    """ProducerIdsOnce: find producer ids of two owners, and epochs that were given twice."""
    owners: dict[int, str | None] = {}
    epochs: set[ProducerIdentity] = set()
    for owner, producer in given:
        producer_id, epoch = producer
        if producer_id in owners and (owner is None or owners[producer_id] != owner):
            yield Anomaly(
                "ProducerIdsOnce", f"{producer_id} was given to {owners[producer_id]} and {owner}"
            )
        elif producer in epochs and (owner is None or not losses.decisions(owner)):
            yield Anomaly("ProducerIdsOnce", f"epoch {epoch} of {producer_id} was given twice")
        owners[producer_id] = owner
        epochs.add(producer)
