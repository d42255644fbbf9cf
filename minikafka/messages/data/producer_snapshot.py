# Generated from schemas/data/ProducerSnapshot.json by tools/generate_messages.py. Do not edit.
"""ProducerSnapshot: version 1."""

from collections.abc import Iterable
from struct import Struct
from typing import ClassVar, Self

from minikafka.protocol.message import describe, same
from minikafka.protocol.primitives import (
    DECODE_FAILURES,
    ElementBudget,
    Reader,
    UNSET,
    UnsupportedVersionError,
    Writer,
    cut_short,
    malformed,
    null_not_allowed,
)

new = object.__new__
_pack_Ii = Struct(">Ii").pack
_pack_qhiqiqiq = Struct(">qhiqiqiq").pack
_unpack_Ii = Struct(">Ii").unpack_from
_unpack_qhiqiqiq = Struct(">qhiqiqiq").unpack_from


class ProducerEntry:
    """Part of ProducerSnapshot."""

    __slots__ = (
        "producer_id",
        "epoch",
        "last_sequence",
        "last_offset",
        "offset_delta",
        "timestamp",
        "coordinator_epoch",
        "current_txn_first_offset",
    )

    def __init__(
        self,
        producer_id: int = 0,
        epoch: int = 0,
        last_sequence: int = 0,
        last_offset: int = 0,
        offset_delta: int = 0,
        timestamp: int = 0,
        coordinator_epoch: int = 0,
        current_txn_first_offset: int = 0,
    ) -> None:
        self.producer_id = producer_id
        self.epoch = epoch
        self.last_sequence = last_sequence
        self.last_offset = last_offset
        self.offset_delta = offset_delta
        self.timestamp = timestamp
        self.coordinator_epoch = coordinator_epoch
        self.current_txn_first_offset = current_txn_first_offset

    __eq__ = same
    __repr__ = describe


class ProducerSnapshot:
    """Version 1."""

    MIN_VERSION: ClassVar[int] = 1
    MAX_VERSION: ClassVar[int] = 1
    FLEXIBLE_FROM: ClassVar[int] = 2

    __slots__ = ("crc", "producer_entries")

    def __init__(self, crc: int = 0, producer_entries: list[ProducerEntry] = UNSET) -> None:
        self.crc = crc
        self.producer_entries = [] if producer_entries is UNSET else producer_entries

    def encode(self, writer: Writer, version: int) -> None:
        """Append the message; see `protocol.message.Message`."""
        if version != 1:
            raise UnsupportedVersionError("ProducerSnapshot", version)
        out = writer.buf
        it = self
        its_producer_entries = it.producer_entries
        n = len(its_producer_entries)
        out += _pack_Ii(it.crc, n)
        if its_producer_entries:
            _write_producer_entry_list(out, its_producer_entries, version)

    @classmethod
    def decode(cls, reader: Reader, version: int) -> Self:
        """The message at the reader's position; see `protocol.message.Message`."""
        if version != 1:
            raise UnsupportedVersionError("ProducerSnapshot", version)
        buf = reader.snapshot()
        pos = reader.pos
        try:
            it = new(cls)
            (it.crc, n) = _unpack_Ii(buf, pos)
            pos += 8
            if n >= 0:
                it.producer_entries, pos = _read_producer_entry_list(buf, pos, n, version, reader.elements)
            else:
                raise null_not_allowed("ProducerEntries")
        except DECODE_FAILURES as failure:
            raise malformed("ProducerSnapshot", version, len(buf), failure) from None
        if pos > len(buf):
            raise cut_short("ProducerSnapshot", version, len(buf))
        reader.pos = pos
        return it

    __eq__ = same
    __repr__ = describe


def _read_producer_entry_list(
    buf: bytes, pos: int, count: int, version: int, elements: ElementBudget
) -> tuple[list[ProducerEntry], int]:
    if count > 1:
        elements.take(count, len(buf) - pos)
    items: list[ProducerEntry] = []
    for _ in range(count):
        it = new(ProducerEntry)
        (
            it.producer_id,
            it.epoch,
            it.last_sequence,
            it.last_offset,
            it.offset_delta,
            it.timestamp,
            it.coordinator_epoch,
            it.current_txn_first_offset,
        ) = _unpack_qhiqiqiq(buf, pos)
        pos += 46
        items.append(it)
    return items, pos


def _write_producer_entry_list(
    out: bytearray, items: Iterable[ProducerEntry], version: int
) -> None:
    for it in items:
        out += _pack_qhiqiqiq(
            it.producer_id,
            it.epoch,
            it.last_sequence,
            it.last_offset,
            it.offset_delta,
            it.timestamp,
            it.coordinator_epoch,
            it.current_txn_first_offset,
        )
