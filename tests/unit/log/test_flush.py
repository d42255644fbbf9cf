"""A flush request makes durable what it names."""

from random import Random

import pytest

from minikafka.common.faults import MissingPathFault, StorageFault
from minikafka.log.disk import read_file
from minikafka.log.flush import FlushLedger
from minikafka.sim.sim_disk import SimDisk


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


def test_a_folder_that_is_gone_is_a_fault_unless_its_log_was_let_go():
    """A topic may be deleted while a flush of it runs in another thread."""
    disk = SimDisk()
    disk.make_dir("t")
    file = disk.open("t/a", create=True)
    ledger = FlushLedger(folders={"t": None}, files={"t/b": None})
    request = ledger.take(disk, (file,))
    disk.rename("t", "t.1-delete")
    with pytest.raises(MissingPathFault, match="sync t"):
        request.run()
    ledger.is_let_go = True
    request.run()
    disk.broken = "Input/output error"
    with pytest.raises(StorageFault, match="Input/output error"):
        request.run()
