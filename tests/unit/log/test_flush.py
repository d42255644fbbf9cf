"""A flush request makes durable what it names."""

from random import Random

import pytest

from minikafka.common.faults import MissingPathFault, StorageFault
from minikafka.log.disk import read_file
from minikafka.log.flush import FlushLedger, run_all
from minikafka.sim.world.disk_errors import OneError
from minikafka.sim.world.sim_disk import SimDisk


def test_files_and_folders_are_durable_once_it_has_run():
    disk = SimDisk()
    disk.make_dir("t")
    file = disk.open("t/a", create=True)
    file.append(b"abc")
    disk.open("t/b", create=True).append(b"small")
    ledger = FlushLedger(folders={"": None, "t": None}, files={"t/b": None, "t/gone": None})
    ledger.wanted = 7
    request = ledger.take(disk, (file,))
    request.run()
    disk.lose_power(Random(0))
    assert (read_file(disk, "t/a"), read_file(disk, "t/b")) == (b"abc", b"small")
    assert (request.up_to, ledger.taken, ledger.files, ledger.folders) == (7, 7, {}, {})


def test_request_belongs_to_the_time_before_a_truncation():
    ledger = FlushLedger()
    request = ledger.take(SimDisk(), ())
    ledger.truncated()
    assert request.generation != ledger.generation


def test_a_missing_folder_is_a_fault_unless_its_log_was_deleted():
    """A topic may be deleted while a flush of it runs in another thread."""
    disk = SimDisk()
    disk.make_dir("t")
    file = disk.open("t/a", create=True)
    ledger = FlushLedger(folders={"t": None}, files={"t/b": None})
    request = ledger.take(disk, (file,))
    disk.rename("t", "t.1-delete")
    with pytest.raises(MissingPathFault, match="sync t"):
        request.run()
    ledger.is_retired = True
    request.run()
    disk.broken = "Input/output error"
    with pytest.raises(StorageFault, match="Input/output error"):
        request.run()


class FailsOnce(SimDisk):
    """Refuses one sync of a folder."""

    refused = "Input/output error"

    def sync_dir(self, path):
        self.broken, self.refused = self.refused, None
        super().sync_dir(path)


def test_a_flush_that_failed_is_not_tried_again():
    disk = FailsOnce()
    ledger = FlushLedger(folders={"": None})
    request = ledger.take(disk, ())
    with pytest.raises(StorageFault, match="Input/output error"):
        request.run()
    disk.broken = None
    request.run()
    with pytest.raises(StorageFault, match="Input/output error"):
        ledger.take(disk, ())


@pytest.mark.parametrize(("count", "kind"), [(3, "sync"), (3, "sync folder"), (40, "sync all")])
def test_no_request_of_a_directory_that_failed_is_tried_again(count, kind):
    disk = SimDisk()
    requests = list(requests_of(disk, count))
    disk.step_begins()
    disk.error = OneError("Input/output error", 0, (kind,))
    with pytest.raises(StorageFault, match="Input/output error"):
        run_all(disk, requests)
    for request in requests:
        with pytest.raises(StorageFault, match="Input/output error"):
            request.ledger.take(disk, ())


def test_a_flush_that_failed_in_another_directory_is_tried_again():
    """A file of another directory is synced where its descriptor is needed."""
    disk = SimDisk()
    (request,) = requests_of(disk, 1)
    request.note_failure(StorageFault("other", "Input/output error"))
    request.ledger.take(disk, ())


class Counting(SimDisk):
    """Counts what is synced, and perhaps cannot sync everything."""

    def __init__(self, *, at_once):
        super().__init__()
        self.at_once = at_once
        self.folders = []

    def sync_dir(self, path):
        self.folders.append(path)
        super().sync_dir(path)

    def sync_all(self):
        return self.at_once and super().sync_all()


def requests_of(disk, count):
    for number in range(count):
        disk.make_dir(f"t-{number}")
        file = disk.open(f"t-{number}/a", create=True)
        file.append(b"abc")
        ledger = FlushLedger(folders={f"t-{number}": None, "": None})
        yield ledger.take(disk, (file,))


@pytest.mark.parametrize(
    ("count", "at_once", "folders"), [(3, True, 4), (40, True, 0), (40, False, 41)]
)
def test_requests_of_a_directory_sync_each_folder_once_or_everything(count, at_once, folders):
    disk = Counting(at_once=at_once)
    run_all(disk, list(requests_of(disk, count)))
    assert len(disk.folders) == len(set(disk.folders)) == folders
    disk.lose_power(Random(0))
    assert all(read_file(disk, f"t-{number}/a") == b"abc" for number in range(count))
