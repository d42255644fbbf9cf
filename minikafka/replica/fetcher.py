"""The follower side of replication: one fetcher for each leader that this broker follows.

One fetch is in flight at a time; its requests are those of a fetch session. A response changes the
log of each partition once: truncate to the diverging epoch's end, or append and raise the high
watermark. Truncation needs no state (as `ReplicaState.TRUNCATING` of older brokers): a fetch has
the epoch of the last record, and the leader answers with the point of divergence (KIP-595).

Partitions that may have moved are noted (`moved`), so that the cost of a fetch depends on the
changes since the last one and not on the number of followed partitions.

Source: `AbstractFetcherThread`, `ReplicaFetcherThread`.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.faults import DISK_ERRORS, FaultReceiver, OutOfFilesError, StorageFault
from minikafka.common.ids import TopicIdPartition
from minikafka.log.appends import UnexpectedOffsetError
from minikafka.log.unified_log import UnifiedLog
from minikafka.messages import fetch as messages
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.errors import CorruptRecordsError
from minikafka.replica.fetch_session_handler import FetchSessionHandler
from minikafka.replica.log_flusher import LogFlusher
from minikafka.replica.partition import Partition
from minikafka.replica.partition_fetch_state import FetchState, FollowedPartition, Position
from minikafka.replica.settings import FetchSettings
from minikafka.replica.truncation import is_loading, truncate_replica
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.replica")
_LIST_OFFSETS_VERSION = 9
LATEST_TIMESTAMP = -1
EARLIEST_TIMESTAMP = -2
_FAILED = FetchState.FAILED


@dataclass(slots=True, eq=False, repr=False)
class Fetcher:
    """Follows one leader."""

    env: Environment
    calls: Calls
    channel: Channel
    leader: int
    view: BrokerView
    settings: FetchSettings
    faults: FaultReceiver
    flusher: LogFlusher
    followed: dict[TopicIdPartition, FollowedPartition] = field(default_factory=dict)
    _unflushed: dict[TopicIdPartition, None] = field(default_factory=dict)
    _moved: dict[TopicIdPartition, None] = field(default_factory=dict)
    """The partitions that the next request may have to name or to forget."""
    _backing_off: dict[TopicIdPartition, FollowedPartition] = field(default_factory=dict)
    _session: FetchSessionHandler = field(init=False)
    _in_flight: bool = False
    _scheduled: bool = False
    _closed: bool = False

    def __post_init__(self) -> None:
        """Create the session."""
        self._session = FetchSessionHandler(self.view, self.settings)

    def follow(self, partition: Partition) -> None:
        """Fetch a partition from its log's end, in its current leader epoch."""
        key = TopicIdPartition(partition.topic_id, partition.topic_partition.partition)
        self.followed[key] = FollowedPartition(partition, partition.leader_epoch)
        self._moved[key] = None
        self._backing_off.pop(key, None)
        if is_loading(partition):
            self._back_off(key, self.followed[key])
        self._hold_unflushed(key, partition.log)
        self._schedule(0)

    def unfollow(self, key: TopicIdPartition) -> None:
        """Stop fetching a partition. A response that is on its way is ignored for it."""
        self.followed.pop(key, None)
        self._moved[key] = None
        self._backing_off.pop(key, None)
        self.flushed(key)

    def moved(self, key: TopicIdPartition) -> None:
        """Note that something else than a fetch moved a partition's log, for the next fetch."""
        self._moved[key] = None

    def flushed(self, key: TopicIdPartition) -> None:
        """Continue to fetch: the fetched records of a partition are as durable as they must be."""
        if key in self._unflushed:
            del self._unflushed[key]
            self._schedule(0)

    def _hold_unflushed(self, key: TopicIdPartition, log: UnifiedLog) -> None:
        """Send no fetch before the records that `flush.messages` demands are flushed.

        The offset of a fetch confirms to the leader that this replica has the records before it.
        """
        if log.awaits_flush:
            self._unflushed[key] = None
            self.flusher.flush(log)

    def close(self) -> None:
        """Stop, and abort the fetch in flight."""
        self._closed = True
        self.calls.close(self.channel)

    def _schedule(self, delay_ms: int) -> None:
        if not self._in_flight and not self._scheduled and not self._closed:
            self._scheduled = True
            self.env.after(delay_ms, self._fetch)

    def _fetch(self) -> None:
        self._scheduled = False
        if self._in_flight or self._closed or self._unflushed:
            return
        next_retry_ms = self._end_back_offs()
        session = self._session
        session.update(self._moved, self.followed)
        self._moved.clear()
        asked = session.positions
        if not asked:
            if next_retry_ms:
                self._schedule(next_retry_ms - self.env.clock.monotonic_ms)
            return
        self._in_flight = True
        self.calls.send(
            self.channel,
            session.request(),
            self.settings.version,
            timeout_ms=self.settings.timeout_ms,
            on_done=lambda response, why: self._answered(asked, response, why),
            client_id=f"broker-{self.view.broker_id}-fetcher-0",
        )

    def _end_back_offs(self) -> int:
        """End the back-offs that are due; return the time at which the next one ends, or 0."""
        now_ms = self.env.clock.monotonic_ms
        next_retry_ms = 0
        for key, followed in list(self._backing_off.items()):
            if is_loading(followed.partition):
                followed.retry_at_ms = now_ms + self.settings.backoff_ms
            retry_at_ms = followed.retry_at_ms
            if retry_at_ms <= now_ms:
                del self._backing_off[key]
                followed.enter(FetchState.FETCHING)
                self._moved[key] = None
            else:
                next_retry_ms = min(next_retry_ms or retry_at_ms, retry_at_ms)
        return next_retry_ms

    def _answered(
        self, asked: dict[TopicIdPartition, Position], response: Any | None, why: str
    ) -> None:
        self._in_flight = False
        if self._closed:
            return
        if response is None:
            _log.info("fetch from broker %d failed: %s", self.leader, why)
            self._restart_session()
            self._schedule(self.settings.backoff_ms)
            return
        if response.error_code:
            _log.info(
                "fetch from broker %d refused: %s",
                self.leader,
                error_of(response.error_code).code.name,
            )
            self._restart_session()
            self._schedule(
                0 if response.error_code in _SESSION_ERRORS else self.settings.backoff_ms
            )
            return
        if response.session_id:
            self._session.accepted(response.session_id)
        else:
            self._restart_session()
        for topic in response.responses:
            for data in topic.partitions:
                key = TopicIdPartition(topic.topic_id, data.partition_index)
                try:
                    self._one_answer(key, asked.get(key), data)
                except DISK_ERRORS as error:
                    self._failed_to_write(key, error)
        self._schedule(0)

    def _one_answer(
        self, key: TopicIdPartition, asked: Position | None, data: messages.PartitionData
    ) -> None:
        followed = self.followed.get(key)
        if (
            asked is None
            or followed is None
            or followed.state is _FAILED
            # The log start offset is not compared: retention moves it at any time, and the
            # leader's session would not send the skipped response again.
            or followed.position._replace(log_start_offset=asked.log_start_offset) != asked
        ):
            # The position moved since the request was sent (a new leader epoch, a truncation).
            return
        self._moved[key] = None
        # The content of this replica may change now.
        followed.partition.notify_watchers()
        name = followed.partition.topic_partition
        if data.error_code:
            self._refused(key, followed, data)
        elif data.diverging_epoch is not None and data.diverging_epoch.epoch >= 0:
            self._truncate(followed.partition, data.diverging_epoch)
            if is_loading(followed.partition):
                self._back_off(key, followed)
        else:
            try:
                self._append(followed, data)
            except CorruptRecordsError as error:
                _log.warning("[%s] corrupt records from broker %d: %s", name, self.leader, error)
                self._back_off(key, followed)
            except UnexpectedOffsetError:
                _log.exception("[%s] replication stops until the next leader epoch", name)
                self._fail(key, followed)

    def _append(self, followed: FollowedPartition, data: messages.PartitionData) -> None:
        partition = followed.partition
        log = partition.log
        records = data.records
        if records:
            assert isinstance(records, memoryview)
            log.append_as_follower(
                records, leader_epoch=partition.leader_epoch, now=self.env.clock.now
            )
            if log.awaits_flush:
                key = TopicIdPartition(partition.topic_id, partition.topic_partition.partition)
                self._hold_unflushed(key, log)
            # Consumers with a preferred replica read here too.
            partition.has_appended()
        if log.update_high_watermark(data.high_watermark):
            partition.has_committed()
        if data.log_start_offset > log.log_start_offset:
            log.increment_log_start_offset(min(data.log_start_offset, log.log_end_offset))

    def _truncate(self, partition: Partition, diverging: messages.EpochEndOffset) -> None:
        """Truncate the records that the leader lacks (KIP-595; `getOffsetTruncationState`)."""
        log = partition.log
        local = log.end_offset_for_epoch(diverging.epoch)
        if local.epoch < 0:
            target = min(diverging.end_offset, log.log_end_offset)
        elif local.epoch != diverging.epoch:
            # This log does not have that epoch: the next fetch compares an earlier one.
            target = min(local.end_offset, log.log_end_offset)
        else:
            target = min(local.end_offset, diverging.end_offset, log.log_end_offset)
        _log.info(
            "[Partition %s broker=%d] diverges from broker %d: truncates from offset %d to %d",
            partition.topic_partition,
            self.view.broker_id,
            self.leader,
            log.log_end_offset,
            target,
        )
        if target < log.high_watermark:
            _log.warning(
                "[Partition %s broker=%d] truncates committed records: offsets %d to %d, from its "
                "high watermark down, are not in the log of leader %d in epoch %d",
                partition.topic_partition,
                self.view.broker_id,
                target,
                log.high_watermark - 1,
                self.leader,
                partition.leader_epoch,
            )
        truncate_replica(self.env, partition, target, self.faults)

    def _refused(
        self, key: TopicIdPartition, followed: FollowedPartition, data: messages.PartitionData
    ) -> None:
        partition = followed.partition
        _log.info(
            "[%s] fetch from broker %d refused: %s",
            partition.topic_partition,
            self.leader,
            error_of(data.error_code).code.name,
        )
        self._back_off(key, followed)
        if data.error_code == ErrorCode.OFFSET_OUT_OF_RANGE:
            self._ask_leader(key, followed, LATEST_TIMESTAMP, self._beyond_end)

    def _ask_leader(
        self,
        key: TopicIdPartition,
        followed: FollowedPartition,
        timestamp: int,
        then: Callable[[TopicIdPartition, FollowedPartition, int], None],
    ) -> None:
        """Ask for the end or start offset of the leader's log, which does not have this offset."""
        asked = followed.position
        partition = followed.partition
        request = ListOffsetsRequest(
            replica_id=self.view.broker_id,
            topics=[
                ListOffsetsTopic(
                    name=partition.topic_partition.topic,
                    partitions=[
                        ListOffsetsPartition(
                            partition_index=partition.topic_partition.partition,
                            current_leader_epoch=followed.leader_epoch,
                            timestamp=timestamp,
                        )
                    ],
                )
            ],
        )

        def answered(response: Any | None, _: str) -> None:
            if response is None or self.followed.get(key) is not followed:
                return
            answer = response.topics[0].partitions[0]
            if not answer.error_code and followed.position == asked:
                self._moved[key] = None
                partition.notify_watchers()
                try:
                    then(key, followed, answer.offset)
                except DISK_ERRORS as error:
                    self._failed_to_write(key, error)

        self.calls.send(
            self.channel,
            request,
            _LIST_OFFSETS_VERSION,
            timeout_ms=self.settings.timeout_ms,
            on_done=answered,
        )

    def _beyond_end(
        self, key: TopicIdPartition, followed: FollowedPartition, leader_end: int
    ) -> None:
        log = followed.partition.log
        if leader_end < log.log_end_offset:
            _log.warning(
                "[Partition %s broker=%d] truncates from offset %d to the log end of broker %d, %d",
                followed.partition.topic_partition,
                self.view.broker_id,
                log.log_end_offset,
                self.leader,
                leader_end,
            )
            truncate_replica(self.env, followed.partition, leader_end, self.faults)
        else:
            self._ask_leader(key, followed, EARLIEST_TIMESTAMP, self._before_start)

    def _before_start(
        self, key: TopicIdPartition, followed: FollowedPartition, leader_start: int
    ) -> None:
        del key
        log = followed.partition.log
        if leader_start > log.log_end_offset:
            _log.warning(
                "[Partition %s broker=%d] starts over at offset %d, the log start of broker %d",
                followed.partition.topic_partition,
                self.view.broker_id,
                leader_start,
                self.leader,
            )
            log.truncate_fully_and_start_at(leader_start, self.env.clock.now)

    def _back_off(self, key: TopicIdPartition, followed: FollowedPartition) -> None:
        followed.enter(FetchState.BACKING_OFF)
        followed.retry_at_ms = self.env.clock.monotonic_ms + self.settings.backoff_ms
        self._backing_off[key] = followed

    def _fail(self, key: TopicIdPartition, followed: FollowedPartition) -> None:
        followed.enter(FetchState.FAILED)
        self._backing_off.pop(key, None)

    def _failed_to_write(
        self, key: TopicIdPartition, error: StorageFault | OutOfFilesError
    ) -> None:
        """Fetch a partition again later, unless it went offline: then it is not followed."""
        if isinstance(error, StorageFault):
            self.faults.take_offline(error)
        followed = self.followed.get(key)
        if followed is not None and followed.state is not FetchState.FAILED:
            self._moved[key] = None
            self._back_off(key, followed)

    def _restart_session(self) -> None:
        self._session.restart()
        self._moved = dict.fromkeys(self.followed)


_SESSION_ERRORS = frozenset(
    (
        ErrorCode.FETCH_SESSION_ID_NOT_FOUND,
        ErrorCode.INVALID_FETCH_SESSION_EPOCH,
        ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR,
    )
)
