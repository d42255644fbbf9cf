from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.faults import StorageFault
from minikafka.common.ids import (
    DIRECTORY_LOST,
    DIRECTORY_MIGRATING,
    DIRECTORY_UNASSIGNED,
    TopicPartition,
    Uuid,
)
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    LOG_START_OFFSETS,
    MetaProperties,
    read_offsets,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.directories import log_directory, log_manager
from minikafka.log.directories.log_directory import LogDirectory
from minikafka.log.directories.log_folders import FolderState
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import AssignedReplica, Cause, Missing
from minikafka.metadata.delta import local_changes
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.lost_logs import LostLogs
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, OTHER_ID, T

NAME, OTHER = TopicPartition("t", 0), TopicPartition("t", 1)
ID = Uuid.of(7, 7)
HOME, UNKNOWN = Uuid.of(9, 1), Uuid.of(9, 2)


@pytest.fixture
def manager():
    disk = SimDisk("/one")
    write_meta_properties(disk, MetaProperties("c", 1, Uuid.of(9, 1)))
    write_offsets(disk, HIGH_WATERMARKS, {NAME: 5, OTHER: 6, TopicPartition("u", 0): 0})
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(1))
    assert manager.load(lambda _: LogConfig(), Now(0, 0)) == []
    return manager


class _Least(Random):
    """A power loss keeps only what is durable."""

    def randint(self, a, b):
        return a


def lost_image():
    """Partition 0 of t is on broker 1, partition 1 is not; 3 and 4 were in a directory before."""
    builder = ImageBuilder(MetadataImage())
    builder.put_topic("t", ID)
    unassigned = DIRECTORY_UNASSIGNED
    rows = ((1, unassigned), (2, unassigned), (1, HOME), (1, UNKNOWN), (1, DIRECTORY_LOST))
    for index, (broker, directory) in enumerate(rows):
        registration = PartitionRegistration(
            replicas=(broker,), directories=(directory,), isr=(broker,), leader=broker,
            leader_epoch=0, partition_epoch=0,
        )  # fmt: skip
        builder.put_partition(ID, index, registration)
    return builder.build(1, 1)


@pytest.fixture
def lost(manager):
    lost = LostLogs(manager, 1)
    local = local_changes(MetadataImage(), lost_image(), 1)
    replicas = {
        each.topic_partition: AssignedReplica(each.topic_id, each.registration.directory(1))
        for each in (*local.leaders, *local.followers)
    }
    missing, _, faults = manager.settle(replicas)
    assert faults == []
    lost.found(missing, (*local.leaders, *local.followers))
    return lost


def test_only_what_held_records_and_belongs_here_is_lost(manager, lost):
    assert (NAME in lost, OTHER in lost, TopicPartition("u", 0) in lost) == (True, False, False)
    # Partition 1 is not on this broker.
    assert manager.lost == {NAME: ("/one/t-0", 5)}


def test_what_was_in_a_directory_that_is_gone_is_lost(lost, caplog):
    names = [TopicPartition("t", index) for index in (2, 3, 4)]
    assert [name in lost for name in names] == [False, True, True]
    # The controller knows of the other one.
    assert lost.unreported == names[1:2]
    assert lost.keep_offline(names[1], 2, members=(2, 1))
    assert caplog.messages == []
    assert lost.keep_offline(names[1], -1)
    assert caplog.messages[0].startswith("the log directory of t-3 is gone, and no other")
    assert lost.unreported == []
    assert not lost.keep_offline(names[1], 2, members=(2,))


@pytest.mark.parametrize("leader", [-1, 1])
def test_without_another_leader_it_is_named_once_and_stays_offline(lost, caplog, leader):
    assert lost.keep_offline(NAME, leader)
    assert lost.keep_offline(NAME, leader)
    (line,) = caplog.messages
    assert line.startswith("/one/t-0 is gone with the records below offset 5")


def test_a_displaced_log_is_lost_and_its_directory_is_asked_for(lost, caplog):
    name = TopicPartition("t", 2)
    older = Missing(Cause.LOG_MAY_BE_OLDER, 0, may_come_back=True, is_unreported=True)
    lost.found({name: older}, ())
    assert lost.keep_offline(name, 2, members=(2, 1))
    assert caplog.messages == []
    assert name in lost.unreported
    assert lost.keep_offline(name, 1, members=(1,))
    assert lost.keep_offline(name, 1)
    (line,) = caplog.messages
    assert line.endswith(
        ", and no other replica is leader: t-2 is offline. Bring the other directory back and "
        "restart the broker"
    )
    assert name not in lost.unreported
    assert not lost.keep_offline(name, 2, members=(2,))


def test_it_is_copied_from_another_leader(lost, caplog):
    assert not lost.keep_offline(NAME, 2)
    assert caplog.messages == [
        "/one/t-0 is gone with the records below offset 5: copying t-0 from broker 2"
    ]
    assert NAME not in lost


def test_it_is_known_at_the_next_start_unless_it_is_forgotten(manager, lost):
    manager.checkpoint_high_watermarks()
    assert manager.lost
    lost.forget(NAME)
    assert NAME not in lost
    manager.drop([NAME])
    assert manager.retire(Now(0, 0), 1) == ([], False)
    (disk,) = [home.disk for home in manager.directories]
    disk.lose_power(Random(1))
    assert read_offsets(disk, HIGH_WATERMARKS) == read_offsets(disk, LOG_START_OFFSETS) == {}
    assert manager.lost == {}


@pytest.mark.parametrize("is_copied", [False, True])
def test_a_lost_log_of_a_removed_replica_does_not_come_back(managed, is_copied):
    """The topic was created again while the broker was stopped, and stayed offline."""
    write_offsets(managed.disks[0], HIGH_WATERMARKS, {T: 5})
    restart(managed)
    managed.start(managed.broker(2), managed.topic(), managed.put(2 if is_copied else 1))
    assert (T in managed.manager.hosted.online) == is_copied
    managed.apply(managed.no_topic())
    restart(managed, power_loss=True)
    managed.start(
        managed.broker(2), managed.topic(topic_id=OTHER_ID), managed.put(1, topic_id=OTHER_ID)
    )
    assert T in managed.manager.hosted.online


def test_a_lost_log_that_another_directory_has_does_not_come_back(managed):
    """As above: the checkpoint of the other directory named it for good."""
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[1]))
    managed.partition().append_as_leader(batch_of(1), required_acks=1)
    write_offsets(managed.disks[0], HIGH_WATERMARKS, {T: 5})
    restart(managed)
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[1]))
    managed.apply(managed.no_topic())
    restart(managed, power_loss=True)
    managed.start(
        managed.broker(2), managed.topic(topic_id=OTHER_ID), managed.put(1, topic_id=OTHER_ID)
    )
    assert T in managed.manager.hosted.online


def restart(managed, *, power_loss=False):
    """Start without metadata, after a kill or after a power loss that keeps the least."""
    for disk in managed.disks:
        if power_loss:
            disk.lose_power(_Least(1))
        else:
            disk.crash()
    managed.boot()


def test_what_was_lost_while_it_ran_is_copied_once_the_controller_knows(lost, caplog):
    """A member of ISR or ELR with an empty log could be elected (E7)."""
    lost.forget(NAME)
    lost.add(NAME, "the log of t-0 is damaged")
    assert lost.keep_offline(NAME, 2, members=(2, 1))
    assert NAME in lost.unreported
    assert lost.keep_offline(NAME, -1, members=())
    assert NAME not in lost.unreported
    assert caplog.messages == []
    assert not lost.keep_offline(NAME, 2, members=(2,))
    assert caplog.messages == ["the log of t-0 is damaged: copying t-0 from broker 2"]


@pytest.mark.parametrize("fails_at", ["open", "load"])
@pytest.mark.parametrize("directory", [DIRECTORY_UNASSIGNED, DIRECTORY_MIGRATING])
def test_a_log_may_be_in_a_directory_that_was_not_loaded(
    managed, caplog, monkeypatch, fails_at, directory
):
    """Its directory was never reported: an empty log in another one would lead."""
    for disk in managed.disks:
        disk.crash()
    load_one, load_all = log_manager.load_directory, LogManager.load

    def load(home, *args):
        if home.disk is managed.disks[1]:
            raise StorageFault(home.disk.root, IO_ERROR)
        load_one(home, *args)

    if fails_at == "open":
        managed.disks[1].broken = IO_ERROR
    else:
        monkeypatch.setattr(log_manager, "load_directory", load)
        monkeypatch.setattr(LogManager, "load", lambda *args: load_all(*args)[1:])
    managed.boot()
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=directory))
    assert T in managed.manager.hosted.offline
    assert "t-0 may be in a directory that was not loaded (take that out of" in caplog.text
    assert managed.manager.unreported == [T]
    managed.apply(managed.put(2, epoch=1, isr=(2,), directory=DIRECTORY_LOST))
    assert managed.partition().leader == 2


class Always:
    """Draws what lets every open fail."""

    def random(self):
        return 0.0


def boot_with_records(managed):
    """The first directory has three records; the broker has stopped cleanly, and loads its logs."""
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    managed.partition().append_as_leader(batch_of(3), required_acks=1)
    managed.logs.shutdown(10)
    for disk in managed.disks:
        disk.crash()
    managed.boot()


@pytest.mark.parametrize("directory", [DIRS[1], DIRECTORY_LOST])
@pytest.mark.parametrize("fails_at", ["open", "load"])
@pytest.mark.parametrize("ends", ["copied", "deleted"])
def test_a_log_may_be_older_than_that_in_a_directory_that_was_not_loaded(
    managed, caplog, fails_at, directory, ends
):
    """It was copied to that directory while its own was out of `log.dirs`."""
    boot_with_records(managed)
    if fails_at == "load":
        managed.logs.take_offline(StorageFault("/two", "broken"))
        managed.logs.directories[1].is_loaded = False
    else:
        managed.logs.directories[1] = LogDirectory.unreadable(managed.disks[1])
    managed.start(managed.put(1, directory=directory))
    assert T in managed.manager.hosted.offline
    assert "t-0 may be out of date: its newer log may be in a directory that was" in caplog.text
    retention_is_due = Now(1_000_000, managed.env.clock.now.wall_ms + 1_000 * 86_400_000)
    assert managed.logs.tick(retention_is_due) == []
    (held_back,) = held_back_logs(managed).values()
    assert (held_back.log_start_offset, held_back.log_end_offset) == (0, 3)
    if ends == "copied":
        managed.apply(managed.put(2, epoch=1, isr=(2,), directory=DIRECTORY_LOST))
    else:
        managed.apply(managed.no_topic())
        created = managed.put(2, topic_id=OTHER_ID, directory=DIRECTORY_UNASSIGNED)
        managed.apply(managed.topic(topic_id=OTHER_ID), created)
    log = managed.partition().log
    assert (log.topic_id, log.log_end_offset) == (managed.partition().topic_id, 0)
    assert [name.endswith("-stray") for name in managed.files()].count(True) == 1


def held_back_logs(managed):
    return managed.logs.directories[0].folders.logs(FolderState.HELD_BACK)


def hold_back_ten(managed):
    """Ten logs with three records each; the other directory may have newer ones."""
    indexes = range(10)
    rows = [managed.put(1, index=index, isr=(1,), directory=DIRS[0]) for index in indexes]
    managed.start(managed.broker(2), managed.topic(), *rows)
    managed.run(100)
    for index in indexes:
        managed.partition(index).append_as_leader(batch_of(3), required_acks=1)
    managed.logs.shutdown(10)
    for disk in managed.disks:
        disk.crash()
    managed.boot()
    managed.logs.directories[1] = LogDirectory.unreadable(managed.disks[1])
    managed.start(*[managed.put(1, index=index, directory=DIRECTORY_LOST) for index in indexes])
    managed.run(100)
    assert len(held_back_logs(managed)) == 10


def copied(managed, indexes):
    return [
        managed.put(2, index=index, epoch=1, isr=(2,), directory=DIRECTORY_LOST)
        for index in indexes
    ]


def test_logs_that_are_copied_again_are_forgotten_a_turn_at_once(managed, monkeypatch):
    """Each wrote the checkpoints of all others: 5,000 took 89 s."""
    hold_back_ten(managed)
    held_back = []

    def write(disk, name, offsets, *, sync):
        if name == LOG_START_OFFSETS and sync:
            held_back.append(len(held_back_logs(managed)))
        write_offsets(disk, name, offsets, sync=sync)

    monkeypatch.setattr(log_directory, "write_offsets", write)
    managed.apply(*copied(managed, range(8)))
    managed.run(100)
    assert [managed.partition(index).log.log_end_offset for index in range(8)] == [0] * 8
    assert [name.endswith("-stray") for name in managed.files()].count(True) == 8
    assert held_back == [6, 2]
    assert [at.partition for at in held_back_logs(managed)] == [8, 9]


@pytest.mark.parametrize("ends", ["stop", "flap", "no descriptor"])
def test_a_log_that_was_not_copied_after_all_keeps_its_checkpoints(managed, ends):
    """Else the next start would take a clean shutdown for an unclean one."""
    hold_back_ten(managed)
    if ends == "no descriptor":
        managed.disks[0].few_files = Always()
        managed.disks[0].step_begins()
    managed.apply(*copied(managed, range(10)))
    if ends == "flap":
        managed.apply(*[managed.put(-1, index=index, isr=(2,), epoch=2) for index in range(10)])
        managed.run(100)
    managed.manager.stop_fetching()
    managed.disks[0].repair()
    assert managed.logs.shutdown(11) == []
    for disk in managed.disks:
        disk.crash()
    managed.boot()
    logs = managed.logs.directories[0]
    kept = {at.partition: log for at, log in logs.logs.items() if log.log_end_offset}
    assert list(kept) == list(range(4, 10))
    assert [log.high_watermark for log in kept.values()] == [3] * len(kept)
    assert logs.clean_shutdown_epoch == 11


@pytest.mark.parametrize("is_lost", [False, True])
def test_a_folder_that_cannot_be_read_stops_no_broker(managed, is_lost):
    """Whether it is empty was asked when the metadata was complete."""
    managed.logs.shutdown(10)
    for disk in managed.disks:
        disk.crash()
    if is_lost:
        write_offsets(managed.disks[0], HIGH_WATERMARKS, {T: 5})
    else:
        managed.disks[0].make_dir("t-0")
    managed.boot()
    managed.disks[0].broken = IO_ERROR
    managed.start(managed.broker(2), managed.topic(), managed.put(2, directory=Uuid.of(9, 9)))
    assert managed.manager.unreported == [T]


@pytest.mark.parametrize("directory", [*DIRS, DIRECTORY_UNASSIGNED, DIRECTORY_LOST, Uuid.of(9, 9)])
def test_a_log_is_used_if_all_directories_are_loaded(managed, caplog, directory):
    boot_with_records(managed)
    managed.start(managed.put(1, directory=directory))
    assert managed.partition().log.log_end_offset == 3
    is_unknown = directory == Uuid.of(9, 9)
    assert (
        "the metadata names, because that one is not in log.dirs; the first" in caplog.text
    ) is is_unknown


@pytest.mark.parametrize("is_accepted", [False, True])
def test_a_log_in_place_of_a_lost_one_does_not_begin_where_that_one_did(managed, is_accepted):
    """Seed 160000806: after a kill it lacked what its leader had below that offset."""
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    managed.partition().append_as_leader(batch_of(3), required_acks=1)
    log = managed.partition().log
    log.update_high_watermark(3)
    log.increment_log_start_offset(2)
    managed.logs.shutdown(10)
    for disk in managed.disks:
        disk.crash()
    managed.disks[0].remove("t-0")
    if is_accepted:
        managed.disks[0].make_dir("t-0")
    managed.boot()
    assert managed.logs.lost == ({} if is_accepted else {T: ("/one/t-0", 3)})
    managed.start(managed.put(2, epoch=1, isr=(2,), directory=DIRS[0]))
    assert managed.partition().log.log_end_offset == 0
    restart(managed)
    log = managed.logs.get(T)
    assert (log.log_start_offset, log.log_end_offset) == (0, 0)


def test_a_lost_log_that_stays_offline_keeps_its_offsets(managed):
    """An operator may restore its folder: what was deleted must not come back."""
    write_offsets(managed.disks[0], LOG_START_OFFSETS, {T: 2})
    restart(managed)
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[0]))
    restart(managed)
    assert read_offsets(managed.disks[0], LOG_START_OFFSETS) == {T: 2}
    assert managed.logs.lost == {T: ("/one/t-0", 2)}
