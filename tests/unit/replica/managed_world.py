"""Broker 1 with its replicas, two log directories, and the metadata as plain values."""

from random import Random
from types import SimpleNamespace

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.directories.log_manager import LogManager
from minikafka.messages.fetch import FetchRequest
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.log_settings import log_config
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.settings import FetchSettings, ReplicaSettings
from minikafka.sim.world.sim_disk import SimDisk
from tests.worlds.broker_view import local_broker
from tests.worlds.wire_world import Wire

T = TopicPartition("t", 0)
ID = Uuid.of(7, 7)
OTHER_ID = Uuid.of(7, 8)
DIRS = (Uuid.of(9, 1), Uuid.of(9, 2))
UNASSIGNED = Uuid.of(0, 1)
CHECKPOINT_MS = 5000


def id_of(root):
    """The id of the directory at a path."""
    return DIRS[("/one", "/two").index(root)]


class ManagedWorld(Wire):
    """Broker 1 with two log directories."""

    def __init__(self):
        super().__init__()
        self.disks = [SimDisk("/one"), SimDisk("/two")]
        for disk, directory_id in zip(self.disks, DIRS, strict=True):
            write_meta_properties(disk, MetaProperties("c", 1, directory_id))
        self.offset = 0
        self.partition_epoch = 0
        self.image = MetadataImage()
        self.offline = []
        self.led = []
        self.removed = []
        self.made = []
        self.boot()

    def boot(self):
        """The broker starts, on what is on its disks."""
        self.local = local_broker(self, epoch=10)
        self.logs = LogManager.open(self.disks, cluster_id="c", node_id=1, rng=Random(3))
        assert (
            self.logs.load(lambda _: log_config(self.local.config_layers(), {}), self.env.clock.now)
            == []
        )
        self.manager = ReplicaManager(
            env=self.env, calls=self.calls, view=self.local, logs=self.logs,
            alter_partition=AlterPartitionManager(
                self.env, self.controller_channel("alter"), self.local
            ),
            assignments=DirectoryAssignments(
                self.env, self.controller_channel("directories"), self.local
            ),
            lifecycle=SimpleNamespace(report_offline_dir=self.offline.append),
            metadata_log_dir="/meta",
            settings=ReplicaSettings(
                FetchSettings(17, 500, 1, 1 << 20, 1 << 20, 1000, 30_000), 30_000, CHECKPOINT_MS
            ),
        )  # fmt: skip
        self.manager.listeners.append(self)

    def leadership_changed(self, partition):
        self.led.append((partition.topic_partition, partition.leader, partition.leader_epoch))

    def replica_stopped(self, name):
        self.removed.append(name)

    # Metadata

    def change(self, *changes):
        """The image after these changes; the manager is not told."""
        builder = ImageBuilder(self.image)
        for change in changes:
            change(builder)
        self.offset += 1
        self.image = builder.build(self.offset, 1)
        return self.image

    def start(self, *changes):
        self.manager.start(self.change(*changes), lambda: self.made.append(True))

    def apply(self, *changes):
        self.manager.apply(self.change(*changes))

    def registration(self, leader, epoch=0, replicas=(1, 2), isr=None, directory=UNASSIGNED):
        self.partition_epoch += 1
        return PartitionRegistration(
            replicas=replicas, directories=(directory,) * len(replicas), isr=isr or replicas,
            leader=leader, leader_epoch=epoch, partition_epoch=self.partition_epoch,
        )  # fmt: skip

    def broker(self, number, host="h", port=9092):
        registered = BrokerRegistration(
            broker_id=number, epoch=10, incarnation_id=Uuid.of(1, number),
            endpoints=(Endpoint("PLAINTEXT", host, port),), features={}, rack=None, fenced=False,
            in_controlled_shutdown=False, log_dirs=(), cordoned_log_dirs=None, registered_at=1,
        )  # fmt: skip
        return lambda builder: builder.put_broker(registered)

    def topic(self, name="t", topic_id=ID):
        return lambda builder: builder.put_topic(name, topic_id)

    def no_topic(self, topic_id=ID):
        return lambda builder: builder.remove_topic(topic_id)

    def put(self, leader, index=0, topic_id=ID, **more):
        registration = self.registration(leader, **more)
        return lambda builder: builder.put_partition(topic_id, index, registration)

    def config(self, kind, name, **values):
        given = {key.replace("_", "."): value for key, value in values.items()}
        return lambda builder: [builder.set_config(kind, name, *each) for each in given.items()]

    # Looking

    def fetches(self, for_ms=0):
        """(channel's port, partition, epoch) of what is fetched now."""
        return [
            (sent.channel.port, p.partition, p.current_leader_epoch)
            for sent in self.sent(for_ms)
            if isinstance(sent.body, FetchRequest)
            for topic in sent.body.topics
            for p in topic.partitions
        ]

    def partition(self, index=0):
        return self.manager.partitions[TopicPartition("t", index)]

    def files(self):
        return sorted(name for disk in self.disks for name in disk.list("") if name.startswith("t"))


def level(number):
    return lambda builder: builder.set_feature(METADATA_VERSION, number)
