"""What shows that a log directory was in use."""

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    RECOVERY_POINTS,
    write_clean_shutdown,
    write_offsets,
)
from minikafka.log.directories.sign_of_use import sign_of_use
from minikafka.log.disk import write_file
from minikafka.sim.world.sim_disk import SimDisk


@pytest.fixture
def disk():
    return SimDisk("/d")


def test_a_new_directory_shows_nothing(disk):
    write_file(disk, "meta.properties", b"")
    disk.make_dir("__cluster_metadata-0")
    write_file(disk, "__cluster_metadata-0/00000000000000000000.log", b"")
    assert sign_of_use(disk) is None


def test_a_broker_that_never_found_a_leader_leaves_no_sign(disk):
    write_clean_shutdown(disk, -1)
    write_offsets(disk, RECOVERY_POINTS, {})
    assert sign_of_use(disk) is None


@pytest.mark.parametrize("epoch", [0, 7])
def test_a_registered_broker_that_stopped_leaves_its_epoch(disk, epoch):
    write_clean_shutdown(disk, epoch)
    assert sign_of_use(disk) == CLEAN_SHUTDOWN


def test_a_log_is_a_sign(disk):
    disk.make_dir("t-0")
    write_file(disk, "t-0/00000000000000000000.log", b"")
    assert sign_of_use(disk) == "t-0"


@pytest.mark.parametrize("content", [None, b"damaged"])
def test_recovery_points_are_a_sign(disk, content):
    write_offsets(disk, RECOVERY_POINTS, {TopicPartition("t", 0): 3})
    if content is not None:
        write_file(disk, RECOVERY_POINTS, content)
    assert sign_of_use(disk) == RECOVERY_POINTS
