"""Every replica of this broker: which there are, who leads them, what is done from time to time.

`apply` follows the metadata: partitions that are gone are dropped first, then leaders, then
followers. New replicas are made a few a turn; whoever asks for one that is not there yet is told
NOT_LEADER_OR_FOLLOWER, as while the metadata is on its way. A log directory that fails takes its
partitions offline and leaves the rest alone.

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
from minikafka.metadata.image import METADATA_VERSION, RESOURCE_TOPIC, MetadataImage
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
# A replica takes 1.5 ms of system calls, and three nodes of one machine may wait for one another.
MADE_A_TURN = 4
DELETED_A_TURN = 8


@dataclass(slots=True, kw_only=True)
class ReplicaManager:
    """The partitions of broker `broker_id`.

    `layers` gives the broker's configuration in force. `on_offline` is told of a failed directory.
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
    """How many replicas were given up since their logs were damaged."""
    _damage_told: dict[TopicPartition, str] = field(default_factory=dict)
    _started: bool = False
    _log_configs: LogConfigs = field(default_factory=LogConfigs)
    _unmade: Turns[TopicPartition, tuple[LocalReplica, bool]] = field(init=False)
    """Replicas that are not there yet, and whether they lead."""
    _doomed: Turns[TopicPartition, None] = field(init=False)
    """Replicas that are gone, and whose folders are not renamed yet."""
    _strays: Turns[TopicPartition, None] = field(init=False)
    """Logs of other topics, or of none, that are not set aside yet."""
    _is_removing: bool = False
    _on_made: Callable[[], None] | None = None
    on_leadership: list[Callable[[Partition], None]] = field(default_factory=list)
    on_removed: list[Callable[[TopicPartition], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Prepare for work that takes many steps, and for logs that are gone."""
        self._lost = LostLogs(self.logs, self.broker_id)
        self._unmade = Turns(self.env, MADE_A_TURN, self._make, self._made_some)
        self._doomed = Turns(self.env, DELETED_A_TURN, lambda name, _: self._delete(name))
        self._strays = Turns(self.env, DELETED_A_TURN, lambda name, _: self._set_aside(name))

    # Looking up

    def get(self, name: TopicPartition) -> Partition:
        """The partition of this name.

        Raises:
            UnknownTopicOrPartitionError: this broker has no replica of it.
            KafkaStorageError: it has one, in a log directory that failed.
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
            # The partition exists; it is led elsewhere.
            return NotLeaderOrFollowerError()
        return UnknownTopicOrPartitionError()

    def led(self) -> Iterator[Partition]:
        """The partitions that this broker leads."""
        return (p for p in self.partitions.values() if p.is_leader)

    # Following the metadata

    def start(self, image: MetadataImage, on_made: Callable[[], None]) -> None:
        """Take on the first complete image: set strays aside, make every replica, begin to work.

        `on_made` is called when every replica of that image is there: at once if none was missing.
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
            # Before partitions change, which may come with the same image: an ISR that shrank must
            # not be measured against the min.insync.replicas of before (H1).
            renewed = self._renew_configs(previous, image)
        self._apply(image, local_changes(previous, image, self.broker_id))
        for partition in renewed:
            if partition.is_leader:
                # A lower minimum may let the high watermark move at once (H1). Not earlier: who led
                # until this image knows only now that it does not any more.
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
        """Make a replica that is not there yet.

        That makes folders and files. All of a large topic in one step would hold up heartbeats
        until the broker is fenced, and leaderships of partitions that are there already.
        """
        replica, leads = wanted
        if self._doomed.drop(name):
            # Of another topic of that name.
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
                # As Kafka: a log that could not be made is offline too (`markPartitionOffline`).
                self.offline[name] = None
            return
        if new_epoch:
            for hook in self.on_leadership:
                hook(partition)

    def _is_lost(self, name: TopicPartition, key: TopicIdPartition, replica: LocalReplica) -> bool:
        """Whether the log is gone, and stays offline; the controller is told, and elects others."""
        if name not in self._lost:
            return False
        now = replica.registration
        if not self._lost.keep_offline(name, now.leader, (*now.isr, *now.elr)):
            self.offline.pop(name, None)
            return False
        self.offline[name] = None
        known = now.directory(self.broker_id)
        if known != DIRECTORY_LOST and self.image.feature(METADATA_VERSION) >= _DIRECTORIES_FROM:
            self.assignments.assign(key, DIRECTORY_LOST)
        return True

    def _compare_directory(self, key: TopicIdPartition, replica: LocalReplica) -> None:
        """Tell the controller where a replica is, if it believes something else (KIP-858)."""
        if self.image.feature(METADATA_VERSION) < _DIRECTORIES_FROM:
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
        """Rename the folder of a replica that is gone; it is removed later."""
        try:
            self.logs.delete(name, self.env.clock.now)
        except StorageFault as fault:
            self.take_offline(fault)

    def _set_aside(self, name: TopicPartition) -> None:
        """Rename the folder of a log that is not of this broker, which keeps it."""
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
            _log.info("[%s] leader %d cannot be reached yet", partition.topic_partition, leader)
            return
        if partition.log.latest_epoch is None:
            # Nothing says which epoch the records here are of: keep what is committed.
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
            # The leader listens elsewhere now, for everything that is followed there.
            present.close()
            for followed in present.followed.values():
                fetcher.follow(followed.partition)
        return fetcher

    def _brokers_changed(self) -> None:
        """A broker that came back may listen elsewhere; one that was unknown may be known now."""
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
        """Follow nobody, and make no replica any more: the broker is stopping."""
        self._unmade.clear()
        self._doomed.finish()
        self._strays.finish()
        for fetcher in self._fetchers.values():
            fetcher.close()
        self._fetchers.clear()
        self._followed_leader.clear()

    # Configuration

    def _renew_configs(self, previous: MetadataImage, image: MetadataImage) -> list[Partition]:
        """Configure what is there; the partitions whose configuration changed."""
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

    # From time to time

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
        """Remove a few folders of deleted replicas, and the others that are due in later steps."""
        faults, more = self.logs.remove_dying(self.env.clock.now, DELETED_A_TURN)
        for fault in faults:
            self.take_offline(fault)
        self._is_removing = more
        if more:
            self.env.later(self._remove_folders)

    def _tell_log_starts(self) -> None:
        """Retention moves the starts of logs: fetches that hear only of changes must hear of it."""
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
        """Replicas whose logs are gone, and of which the controller may not know."""
        return self._lost.unreported

    def flush_logs(self) -> None:
        """Ask for the syncs that logs want."""
        for log in self.logs.unflushed():
            self.flush(log)

    def flush(self, log: UnifiedLog) -> None:
        """Have a log synced; what is appended while a flush runs goes into the next."""
        if not log.is_flushing:
            self._ask_flush(log)

    def _ask_flush(self, log: UnifiedLog) -> None:
        try:
            request = log.take_flush()
        except OutOfFilesFault as fault:
            # What was appended stays appended; what waits for the flush goes on waiting.
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
                # A file of another directory may have to be synced to free its descriptor.
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
        """Give up a replica that leads and whose log is damaged, if another one can lead.

        Otherwise it goes on with what is sound. A follower is not given up: its leader would count
        on what it held, in the same leader epoch. Unlike Kafka, which serves damaged records.

        Returns the answer to the request that met the damage: KAFKA_STORAGE_ERROR, after which a
        client asks the next leader, or CORRUPT_MESSAGE, with which a consumer stops.
        """
        name, log = partition.topic_partition, partition.log
        if self.partitions.get(name) is not partition:
            return ErrorCode.KAFKA_STORAGE_ERROR
        if not self._can_give_up(partition):
            if self._damage_told.get(name) != str(error):
                self._damage_told[name] = str(error)
                _log.error(
                    "[Partition %s broker=%d] %s/%s. %s: restore the file from a copy and start "
                    "the broker again. Fetches from that offset are answered CORRUPT_MESSAGE, "
                    "everything else is served",
                    name, self.broker_id, log.disk.root, error,
                    "No other replica is in sync" if partition.is_leader
                    else "The replica is a follower",
                )  # fmt: skip
            return ErrorCode.CORRUPT_MESSAGE
        key = TopicIdPartition(partition.topic_id, name.partition)
        try:
            folder = self.logs.set_damaged_aside(name, self.env.clock.now)
        except StorageFault as fault:
            # Its directory does not have the log any more, and does not take it offline.
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

    def _can_give_up(self, partition: Partition) -> bool:
        """Whether another member of the ISR can lead: it is not fenced, for all that is known."""
        if not partition.is_leader or self.image.feature(METADATA_VERSION) < _DIRECTORIES_FROM:
            return False
        brokers = self.image.brokers
        return any(
            each != self.broker_id and each in brokers and not brokers[each].fenced
            for each in partition.isr.committed
        )

    def _drop(self, name: TopicPartition) -> None:
        """Let go of a replica that cannot be used any more."""
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
        """Give up a log directory and the partitions in it; the others go on.

        Nothing is given up where only file descriptors are lacking.
        """
        if isinstance(fault, OutOfFilesFault):
            _log.warning("refused or put off for lack of file descriptors (ulimit -n): %s", fault)
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
_DIRECTORIES_FROM = 17
