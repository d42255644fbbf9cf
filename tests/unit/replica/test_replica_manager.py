"""The replicas of a broker follow the metadata; a directory that fails takes only its own."""

from random import Random

import pytest

from minikafka.common.effects import Channel, CloseChannel
from minikafka.common.errors import (
    ErrorCode,
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.config.values import ConfigLayers
from minikafka.log.checkpoints import MetaProperties, write_meta_properties
from minikafka.log.log_manager import LogManager
from minikafka.log.results import DamagedRecordsError
from minikafka.messages.fetch import FetchRequest
from minikafka.metadata.broker_registration import BrokerRegistration, Endpoint
from minikafka.metadata.features import METADATA_VERSION
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_TOPIC, ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.fetcher import FetchSettings
from minikafka.replica.log_settings import log_config
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.sim.world.disk_errors import OneError
from minikafka.sim.world.sim_disk import SimDisk
from tests.unit.replica.conftest import batch_of
from tests.worlds.wire_world import Wire

T = TopicPartition("t", 0)
ID = Uuid.of(7, 7)
OTHER_ID = Uuid.of(7, 8)
DIRS = (Uuid.of(9, 1), Uuid.of(9, 2))
UNASSIGNED = Uuid.of(0, 1)
CHECKPOINT_MS = 5000


class World(Wire):
    """Broker 1 with two log directories."""

    def __init__(self):
        super().__init__()
        self.disks = [SimDisk("/one"), SimDisk("/two")]
        for disk, directory_id in zip(self.disks, DIRS, strict=True):
            write_meta_properties(disk, MetaProperties("c", 1, directory_id))
        self.offset = 0
        self.partition_epoch = 0
        self.image = MetadataImage()
        self.static = {}
        self.offline = []
        self.led = []
        self.removed = []
        self.made = []
        self.boot()

    def boot(self):
        """The broker starts, on what is on its disks."""
        self.logs = LogManager.open(self.disks, cluster_id="c", node_id=1, rng=Random(3))
        assert self.logs.load(lambda _: log_config(self.layers(), {}), self.env.clock.now) == []
        alter = AlterPartitionManager(self.env, self.controller_channel("alter"), 1, 10)
        self.manager = ReplicaManager(
            env=self.env, calls=self.calls, broker_id=1, listener="PLAINTEXT", logs=self.logs,
            layers=self.layers, alter_partition=alter,
            assignments=DirectoryAssignments(
                self.env, self.controller_channel("directories"), 1, 10
            ),
            fetch_settings=FetchSettings(17, 500, 1, 1 << 20, 1 << 20, 1000, 30_000),
            lag_max_ms=30_000, high_watermark_checkpoint_ms=CHECKPOINT_MS,
            on_offline=self.offline.append,
        )  # fmt: skip
        self.manager.on_leadership.append(
            lambda p: self.led.append((p.topic_partition, p.leader, p.leader_epoch))
        )
        self.manager.on_removed.append(self.removed.append)

    def layers(self):
        image = self.image
        return ConfigLayers(
            dynamic_broker=image.config(RESOURCE_BROKER, "1"),
            dynamic_default=image.config(RESOURCE_BROKER, ""),
            static=self.static,
        )

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


@pytest.fixture
def world():
    return World()


@pytest.fixture
def leading(world):
    world.start(world.broker(1, port=1), world.broker(2, port=2), world.topic(), world.put(1))
    return world


@pytest.fixture
def following(world):
    world.start(world.broker(1, port=1), world.broker(2, port=2), world.topic(), world.put(2))
    return world


def test_leader_is_made_and_announced(leading):
    assert leading.partition().is_leader
    assert leading.led == [(T, 1, 0)]
    assert leading.manager.get(T) is leading.partition()
    assert leading.manager.get_by_id(ID, 0) is leading.partition()
    assert list(leading.manager.led()) == [leading.partition()]
    assert leading.fetches() == []


def test_follower_fetches_from_its_leader(following):
    assert not following.partition().is_leader
    assert following.fetches() == [(2, 0, 0)]
    assert list(following.manager.led()) == []


def test_nothing_is_done_before_the_start(world):
    world.apply(world.broker(2), world.topic(), world.put(1))
    assert world.manager.partitions == {}


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


def test_follower_that_is_elected_stops_fetching(following):
    following.fetches()
    following.apply(following.put(1, epoch=1))
    assert following.partition().is_leader
    assert following.led == [(T, 2, 0), (T, 1, 1)]
    following.sent()
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]
    assert following.fetches(60_000) == []


def test_leader_that_loses_its_election_follows(leading):
    leading.apply(leading.put(2, epoch=1))
    assert not leading.partition().is_leader
    assert leading.fetches() == [(2, 0, 1)]


def test_partition_without_a_leader_is_not_fetched(following):
    following.fetches()
    following.apply(following.put(-1, epoch=1))
    assert following.fetches(60_000) == []
    following.apply(following.put(2, epoch=2))
    assert following.fetches() == [(2, 0, 2)]


def test_isr_change_leaves_the_fetcher_alone(following):
    following.fetches()
    following.apply(following.put(2, isr=(2,)))
    assert following.sent() == []
    assert following.led == [(T, 2, 0)]


def test_leader_that_is_not_registered_is_followed_once_it_is(world):
    world.start(world.topic(), world.put(2))
    assert world.fetches() == []
    world.apply(world.broker(2, port=2))
    assert world.fetches() == [(2, 0, 0)]


def test_leader_that_listens_elsewhere_is_followed_there(following):
    following.fetches()
    following.apply(following.broker(2, port=22))
    assert following.fetches() == [(22, 0, 0)]
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]


def test_leader_that_moved_and_was_elected_anew_is_asked_at_its_new_address_only(world):
    world.start(
        world.broker(1), world.broker(2, port=2), world.topic(), world.put(2), world.put(2, index=1)
    )
    assert world.fetches() == [(2, 0, 0), (2, 1, 0)]
    world.apply(world.broker(2, port=22), world.put(2, epoch=1))
    assert sorted(world.fetches()) == [(22, 0, 1), (22, 1, 0)]
    assert world.others == [CloseChannel(Channel("h", 2, "replica"))]
    world.apply(world.put(1, epoch=2), world.put(1, index=1, epoch=2))
    assert world.fetches(60_000) == []


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


def test_topic_of_the_same_name_begins_empty(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.apply(
        leading.no_topic(), leading.topic(topic_id=OTHER_ID), leading.put(1, topic_id=OTHER_ID)
    )
    assert leading.partition().topic_id == OTHER_ID
    assert leading.partition().log.log_end_offset == 0
    assert leading.manager.get_by_id(OTHER_ID, 0) is leading.partition()
    with pytest.raises(UnknownTopicIdError):
        leading.manager.get_by_id(ID, 0)


@pytest.mark.parametrize("case", ["gone", "recreated", "elsewhere"])
def test_log_that_is_not_in_the_metadata_at_the_start_is_set_aside(leading, case):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    changes = {
        "gone": [leading.no_topic()],
        "recreated": [
            leading.no_topic(),
            leading.topic(topic_id=OTHER_ID),
            leading.put(1, topic_id=OTHER_ID),
        ],
        "elsewhere": [leading.put(2, replicas=(2, 3))],
    }[case]
    leading.boot()
    leading.start(*changes)
    assert [name.endswith("-stray") for name in leading.files()].count(True) == 1
    assert (T in leading.manager.partitions) == (case == "recreated")
    if case == "recreated":
        assert leading.partition().log.log_end_offset == 0


def test_log_that_belongs_here_is_kept_at_the_start(leading):
    leading.partition().append_as_leader(batch_of(3), required_acks=1)
    leading.logs.shutdown(10)
    for disk in leading.disks:
        disk.crash()
    leading.boot()
    leading.start()
    assert leading.partition().log.log_end_offset == 3


@pytest.fixture
def spread(world):
    """Partition 0 in the first directory, 1 in the second; both led."""
    world.start(
        world.broker(1),
        world.topic(),
        world.put(1, directory=DIRS[0]),
        world.put(1, index=1, directory=DIRS[1]),
    )
    return world


def test_directory_that_fails_takes_its_partitions_and_no_others(spread):
    lost = spread.partition(0)
    fault = StorageFault("/one", "broken")
    spread.manager.take_offline(fault)
    assert list(spread.manager.partitions) == [TopicPartition("t", 1)]
    assert (spread.offline, spread.removed) == ([fault], [T])
    assert not lost.is_leader
    assert lost.committed in spread.env.notified
    with pytest.raises(KafkaStorageError):
        spread.manager.get(T)
    with pytest.raises(KafkaStorageError):
        spread.manager.get_by_id(ID, 0)
    assert spread.partition(1).append_as_leader(batch_of(1), required_acks=1).first_offset == 0


def test_directory_fails_once(spread):
    for _ in range(2):
        spread.manager.take_offline(StorageFault("/one", "broken"))
    assert len(spread.offline) == 1


def test_lost_partition_stays_lost_whatever_the_metadata_says(spread):
    spread.manager.take_offline(StorageFault("/one", "broken"))
    spread.apply(spread.put(1, epoch=1))
    with pytest.raises(KafkaStorageError):
        spread.manager.get(T)


def test_lost_partition_whose_topic_is_deleted_is_forgotten(spread):
    spread.manager.take_offline(StorageFault("/one", "broken"))
    spread.apply(spread.no_topic())
    with pytest.raises(UnknownTopicOrPartitionError):
        spread.manager.get(T)


def level(number):
    return lambda builder: builder.set_feature(METADATA_VERSION, number)


def test_damaged_replica_whose_folder_cannot_be_renamed_is_not_used_any_more(world):
    world.start(
        level(17), world.broker(1), world.broker(2), world.topic(), world.put(1, directory=DIRS[0])
    )
    partition = world.partition()
    world.disks[0].step_begins()
    world.disks[0].error = OneError("Input/output error", 0, ("rename",))
    code = world.manager.damaged(partition, DamagedRecordsError("bad"))
    assert code == ErrorCode.KAFKA_STORAGE_ERROR
    assert [fault.log_dir for fault in world.offline] == ["/one"]
    assert not partition.is_leader
    assert (world.removed, list(world.manager.partitions)) == ([T], [])
    with pytest.raises(KafkaStorageError):
        world.manager.get(T)


def test_controller_is_told_where_a_replica_is_where_it_does_not_know(world):
    world.start(level(17), world.topic(), world.put(1), world.put(1, 1, directory=DIRS[1]))
    assert world.manager.assignments.pending == {TopicIdPartition(ID, 0): DIRS[0]}
    world.apply(world.put(1, directory=DIRS[0]))
    assert world.manager.assignments.pending == {}


def test_controller_that_knows_no_directories_is_told_none(world):
    world.start(level(16), world.topic(), world.put(1))
    assert world.manager.assignments.pending == {}


def test_replica_that_is_gone_is_not_told_of(world):
    world.start(level(17), world.topic(), world.put(1))
    world.apply(world.no_topic())
    assert world.manager.assignments.pending == {}


def test_replica_of_a_failed_directory_is_not_made_anew_in_another(world):
    """An empty log in the directory that is left would pass for the replica (E2)."""
    world.logs.take_offline("/one")
    world.start(level(17), world.topic(), world.put(1, directory=DIRS[0]))
    assert world.logs.logs == {}
    assert world.manager.assignments.pending == {}
    with pytest.raises(KafkaStorageError):
        world.manager.get(T)


def test_partition_that_cannot_be_made_is_offline(world):
    world.disks[0].broken = "read-only"
    world.start(world.broker(1), world.topic(), world.put(1, directory=DIRS[0]))
    assert [fault.log_dir for fault in world.offline] == ["/one"]
    with pytest.raises(KafkaStorageError):
        world.manager.get(T)


def test_disk_that_fails_when_a_leader_becomes_known_takes_only_its_own(world):
    world.start(world.topic(), world.put(2, directory=DIRS[0]), world.put(1, 1, directory=DIRS[1]))
    log = world.partition(0).log
    log.append_as_follower(batch_of(2), leader_epoch=0, now=world.env.clock.now)
    log.epochs.entries.clear()
    world.disks[0].broken = "read-only"
    world.apply(world.broker(2, port=2))
    assert [fault.log_dir for fault in world.offline] == ["/one"]
    assert list(world.manager.partitions) == [TopicPartition("t", 1)]


def test_disk_that_fails_at_a_checkpoint_is_given_up(spread):
    spread.disks[1].broken = "read-only"
    spread.run(CHECKPOINT_MS)
    assert [fault.log_dir for fault in spread.offline] == ["/two"]
    assert list(spread.manager.partitions) == [T]


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


def test_lower_min_isr_moves_the_high_watermark_at_once(world):
    """H1."""
    world.start(
        world.broker(1),
        world.topic(),
        world.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": "2"}),
        world.put(1, isr=(1,)),
    )
    partition = world.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    assert partition.log.high_watermark == 0
    world.apply(world.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": "1"}))
    assert partition.log.high_watermark == 3
    assert partition.committed in world.env.notified


def min_isr(world, value):
    return world.config(RESOURCE_TOPIC, "t", **{"min.insync.replicas": str(value)})


def test_higher_min_isr_holds_where_the_isr_shrinks_in_the_same_image(leading):
    """H1: the ISR is measured against what was in force when it shrank."""
    partition = leading.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    assert partition.log.high_watermark == 0
    leading.apply(min_isr(leading, 2), leading.put(1, isr=(1,)))
    assert partition.log.high_watermark == 0
    leading.apply(min_isr(leading, 1))
    assert partition.log.high_watermark == 3


def test_lower_min_isr_is_nothing_to_a_leader_of_before(world):
    """H1, H4: another was elected first, and both are learned at once."""
    world.start(
        world.broker(1), world.broker(2), world.topic(), min_isr(world, 2), world.put(1, isr=(1,))
    )
    partition = world.partition()
    partition.append_as_leader(batch_of(3), required_acks=1)
    world.apply(world.put(2, epoch=1, isr=(2,)), min_isr(world, 1))
    assert partition.log.high_watermark == 0


def test_lagging_follower_is_proposed_to_leave(leading):
    leading.partition().append_as_leader(batch_of(1), required_acks=1)
    leading.run(29_999)
    assert leading.partition().isr.proposed is None
    leading.run(30_000)
    assert leading.partition().isr.proposed == (1,)


def test_stopping_broker_follows_nobody(following):
    following.fetches()
    following.manager.stop_fetching()
    assert following.fetches(60_000) == []
    assert following.others == [CloseChannel(Channel("h", 2, "replica"))]


MANY = range(1, 101)


@pytest.fixture
def crowded(leading):
    """Partition 0 is there; a hundred more were just created, and the first turn is over."""
    leading.apply(*[leading.put(1, index) for index in MANY])
    return leading


def made(world):
    return len(world.manager.partitions) - 1


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


def test_a_replica_that_waits_is_made_as_it_was_told_of_last(crowded):
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
