from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import (
    HIGH_WATERMARKS,
    MetaProperties,
    write_meta_properties,
    write_offsets,
)
from minikafka.log.config import LogConfig
from minikafka.log.log_manager import LogManager
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.lost_logs import LostLogs
from minikafka.sim.sim_disk import SimDisk

NAME, OTHER = TopicPartition("t", 0), TopicPartition("t", 1)
ID = Uuid.of(7, 7)


@pytest.fixture
def manager():
    disk = SimDisk("/one")
    write_meta_properties(disk, MetaProperties("c", 1, Uuid.of(9, 1)))
    write_offsets(disk, HIGH_WATERMARKS, {NAME: 5, OTHER: 6, TopicPartition("u", 0): 0})
    manager = LogManager.open([disk], cluster_id="c", node_id=1, rng=Random(1))
    assert manager.load(lambda _: LogConfig(), Now(0, 0)) == []
    return manager


@pytest.fixture
def lost(manager):
    """Partition 0 of t is on broker 1, partition 1 is not."""
    builder = ImageBuilder(MetadataImage())
    builder.put_topic("t", ID)
    for index, broker in enumerate((1, 2)):
        registration = PartitionRegistration(
            replicas=(broker,), directories=(Uuid.of(0, 1),), isr=(broker,), leader=broker,
            leader_epoch=0, partition_epoch=0,
        )  # fmt: skip
        builder.put_partition(ID, index, registration)
    lost = LostLogs(manager, 1)
    lost.find(builder.build(1, 1))
    return lost


def test_only_what_held_records_and_belongs_here_is_lost(manager, lost):
    assert (NAME in lost, OTHER in lost, TopicPartition("u", 0) in lost) == (True, False, False)
    assert manager.lost == {NAME: ("/one/t-0", 5)}


@pytest.mark.parametrize("leader", [-1, 1])
def test_without_another_leader_it_is_named_once_and_stays_offline(lost, caplog, leader):
    assert lost.keep_offline(NAME, leader)
    assert lost.keep_offline(NAME, leader)
    (line,) = caplog.messages
    assert line.startswith("/one/t-0 is gone with the records below offset 5")


def test_it_is_copied_from_another_leader(lost, caplog):
    assert not lost.keep_offline(NAME, 2)
    assert caplog.messages == ["/one/t-0 is gone: copying t-0 from broker 2"]
    assert NAME not in lost


def test_it_is_known_at_the_next_start_unless_it_is_forgotten(manager, lost):
    manager.checkpoint_high_watermarks()
    assert manager.lost
    lost.forget(NAME)
    assert (NAME in lost, manager.lost) == (False, {})
