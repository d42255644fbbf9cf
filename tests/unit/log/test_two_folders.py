"""A partition that has a folder in two log directories when the broker starts."""

from random import Random

import pytest

from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.log import log_manager
from minikafka.log.checkpoints import BadMetaPropertiesError
from minikafka.log.log_folders import held_records
from minikafka.log.log_manager import LogManager
from minikafka.sim.world.disk_errors import IO_ERROR, OneError
from tests.worlds.log_directories import CONFIG, ID, NOW, TP, append, start


def with_two_folders(disks, *with_records):
    """Each directory has been used without the other; those in `with_records` got a record."""
    for index, disk in enumerate(disks):
        manager = start([disk])
        log = manager.create(TP, ID, CONFIG, NOW)
        if index in with_records:
            append(log)
        assert manager.shutdown(42) == []
        disk.crash()


@pytest.mark.parametrize(("with_records", "kept"), [((), 0), ((0,), 0), ((1,), 1)])
def test_a_folder_that_never_held_a_record_is_removed(disks, caplog, with_records, kept):
    with_two_folders(disks, *with_records)
    manager = start(disks)
    assert manager.directory_of(TP).disk is disks[kept]
    assert manager.get(TP).log_end_offset == len(with_records)
    assert "t-0 is in both" in caplog.text
    assert not disks[1 - kept].exists("t-0")
    assert manager.shutdown(43) == []
    for disk in disks:
        disk.crash()
    caplog.clear()
    assert start(disks).get(TP).log_end_offset == len(with_records)
    assert "t-0 is in both" not in caplog.text


def test_an_operator_must_choose_between_two_with_records(disks):
    with_two_folders(disks, 0, 1)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    with pytest.raises(BadMetaPropertiesError, match="t-0 is in both .* and .*"):
        manager.load(lambda _: CONFIG, NOW)


@pytest.mark.parametrize("with_records", [(), (0,), (1,)])
def test_a_directory_that_cannot_rename_it_goes_offline(disks, with_records):
    with_two_folders(disks, *with_records)
    unused = 0 if with_records == (1,) else 1
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[unused].error = OneError(IO_ERROR, 0, ("rename",))
    for disk in disks:
        disk.step_begins()
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert fault.log_dir == disks[unused].root
    assert manager.directory_of(TP).disk is disks[1 - unused]
    assert manager.get(TP).log_end_offset == len(with_records)


@pytest.mark.parametrize("unreadable", [0, 1])
def test_the_log_that_can_be_read_is_used(disks, monkeypatch, unreadable):
    with_two_folders(disks, 1 - unreadable)

    def refuse(disk, folder):
        if disk is disks[unreadable]:
            raise StorageFault(disk.root, IO_ERROR)
        return held_records(disk, folder)

    monkeypatch.setattr(log_manager, "held_records", refuse)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert fault.log_dir == disks[unreadable].root
    assert manager.directory_of(TP).disk is disks[1 - unreadable]
    assert manager.get(TP).log_end_offset == 1


def test_logs_of_the_other_directory_stay_in_use_when_one_fails(disks):
    other = TopicPartition("t", 1)
    for disk in disks:
        manager = start([disk])
        for at in (TP, other):
            log = manager.create(at, ID, CONFIG, NOW)
            if disk is disks[0]:
                append(log)
        assert manager.shutdown(42) == []
        disk.crash()
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[1].error = OneError(IO_ERROR, 0, ("rename",))
    for disk in disks:
        disk.step_begins()
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert fault.log_dir == disks[1].root
    assert {at: log.log_end_offset for at, log in manager.logs.items()} == {TP: 1, other: 1}
