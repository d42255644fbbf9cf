"""The metadata, and the decisions of the controller: those of `minikafka.controller`."""

from dataclasses import replace

from minikafka.common.ids import TopicIdPartition, Uuid
from minikafka.config.values import Config
from minikafka.controller.replica_index import IndexedPartition, ReplicaIndex
from minikafka.controller.view import View
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.features import ELIGIBLE_LEADER_REPLICAS_VERSION, METADATA_VERSION
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.replay import replay

OTHER_DIRECTORY = Uuid.of(90, 2)
"""The directory of broker 2."""
_LEVEL = 27


class Metadata:
    """The present image. Broker 1 is under test, broker 2 is a model."""

    def __init__(self, rng, *, elr):
        self.rng = rng
        self.elr = elr
        self.image = MetadataImage()
        self.index = ReplicaIndex()
        self.offset = 10
        self.edit(
            lambda builder: builder.set_feature(METADATA_VERSION, _LEVEL),
            lambda builder: builder.put_broker(_broker(2, 5, (OTHER_DIRECTORY,), fenced=False)),
        )
        if elr:
            self.edit(lambda builder: builder.set_feature(ELIGIBLE_LEADER_REPLICAS_VERSION, 1))

    def edit(self, *changes):
        builder = ImageBuilder(self.image)
        for change in changes:
            change(builder)
        self.offset += 1
        self.image = builder.build(self.offset, 1)
        self.index.advance(self.image)

    def commit(self, records):
        """Replay the records of a decision."""
        if any(records):
            self.edit(*(lambda b, r=r: replay(b, r, self.offset + 1) for r in records if r))

    def register(self, directories):
        """Register broker 1, fenced; return its epoch."""
        epoch = self.offset + 1
        self.edit(lambda builder: builder.put_broker(_broker(1, epoch, directories, fenced=True)))
        return epoch

    @property
    def view(self):
        """What the controller decides with."""
        return View(
            image=self.image, index=self.index, config=Config({}), node_id=9, kraft_version=1,
            next_offset=self.offset + 1, rng=self.rng, cluster_id="c", heartbeats=None, now_ms=0,
        )  # fmt: skip

    def is_fenced(self, broker_id):
        """True if a broker is fenced, or was never registered."""
        broker = self.image.brokers.get(broker_id)
        return broker is None or broker.fenced

    def registration(self, replica):
        topic = self.image.topics.get(replica.topic_id)
        return None if topic is None else topic.partitions.get(replica.at.partition)

    def change(self, replica, target):
        """Commit a change that the controller makes of a partition."""
        index = replica.at.partition
        topic = self.image.topics[replica.topic_id]
        key = TopicIdPartition(replica.topic_id, index)
        found = IndexedPartition(topic, key, topic.partitions[index])
        self.commit([self.view.change(found, target)])

    def put(self, replica, **values):
        """Set values of a registration, as a reassignment or an election of an operator does."""
        now = self.registration(replica)
        after = replace(now, partition_epoch=now.partition_epoch + 1, **values)
        self.edit(lambda b: b.put_partition(replica.topic_id, replica.at.partition, after))


def _broker(number, epoch, directories, *, fenced):
    return BrokerRegistration(
        broker_id=number, epoch=epoch, incarnation_id=Uuid.of(1, epoch),
        endpoints=(Endpoint("PLAINTEXT", "h", 9092),), features={}, rack=None, fenced=fenced,
        in_controlled_shutdown=False, log_dirs=tuple(sorted(directories)),
        cordoned_log_dirs=None, registered_at=epoch,
    )  # fmt: skip
