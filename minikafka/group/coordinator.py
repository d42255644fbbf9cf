"""The groups of the `__consumer_offsets` partitions that this broker leads.

Each of these partitions has a shard, created at the first leader epoch of this broker and closed
when leadership ends. A later epoch of the same leader keeps the shard: the log is unchanged.

Source: `GroupCoordinatorService`, `CoordinatorRuntime`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    InvalidGroupIdError,
    InvalidSessionTimeoutError,
    NotCoordinatorError,
)
from minikafka.common.ids import TopicPartition
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.config import log_keys
from minikafka.config.values import Config
from minikafka.coordinator.journal import Write
from minikafka.coordinator.listing import in_order
from minikafka.coordinator.loading import LoadTimes
from minikafka.coordinator.partitioning import partition_of
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.group.memory import GroupMemory
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.metadata.image import MetadataImage
from minikafka.records.builder import TransactionEnd

if TYPE_CHECKING:
    from minikafka.group.kinds import AnyGroup
    from minikafka.group.membership import Caller, Joining
    from minikafka.group.rebalance import Syncing
    from minikafka.group.shard import Shard


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class GroupCoordinator:
    """Routes requests to the shard of their group. `config` returns the current broker values."""

    env: Environment
    broker_id: int
    replicas: Replicas
    image: Callable[[], MetadataImage]
    config: Callable[[], Config]
    shards: "dict[int, Shard]" = field(default_factory=dict)
    memory: GroupMemory = field(init=False)
    load_times: LoadTimes = field(default_factory=LoadTimes)

    def __post_init__(self) -> None:
        """Create the memory bound that all shards share."""
        self.memory = GroupMemory(self.config)

    def start(self) -> None:
        """Create shards for the partitions that are led already, and follow leadership changes."""
        self.replicas.on_leadership.append(self._leadership)
        self.replicas.on_removed.append(self._removed)
        for partition in list(self.replicas.led()):
            self._leadership(partition)
        self._clean_later()

    # Which partitions are led here

    def _leadership(self, partition: LedPartition) -> None:
        name = partition.topic_partition
        if name.topic != OFFSETS_TOPIC:
            return
        # Here, so that a broker without groups starts sooner.
        from minikafka.group.shard import Shard  # noqa: PLC0415

        shard = self.shards.get(name.partition)
        if not partition.is_leader:
            self._close(name.partition)
        elif shard is None or shard.partition is not partition:
            self._close(name.partition)
            shard = self.shards[name.partition] = Shard(
                self.env,
                partition,
                self.config,
                self.replicas,
                self._lost,
                self.memory,
                self.load_times,
                self.image,
            )
            shard.load()

    def _removed(self, name: TopicPartition) -> None:
        if name.topic == OFFSETS_TOPIC:
            self._close(name.partition)

    def _lost(self, shard: "Shard") -> None:
        index = shard.partition.topic_partition.partition
        if self.shards.get(index) is shard:
            del self.shards[index]
        shard.close()

    def _close(self, index: int) -> None:
        shard = self.shards.get(index)
        if shard is not None:
            self._lost(shard)

    def partition_of(self, group_id: str) -> int | None:
        """Return the partition of a group, or None while `__consumer_offsets` does not exist."""
        topic = self.image().topic(OFFSETS_TOPIC)
        return None if topic is None else partition_of(group_id, len(topic.partitions))

    def shard_of(self, group_id: str) -> "Shard":
        """Return the shard that serves a group.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        index = self.partition_of(group_id)
        shard = None if index is None else self.shards.get(index)
        if shard is None:
            raise NotCoordinatorError
        shard.require_active()
        return shard

    def end_transaction(self, index: int, end: TransactionEnd) -> Write:
        """Write the marker of a transaction to a partition of `__consumer_offsets`.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError, and the errors of
            `Journal.append_end_marker`.
        """
        shard = self.shards.get(index)
        if shard is None:
            raise NotCoordinatorError
        shard.require_active()
        return shard.commits.end_transaction(end)

    # Members

    def join(self, request: JoinGroupRequest, caller: "Caller") -> "Joining":
        """Join a group, or create it; the answer may take a whole rebalance.

        Raises:
            InvalidGroupIdError, InvalidSessionTimeoutError, NotCoordinatorError,
            CoordinatorLoadInProgressError, and the errors of `GroupMembers.join`.
        """
        if not request.group_id:
            raise InvalidGroupIdError
        config = self.config()
        shortest_ms = config[log_keys.GROUP_MIN_SESSION_TIMEOUT_MS]
        longest_ms = config[log_keys.GROUP_MAX_SESSION_TIMEOUT_MS]
        if not shortest_ms <= request.session_timeout_ms <= longest_ms:
            raise InvalidSessionTimeoutError
        return self.shard_of(request.group_id).members.join(request, caller)

    def sync(self, request: SyncGroupRequest) -> "Syncing":
        """Return the assignment of a member; the leader of a classic group sends those of all.

        Raises:
            InvalidGroupIdError, NotCoordinatorError, CoordinatorLoadInProgressError, and the errors
            of `GroupMembers.sync`.
        """
        return self._shard_of_member(request.group_id).members.sync(request)

    def heartbeat(self, request: HeartbeatRequest) -> None:
        """Renew the session of a member.

        Raises:
            As `sync`, and the errors of `GroupMembers.heartbeat`.
        """
        self._shard_of_member(request.group_id).members.heartbeat(request)

    def leave(self, group_id: str, members: list[MemberIdentity]) -> list[MemberResponse]:
        """Remove members; return one answer for each.

        Raises:
            As `sync`, and the errors of `GroupMembers.leave`.
        """
        return self._shard_of_member(group_id).members.leave(group_id, members)

    def _shard_of_member(self, group_id: str) -> "Shard":
        if not group_id:
            raise InvalidGroupIdError
        return self.shard_of(group_id)

    # All groups

    def all_groups(self) -> "Iterator[AnyGroup]":
        """Yield every group that is coordinated here, those of a partition in Kafka's order.

        Raises:
            CoordinatorLoadInProgressError: some groups are not loaded yet.
        """
        for shard in list(self.shards.values()):
            if shard.partition.is_leader and not shard.is_closed:
                shard.require_active()
                groups = shard.groups
                yield from (groups[each] for each in in_order(groups, are_replaced=False))

    def forget_topics(self, topics: frozenset[str]) -> None:
        """Remove the offsets that groups committed for deleted topics."""
        for shard in list(self.shards.values()):
            shard.expiration.forget_topics(topics)

    def _clean_later(self) -> None:
        interval_ms = self.config()[log_keys.OFFSETS_RETENTION_CHECK_INTERVAL_MS]
        self.env.after(interval_ms, self._clean)

    def _clean(self) -> None:
        for shard in list(self.shards.values()):
            shard.expiration.clean()
        self._clean_later()
