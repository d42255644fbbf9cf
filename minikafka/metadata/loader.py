"""The replay of committed batches, snapshots and metadata transactions into images.

An image is published at the end of a batch. The records of a metadata transaction become visible
together when it ends, and never if it is aborted (KIP-868).

Source: `MetadataLoader`, `MetadataBatchLoader`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from minikafka.common.faults import InvariantViolation
from minikafka.messages.metadata_records.abort_transaction_record import AbortTransactionRecord
from minikafka.messages.metadata_records.begin_transaction_record import BeginTransactionRecord
from minikafka.messages.metadata_records.end_transaction_record import EndTransactionRecord
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.replay import replay
from minikafka.metadata.serde import MetadataRecord


@dataclass(slots=True, eq=False, repr=False)
class MetadataLoader:
    """Replays committed records into an image.

    `image` is the published image. `_pending` has the records of an open transaction.
    """

    image: MetadataImage = field(default_factory=MetadataImage)
    _pending: list[tuple[int, MetadataRecord]] | None = None

    @property
    def in_transaction(self) -> bool:
        """True if a metadata transaction is open."""
        return self._pending is not None

    def load_batch(
        self, records: Iterable[tuple[int, MetadataRecord]], *, last_offset: int, epoch: int
    ) -> MetadataImage:
        """Replay a committed batch of (offset, record); return the new image.

        A control batch has no records here, but moves the image's offset.

        Raises:
            InvariantViolation: for records that do not fit, and unmatched transaction records.
        """
        builder = ImageBuilder(self.image)
        for offset, record in records:
            self._load(builder, record, offset)
        self.image = builder.build(last_offset, epoch)
        return self.image

    def load_snapshot(
        self, records: Iterable[MetadataRecord], *, last_offset: int, epoch: int
    ) -> MetadataImage:
        """Replace the image by that of a snapshot, and return it."""
        builder = ImageBuilder(MetadataImage())
        for record in records:
            replay(builder, record, last_offset)
        self._pending = None
        self.image = builder.build(last_offset, epoch)
        return self.image

    def _load(self, builder: ImageBuilder, record: MetadataRecord, offset: int) -> None:
        if isinstance(record, BeginTransactionRecord):
            if self._pending is not None:
                raise InvariantViolation(f"offset {offset}: a transaction begins inside another")
            self._pending = []
        elif isinstance(record, EndTransactionRecord):
            for at, pending in self._ended(offset):
                replay(builder, pending, at)
        elif isinstance(record, AbortTransactionRecord):
            self._ended(offset)
        elif self._pending is not None:
            self._pending.append((offset, record))
        else:
            replay(builder, record, offset)

    def _ended(self, offset: int) -> list[tuple[int, MetadataRecord]]:
        pending = self._pending
        if pending is None:
            raise InvariantViolation(f"offset {offset}: a transaction ends that never began")
        self._pending = None
        return pending
