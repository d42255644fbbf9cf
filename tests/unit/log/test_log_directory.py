"""Damaged checkpoints after a start, and folder names."""

from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition
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
from minikafka.log.disk import write_file
from minikafka.log.log_directory import DELETE_SUFFIX, LogDirectory, parse_folder, retired_name
from minikafka.sim.world.sim_disk import SimDisk


@pytest.mark.parametrize("name", [LOG_START_OFFSETS, HIGH_WATERMARKS, RECOVERY_POINTS])
def test_a_damaged_checkpoint_does_not_come_back_after_a_start(name):
    """C4: the logs have changed since; a copy that an operator restores would be a wrong one."""
    disk = SimDisk("one")
    write_meta_properties(disk, MetaProperties("c", 1, None))
    write_file(disk, name, b"nonsense", sync=True)
    LogDirectory.open(disk, "c", 1, Random(1)).load(lambda _: LogConfig(), Now(0, 0), Random(1))
    disk.crash()
    assert not disk.exists(name)


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("t-0", ("t", 0)),
        ("a-b-12", ("a-b", 12)),
        ("__cluster_metadata-0", ("__cluster_metadata", 0)),
        ("t-0.abc-delete", None),
        ("t-0.abc-stray", None),
        ("t-0.abc-future", None),
        ("t", None),
        ("-1", None),
        ("t-x", None),
        ("meta.properties", None),
    ],
)
def test_partition_is_read_from_the_folder(name, at):
    assert parse_folder(name) == at


def test_retired_name_is_unique_and_not_too_long():
    at = TopicPartition("t" * 249, 123)
    rng = Random(1)
    names = [retired_name(at, DELETE_SUFFIX, rng) for _ in range(2)]
    assert len(names[0]) == 255
    assert names[0] != names[1]
    assert "-123." in names[0]
    assert retired_name(TopicPartition("t", 0), DELETE_SUFFIX, rng).startswith("t-0.")


def test_logs_that_were_lost_before_the_clean_shutdown_are_not_counted_as_missing_since(caplog):
    """C2: the high watermarks still name them, the recovery points do not."""
    disk = SimDisk("one")
    write_meta_properties(disk, MetaProperties("c", 1, None))
    write_clean_shutdown(disk, 7)
    known, new = TopicPartition("t", 0), TopicPartition("t", 1)
    write_offsets(disk, HIGH_WATERMARKS, {known: 5, new: 3})
    write_offsets(disk, RECOVERY_POINTS, {new: 4})
    directory = LogDirectory.open(disk, "c", 1, Random(1))
    directory.load(lambda _: LogConfig(), Now(0, 0), Random(1))
    assert directory.lost == {new: 4, known: 5}
    (line,) = [each for each in caplog.messages if "missing" in each]
    assert "since the clean shutdown: 1, the first is t-1;" in line
