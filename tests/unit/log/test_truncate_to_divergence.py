"""A copy is truncated to what it has in common with the log that it follows."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.directories.future_logs import truncate_to_divergence
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.builder import NewRecord, build_batch
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import CONFIG, NOW


def log_of(*epochs, start=0):
    """One record for each epoch."""
    log = UnifiedLog.open(
        SimDisk(), "t-0", TopicPartition("t", 0), config=CONFIG, now=NOW, rng=Random(1),
        checkpointed=CheckpointedOffsets(clean=True),
    )  # fmt: skip
    if start:
        log.truncate_fully_and_start_at(start, NOW)
    for epoch in epochs:
        batch = memoryview(build_batch([NewRecord(1, b"k", b"v")]))
        log.append_as_leader(batch, leader_epoch=epoch, now=NOW)
    return log


@pytest.mark.parametrize(
    ("current", "copy", "end_offset"),
    [
        (log_of(0, 0, 1), log_of(0, 0), 2),
        (log_of(0, 0, 1), log_of(0, 0, 0, 0), 2),
        (log_of(0, 0, 2), log_of(0, 0, 1, 1), 2),
        (log_of(3, 3), log_of(0, 0, 1), 0),
        # The copy begins later, or ends before the log begins.
        (log_of(0, 0, 0), log_of(0, 0, start=1), 0),
        (log_of(2, start=5), log_of(0, 0), 5),
    ],
)
def test_a_copy_ends_where_the_log_has_other_records(current, copy, end_offset):
    truncate_to_divergence(current, copy, NOW)
    assert copy.log_end_offset == end_offset
    assert copy.log_start_offset <= max(current.log_start_offset, 0) or end_offset == 5
