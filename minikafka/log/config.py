"""The topic configs of a log, as one value."""

from dataclasses import dataclass, field
from random import Random
from typing import Final

from minikafka.records.validation import RecordPolicy

UNLIMITED: Final = (1 << 63) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """Topic configs named as in Kafka, with underscores for dots; a retention of -1 is unlimited.

    `records` has the requirements for a batch; `compacted` and `deletes` are the two words of
    `cleanup.policy`.
    """

    records: RecordPolicy = field(default_factory=RecordPolicy)
    segment_bytes: int = 1 << 30
    segment_ms: int = 604_800_000
    segment_jitter_ms: int = 0
    segment_index_bytes: int = 10 << 20
    index_interval_bytes: int = 4096
    retention_ms: int = 604_800_000
    retention_bytes: int = -1
    file_delete_delay_ms: int = 60_000
    delete_retention_ms: int = 86_400_000
    min_compaction_lag_ms: int = 0
    max_compaction_lag_ms: int = UNLIMITED
    min_cleanable_dirty_ratio: float = 0.5
    flush_messages: int = UNLIMITED
    flush_ms: int = UNLIMITED
    deletes: bool = True
    compacted: bool = False
    producer_id_expiration_ms: int = 86_400_000

    def draw_jitter_ms(self, rng: Random) -> int:
        """Draw how much earlier a new segment rolls, so that not all segments roll at once."""
        most = min(self.segment_jitter_ms, self.segment_ms)
        return rng.randrange(most) if most > 0 else 0
