"""A partition on a simulated disk, with the cluster around it as plain values."""

from random import Random
from types import SimpleNamespace

import pytest

from minikafka.common.clock import Now
from minikafka.common.environment import Environment
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.records.builder import NewRecord, build_batch
from minikafka.replica.partition import Partition
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.managed_world import DIRS, ManagedWorld
from tests.worlds.broker_view import Flushes, Proposals, local_broker

TOPIC_ID = Uuid.of(7, 7)
NAME = TopicPartition("t", 0)


def batch_of(count, timestamp=1000):
    return memoryview(build_batch([NewRecord(timestamp, None, b"v%d" % i) for i in range(count)]))


def broker(broker_id, epoch=10, fenced=False):
    return BrokerRegistration(
        broker_id=broker_id,
        epoch=epoch,
        incarnation_id=Uuid.of(1, broker_id),
        endpoints=(),
        features={},
        rack=None,
        fenced=fenced,
        in_controlled_shutdown=False,
        log_dirs=(),
        cordoned_log_dirs=None,
        registered_at=epoch,
    )


def registration(isr, leader=1, replicas=(1, 2, 3), leader_epoch=0, partition_epoch=0):
    return PartitionRegistration(
        replicas=tuple(replicas),
        directories=(Uuid.of(0, 1),) * len(replicas),
        isr=tuple(isr),
        leader=leader,
        leader_epoch=leader_epoch,
        partition_epoch=partition_epoch,
    )


class World:
    """Broker 1's replica of a partition, and what is around it."""

    def __init__(self, min_isr=2):
        self.env = Environment(Random(1))
        self.brokers = {number: broker(number) for number in (1, 2, 3, 4)}
        self.image = SimpleNamespace(brokers=self.brokers)
        sender = Proposals()
        self.proposals = sender.sent
        self.disk = SimDisk("/d")
        self.log = UnifiedLog.open(
            self.disk,
            "t-0",
            NAME,
            config=LogConfig(),
            checkpointed=CheckpointedOffsets(clean=True),
            now=Now(0, 0),
            rng=Random(2),
            topic_id=TOPIC_ID,
        )
        self.partition = Partition(
            self.env,
            local_broker(self, epoch=self.brokers[1].epoch),
            NAME,
            TOPIC_ID,
            self.log,
            min_isr,
            30_000,
            sender,
            Flushes(),
        )

    def at(self, monotonic_ms):
        self.env.clock.set(Now(monotonic_ms, monotonic_ms + 1_000_000))

    def lead(self, isr=(1, 2, 3), **changes):
        self.partition.apply(registration(isr, **changes))

    def append(self, count=1, acks=1):
        self.env.renew_budget()
        return self.partition.append_as_leader(batch_of(count), required_acks=acks)

    def fetch(self, broker_id, offset, epoch=None):
        self.partition.follower_fetched(
            broker_id,
            broker_epoch=self.brokers[broker_id].epoch if epoch is None else epoch,
            fetch_offset=offset,
            log_start_offset=0,
            leader_end_offset=self.log.log_end_offset,
        )

    @property
    def high_watermark(self):
        return self.log.high_watermark


@pytest.fixture
def world():
    return World()


@pytest.fixture
def make_world():
    return World


@pytest.fixture
def managed():
    return ManagedWorld()


@pytest.fixture
def leading(managed):
    managed.start(
        managed.broker(1, port=1), managed.broker(2, port=2), managed.topic(), managed.put(1)
    )
    return managed


@pytest.fixture
def following(managed):
    managed.start(
        managed.broker(1, port=1), managed.broker(2, port=2), managed.topic(), managed.put(2)
    )
    return managed


@pytest.fixture
def spread(managed):
    """Partition 0 in the first directory, 1 in the second; both led."""
    managed.start(
        managed.broker(1),
        managed.topic(),
        managed.put(1, directory=DIRS[0]),
        managed.put(1, index=1, directory=DIRS[1]),
    )
    return managed
