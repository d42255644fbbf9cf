"""The fenced brokers that Metadata responses still name, by the batches of the metadata."""

from dataclasses import replace
from random import Random

import pytest

from minikafka.common.environment import Environment
from minikafka.common.ids import Uuid
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.serving.leaving_brokers import LeavingBrokers

TOPIC, DIRECTORY = Uuid.of(7, 1), Uuid.of(9, 9)
BROKER = BrokerRegistration(
    broker_id=3, epoch=1, incarnation_id=Uuid.of(8, 3), endpoints=(), features={}, rack=None,
    fenced=False, in_controlled_shutdown=False, log_dirs=(DIRECTORY,), cordoned_log_dirs=None,
    registered_at=0,
)  # fmt: skip
PARTITION = PartitionRegistration(
    replicas=(3, 2), directories=(DIRECTORY,) * 2, isr=(3, 2), leader=3, leader_epoch=0,
    partition_epoch=0,
)  # fmt: skip


class Metadata:
    """An image, and the brokers that are named after each batch of changes."""

    def __init__(self):
        self.env = Environment(Random(1))
        self.leaving = LeavingBrokers(self.env)
        self.image = MetadataImage()

    def apply(self, *, broker=None, partition=None):
        builder = ImageBuilder(self.image)
        if self.image.topic("t") is None:
            builder.put_topic("t", TOPIC)
        if broker is not None:
            builder.put_broker(broker)
        if partition is not None:
            builder.put_partition(TOPIC, 0, partition)
        before, self.image = self.image, builder.build(self.image.offset + 1, 1)
        self.leaving.changed(before, self.image)
        return self.leaving.ids


@pytest.fixture
def metadata():
    made = Metadata()
    assert made.apply(broker=BROKER, partition=PARTITION) == ()
    return made


MOVED = replace(PARTITION, leader=2, isr=(2,), leader_epoch=1)
FENCED = replace(BROKER, fenced=True)


def test_a_fenced_broker_is_named_for_two_seconds(metadata):
    assert metadata.apply(partition=MOVED, broker=FENCED) == (3,)
    metadata.env.clock.monotonic_ms += 1_999
    assert metadata.leaving.ids == (3,)
    metadata.env.clock.monotonic_ms += 1
    assert metadata.leaving.ids == ()


def test_changes_of_its_partitions_may_come_in_an_earlier_batch(metadata):
    """More than 10,000 records of one fencing come in several batches."""
    assert metadata.apply(partition=MOVED) == ()
    assert metadata.apply(broker=FENCED) == (3,)


def test_a_broker_after_a_controlled_shutdown_is_not_named(metadata):
    stopping = replace(BROKER, in_controlled_shutdown=True)
    metadata.apply(broker=stopping)
    metadata.apply(partition=MOVED)
    assert metadata.apply(broker=replace(stopping, fenced=True)) == ()


def test_a_snapshot_may_hold_the_whole_controlled_shutdown(metadata):
    ended = replace(BROKER, fenced=True, in_controlled_shutdown=True)
    assert metadata.apply(broker=ended, partition=MOVED) == ()


def test_a_broker_that_is_unfenced_again_is_not_leaving(metadata):
    assert metadata.apply(broker=FENCED) == (3,)
    assert metadata.apply(broker=BROKER) == ()
