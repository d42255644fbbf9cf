"""One log on a simulated disk, and batches for it."""

from random import Random

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.validation import AppendOrigin

NOW = Now(1_000, 50_000)
TOPIC_ID = Uuid.of(1, 2)


def open_log(disk, *, clean=False, now=NOW, checkpointed=None, **config):
    return UnifiedLog.open(
        disk, "t-0", TopicPartition("t", 0), config=LogConfig(**config),
        checkpointed=checkpointed or CheckpointedOffsets(clean=clean), now=now, rng=Random(1),
        topic_id=TOPIC_ID,
    )  # fmt: skip


def batch(count=2, timestamp=50_000, **options):
    rows = [NewRecord(timestamp, b"k", b"v" * 20) for _ in range(count)]
    return memoryview(build_batch(rows, BatchOptions(**options)))


def append(log, *args, epoch=0, origin=AppendOrigin.CLIENT, now=NOW, **options):
    return log.append_as_leader(
        batch(*args, **options), leader_epoch=epoch, now=now, origin=origin, guard=UNCHECKED
    )
