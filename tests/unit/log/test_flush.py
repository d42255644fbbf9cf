"""A flush request makes durable what it names."""

from random import Random

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
