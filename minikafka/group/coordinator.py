"""The groups of the `__consumer_offsets` partitions that this broker leads.

Each of these partitions has a shard.

Source: `GroupCoordinatorService`, `CoordinatorRuntime`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    InvalidGroupIdError,
    InvalidSessionTimeoutError,
)
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.config import log_keys
from minikafka.coordinator.journal import JournalKeys, Write
from minikafka.coordinator.listing import in_order
from minikafka.coordinator.loading import LoadTimes
from minikafka.coordinator.memory import MemoryBound
from minikafka.coordinator.ports import LedPartition, Replicas
from minikafka.coordinator.shard import Shard, ShardOwner, ShardServices
from minikafka.coordinator.shards import Shards
from minikafka.messages.heartbeat import HeartbeatRequest
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.leave_group import MemberIdentity, MemberResponse
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.builder import TransactionEnd

if TYPE_CHECKING:
    from minikafka.group.kinds import AnyGroup
    from minikafka.group.membership import Caller, Joining
    from minikafka.group.rebalance import Syncing
    from minikafka.group.shard import GroupShard


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class GroupCoordinator:
    """Routes requests to the shard of their group."""

    env: Environment
    view: BrokerView
    replicas: Replicas
    memory: MemoryBound = field(init=False)
    _shards: "Shards[GroupShard]" = field(init=False)

    def __post_init__(self) -> None:
        """Create what all shards share."""
        self.memory = MemoryBound(self.view, log_keys.GROUP_COORDINATOR_MEMORY_BYTES, "group")
        services = ShardServices(
            self.env,
            self.replicas,
            self.view,
            JournalKeys(
                log_keys.OFFSETS_COMMIT_TIMEOUT_MS, log_keys.OFFSETS_TOPIC_COMPRESSION_CODEC
            ),
            "group",
        )
        self._shards = Shards(
            topic=OFFSETS_TOPIC,
            services=services,
            make=self._make,
            keeps_epochs=True,
        )

    def _make(self, partition: LedPartition, owner: ShardOwner) -> "GroupShard":
        # Here, so that a broker without groups starts sooner.
        from minikafka.group.shard import GroupShard  # noqa: PLC0415
        from minikafka.group.store import GroupStore  # noqa: PLC0415

        shard = Shard(self._shards.services, partition, owner)
        return GroupShard(GroupStore(shard, self.view, self.memory))

    def start(self) -> None:
        """Create shards for the partitions that are led already, and follow leadership changes."""
        self._shards.start()
        self._clean_later()

    @property
    def shards(self) -> "dict[int, GroupShard]":
        """The shards of the partitions that are led, by partition."""
        return self._shards.by_index

    @property
    def load_times(self) -> LoadTimes:
        """The durations of completed partition loads."""
        return self._shards.services.load_times

    def partition_of(self, group_id: str) -> int | None:
        """Return the partition of a group, or None while `__consumer_offsets` does not exist."""
        return self._shards.partition_of(group_id)

    def shard_of(self, group_id: str) -> "GroupShard":
        """Return the shard that serves a group.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError
        """
        return self._shards.of(group_id)

    def end_transaction(self, index: int, end: TransactionEnd) -> Write:
        """Write the marker of a transaction to a partition of `__consumer_offsets`.

        Raises:
            NotCoordinatorError, CoordinatorLoadInProgressError, and the errors of
            `Journal.append_end_marker`.
        """
        return self._shards.at(index).commits.end_transaction(end)

    # Members

    def join(self, request: JoinGroupRequest, caller: "Caller") -> "Joining":
        """Join a group, or create it; the answer may take a whole rebalance.

        Raises:
            InvalidGroupIdError, InvalidSessionTimeoutError, NotCoordinatorError,
            CoordinatorLoadInProgressError, and the errors of `GroupShard.join`.
        """
        if not request.group_id:
            raise InvalidGroupIdError
        config = self.view.config
        shortest_ms = config[log_keys.GROUP_MIN_SESSION_TIMEOUT_MS]
        longest_ms = config[log_keys.GROUP_MAX_SESSION_TIMEOUT_MS]
        if not shortest_ms <= request.session_timeout_ms <= longest_ms:
            raise InvalidSessionTimeoutError
        return self.shard_of(request.group_id).join(request, caller)

    def sync(self, request: SyncGroupRequest) -> "Syncing":
        """Return the assignment of a member; the leader of a classic group sends those of all.

        Raises:
            InvalidGroupIdError, NotCoordinatorError, CoordinatorLoadInProgressError, and the errors
            of `GroupShard.sync`.
        """
        return self._shard_of_member(request.group_id).sync(request)

    def heartbeat(self, request: HeartbeatRequest) -> None:
        """Renew the session of a member.

        Raises:
            As `sync`, and the errors of `GroupShard.heartbeat`.
        """
        self._shard_of_member(request.group_id).heartbeat(request)

    def leave(self, group_id: str, members: list[MemberIdentity]) -> list[MemberResponse]:
        """Remove members; return one answer for each.

        Raises:
            As `sync`, and the errors of `GroupShard.leave`.
        """
        return self._shard_of_member(group_id).leave(group_id, members)

    def _shard_of_member(self, group_id: str) -> "GroupShard":
        if not group_id:
            raise InvalidGroupIdError
        return self.shard_of(group_id)

    # All groups

    def all_groups(self) -> "Iterator[AnyGroup]":
        """Yield every group that is coordinated here, those of a partition in Kafka's order.

        Raises:
            CoordinatorLoadInProgressError: some groups are not loaded yet.
        """
        for shard in self._shards.all_active():
            groups = shard.store.groups
            yield from (groups[each] for each in in_order(groups, are_replaced=False))

    def forget_topics(self, topics: frozenset[str]) -> None:
        """Remove the offsets that groups committed for deleted topics."""
        for shard in list(self.shards.values()):
            shard.expiration.forget_topics(topics)

    def _clean_later(self) -> None:
        interval_ms = self.view.config[log_keys.OFFSETS_RETENTION_CHECK_INTERVAL_MS]
        self.env.after(interval_ms, self._clean)

    def _clean(self) -> None:
        for shard in list(self.shards.values()):
            shard.expiration.clean()
        self._clean_later()
