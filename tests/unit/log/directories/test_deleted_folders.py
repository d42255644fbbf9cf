"""Folders of deleted logs: when they are due, and what a fault leaves."""

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.log.directories.deleted_folders import DeletedFolders
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk


class Log:
    """A log that counts how often it was abandoned."""

    abandoned = 0

    def abandon(self):
        self.abandoned += 1


@pytest.fixture
def deleted():
    disk = SimDisk()
    for name in "abc":
        disk.make_dir(name)
    return DeletedFolders(disk)


def test_a_folder_is_removed_when_it_is_due(deleted):
    log = Log()
    deleted.add("b", 5_000, log)
    deleted.add("a")
    deleted.add("c", 4_000)
    assert deleted.remove(Now(3_999, 0), 10) == 1
    assert (deleted.disk.list(""), deleted.has_due(Now(3_999, 0))) == (["b", "c"], False)
    assert (deleted.has_due(Now(5_000, 0)), log.abandoned) == (True, 0)
    assert deleted.remove(Now(5_000, 0), 1) == 1
    assert deleted.disk.list("") == ["b"]
    assert deleted.remove(Now(5_000, 0), 1) == 1
    assert (deleted.disk.list(""), log.abandoned) == ([], 1)


def test_a_folder_that_cannot_be_removed_stays_due(deleted):
    deleted.add("a")
    deleted.disk.broken = IO_ERROR
    with pytest.raises(StorageFault, match=IO_ERROR):
        deleted.remove(Now(0, 0), 10)
    deleted.disk.repair()
    assert deleted.remove(Now(0, 0), 10) == 1
