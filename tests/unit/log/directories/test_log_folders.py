"""Folders of logs that are not open."""

from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_folders import held_records, is_log, require_no_records
from minikafka.log.disk import write_file
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, delete, set_aside, start

FIRST = "00000000000000000000.log"


def folder_with(**files):
    disk = SimDisk("one")
    disk.make_dir("t-0")
    for name, content in files.items():
        write_file(disk, f"t-0/{name}", content)
    return disk


@pytest.mark.parametrize(
    ("files", "log", "records"),
    [
        ({}, False, False),
        ({"notes.txt": b"x"}, False, False),
        ({"partition.metadata": b""}, True, False),
        ({FIRST: b""}, True, False),
        ({FIRST: b"x"}, True, True),
        ({"00000000000000000007.log": b""}, True, True),
    ],
)
def test_what_a_folder_contains(files, log, records):
    disk = folder_with(**files)
    assert (is_log(disk, "t-0"), held_records(disk, "t-0")) == (log, records)


@pytest.mark.parametrize(
    ("files", "state"), [({}, "is missing"), ({"partition.metadata": b"?"}, "is damaged")]
)
def test_records_without_a_topic_are_named(files, state):
    disk = folder_with(**{FIRST: b"x"}, **files)
    with pytest.raises(StorageFault) as caught:
        require_no_records(disk, "t-0")
    assert f"t-0/partition.metadata {state}" in caught.value.reason


def test_a_damaged_topic_of_an_empty_log_is_removed():
    disk = folder_with(**{FIRST: b"", "partition.metadata": b"?"})
    require_no_records(disk, "t-0")
    assert disk.list("t-0") == [FIRST]


@pytest.mark.parametrize("leave", [delete, set_aside])
@pytest.mark.parametrize("seed", range(5))
def test_a_log_that_a_killed_process_gave_up_does_not_come_back(disks, leave, seed):
    """Seeds 99810687 and 99810834: a power loss undid the rename of an earlier process."""
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    disks[0].sync_all()
    leave(manager)
    for disk in disks:
        disk.crash()
    append(start(disks).create(TP, ID, CONFIG, NOW, Uuid.of(2, 2)))
    disks[1].sync_all()
    for disk in disks:
        disk.lose_power(Random(seed))
    assert start(disks).directory_of(TP).disk is disks[1]
