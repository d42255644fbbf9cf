"""The replicas of a broker follow the metadata."""

from random import Random

import pytest

from minikafka.common.errors import (
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.directories.log_manager import LogManager
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC
from tests.unit.replica.conftest import batch_of
from tests.unit.replica.managed_world import DIRS, ID, OTHER_ID, T, level


def test_leader_is_made_and_announced(leading):
    assert leading.partition().is_leader
    assert leading.led == [(T, 1, 0)]
    assert leading.manager.get(T) is leading.partition()
    assert leading.manager.get_by_id(ID, 0) is leading.partition()
    assert list(leading.manager.led()) == [leading.partition()]
    assert leading.fetches() == []


def test_nothing_is_done_before_the_start(managed):
    managed.apply(managed.broker(2), managed.topic(), managed.put(1))
    assert managed.manager.partitions == {}


def test_replica_of_another_broker_is_not_made(leading):
    leading.apply(leading.put(2, index=1, replicas=(2, 3)))
    assert list(leading.manager.partitions) == [T]
    with pytest.raises(NotLeaderOrFollowerError):
        leading.manager.get(TopicPartition("t", 1))
    with pytest.raises(NotLeaderOrFollowerError):
        leading.manager.get_by_id(ID, 1)


def test_what_is_unknown_is_told_apart(leading):
    with pytest.raises(UnknownTopicOrPartitionError):
        leading.manager.get(TopicPartition("t", 9))
    with pytest.raises(UnknownTopicOrPartitionError):
        leading.manager.get_by_id(ID, 9)
    with pytest.raises(UnknownTopicIdError):
        leading.manager.get_by_id(OTHER_ID, 0)


def test_topic_that_is_deleted_is_gone(leading):
    partition = leading.partition()
    leading.apply(leading.no_topic())
    assert leading.manager.partitions == {}
    assert leading.removed == [T]
    assert not partition.is_leader
    assert partition.committed in leading.env.notified
    assert leading.logs.get(T) is None
    (name,) = leading.files()
    assert name.endswith("-delete")


def test_replica_that_is_assigned_elsewhere_is_removed(following):
    following.fetches()
    following.apply(following.put(2, replicas=(2, 3)))
    assert following.removed == [T]
    assert following.fetches(60_000) == []


def test_controller_is_told_where_a_replica_is_where_it_does_not_know(managed):
    managed.start(level(17), managed.topic(), managed.put(1), managed.put(1, 1, directory=DIRS[1]))
    assert managed.manager.assignments.pending == {TopicIdPartition(ID, 0): DIRS[0]}
    assert managed.manager.unreported == [T]
    managed.apply(managed.put(1, directory=DIRS[0]))
    assert managed.manager.assignments.pending == {}


def test_controller_that_knows_no_directories_is_told_none(managed):
    managed.start(level(16), managed.topic(), managed.put(1))
    assert managed.manager.assignments.pending == {}


def test_replica_that_is_gone_is_not_reported(managed):
    managed.start(level(17), managed.topic(), managed.put(1))
    managed.apply(managed.no_topic())
    assert managed.manager.assignments.pending == {}


def test_replica_of_a_failed_directory_is_not_created_in_another(managed):
    """An empty log in the directory that is left would pass for the replica (E2)."""
    managed.logs.take_offline(StorageFault("/one", "broken"))
    managed.start(level(17), managed.topic(), managed.put(1, directory=DIRS[0]))
    assert managed.logs.logs == {}
    assert managed.manager.assignments.pending == {}
    with pytest.raises(KafkaStorageError):
        managed.manager.get(T)


def test_topic_configuration_is_renewed(leading):
    leading.apply(leading.config(RESOURCE_TOPIC, "t", retention_ms="77"))
    assert leading.partition().log.config.retention_ms == 77


@pytest.mark.parametrize("name", ["", "1"])
def test_broker_configuration_is_renewed(leading, name):
    leading.apply(leading.config(RESOURCE_BROKER, name, log_retention_ms="78"))
    assert leading.partition().log.config.retention_ms == 78


def test_configuration_of_another_topic_leaves_a_log_alone(leading):
    before = leading.partition().log.config
    leading.apply(leading.config(RESOURCE_TOPIC, "other", retention_ms="77"))
    assert leading.partition().log.config is before


def test_lower_min_isr_moves_the_high_watermark_at_once(managed):
    """H1."""
    managed.start(
        managed.broker(1),
        managed.topic(),
        managed.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": "2"}),
        managed.put(1, isr=(1,)),
    )
    partition = managed.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    assert partition.log.high_watermark == 0
    managed.apply(managed.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": "1"}))
    assert partition.log.high_watermark == 3
    assert partition.committed in managed.env.notified


def min_isr(managed, value):
    return managed.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": str(value)})


def test_higher_min_isr_holds_where_the_isr_shrinks_in_the_same_image(leading):
    """H1: the ISR is measured against what was in force when it shrank."""
    partition = leading.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    assert partition.log.high_watermark == 0
    leading.apply(min_isr(leading, 2), leading.put(1, isr=(1,)))
    assert partition.log.high_watermark == 0
    leading.apply(min_isr(leading, 1))
    assert partition.log.high_watermark == 3


def test_lower_min_isr_is_nothing_to_a_leader_of_before(managed):
    """H1, H4: another was elected first, and both are learned at once."""
    managed.start(
        managed.broker(1),
        managed.broker(2),
        managed.topic(),
        min_isr(managed, 2),
        managed.put(1, isr=(1,)),
    )
    partition = managed.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    managed.apply(managed.put(2, epoch=1, isr=(2,)), min_isr(managed, 1))
    assert partition.log.high_watermark == 0


MANY = range(1, 101)


@pytest.fixture
def crowded(leading):
    """Partition 0 is there; a hundred more were just created, and the first turn is over."""
    leading.apply(*[leading.put(1, index) for index in MANY])
    return leading


def made(managed):
    return len(managed.manager.partitions) - 1


def test_many_replicas_are_made_in_several_turns(crowded):
    """A turn without end would hold up heartbeats, and the broker would be fenced."""
    assert 0 < made(crowded) < len(MANY)
    with pytest.raises(NotLeaderOrFollowerError):
        crowded.manager.get(TopicPartition("t", 100))
    crowded.fetches()
    assert made(crowded) == len(MANY)
    assert [name.partition for name, *_ in crowded.led] == [0, *MANY]


def test_a_leadership_does_not_wait_for_new_replicas(crowded):
    crowded.apply(crowded.put(2, epoch=1))
    assert made(crowded) < len(MANY)
    assert crowded.led[-1] == (TopicPartition("t", 0), 2, 1)


def test_a_waiting_replica_is_created_from_the_newest_metadata(crowded):
    crowded.apply(crowded.put(2, 100, epoch=3))
    crowded.fetches()
    assert (crowded.partition(100).leader, crowded.partition(100).leader_epoch) == (2, 3)
    assert len([name for name, *_ in crowded.led if name.partition == 100]) == 1


def test_a_topic_that_is_deleted_meanwhile_leaves_nothing_behind(crowded):
    crowded.apply(crowded.no_topic())
    crowded.fetches()
    assert crowded.manager.partitions == {}
    assert not [name for name in crowded.files() if not name.endswith("-delete")]


def test_a_broker_that_stops_makes_no_more(crowded):
    crowded.manager.stop_fetching()
    before = made(crowded)
    crowded.fetches()
    assert made(crowded) == before


@pytest.mark.parametrize("present", [0, 1])
def test_a_topic_that_was_created_again_without_one_directory_is_led(managed, present):
    """The log of the former topic is in the directory that was out of `log.dirs`."""
    for disk in managed.disks:
        disk.crash()
    for at, disk in enumerate(managed.disks):
        logs = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(3))
        assert logs.load(lambda _: LogConfig(), managed.env.clock.now) == []
        topic_id = ID if at == present else OTHER_ID
        log = logs.create(T, topic_id, LogConfig(), managed.env.clock.now)
        log.append_as_leader(batch_of(at + 1), leader_epoch=0, now=managed.env.clock.now)
        logs.shutdown(10)
        disk.crash()
    managed.boot()
    managed.start(managed.broker(2), managed.topic(), managed.put(1, directory=DIRS[present]))
    log = managed.partition().log
    assert (log.topic_id, log.disk) == (ID, managed.disks[present])
    assert log.log_end_offset == present + 1
    assert [name.endswith("-stray") for name in managed.files()] == [False, True]
