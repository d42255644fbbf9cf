"""A log directory that fails takes only its own partitions."""

import pytest

from minikafka.common.effects import Halt
from minikafka.common.errors import KafkaStorageError
from minikafka.common.faults import StorageFault
from minikafka.common.ids import ZERO_UUID, TopicPartition
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, ID, T


def test_directory_that_fails_takes_its_partitions_and_no_others(spread):
    lost = spread.partition(0)
    fault = StorageFault("/one", "broken")
    spread.manager.take_offline(fault)
    assert list(spread.manager.partitions) == [TopicPartition("t", 1)]
    assert (spread.offline, spread.removed) == ([DIRS[0]], [T])
    assert not lost.is_leader
    assert lost.committed in spread.env.notified
    with pytest.raises(KafkaStorageError):
        spread.manager.get(T)
    with pytest.raises(KafkaStorageError):
        spread.manager.get_by_id(ID, 0)
    assert spread.partition(1).append_as_leader(batch_of(1), required_acks=1).first_offset == 0


def test_directory_fails_once(spread, caplog):
    for reason in ("broken", "the log directory is offline"):
        spread.manager.take_offline(StorageFault("/one", reason))
    assert len(spread.offline) == 1
    errors = [each.getMessage() for each in caplog.records if each.levelname == "ERROR"]
    assert errors == ["log directory /one goes offline (open logs: 1): broken"]


def test_partition_that_cannot_be_made_is_offline(managed):
    managed.disks[0].broken = "read-only"
    managed.start(managed.broker(1), managed.topic(), managed.put(1, directory=DIRS[0]))
    assert managed.offline == [DIRS[0]]
    with pytest.raises(KafkaStorageError):
        managed.manager.get(T)


def test_log_that_was_removed_before_is_not_offline(spread):
    """Its folder was to be renamed; the metadata has no such replica."""
    spread.apply(*[spread.put(1, index, directory=DIRS[0]) for index in range(2, 30)])
    spread.run()
    spread.apply(spread.no_topic())
    spread.manager.take_offline(StorageFault("/one", "broken"))
    assert spread.manager.hosted.offline == {}


@pytest.mark.parametrize("count", [1, 2])
def test_a_broker_stops_with_its_last_directory(spread, count):
    for root in ("/one", "/two")[:count]:
        spread.manager.take_offline(StorageFault(root, "broken"))
    assert spread.offline == list(DIRS[:count])
    stops = [each for each in spread.env.effects if isinstance(each, Halt)]
    assert stops == [Halt(1, "no log directory is left")] * (count == 2)


def test_a_directory_without_a_known_id_cannot_be_reported(spread):
    spread.logs.directories[0].directory_id = ZERO_UUID
    spread.manager.take_offline(StorageFault("/one", "broken"))
    assert (spread.offline, spread.removed) == ([], [T])


def test_the_directory_of_the_metadata_log_ends_the_node(spread):
    with pytest.raises(StorageFault, match="broken"):
        spread.manager.take_offline(StorageFault("/meta", "broken"))
    assert spread.offline == []
