"""Directories that fail at the start: while the other one is settled, or by damage."""

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import Uuid
from minikafka.log.directories.log_manager import LogManager
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.unit.log.directories.test_future_logs import Crash, flushed, ready_to_swap
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, Random, append, start


def crash_after_swap(disks):
    """The copy is in use and has one record more; the former log still has its name."""
    manager = ready_to_swap(disks)
    begin = disks[0].begin

    def crash(operation, data=b""):
        if operation == "rename" and data.startswith(b"t-0 "):
            raise Crash
        return begin(operation, data)

    disks[0].begin = crash
    with pytest.raises(Crash):
        manager.futures.swap(TP, NOW)
    del disks[0].begin
    log = manager.directories[1].logs[TP]
    append(log)
    flushed(log)
    for disk in disks:
        disk.crash()


@pytest.mark.parametrize("reads", range(8))
def test_the_former_log_is_not_used_if_the_newer_one_cannot_be_read(disks, reads):
    crash_after_swap(disks)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(4))
    begin, left = disks[1].begin_reading, [reads]

    def fail(*args, **options):
        left[0] -= 1
        if left[0] < 0:
            disks[1].broken = IO_ERROR
        return begin(*args, **options)

    disks[1].begin_reading = fail
    faults = manager.load(lambda _: CONFIG, NOW)
    assert [fault.log_dir for fault in faults] == [disks[1].root]
    assert manager.get(TP) is None


def test_the_reason_of_a_directory_that_cannot_be_loaded_is_logged_once(disks, caplog):
    """Only "the log directory is offline" was logged, when the replica was to be created."""
    home = Uuid.of(1, 1)
    manager = start(disks)
    append(manager.create(TP, ID, CONFIG, NOW, home))
    assert manager.shutdown(7) == []
    for disk in disks:
        disk.crash()
    disks[0].content("t-0/00000000000000000000.log")[16] ^= 0xFF
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(4))
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    with pytest.raises(StorageFault):
        manager.create(TP, ID, CONFIG, NOW, home)
    (line,) = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert line == f"log directory one goes offline (open logs: 0): {fault.reason}"
    assert "t-0/00000000000000000000.log" in line
