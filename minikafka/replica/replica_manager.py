"""All replicas of this broker: their creation, leaders and removal.

`apply` follows the metadata: it drops removed partitions first, then it applies leaders, then
followers. New replicas are created a few a turn; a request for one that does not exist yet gets
NOT_LEADER_OR_FOLLOWER, as before the metadata arrives.

Source: `ReplicaManager`, `BrokerMetadataPublisher`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    KafkaError,
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.faults import OutOfFilesError, StorageFault
from minikafka.common.ids import (
    DIRECTORY_LOST,
    RESERVED_DIRECTORIES,
    TopicIdPartition,
    TopicPartition,
    Uuid,
)
from minikafka.common.summed_lines import SummedLines
from minikafka.coordinator.ports import PartitionListener
from minikafka.log.directories.log_manager import LogManager
from minikafka.log.directories.settling import AssignedReplica
from minikafka.log.segment.reads import DamagedRecordsError
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.delta import LocalChanges, LocalReplica, local_changes
from minikafka.metadata.features import DIRECTORIES_FROM, METADATA_VERSION
from minikafka.metadata.image import RESOURCE_TOPIC, MetadataImage
from minikafka.metadata.local_broker import BrokerView
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.broker_lifecycle import BrokerLifecycle
from minikafka.replica.damaged_logs import DamagedLogs
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.hosted_partitions import HostedPartitions
from minikafka.replica.log_dir_failure_handler import LogDirFailureHandler
from minikafka.replica.log_dir_moves import LogDirMoves
from minikafka.replica.log_flusher import LogFlusher
from minikafka.replica.log_settings import LogConfigs
from minikafka.replica.lost_logs import LostLogs
from minikafka.replica.pace import Pace
from minikafka.replica.partition import Partition, leadership_lines
from minikafka.replica.periodic_tasks import PeriodicTasks
from minikafka.replica.removed_logs import RemovedLogs
from minikafka.replica.replica_fetcher_manager import ReplicaFetcherManager
from minikafka.replica.settings import ReplicaSettings
from minikafka.replica.topic_counts import BrokerTopicStats
from minikafka.replica.truncation import is_loading
from minikafka.rpc.calls import Calls

# A new replica takes 1.5 ms of system calls; three nodes on one machine may slow each other down.
# All replicas of a large topic in one step would delay heartbeats until the broker is fenced.
MADE_PER_STEP = 4


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class ReplicaManager:
    """The partitions of a broker. `image` is the metadata that they follow."""

    env: Environment
    calls: Calls
    view: BrokerView
    logs: LogManager
    alter_partition: AlterPartitionManager
    assignments: DirectoryAssignments
    lifecycle: BrokerLifecycle
    metadata_log_dir: str
    settings: ReplicaSettings
    image: MetadataImage = field(default_factory=MetadataImage)
    topic_stats: BrokerTopicStats = field(default_factory=BrokerTopicStats)
    hosted: HostedPartitions = field(init=False)
    moves: LogDirMoves = field(init=False)
    _fetchers: ReplicaFetcherManager = field(init=False)
    _flusher: LogFlusher = field(init=False)
    _tasks: PeriodicTasks = field(init=False)
    _lost: LostLogs = field(init=False)
    _damaged: DamagedLogs = field(init=False)
    _removed: RemovedLogs = field(init=False)
    _failures: LogDirFailureHandler = field(init=False)
    _lines: SummedLines = field(default_factory=leadership_lines)
    _started: bool = False
    _log_configs: LogConfigs = field(default_factory=LogConfigs)
    _unmade: Pace[TopicPartition, tuple[LocalReplica, bool]] = field(init=False)
    """Replicas that do not exist yet, with True for a leader."""
    _on_made: Callable[[], None] | None = None
    listeners: list[PartitionListener] = field(default_factory=list)
    broker_id: int = field(init=False)

    def __post_init__(self) -> None:
        """Create the objects that work on the replicas."""
        env, view, logs, settings = self.env, self.view, self.logs, self.settings
        self.broker_id = view.broker_id
        self._lost = LostLogs(logs, view.broker_id)
        self._removed = RemovedLogs(env, logs, self)
        self._flusher = LogFlusher(env, logs, self, self)
        self._fetchers = ReplicaFetcherManager(
            env, self.calls, view, settings.fetch, self, self._flusher
        )
        self.hosted = HostedPartitions(self._fetchers, self.listeners)
        self._failures = LogDirFailureHandler(
            env, logs, self.hosted, self.lifecycle, self.metadata_log_dir
        )
        self._damaged = DamagedLogs(
            env, view, logs, self.hosted, self._lost, self.assignments, self
        )
        self.moves = LogDirMoves(env, view, logs, self.hosted, self.assignments, self, self)
        self.listeners.append(self.moves)
        self._tasks = PeriodicTasks(
            env=env,
            logs=logs,
            hosted=self.hosted,
            fetchers=self._fetchers,
            flusher=self._flusher,
            settings=settings,
            faults=self,
        )
        self._unmade = Pace(
            env, MADE_PER_STEP, lambda _, wanted: self._change(wanted[0], leads=wanted[1]),
            self._replace_lost, self._made_some,
        )  # fmt: skip

    # Look-up

    @property
    def partitions(self) -> Mapping[TopicPartition, Partition]:
        """The replicas that are online."""
        return self.hosted.online

    def get(self, name: TopicPartition) -> Partition:
        """The partition of this name.

        Raises:
            UnknownTopicOrPartitionError: this broker has no replica of it.
            KafkaStorageError: the replica is in a log directory that failed.
        """
        partition = self.hosted.online.get(name)
        if partition is None:
            raise self._absent(name)
        return partition

    def get_by_id(self, topic_id: Uuid, index: int) -> Partition:
        """The partition of this topic id.

        Raises:
            UnknownTopicIdError: the metadata has no such topic.
            UnknownTopicOrPartitionError, KafkaStorageError: as `get`.
        """
        partition = self.hosted.online_by_id.get((topic_id, index))
        if partition is None:
            topic = self.image.topics.get(topic_id)
            if topic is None:
                raise UnknownTopicIdError
            raise self._absent(TopicPartition(topic.name, index))
        return partition

    def _absent(self, name: TopicPartition) -> KafkaError:
        if name in self.hosted.offline:
            return KafkaStorageError()
        registration = self.image.partition(name.topic, name.partition)
        if registration is not None:
            # The partition exists, but not on this broker.
            return NotLeaderOrFollowerError()
        return UnknownTopicOrPartitionError()

    def led(self) -> Iterator[Partition]:
        """The partitions of which this broker is leader."""
        return self.hosted.led()

    # Following the metadata

    def start(self, image: MetadataImage, on_made: Callable[[], None]) -> None:
        """Apply the first complete image: set strays aside, create all replicas, start timers.

        `on_made` is called when every replica of that image exists, at once if none was missing.
        """
        self._on_made = on_made
        changes = local_changes(MetadataImage(), image, self.broker_id)
        local = (*changes.leaders, *changes.followers)
        missing, self._removed.empty, faults = self.logs.settle(_assigned(local, self.broker_id))
        self._lost.found(missing, local)
        # First: a directory that fails drops its logs, and its replicas go offline.
        for fault in faults:
            self.take_offline(fault)
        self._removed.begin()
        for name in self.logs.futures:
            if not _has_replica(image, name, self.broker_id):
                self.moves.remove(name)
            elif self.logs.get(name) is None:
                # There may be a copy of the log of the present topic.
                self.logs.futures.abandon(name)
        self._apply(image, changes)
        self._started = True
        self._tasks.start()

    def apply(self, image: MetadataImage) -> None:
        """Follow the metadata to `image`."""
        if not self._started:
            return
        previous = self.image
        renewed = []
        if previous.configs is not image.configs:
            # Before the partitions: an ISR that shrank in the same image must not be compared with
            # the old min.insync.replicas (H1).
            renewed = self._renew_configs(previous, image)
        self._apply(image, local_changes(previous, image, self.broker_id))
        for partition in renewed:
            if partition.is_leader:
                # A lower minimum may let the high watermark move at once (H1). Not before `_apply`:
                # in this image the partition may have another leader.
                partition.advance_high_watermark()
        if previous.brokers is not image.brokers:
            self.env.attempt(self._brokers_changed)

    def _apply(self, image: MetadataImage, changes: LocalChanges) -> None:
        self.image = image
        for name, key in changes.removed:
            self._remove(name, key)
        for replicas, leads in ((changes.leaders, True), (changes.followers, False)):
            for replica in replicas:
                name = replica.topic_partition
                is_here = self.logs.get(name) is not None
                if name in self.hosted.online or (is_here and not self._started):
                    self._unmade.drop(name)
                    self._change(replica, leads=leads)
                else:
                    self._unmade.put(name, (replica, leads))
        self._removed.begin()
        self._unmade.begin()
        self._lines.flush()

    def _replace_lost(self, wanted: Collection[tuple[LocalReplica, bool]]) -> None:
        copied = self._lost.to_copy(replica for replica, leads in wanted if not leads)
        with suppress(OutOfFilesError):  # Before the creation of the first log it is tried again.
            for fault in self.logs.replace_lost(*copied):
                self.take_offline(fault)

    def _made_some(self) -> None:
        if self._unmade:
            return
        self._lines.flush()
        if self._on_made is not None:
            on_made, self._on_made = self._on_made, None
            on_made()

    def _change(self, replica: LocalReplica, *, leads: bool) -> None:
        name = replica.topic_partition
        key = TopicIdPartition(replica.topic_id, name.partition)
        if self._is_lost(name, key, replica) or name in self.hosted.offline:
            return
        new_epoch = False
        try:
            partition = self.hosted.online.get(name) or self._create(replica)
            partition.log.reserve_files()
            if leads:
                self._fetchers.unfollow(key)
                if is_loading(partition):
                    # Its appends would be checked against incomplete producers.
                    self._unmade.postpone(name, (replica, leads))
                    return
            new_epoch = partition.apply(replica.registration)
            self._compare_directory(key, replica)
            if not leads and (new_epoch or not self._fetchers.follows(key)):
                self._fetchers.follow(key, partition)
        except OutOfFilesError:
            # Not `attempt`: later metadata replaces what waits, and may have a new epoch already.
            self._unmade.postpone(name, (replica, leads))
        except StorageFault as fault:
            was_online = fault.log_dir in [home.disk.root for home in self.logs.online]
            self.take_offline(fault)
            if name in self.hosted.online:
                return
            if was_online and name not in self.hosted.offline:
                # The replica may belong in another directory (`LogManager.getOrCreateLog`).
                self._change(replica, leads=leads)
            else:
                # As Kafka: a log that could not be created is offline too (`markPartitionOffline`).
                self.hosted.take_offline(name)
            return
        if new_epoch:
            for each in self.listeners:
                each.leadership_changed(partition)

    def _is_lost(self, name: TopicPartition, key: TopicIdPartition, replica: LocalReplica) -> bool:
        """True if the log is lost and stays offline; report it, so that another one is elected."""
        if name not in self._lost:
            return False
        now = replica.registration
        known = now.directory(self.broker_id)
        # Without ELR the last member stays in the ISR.
        members = () if known == DIRECTORY_LOST else (*now.isr, *now.elr)
        if self._lost.is_displaced(name) and known not in RESERVED_DIRECTORIES:
            members = (self.broker_id,)
        if not self._lost.keep_offline(name, now.leader, members):
            self.hosted.end_offline(name)
            return False
        self.hosted.take_offline(name)
        if known != DIRECTORY_LOST and self.image.feature(METADATA_VERSION) >= DIRECTORIES_FROM:
            self.assignments.assign(key, DIRECTORY_LOST)
        return True

    def _compare_directory(self, key: TopicIdPartition, replica: LocalReplica) -> None:
        """Report the directory of a replica if the metadata has another one (KIP-858)."""
        if self.image.feature(METADATA_VERSION) < DIRECTORIES_FROM:
            return
        registered = replica.registration.directory(self.broker_id)
        actual = self.moves.directory_of(replica.topic_partition)
        if registered == actual and not self.moves.must_confirm(replica.topic_partition):
            self.assignments.forget(key)
        else:
            self.assignments.assign(key, actual)

    def _create(self, replica: LocalReplica) -> Partition:
        name = replica.topic_partition
        own = self.image.config(RESOURCE_TOPIC, name.topic)
        layers = self.view.config_layers()
        log = self.logs.create(
            name,
            replica.topic_id,
            self._log_configs.of(layers, own),
            self.env.clock.now,
            replica.registration.directory(self.broker_id),
        )
        partition = Partition(
            self.env,
            self.view,
            name,
            replica.topic_id,
            log,
            self._log_configs.min_isr(layers, own),
            self.settings.lag_max_ms,
            self.alter_partition,
            self._flusher,
            counts=self.topic_stats.add(name.topic),
            lines=self._lines,
        )
        self.hosted.add(partition)
        self.moves.resume(partition)
        return partition

    def _remove(self, name: TopicPartition, key: TopicIdPartition) -> None:
        self._unmade.drop(name)
        self.moves.remove(name)
        self.assignments.forget(key)
        self._damaged.forget(name)
        self._lost.forget(name)
        if self.image.topic(name.topic) is None:
            self.topic_stats.remove(name.topic)
        self.hosted.remove(name, key)
        self.logs.drop([name])

    # Following leaders

    def _brokers_changed(self) -> None:
        """Follow brokers that have a new address or were not registered before."""
        for partition in self.hosted.online.values():
            # Fetches of an earlier incarnation of a follower are stale now.
            partition.notify_watchers()
        self._fetchers.renew_addresses()
        for (topic_id, index), partition in list(self.hosted.online_by_id.items()):
            key = TopicIdPartition(topic_id, index)
            if partition.is_leader or self._fetchers.follows(key):
                continue
            try:
                self._fetchers.follow(key, partition)
            except StorageFault as fault:
                self.take_offline(fault)

    def stop_fetching(self) -> None:
        """Stop all fetchers and create no more replicas: the broker is stopping."""
        self._unmade.clear()
        self._removed.finish()
        self._fetchers.close()

    # Configuration

    def _renew_configs(self, previous: MetadataImage, image: MetadataImage) -> list[Partition]:
        """Apply new configs to partitions; return those whose configuration changed."""
        renewed = []
        layers = self.view.config_layers()
        broker_changed = any(
            previous.configs.get(key) is not image.configs.get(key)
            for key in ((4, ""), (4, str(self.broker_id)))
        )
        for name, partition in self.hosted.online.items():
            key = (RESOURCE_TOPIC, name.topic)
            if not broker_changed and previous.configs.get(key) is image.configs.get(key):
                continue
            own = image.config(*key)
            partition.log.renew_config(self._log_configs.of(layers, own))
            partition.set_min_isr(self._log_configs.min_isr(layers, own))
            renewed.append(partition)
        return renewed

    # Failures

    def take_offline(self, fault: StorageFault) -> None:
        """Take a log directory and its partitions offline; see `LogDirFailureHandler`."""
        self._failures.handle(fault)
        self.moves.directory_failed()

    def damaged(self, partition: Partition, error: DamagedRecordsError) -> ErrorCode:
        """Return the error for a request that met damaged records; see `DamagedLogs`."""
        return self._damaged.handle(partition, error)

    @property
    def damaged_count(self) -> int:
        """The number of replicas that were set aside because their logs were damaged."""
        return self._damaged.set_aside_count

    @property
    def unreported(self) -> list[TopicPartition]:
        """Replicas whose loss, or whose directory, the controller may not know (E7)."""
        pending = _names(self.image, self.assignments.pending)
        return list(dict.fromkeys((*self._lost.unreported, *pending)))

    # Events of logs

    def log_swapped(self, log: UnifiedLog) -> None:
        """See `LogListener`."""
        self.log_flushed(log)
        self._removed.begin()  # The former log may wait for descriptors.

    def log_flushed(self, log: UnifiedLog) -> None:
        """See `LogListener`."""
        name = log.topic_partition
        partition = self.hosted.online.get(name)
        if partition is None or partition.log is not log:
            return
        if log.awaits_flush:
            self._flusher.flush(log)
        if partition.is_leader:
            partition.flushed()
        elif not log.awaits_flush:
            self._fetchers.flushed(TopicIdPartition(partition.topic_id, name.partition))


def _names(image: MetadataImage, keys: Iterable[TopicIdPartition]) -> Iterator[TopicPartition]:
    for topic_id, index in keys:
        topic = image.topics.get(topic_id)
        if topic is not None:
            yield TopicPartition(topic.name, index)


def _assigned(
    replicas: Iterable[LocalReplica], broker_id: int
) -> dict[TopicPartition, AssignedReplica]:
    return {
        each.topic_partition: AssignedReplica(each.topic_id, each.registration.directory(broker_id))
        for each in replicas
    }


def _has_replica(image: MetadataImage, name: TopicPartition, broker_id: int) -> bool:
    registration = image.partition(name.topic, name.partition)
    return registration is not None and broker_id in registration.replicas
