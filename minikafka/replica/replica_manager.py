"""All replicas of this broker: their creation, leaders, removal and periodic work.

`apply` follows the metadata: it drops removed partitions first, then it applies leaders, then
followers. New replicas are created a few a turn; a request for one that does not exist yet gets
NOT_LEADER_OR_FOLLOWER, as before the metadata arrives. If a log directory fails, its partitions go
offline and the others stay online.

Source: `ReplicaManager`, `BrokerMetadataPublisher`, `ReplicaFetcherManager`.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    KafkaError,
    KafkaStorageError,
    NotLeaderOrFollowerError,
    UnknownTopicIdError,
    UnknownTopicOrPartitionError,
)
from minikafka.common.faults import OutOfFilesFault, StorageFault
from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.common.summed_lines import SummedLines
from minikafka.config.values import ConfigLayers
from minikafka.log.flush import FlushRequest
from minikafka.log.log_manager import LogManager
from minikafka.log.results import DamagedRecordsError
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.delta import LocalChanges, LocalReplica, local_changes
from minikafka.metadata.features import DIRECTORIES_FROM, METADATA_VERSION
from minikafka.metadata.image import RESOURCE_TOPIC, MetadataImage
from minikafka.metadata.partition_registration import DIRECTORY_LOST, NO_LEADER
from minikafka.replica.alter_partition import AlterPartitionManager
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.fetcher import Fetcher, FetchSettings
from minikafka.replica.log_settings import LogConfigs
from minikafka.replica.lost_logs import LostLogs
from minikafka.replica.partition import Partition, leadership_lines
from minikafka.replica.topic_counts import TopicCounts
from minikafka.replica.turns import POSTPONED_MS, Turns
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.replica")
# A new replica takes 1.5 ms of system calls; three nodes on one machine may slow each other down.
MADE_A_TURN = 4
DELETED_A_TURN = 8


@dataclass(slots=True, kw_only=True)
class ReplicaManager:
    """The partitions of broker `broker_id`.

    `layers` returns the broker's current configuration. `on_offline` is called when a directory
    fails.
    """

    env: Environment
    calls: Calls
    broker_id: int
    listener: str
    logs: LogManager
    layers: Callable[[], ConfigLayers]
    alter_partition: AlterPartitionManager
    assignments: DirectoryAssignments
    fetch_settings: FetchSettings
    lag_max_ms: int
    high_watermark_checkpoint_ms: int
    on_offline: Callable[[StorageFault], None]
    image: MetadataImage = field(default_factory=MetadataImage)
    partitions: dict[TopicPartition, Partition] = field(default_factory=dict)
    offline: dict[TopicPartition, None] = field(default_factory=dict)
    counts: dict[str, TopicCounts] = field(default_factory=dict)
    gone_counts: TopicCounts = field(default_factory=TopicCounts)
    _by_id: dict[tuple[Uuid, int], Partition] = field(default_factory=dict)
    _fetchers: dict[int, Fetcher] = field(default_factory=dict)
    _followed_leader: dict[TopicIdPartition, int] = field(default_factory=dict)
    _lost: LostLogs = field(init=False)
    _lines: SummedLines = field(default_factory=leadership_lines)
    _lost_dirs: dict[str, None] = field(default_factory=dict)
    damaged_count: int = 0
    """The number of replicas that were set aside because their logs were damaged."""
    _damage_told: dict[TopicPartition, str] = field(default_factory=dict)
    _started: bool = False
    _log_configs: LogConfigs = field(default_factory=LogConfigs)
    _unmade: Turns[TopicPartition, tuple[LocalReplica, bool]] = field(init=False)
    """Replicas that do not exist yet, with True for a leader."""
    _doomed: Turns[TopicPartition, None] = field(init=False)
    """Removed replicas whose folders are not renamed yet."""
    _strays: Turns[TopicPartition, None] = field(init=False)
    """Logs that the metadata does not assign to this broker and that are not set aside yet."""
    _is_removing: bool = False
    _on_made: Callable[[], None] | None = None
    on_leadership: list[Callable[[Partition], None]] = field(default_factory=list)
    on_removed: list[Callable[[TopicPartition], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Create the queues for work that takes many steps, and the register of lost logs."""
        self._lost = LostLogs(self.logs, self.broker_id)
        self._unmade = Turns(self.env, MADE_A_TURN, self._make, self._made_some)
        self._doomed = Turns(self.env, DELETED_A_TURN, lambda name, _: self._delete(name))
        self._strays = Turns(self.env, DELETED_A_TURN, lambda name, _: self._set_aside(name))

    # Look-up

    def get(self, name: TopicPartition) -> Partition:
        """The partition of this name.

        Raises:
            UnknownTopicOrPartitionError: this broker has no replica of it.
            KafkaStorageError: the replica is in a log directory that failed.
        """
        partition = self.partitions.get(name)
        if partition is None:
            raise self._absent(name)
        return partition

    def get_by_id(self, topic_id: Uuid, index: int) -> Partition:
        """The partition of this topic id.

        Raises:
            UnknownTopicIdError: the metadata has no such topic.
            UnknownTopicOrPartitionError, KafkaStorageError: as `get`.
        """
        partition = self._by_id.get((topic_id, index))
        if partition is None:
            topic = self.image.topics.get(topic_id)
            if topic is None:
                raise UnknownTopicIdError
            raise self._absent(TopicPartition(topic.name, index))
        return partition

    def _absent(self, name: TopicPartition) -> KafkaError:
        if name in self.offline:
            return KafkaStorageError()
        registration = self.image.partition(name.topic, name.partition)
        if registration is not None:
            # The partition exists, but not on this broker.
            return NotLeaderOrFollowerError()
        return UnknownTopicOrPartitionError()

    def led(self) -> Iterator[Partition]:
        """The partitions of which this broker is leader."""
        return (p for p in self.partitions.values() if p.is_leader)

    # Following the metadata

    def start(self, image: MetadataImage, on_made: Callable[[], None]) -> None:
        """Apply the first complete image: set strays aside, create all replicas, start timers.

        `on_made` is called when every replica of that image exists, at once if none was missing.
        """
        self._on_made = on_made
        changes = local_changes(MetadataImage(), image, self.broker_id)
        self._lost.find(image, changes)
        for name in self.logs.strays(lambda at, topic_id: self._belongs(image, at, topic_id)):
            self._strays.put(name, None)
        self._strays.begin()
        self._apply(image, changes)
        self._started = True
        self.env.after(self.lag_max_ms // 2, self._shrink_isrs)
        self.env.after(self.high_watermark_checkpoint_ms, self._checkpoint_high_watermarks)
        self.env.after(_LOG_TICK_MS, self._tick_logs)

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
            self._brokers_changed()

    def _belongs(self, image: MetadataImage, name: TopicPartition, topic_id: Uuid | None) -> bool:
        topic = image.topic(name.topic)
        if topic is None or topic_id is None or topic.topic_id != topic_id:
            return False
        registration = topic.partitions.get(name.partition)
        return registration is not None and self.broker_id in registration.replicas

    def _apply(self, image: MetadataImage, changes: LocalChanges) -> None:
        self.image = image
        for name, key in changes.removed:
            self._remove(name, key)
        for replicas, leads in ((changes.leaders, True), (changes.followers, False)):
            for replica in replicas:
                name = replica.topic_partition
                is_here = self.logs.get(name) is not None
                is_here = is_here and name not in self._doomed and name not in self._strays
                if name in self.partitions or (is_here and not self._started):
                    self._unmade.drop(name)
                    self._change(replica, leads=leads)
                else:
                    self._unmade.put(name, (replica, leads))
        self._doomed.begin()
        self._unmade.begin()
        self._lines.flush()

    def _make(self, name: TopicPartition, wanted: tuple[LocalReplica, bool]) -> None:
        """Create a replica that does not exist yet.

        That creates folders and files. All replicas of a large topic in one step would delay
        heartbeats until the broker is fenced, and new leaderships of existing partitions.
        """
        replica, leads = wanted
        if self._doomed.drop(name):
            # A deleted topic of the same name.
            self._delete(name)
        if self._strays.drop(name):
            self._set_aside(name)
        self._change(replica, leads=leads)

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
        if self._is_lost(name, key, replica) or name in self.offline:
            return
        new_epoch = False
        try:
            partition = self.partitions.get(name) or self._create(replica)
            partition.log.reserve_files()
            if leads:
                self._unfollow(key)
            new_epoch = partition.apply(replica.registration)
            self._compare_directory(key, replica)
            if not leads and (new_epoch or key not in self._followed_leader):
                self._follow(key, partition)
        except OutOfFilesFault as fault:
            self.take_offline(fault)
            self._unmade.postpone(name, (replica, leads))
        except StorageFault as fault:
            self.take_offline(fault)
            if name not in self.partitions:
                # As Kafka: a log that could not be created is offline too (`markPartitionOffline`).
                self.offline[name] = None
            return
        if new_epoch:
            for hook in self.on_leadership:
                hook(partition)

    def _is_lost(self, name: TopicPartition, key: TopicIdPartition, replica: LocalReplica) -> bool:
        """True if the log is lost and stays offline; report it, so that another one is elected."""
        if name not in self._lost:
            return False
        now = replica.registration
        if not self._lost.keep_offline(name, now.leader, (*now.isr, *now.elr)):
            self.offline.pop(name, None)
            return False
        self.offline[name] = None
        known = now.directory(self.broker_id)
        if known != DIRECTORY_LOST and self.image.feature(METADATA_VERSION) >= DIRECTORIES_FROM:
            self.assignments.assign(key, DIRECTORY_LOST)
        return True

    def _compare_directory(self, key: TopicIdPartition, replica: LocalReplica) -> None:
        """Report the directory of a replica if the metadata has another one (KIP-858)."""
        if self.image.feature(METADATA_VERSION) < DIRECTORIES_FROM:
            return
        home = self.logs.directory_of(replica.topic_partition)
        assert home is not None, f"{replica.topic_partition} has no log"
        if replica.registration.directory(self.broker_id) == home.directory_id:
            self.assignments.forget(key)
        else:
            self.assignments.assign(key, home.directory_id)

    def _create(self, replica: LocalReplica) -> Partition:
        name = replica.topic_partition
        own = self.image.config(RESOURCE_TOPIC, name.topic)
        layers = self.layers()
        log = self.logs.create(
            name,
            replica.topic_id,
            self._log_configs.of(layers, own),
            self.env.clock.now,
            replica.registration.directory(self.broker_id),
        )
        partition = Partition(
            self.env,
            self.broker_id,
            name,
            replica.topic_id,
            log,
            self._log_configs.min_isr(layers, own),
            self.lag_max_ms,
            lambda: self.image.brokers,
            self.alter_partition.propose,
            lambda: self.alter_partition.broker_epoch,
        )
        partition.request_flush = self.flush
        partition.lines = self._lines
        partition.counts = self.counts.setdefault(name.topic, TopicCounts())
        self.partitions[name] = partition
        self._by_id[replica.topic_id, name.partition] = partition
        return partition

    def _remove(self, name: TopicPartition, key: TopicIdPartition) -> None:
        self._unmade.drop(name)
        self._unfollow(key)
        self.assignments.forget(key)
        self.offline.pop(name, None)
        self._damage_told.pop(name, None)
        self._lost.forget(name)
        if name.topic in self.counts and self.image.topic(name.topic) is None:
            self.gone_counts.add(self.counts.pop(name.topic))
        partition = self._by_id.pop((key.topic_id, key.partition), None)
        if partition is None:
            return
        del self.partitions[name]
        partition.leader = NO_LEADER
        partition.is_gone = True
        partition.wake_all()
        for hook in self.on_removed:
            hook(name)
        self._doomed.put(name, None)

    def _delete(self, name: TopicPartition) -> None:
        """Rename the folder of a removed replica; it is deleted later."""
        try:
            self.logs.delete(name, self.env.clock.now)
        except StorageFault as fault:
            self.take_offline(fault)

    def _set_aside(self, name: TopicPartition) -> None:
        """Rename the folder of a log that is not assigned to this broker, and keep it."""
        try:
            self.logs.set_aside(name, self.env.clock.now)
        except StorageFault as fault:
            self.take_offline(fault)

    # Following leaders

    def _follow(self, key: TopicIdPartition, partition: Partition) -> None:
        self._unfollow(key)
        leader = partition.leader
        if leader == NO_LEADER:
            return
        fetcher = self._fetcher(leader)
        if fetcher is None:
            _log.info("[%s] leader %d has no known address yet", partition.topic_partition, leader)
            return
        if partition.log.latest_epoch is None:
            # The epochs of the local records are unknown: keep only committed records.
            partition.log.truncate_to(partition.log.high_watermark, self.env.clock.now)
        self._followed_leader[key] = leader
        fetcher.follow(partition)

    def _unfollow(self, key: TopicIdPartition) -> None:
        leader = self._followed_leader.pop(key, None)
        if leader is None:
            return
        fetcher = self._fetchers.get(leader)
        if fetcher is not None:
            fetcher.unfollow(key)
            if not fetcher.followed:
                del self._fetchers[leader]
                fetcher.close()

    def _fetcher(self, leader: int) -> Fetcher | None:
        registration = self.image.brokers.get(leader)
        endpoint = None if registration is None else registration.endpoint(self.listener)
        if endpoint is None:
            return None
        channel = Channel(endpoint.host, endpoint.port, "replica")
        present = self._fetchers.get(leader)
        if present is not None and present.channel == channel:
            return present
        fetcher = self._fetchers[leader] = Fetcher(
            self.env,
            self.calls,
            channel,
            leader,
            self.broker_id,
            lambda: self.alter_partition.broker_epoch,
            self.fetch_settings,
            self.take_offline,
            self.flush,
        )
        if present is not None:
            # The leader has a new address, for all partitions that are followed there.
            present.close()
            for followed in present.followed.values():
                fetcher.follow(followed.partition)
        return fetcher

    def _brokers_changed(self) -> None:
        """Follow brokers that have a new address or were not registered before."""
        for partition in self.partitions.values():
            # Fetches of an earlier incarnation of a follower are stale now.
            partition.tell()
        for leader in list(self._fetchers):
            self._fetcher(leader)
        for (topic_id, index), partition in list(self._by_id.items()):
            key = TopicIdPartition(topic_id, index)
            if partition.is_leader or key in self._followed_leader:
                continue
            try:
                self._follow(key, partition)
            except OutOfFilesFault as fault:
                self.take_offline(fault)
                self.env.after(POSTPONED_MS, self._brokers_changed)
                return
            except StorageFault as fault:
                self.take_offline(fault)

    def stop_fetching(self) -> None:
        """Stop all fetchers and create no more replicas: the broker is stopping."""
        self._unmade.clear()
        self._doomed.finish()
        self._strays.finish()
        for fetcher in self._fetchers.values():
            fetcher.close()
        self._fetchers.clear()
        self._followed_leader.clear()

    # Configuration

    def _renew_configs(self, previous: MetadataImage, image: MetadataImage) -> list[Partition]:
        """Apply new configs to partitions; return those whose configuration changed."""
        renewed = []
        layers = self.layers()
        broker_changed = any(
            previous.configs.get(key) is not image.configs.get(key)
            for key in ((4, ""), (4, str(self.broker_id)))
        )
        for name, partition in self.partitions.items():
            key = (RESOURCE_TOPIC, name.topic)
            if not broker_changed and previous.configs.get(key) is image.configs.get(key):
                continue
            own = image.config(*key)
            partition.log.renew_config(self._log_configs.of(layers, own))
            partition.set_min_isr(self._log_configs.min_isr(layers, own))
            renewed.append(partition)
        return renewed

    # Periodic work

    def _shrink_isrs(self) -> None:
        for partition in self.led():
            partition.proposals.shrink()
        self.env.after(self.lag_max_ms // 2, self._shrink_isrs)

    def _checkpoint_high_watermarks(self) -> None:
        for fault in self.logs.checkpoint_high_watermarks():
            self.take_offline(fault)
        self.env.after(self.high_watermark_checkpoint_ms, self._checkpoint_high_watermarks)

    def _tick_logs(self) -> None:
        for fault in self.logs.tick(self.env.clock.now):
            self.take_offline(fault)
        self._tell_log_starts()
        self.flush_logs()
        if not self._is_removing:
            self._remove_folders()
        self.env.after(_LOG_TICK_MS, self._tick_logs)

    def _remove_folders(self) -> None:
        """Remove a few folders of deleted replicas; those that remain follow in later steps."""
        faults, more = self.logs.remove_dying(self.env.clock.now, DELETED_A_TURN)
        for fault in faults:
            self.take_offline(fault)
        self._is_removing = more
        if more:
            self.env.later(self._remove_folders)

    def _tell_log_starts(self) -> None:
        """Report log start offsets that retention moved to fetch sessions and fetchers."""
        for partition in self.partitions.values():
            start_offset = partition.log.log_start_offset
            if start_offset != partition.told_log_start:
                partition.told_log_start = start_offset
                partition.tell()
                key = TopicIdPartition(partition.topic_id, partition.topic_partition.partition)
                leader = self._followed_leader.get(key)
                if leader is not None:
                    self._fetchers[leader].moved(key)

    @property
    def unreported_losses(self) -> list[TopicPartition]:
        """Replicas whose logs are lost and that the controller may not know of."""
        return self._lost.unreported

    def flush_logs(self) -> None:
        """Request the flushes that logs want."""
        for log in self.logs.unflushed():
            self.flush(log)

    def flush(self, log: UnifiedLog) -> None:
        """Flush a log; records that are appended while a flush runs go into the next one."""
        if not log.is_flushing:
            self._ask_flush(log)

    def _ask_flush(self, log: UnifiedLog) -> None:
        try:
            request = log.take_flush()
        except OutOfFilesFault as fault:
            # The records stay in the log; requests that wait for the flush keep waiting.
            self.take_offline(fault)
            self.env.after(_LOG_TICK_MS, lambda: self._flush_again(log))
            return
        except StorageFault as fault:
            self.take_offline(fault)
            return
        if request is not None:
            self.env.flush((request,), partial(self._flushed, log, request))

    def _flush_again(self, log: UnifiedLog) -> None:
        if self.logs.get(log.topic_partition) is log:
            self.flush(log)

    def _flushed(self, log: UnifiedLog, request: FlushRequest, fault: StorageFault | None) -> None:
        if fault is not None:
            self.take_offline(fault)
            if isinstance(fault, OutOfFilesFault) or fault.log_dir != log.disk.root:
                # The log's directory is intact: the fault is a lack of descriptors, or of another
                # directory, one of whose files was synced to free its descriptor.
                log.not_flushed(request)
                self.env.after(_LOG_TICK_MS, lambda: self._flush_again(log))
            return
        log.flushed(request)
        partition = self.partitions.get(log.topic_partition)
        if partition is None or partition.log is not log:
            return
        if log.awaits_flush:
            self.flush(log)
        if partition.is_leader:
            partition.flushed()
            return
        key = TopicIdPartition(partition.topic_id, log.topic_partition.partition)
        leader = self._followed_leader.get(key)
        if leader is not None and not log.awaits_flush:
            self._fetchers[leader].flushed(key)

    def damaged(self, partition: Partition, error: DamagedRecordsError) -> ErrorCode:
        """Set aside a leader's damaged log if another replica can become leader.

        Otherwise the leader continues to serve the intact records. A follower also keeps its log:
        its leader, in the same epoch, relies on the records that it had. Unlike Kafka, which serves
        damaged records.

        Return the error for the request that met the damage: KAFKA_STORAGE_ERROR, after which a
        client asks the next leader, or CORRUPT_MESSAGE, which stops a consumer.
        """
        name, log = partition.topic_partition, partition.log
        if self.partitions.get(name) is not partition:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if not self._another_can_lead(partition):
            if self._damage_told.get(name) != str(error):
                self._damage_told[name] = str(error)
                _log.error(
                    "[Partition %s broker=%d] %s/%s. %s: restore the file from a copy and restart "
                    "the broker. Fetches from that offset fail with CORRUPT_MESSAGE, everything "
                    "else is served",
                    name, self.broker_id, log.disk.root, error,
                    "No other replica is in sync" if partition.is_leader
                    else "The replica is a follower",
                )  # fmt: skip
            return ErrorCode.CORRUPT_MESSAGE
        key = TopicIdPartition(partition.topic_id, name.partition)
        try:
            folder = self.logs.set_damaged_aside(name, self.env.clock.now)
        except StorageFault as fault:
            # The log is no longer registered in its directory, so `take_offline` does not find it.
            self.offline[name] = None
            self._drop(name)
            self.take_offline(fault)
            return ErrorCode.KAFKA_STORAGE_ERROR
        _log.error(
            "[Partition %s broker=%d] %s/%s. The replica is copied from another broker; remove %s "
            "when that is done, and check the disk",
            name, self.broker_id, log.disk.root, error, folder,
        )  # fmt: skip
        self.damaged_count += 1
        self._lost.add(name, f"the log of {name} is damaged and was moved to {folder}")
        self.offline[name] = None
        self.assignments.assign(key, DIRECTORY_LOST)
        self._drop(name)
        return ErrorCode.KAFKA_STORAGE_ERROR

    def _another_can_lead(self, partition: Partition) -> bool:
        """True if another member of the ISR can become leader: the metadata shows it unfenced."""
        if not partition.is_leader or self.image.feature(METADATA_VERSION) < DIRECTORIES_FROM:
            return False
        brokers = self.image.brokers
        return any(
            each != self.broker_id and each in brokers and not brokers[each].fenced
            for each in partition.isr.committed
        )

    def _drop(self, name: TopicPartition) -> None:
        """Drop a replica that cannot be used any more."""
        partition = self.partitions.pop(name)
        key = TopicIdPartition(partition.topic_id, name.partition)
        self._by_id.pop((partition.topic_id, name.partition), None)
        self._unfollow(key)
        partition.leader = NO_LEADER
        partition.is_gone = True
        partition.wake_all()
        for hook in self.on_removed:
            hook(name)

    def take_offline(self, fault: StorageFault) -> None:
        """Take a log directory and its partitions offline; the others stay online.

        If the fault is only a lack of file descriptors, nothing goes offline.
        """
        if isinstance(fault, OutOfFilesFault):
            _log.warning(
                "an operation failed or was postponed for lack of file descriptors (ulimit -n): %s",
                fault,
            )
            return
        lost = self.logs.take_offline(fault.log_dir)
        if not lost and fault.log_dir in self._lost_dirs:
            return
        self._lost_dirs[fault.log_dir] = None
        _log.error("log directory %s is offline: %s", fault.log_dir, fault.reason)
        for name in lost:
            if self._doomed.drop(name) or self._strays.drop(name):
                continue
            self.offline[name] = None
            if name in self.partitions:
                self._drop(name)
        self.on_offline(fault)


_LOG_TICK_MS = 1000
