"""A transaction coordinator on a real partition of `__transaction_state`, on a simulated disk.

The leaders of the partitions that transactions write to are the test: it answers the requests.
"""

from random import Random

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.config.values import Config
from minikafka.log.config import LogConfig
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages.write_txn_markers import (
    WritableTxnMarkerPartitionResult,
    WritableTxnMarkerResult,
    WritableTxnMarkerTopicResult,
    WriteTxnMarkersResponse,
)
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.features import METADATA_VERSION, TRANSACTION_VERSION
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.records.reader import read_records
from minikafka.replica.partition import Partition
from minikafka.rpc.calls import Calls
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.transaction.coordinator import TransactionCoordinator
from minikafka.transaction.marker_sender import MarkerSender
from minikafka.transaction.records import parse_transaction
from minikafka.transaction.request_rules import ProducerName
from tests.worlds.broker_view import Flushes, Proposals, local_broker
from tests.worlds.group_world import LocalReplicas
from tests.worlds.wire_world import Wire

NAME = TopicPartition(TRANSACTIONS_TOPIC, 0)
TOPIC_ID = Uuid.of(8, 8)
T = Uuid.of(3, 3)
OFFSETS = Uuid.of(4, 4)
TIMEOUT_MS = 60_000


def at(index, topic="t"):
    """A partition of topic t: 0 and 1 are led by broker 1, 2 and 3 by broker 2."""
    return TopicPartition(topic, index)


class CountedIds:
    """Producer ids that are counted up; none while `available` is False."""

    def __init__(self):
        self.available = True
        self.last = 99

    def take(self):
        self.last += 1
        return self.last


def broker(number, fenced=False):
    return BrokerRegistration(
        broker_id=number, epoch=1, incarnation_id=Uuid.of(1, number),
        endpoints=(Endpoint("L", f"b{number}", 9092, 0),), features={}, rack=None,
        fenced=fenced, in_controlled_shutdown=False, log_dirs=(),
        cordoned_log_dirs=None, registered_at=1,
    )  # fmt: skip


def registration(leader, ids=(1, 2), epoch=0):
    return PartitionRegistration(
        replicas=ids, directories=(Uuid.of(0, 1),) * len(ids), isr=ids, leader=leader,
        leader_epoch=epoch, partition_epoch=epoch,
    )  # fmt: skip


class TransactionWorld(Wire):
    """Broker 1, which leads the partition with or without a follower (broker 2)."""

    def __init__(self, replicas=(1,), version=2, metadata_version=30, lead=True, **config):
        super().__init__()
        values = {key.replace("_", "."): str(value) for key, value in config.items()}
        self.config = Config(values)
        self.offsets_config = Config({"offsets.topic.num.partitions": "1"})
        self.disk = SimDisk("/d")
        self.replica_ids = replicas
        self.features = {TRANSACTION_VERSION: version, METADATA_VERSION: metadata_version}
        self.epoch = -1
        self.ids = CountedIds()
        self.leaders = {0: 1, 1: 1, 2: 2, 3: 2}
        self.fenced = set()
        self.topics = {"t": T, OFFSETS_TOPIC: OFFSETS}
        self.log = UnifiedLog.open(
            self.disk, "o-0", NAME, config=LogConfig(), checkpointed=CheckpointedOffsets(clean=True),
            now=self.env.clock.now, rng=Random(2), topic_id=TOPIC_ID,
        )  # fmt: skip
        self.change_image()
        self.start()
        if lead:
            self.lead()
            self.run()

    def change_image(self):
        builder = ImageBuilder(MetadataImage())
        for name, level in self.features.items():
            builder.set_feature(name, level)
        builder.put_topic(TRANSACTIONS_TOPIC, TOPIC_ID)
        builder.put_partition(TOPIC_ID, 0, registration(1, self.replica_ids))
        for name, topic_id in self.topics.items():
            builder.put_topic(name, topic_id)
            for index, leader in self.leaders.items():
                builder.put_partition(topic_id, index, registration(leader))
        for number in (1, 2):
            builder.put_broker(broker(number, fenced=number in self.fenced))
        self.image = builder.build(1, 1)

    def start(self):
        local = local_broker(self, self.config, listener="L")
        self.partition = Partition(
            self.env, local, NAME, TOPIC_ID, self.log, len(self.replica_ids), 30_000, Proposals(),
            Flushes(),
        )  # fmt: skip
        self.replicas = LocalReplicas(self.partition)
        self.sender = MarkerSender(self.env, self.calls, local, 30_000)
        self.coordinator = TransactionCoordinator(
            env=self.env, view=local, replicas=self.replicas, producer_ids=self.ids,
            markers=self.sender,
        )  # fmt: skip
        self.coordinator.start()

    def lead(self, leader=1):
        """A new leader epoch."""
        self.epoch += 1
        self.partition.apply(registration(leader, self.replica_ids, self.epoch))
        self.replicas.change_leadership(self.partition)

    def fail_over(self, keep_to=None):
        """The coordinator crashes; another one has its log, without records from `keep_to` on."""
        self.env.end()
        self.env.effects.clear()
        self.calls = Calls(self.env, "test")
        if keep_to is not None:
            self.log.truncate_to(keep_to, self.env.clock.now)
        self.start()
        self.lead()
        self.run()

    def replicate(self):
        """The follower has everything."""
        end_offset = self.log.log_end_offset
        self.partition.follower_fetched(
            2, broker_epoch=1, fetch_offset=end_offset, log_start_offset=0,
            leader_end_offset=end_offset,
        )  # fmt: skip
        self.run()

    @property
    def shard(self):
        return self.coordinator.shards[0]

    def entry(self, name="x"):
        return self.shard.entries[name]

    def state(self, name="x"):
        return self.entry(name).current.state.label

    # Requests; the results when everything has been replicated

    def init(self, name="x", expected=None, timeout_ms=TIMEOUT_MS):
        outcome = self.coordinator.initialize(name, timeout_ms, expected)
        return self.settled(outcome)

    def settled(self, outcome):
        if len(self.replica_ids) > 1:
            self.replicate()
        self.run()
        assert outcome.write is None or outcome.write.settled()
        assert outcome.write is None or outcome.write.code == ErrorCode.NONE
        return outcome.producer

    def add(self, producer, *partitions, name="x", version=2):
        write = self.coordinator.add_partitions(name, producer, frozenset(partitions), version)
        if len(self.replica_ids) > 1:
            self.replicate()
        return write

    def end(self, producer, commit=True, name="x", version=2):
        return self.settled(
            self.coordinator.end(name, producer, is_commit=commit, client_version=version)
        )

    def ongoing(self, *partitions, name="x", version=2):
        """A new producer with an open transaction."""
        producer = self.init(name)
        self.add(producer, *(partitions or (at(0),)), name=name, version=version)
        return producer

    def use_up(self, producer, epoch, name="x"):
        """Let the epoch of an id be `epoch`, as after very many transactions."""
        entry = self.entry(name)
        entry.current = type(entry.current)(
            **{
                field: getattr(entry.current, field)
                for field in type(entry.current).__dataclass_fields__
            }
            | {"producer_epoch": epoch}
        )
        return ProducerName(producer.producer_id, epoch)

    # Markers

    def markers(self, sent):
        """The markers of a request: producer, commit or abort, and partitions."""
        return [
            (
                (marker.producer_id, marker.producer_epoch),
                marker.transaction_result,
                [
                    TopicPartition(topic.name, index)
                    for topic in marker.topics
                    for index in topic.partition_indexes
                ],
            )
            for marker in sent.body.markers
        ]

    def answer_markers(self, sent, code=ErrorCode.NONE, codes=()):
        """Answer a WriteTxnMarkers: `code` for every partition but those of `codes`."""
        codes = dict(codes)
        rows = [
            WritableTxnMarkerResult(
                marker.producer_id,
                [
                    WritableTxnMarkerTopicResult(
                        topic.name,
                        [
                            WritableTxnMarkerPartitionResult(
                                index, codes.get(at(index, topic.name), code)
                            )
                            for index in topic.partition_indexes
                        ],
                    )
                    for topic in marker.topics
                ],
            )
            for marker in sent.body.markers
        ]
        self.answer(sent, WriteTxnMarkersResponse(rows))
        self.run()

    def write_all_markers(self):
        """Answer requests until none is sent."""
        while sent := self.sent():
            for each in sent:
                self.answer_markers(each)
            if len(self.replica_ids) > 1:
                self.replicate()
        if len(self.replica_ids) > 1:
            self.replicate()

    def records(self, end_offset=None):
        """Every record of the log, parsed."""
        upper = self.log.log_end_offset if end_offset is None else end_offset
        read = self.log.read(0, 1 << 20, upper_bound_offset=upper)
        if read.slice is None:
            return []
        return [parse_transaction(r.key, r.value) for r in read_records(read.slice.read())]
