"""A partition that has a folder in two log directories when the broker starts."""

from random import Random

import pytest

from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import BadMetaPropertiesError, write_offsets
from minikafka.log.directories import directory_loading
from minikafka.log.directories.log_folders import FolderState, held_records
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import Cause
from minikafka.log.disk import write_file
from minikafka.sim.world.disk_errors import IO_ERROR, OneError
from tests.worlds.log_directories import (
    CONFIG,
    ID,
    NOW,
    TP,
    append,
    cause,
    formatted,
    retire_strays,
    start,
    stopped,
)


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
    assert "t-0 was in" in caplog.text
    assert not disks[1 - kept].exists("t-0")
    assert manager.shutdown(43) == []
    for disk in disks:
        disk.crash()
    caplog.clear()
    assert start(disks).get(TP).log_end_offset == len(with_records)
    assert "t-0 was in" not in caplog.text


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

    monkeypatch.setattr(directory_loading, "held_records", refuse)
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


OTHER_ID = Uuid.of(5, 7)


def of_topics(disks, *topic_ids):
    """Each directory was used without the others, and has two records of a topic `t`."""
    for disk, topic_id in zip(disks, topic_ids, strict=True):
        manager = start([disk])
        log = manager.create(TP, topic_id, CONFIG, NOW)
        append(log)
        append(log)
        log.update_high_watermark(2)
        assert log.increment_log_start_offset(1)
        assert manager.shutdown(42) == []
        disk.crash()


def settle(manager, present):
    """Return the faults of the logs that could not be set aside."""
    return retire_strays(manager, {TP: present})


def strays(disk):
    return [name for name in disk.list("") if name.endswith("-stray")]


@pytest.mark.parametrize("present", [0, 1])
def test_the_log_of_the_present_topic_is_used(disks, caplog, present):
    topic_ids = (ID, OTHER_ID)
    of_topics(disks, *topic_ids)
    manager = start(disks)
    assert manager.get(TP) is None
    assert manager.logs == {}
    assert settle(manager, topic_ids[present]) == []
    assert manager.directory_of(TP).disk is disks[present]
    assert manager.get(TP).topic_id == topic_ids[present]
    assert (manager.get(TP).log_start_offset, manager.get(TP).log_end_offset) == (1, 2)
    assert strays(disks[present]) == []
    (stray,) = strays(disks[1 - present])
    other = f"t-0 in {disks[1 - present].root}"
    reason = f"the metadata has no replica with topic id {topic_ids[1 - present]}"
    assert f"{other} is set aside as {stray}: {reason}" in caplog.text
    manager.shutdown(43)
    for disk in disks:
        disk.crash()
    again = start(disks)
    assert again.get(TP).topic_id == topic_ids[present]
    assert again.lost == {}
    assert again.previous_broker_epoch == 43


def test_without_a_replica_both_are_set_aside(disks):
    of_topics(disks, ID, OTHER_ID)
    manager = start(disks)
    assert settle(manager, Uuid.of(5, 8)) == []
    assert manager.logs == {}
    assert [len(strays(disk)) for disk in disks] == [1, 1]
    log = manager.create(TP, Uuid.of(5, 8), CONFIG, NOW)
    assert (log.log_start_offset, log.log_end_offset) == (0, 0)


def test_a_stop_before_the_metadata_is_known_loses_nothing(disks):
    of_topics(disks, ID, OTHER_ID)
    start(disks).shutdown(43)
    for disk in disks:
        disk.crash()
    manager = start(disks)
    assert manager.previous_broker_epoch == 43
    assert manager.lost == {}
    assert settle(manager, OTHER_ID) == []
    log = manager.get(TP)
    assert (log.log_start_offset, log.log_end_offset, log.high_watermark) == (1, 2, 2)


def test_a_crash_before_the_metadata_is_known_loses_nothing(disks):
    of_topics(disks, ID, OTHER_ID)
    start(disks)
    for disk in disks:
        disk.crash()
    manager = start(disks)
    assert settle(manager, ID) == []
    assert (manager.get(TP).log_start_offset, manager.get(TP).log_end_offset) == (1, 2)


class Refuses:
    """No descriptor is left."""

    def random(self):
        return 0.0


@pytest.mark.parametrize("renames", range(4))
def test_a_directory_that_cannot_rename_the_former_log_goes_offline(disks, renames):
    """Or one of its three checkpoints."""
    of_topics(disks, ID, OTHER_ID)
    manager = start(disks)
    log = manager.directories[0].folders.get(TP).log
    disks[0].error = OneError(IO_ERROR, renames, ("rename",))
    for disk in disks:
        disk.step_begins()
    (fault,) = settle(manager, OTHER_ID)
    assert fault.log_dir == disks[0].root
    assert manager.take_offline(fault) == []
    assert not any(segment.file._is_open for segment in log.segments.items)
    assert manager.get(TP).topic_id == OTHER_ID


@pytest.mark.parametrize("later", ["set aside", "create"])
def test_without_descriptors_the_former_log_keeps_its_folder(disks, later):
    """And a new log of the partition cannot get it."""
    of_topics(disks, ID, OTHER_ID)
    manager = start(disks)
    disks[0].few_files = Refuses()
    for disk in disks:
        disk.step_begins()
    with pytest.raises(OutOfFilesError):
        settle(manager, Uuid.of(5, 8))
    assert manager.directories[0].folders.state(TP) is FolderState.RETIRING
    with pytest.raises(OutOfFilesError):
        manager.create(TP, Uuid.of(5, 8), CONFIG, NOW, Uuid.of(1, 1))
    disks[0].few_files = None
    if later == "set aside":
        assert manager.retire(NOW, 9) == ([], False)
    log = manager.create(TP, Uuid.of(5, 8), CONFIG, NOW, Uuid.of(1, 1))
    assert log.log_end_offset == 0
    assert [home.folders.partitions for home in manager.directories] == [[TP], []]
    assert len(strays(disks[0])) == 1


def test_a_directory_that_fails_before_takes_its_log_with_it(disks):
    of_topics(disks, ID, OTHER_ID)
    manager = start(disks)
    assert manager.take_offline(StorageFault(disks[0].root, "broken")) == []
    assert settle(manager, ID) == []
    assert manager.logs == {}
    assert len(strays(disks[1])) == 1


def test_two_logs_of_one_topic_and_a_third_of_another(disks):
    disks.append(formatted("three", Uuid.of(3, 3)))
    of_topics(disks, OTHER_ID, ID, ID)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    with pytest.raises(BadMetaPropertiesError, match="t-0 is in both two and three"):
        manager.load(lambda _: CONFIG, NOW)


def test_an_empty_log_of_the_present_topic_is_used(disks):
    of_topics(disks[:1], ID)
    manager = start(disks[1:])
    manager.create(TP, OTHER_ID, CONFIG, NOW)
    manager.shutdown(42)
    disks[1].crash()
    manager = start(disks)
    assert settle(manager, OTHER_ID) == []
    assert manager.directory_of(TP).disk is disks[1]


def test_the_future_log_of_a_former_topic_replaces_nothing(disks):
    of_topics(disks, ID, OTHER_ID)
    disks.append(formatted("three", Uuid.of(3, 3)))
    manager = start([disks[0], disks[2]])
    manager.futures.create(TP, manager.directories[1], NOW)
    assert manager.futures.copy_slice(TP, NOW)
    manager.shutdown(42)
    for disk in disks:
        disk.crash()
    manager = start(disks)
    assert settle(manager, OTHER_ID) == []
    assert manager.get(TP).topic_id == OTHER_ID
    assert manager.futures.get(TP) is None
    assert manager.futures.has_kept_copies(TP)


def test_a_former_log_is_not_taken_for_lost_after_a_crash(disks):
    of_topics(disks, ID, OTHER_ID)
    manager = start(disks)
    assert settle(manager, Uuid.of(5, 8)) == []
    for disk in disks:
        disk.crash()
    assert start(disks).lost == {}


def left_by_a_power_loss(disks):
    """A log with a record in the first directory, an empty folder in the second one."""
    append(start(disks).create(TP, ID, CONFIG, NOW, Uuid.of(1, 1)))
    for disk in disks:
        disk.crash()
    disks[1].make_dir("t-0")


def test_the_empty_folder_of_a_log_that_is_elsewhere_accepts_nothing(disks):
    """Seed 98000750: the directory with the log was taken out long after; an empty log led."""
    left_by_a_power_loss(disks)
    assert start(disks).get(TP).log_end_offset == 1
    for disk in disks:
        disk.crash()
    assert cause(start(disks[1:]), ID, Uuid.of(1, 1)) is Cause.DIRECTORY_IS_GONE


def test_a_log_without_records_and_topic_id_is_no_log_of_the_replica(disks):
    """A power loss left it; an empty log would lead if the topic was created again elsewhere."""
    start(disks[1:]).create(TP, ID, CONFIG, NOW)
    disks[1].crash()
    disks[1].remove("t-0/partition.metadata")
    manager = start(disks[1:])
    assert (manager.get(TP).topic_id, manager.get(TP).log_end_offset) == (None, 0)
    assert cause(manager, OTHER_ID, Uuid.of(1, 1)) is Cause.DIRECTORY_IS_GONE


@pytest.mark.parametrize("without", [0, 1])
def test_of_two_without_records_one_without_topic_id_is_removed(disks, without):
    """tests/log_directories, seed 535: the replica did not come online with the other one."""
    for disk in disks:
        start([disk]).create(TP, ID, CONFIG, NOW)
        disk.crash()
    disks[without].remove("t-0/partition.metadata")
    manager = start(disks)
    assert manager.directory_of(TP) is manager.directories[1 - without]


def test_a_log_that_a_start_removes_is_not_taken_for_lost_after_a_crash(disks):
    """tests/log_directories, seed 9297: the next topic of that name was offline."""
    append(start(disks[:1]).create(TP, ID, CONFIG, NOW))
    start(disks[1:]).create(TP, ID, CONFIG, NOW)
    # A power loss has taken its records.
    write_offsets(disks[1], "replication-offset-checkpoint", {TP: 3}, sync=True)
    for _ in range(2):
        for disk in disks:
            disk.crash()
        manager = start(disks)
        assert (manager.directory_of(TP), manager.lost) == (manager.directories[0], {})


def test_an_empty_folder_without_a_log_shows_consent(disks):
    stopped(disks)
    disks[1].make_dir("t-0")
    assert cause(start(disks[1:]), ID, Uuid.of(1, 1)) is None
    assert disks[1].exists("t-0")


def test_a_directory_whose_empty_folder_cannot_be_removed_goes_offline(disks):
    left_by_a_power_loss(disks)
    manager = LogManager.open(disks, cluster_id="c", node_id=1, rng=Random(3))
    disks[1].error = OneError(IO_ERROR, 0, ("remove",))
    disks[1].step_begins()
    (fault,) = manager.load(lambda _: CONFIG, NOW)
    assert fault.log_dir == disks[1].root
    assert manager.get(TP).log_end_offset == 1


def test_a_log_that_is_created_removes_the_empty_folder_elsewhere(disks):
    disks[1].make_dir("t-0")
    start(disks).create(TP, ID, CONFIG, NOW, Uuid.of(1, 1))
    assert not disks[1].exists("t-0")


def test_a_start_keeps_a_folder_with_files_that_are_not_of_a_log(disks, caplog):
    """An operator's backup was removed with the folder."""
    left_by_a_power_loss(disks)
    write_file(disks[1], "t-0/00000000000000000000.log.gz", b"backup")
    disks[1].make_dir("t-0/old")
    assert start(disks).get(TP).log_end_offset == 1
    assert disks[1].list("t-0") == ["00000000000000000000.log.gz", "old"]
    assert "t-0 in two is not used: another directory has the log" in caplog.text
    for disk in disks:
        disk.crash()
    assert cause(start(disks[1:]), ID, Uuid.of(1, 1)) is Cause.DIRECTORY_IS_GONE


def test_a_folder_with_files_that_are_not_of_a_log_shows_no_consent(disks):
    stopped(disks)
    disks[0].rename("t-0", "saved")
    disks[0].make_dir("t-0")
    write_file(disks[0], "t-0/00000000000000000000.log.gz", b"backup")
    assert list(start(disks).lost) == [TP]
