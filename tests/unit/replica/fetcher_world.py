"""Broker 1, which follows broker 2: the fetches, and the answers of the leader."""

from random import Random
from types import SimpleNamespace

from minikafka.common.effects import Channel
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicIdPartition, TopicPartition
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.fetch import (
    FetchableTopicResponse,
    FetchResponse,
    PartitionData,
)
from minikafka.messages.list_offsets import (
    ListOffsetsPartitionResponse,
    ListOffsetsResponse,
    ListOffsetsTopicResponse,
)
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.replica.fetcher import Fetcher
from minikafka.replica.partition import Partition
from minikafka.replica.settings import FetchSettings
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import TOPIC_ID, registration
from tests.worlds.broker_view import Faulted, Flushes, Proposals, local_broker
from tests.worlds.wire_world import Wire

LEADER = Channel("leader", 9092, "replica")
BACKOFF_MS = 1000
SETTINGS = FetchSettings(17, 500, 1, 1 << 20, 1 << 18, BACKOFF_MS, 30_000)


def records_of(count, offset=0, epoch=0):
    options = BatchOptions(base_offset=offset, leader_epoch=epoch)
    return bytes(build_batch([NewRecord(1000, None, b"v")] * count, options))


def data_of(index=0, records=b"", high_watermark=0, **more):
    return PartitionData(index, high_watermark=high_watermark, records=records, **more)


class FetcherWorld(Wire):
    """Broker 1, which follows broker 2."""

    def __init__(self):
        super().__init__()
        self.partitions = {}
        self.disks = {}
        self.image = SimpleNamespace(brokers={})
        self.local = local_broker(self, epoch=10)
        self.faulted, self.flusher = Faulted(), Flushes()
        self.faults, self.flushes = self.faulted.faults, self.flusher.logs
        self.fetcher = Fetcher(
            self.env, self.calls, LEADER, 2, self.local, SETTINGS, self.faulted, self.flusher
        )

    def follow(self, index=0, leader_epoch=0, log=()):
        """Follow a partition whose log holds `log`: batches of one record by (count, epoch)."""
        disk = self.disks[index] = SimDisk(f"/d{index}")
        name = TopicPartition("t", index)
        opened = UnifiedLog.open(
            disk, f"t-{index}", name, config=LogConfig(), checkpointed=CheckpointedOffsets(clean=True),
            now=self.env.clock.now, rng=Random(2), topic_id=TOPIC_ID,
        )  # fmt: skip
        for count, epoch in log:
            for _ in range(count):
                self.append(opened, epoch)
        partition = Partition(
            self.env, self.local, name, TOPIC_ID, opened, 1, 30_000, Proposals(), Flushes()
        )  # fmt: skip
        self.partitions[index] = partition
        partition.apply(registration((1, 2), leader=2, leader_epoch=leader_epoch))
        self.fetcher.follow(partition)
        return opened

    def append(self, log, epoch):
        records = records_of(1, log.log_end_offset, epoch)
        log.append_as_follower(
            memoryview(bytearray(records)), leader_epoch=epoch, now=self.env.clock.now
        )

    def new_epoch(self, leader_epoch, index=0):
        partition = self.partitions[index]
        partition.apply(
            registration((1, 2), leader=2, leader_epoch=leader_epoch, partition_epoch=leader_epoch)
        )
        self.fetcher.follow(partition)

    def key(self, index=0):
        return TopicIdPartition(TOPIC_ID, index)

    def state(self, index=0):
        return self.fetcher.followed[self.key(index)].state

    def respond(self, sent, *partitions, session_id=77, error=0):
        topics = [FetchableTopicResponse(topic_id=TOPIC_ID, partitions=list(partitions))]
        self.answer(
            sent,
            FetchResponse(
                error_code=error, session_id=session_id, responses=topics if partitions else []
            ),
        )

    def exchange(self, *partitions, **more):
        """Answer the fetch that is due, and take the next one."""
        self.respond(self.one(), *partitions, **more)
        return self.one()

    def offset_answer(self, sent, offset, error=0):
        row = ListOffsetsPartitionResponse(partition_index=0, offset=offset, error_code=error)
        topic = ListOffsetsTopicResponse(name="t", partitions=[row])
        self.answer(sent, ListOffsetsResponse(topics=[topic]))

    def out_of_range(self):
        """The leader says so; the question that follows."""
        self.respond(self.one(), data_of(error_code=ErrorCode.OFFSET_OUT_OF_RANGE))
        return self.one()


def named(sent):
    """(index, epoch, offset, last epoch) of the partitions that a fetch names."""
    return [
        (p.partition, p.current_leader_epoch, p.fetch_offset, p.last_fetched_epoch)
        for topic in sent.body.topics
        for p in topic.partitions
    ]


def session(sent):
    return sent.body.session_id, sent.body.session_epoch
