"""The groups and offsets of one partition of `__consumer_offsets`, with their journal.

Every change is appended to the log first, and applied to the groups and offsets after that.

Source: `GroupCoordinatorShard`.
"""

from dataclasses import dataclass, field

from minikafka.common.environment import Environment
from minikafka.common.errors import GroupIdNotFoundError, UnknownMemberIdError
from minikafka.coordinator.journal import Journal
from minikafka.coordinator.memory import MemoryBound
from minikafka.coordinator.shard import Shard
from minikafka.group.group import Group
from minikafka.group.kinds import AnyGroup, tombstone_keys
from minikafka.group.member import size_of_protocols
from minikafka.group.memory import GROUP_BYTES, MEMBER_BYTES, PROTOCOL_BYTES
from minikafka.group.offsets import GroupOffsets
from minikafka.group.open_transactions import OpenTransactions
from minikafka.group.rebalance import Rebalance
from minikafka.group.records import group_key, group_value
from minikafka.messages.join_group import JoinGroupRequest
from minikafka.messages.sync_group import SyncGroupRequest
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.builder import NewRecord


@dataclass(slots=True, eq=False)
class GroupStore:
    """The groups, their offsets, and what changes of them need."""

    shard: Shard
    view: BrokerView
    memory: MemoryBound
    groups: dict[str, AnyGroup] = field(default_factory=dict)
    offsets: dict[str, GroupOffsets] = field(default_factory=dict)
    transactions: OpenTransactions = field(default_factory=OpenTransactions)
    env: Environment = field(init=False)
    journal: Journal = field(init=False)
    rebalance: Rebalance = field(init=False)

    def __post_init__(self) -> None:
        """Create the timers of the groups."""
        self.env = self.shard.services.env
        self.journal = self.shard.journal
        self.rebalance = Rebalance(self.env, self.view, self.journal)

    def group(self, group_id: str) -> AnyGroup:
        """Return the group with this id.

        Raises:
            GroupIdNotFoundError: the group does not exist.
        """
        group = self.groups.get(group_id)
        if group is None:
            raise GroupIdNotFoundError(f"Group {group_id} not found.")
        return group

    def classic_group(self, group_id: str) -> Group:
        """Return the classic group with this id.

        Raises:
            GroupIdNotFoundError: there is no group, or one of the consumer protocol.
        """
        group = self.group(group_id)
        if not isinstance(group, Group):
            raise GroupIdNotFoundError(f"Group {group_id} is not a classic group.")
        return group

    def group_of_member(self, group_id: str) -> AnyGroup:
        """Return the group with this id, for a request of a member.

        Raises:
            UnknownMemberIdError: the group does not exist.
        """
        group = self.groups.get(group_id)
        if group is None:
            raise UnknownMemberIdError
        return group

    def group_to_join(self, group_id: str, member_id: str) -> Group:
        """Return the group with this id; a member without a member id may create it.

        Raises:
            UnknownMemberIdError: the group does not exist, but the member has a member id.
        """
        known = self.groups.get(group_id)
        if isinstance(known, Group):
            return known
        if member_id:
            raise UnknownMemberIdError
        group = Group(group_id, self.env.clock.wall_ms)
        records = [] if known is None else [self.record(key, None) for key in tombstone_keys(known)]
        records.append(self.record(group_key(group_id), group_value(group.to_record())))
        self.journal.append(records)
        if known is not None:
            self.end(known, "it becomes a classic group")
        self.groups[group_id] = group
        group.holding.count_in(self.memory)
        return group

    def require_room_to_join(self, request: JoinGroupRequest) -> None:
        """Check that the memory bound allows the member's data beyond what it holds already.

        Raises:
            CoordinatorNotAvailableError
        """
        more_bytes = sum(
            len(protocol.name) + len(protocol.metadata) + PROTOCOL_BYTES
            for protocol in request.protocols
        )
        group = self.groups.get(request.group_id)
        if not isinstance(group, Group):
            more_bytes += GROUP_BYTES
        else:
            member_id = group.static_members.get(request.group_instance_id or "", request.member_id)
            member = group.members.get(member_id)
            more_bytes += MEMBER_BYTES if member is None else -size_of_protocols(member.protocols)
        self.memory.require(more_bytes)

    def require_room_to_assign(self, group: Group, request: SyncGroupRequest) -> None:
        """Check that the memory bound allows the leader's assignments.

        Raises:
            CoordinatorNotAvailableError
        """
        held_bytes = sum(len(member.assignment) for member in group.members.values())
        self.memory.require(sum(len(one.assignment) for one in request.assignments) - held_bytes)

    def end(self, group: AnyGroup, why: str) -> None:
        """Answer everybody who waits for a group, and stop counting its memory."""
        if isinstance(group, Group):
            self.rebalance.end(group, why)
        else:
            group.holding.count_out()

    def drop_if_empty(self, group_id: str, offsets: GroupOffsets) -> None:
        """Drop the object for the offsets of a group if it has none and no write of it is open.

        A commit that precedes an uncommitted tombstone counts until the tombstone is committed.
        """
        is_settled = offsets.end_offset <= self.shard.partition.log.high_watermark
        if is_settled and offsets.is_empty and self.offsets.get(group_id) is offsets:
            del self.offsets[group_id]
            offsets.holding.count_out()

    def record(self, key: bytes, value: bytes | None) -> NewRecord:
        """Return a record with the current time; a None value is a tombstone."""
        return NewRecord(self.env.clock.wall_ms, key, value)
