"""A damaged replica is set aside if another one can lead."""

import pytest

from minikafka.common.errors import ErrorCode, KafkaStorageError
from minikafka.common.faults import OutOfFilesError
from minikafka.common.ids import DIRECTORY_LOST, TopicIdPartition
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.sim.world.disk_errors import OneError
from tests.unit.replica.managed_world import DIRS, ID, T, level


@pytest.fixture
def managed(managed):
    """Partition 0 is led; brokers 1 and 2 are in its ISR."""
    managed.start(
        level(17),
        managed.broker(1),
        managed.broker(2),
        managed.topic(),
        managed.put(1, directory=DIRS[0]),
    )
    return managed


def damage(managed, error="bad"):
    return managed.manager.damaged(managed.partition(), DamagedRecordsError(error))


def test_damaged_replica_is_set_aside_if_another_one_can_lead(managed):
    partition = managed.partition()
    assert damage(managed) == ErrorCode.KAFKA_STORAGE_ERROR
    assert (managed.removed, managed.offline, managed.manager.damaged_count) == ([T], [], 1)
    assert managed.manager.assignments.pending == {TopicIdPartition(ID, 0): DIRECTORY_LOST}
    assert managed.manager.unreported == [T]
    (folder,) = managed.files()
    assert folder.endswith("-stray")
    # A request that met the damage before.
    again = managed.manager.damaged(partition, DamagedRecordsError("bad"))
    assert (again, managed.manager.damaged_count) == (ErrorCode.KAFKA_STORAGE_ERROR, 1)


@pytest.mark.parametrize("case", ["follower", "alone", "old level"])
def test_damaged_replica_is_kept_otherwise_and_the_damage_is_logged_once(managed, caplog, case):
    change = {
        "follower": managed.put(2, epoch=1, directory=DIRS[0]),
        "alone": managed.put(1, isr=(1,), directory=DIRS[0]),
        "old level": level(16),
    }[case]
    managed.apply(change)
    caplog.clear()
    assert damage(managed) == damage(managed) == ErrorCode.CORRUPT_MESSAGE
    (line,) = caplog.messages
    said = "The replica is a follower" if case == "follower" else "No other replica is in sync"
    assert f"bad. {said}: restore the file from a copy" in line
    assert damage(managed, "worse") == ErrorCode.CORRUPT_MESSAGE
    assert len(caplog.messages) == 2
    assert list(managed.manager.partitions) == [T]


def test_damaged_replica_stays_in_use_while_file_descriptors_lack(managed):
    partition = managed.partition()

    def refuse():
        raise OutOfFilesError("/one", "Too many open files")

    original, managed.disks[0].reserve_files = managed.disks[0].reserve_files, refuse
    assert damage(managed) == ErrorCode.KAFKA_STORAGE_ERROR
    assert managed.partition() is partition
    managed.disks[0].reserve_files = original
    assert damage(managed) == ErrorCode.KAFKA_STORAGE_ERROR
    assert managed.manager.unreported == [T]


@pytest.mark.parametrize("renames", [0, 1, 2], ids=["starts", "high watermarks", "folder"])
def test_damaged_replica_that_cannot_be_set_aside_is_not_used_any_more(managed, renames):
    partition = managed.partition()
    managed.disks[0].step_begins()
    managed.disks[0].error = OneError("Input/output error", renames, ("rename",))
    assert damage(managed) == ErrorCode.KAFKA_STORAGE_ERROR
    assert managed.offline == [DIRS[0]]
    assert not partition.is_leader
    assert (managed.removed, list(managed.manager.partitions)) == ([T], [])
    with pytest.raises(KafkaStorageError):
        managed.manager.get(T)
