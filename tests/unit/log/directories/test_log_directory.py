"""Damaged checkpoints after a start, and logs that are missing."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    RECOVERY_POINTS,
    MetaProperties,
    write_clean_shutdown,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.directories.directory_loading import load_directory
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.disk import write_file
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import CONFIG, NOW, TP, append, formatted, start, stopped


@pytest.mark.parametrize("name", [LOG_START_OFFSETS, HIGH_WATERMARKS, RECOVERY_POINTS])
def test_a_damaged_checkpoint_does_not_come_back_after_a_start(name):
    """C4: the logs have changed since; a copy that an operator restores would be a wrong one."""
    disk = SimDisk("one")
    write_meta_properties(disk, MetaProperties("c", 1, None))
    write_file(disk, name, b"nonsense", sync=True)
    load_directory(
        LogDirectory.open(disk, "c", 1, Random(1)), lambda _: LogConfig(), Now(0, 0), Random(1)
    )
    disk.crash()
    assert not disk.exists(name)


def test_logs_that_were_lost_before_the_clean_shutdown_are_not_counted_as_missing_since(caplog):
    """C2: the high watermarks still name them, the recovery points do not."""
    disk = SimDisk("one")
    write_meta_properties(disk, MetaProperties("c", 1, None))
    write_clean_shutdown(disk, 7)
    known, new = TopicPartition("t", 0), TopicPartition("t", 1)
    write_offsets(disk, HIGH_WATERMARKS, {known: 5, new: 3})
    write_offsets(disk, RECOVERY_POINTS, {new: 4})
    directory = LogDirectory.open(disk, "c", 1, Random(1))
    load_directory(directory, lambda _: LogConfig(), Now(0, 0), Random(1))
    assert directory.lost == {new: (0, 3, 4), known: (0, 5, 5)}
    (line,) = [each for each in caplog.messages if "missing" in each]
    assert "since the clean shutdown: 1, the first is t-1;" in line


@pytest.mark.parametrize("seed", range(20))
def test_one_power_loss_does_not_tear_both_checkpoints_that_name_a_lost_log(seed):
    """The controller may not know of the loss yet: a new, empty log would lead."""
    disks = [formatted("/one", Uuid.of(1, 1))]
    stopped(disks)
    manager = start(disks)
    other = manager.create(TopicPartition("u", 0), Uuid.of(5, 9), CONFIG, NOW, Uuid.of(1, 1))
    append(other)
    assert manager.shutdown(43) == []
    disks[0].crash()
    disks[0].rename("t-0", "away")
    disks[0].sync_all()
    manager = start(disks)
    other = manager.get(TopicPartition("u", 0))
    for offset in (1, 2, 3):
        append(other)
        other.update_high_watermark(offset)
        other.increment_log_start_offset(offset)
        assert manager.checkpoint_high_watermarks() == []
        assert manager.tick(Now(60_000 * offset, 50_000)) == []
    disks[0].lose_power(Random(seed))
    assert list(start(disks).lost) == [TP]
