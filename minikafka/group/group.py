"""A classic group: its members, generation and protocol.

`GROUP_STATES` has the transitions.

Invariants: `leader_id` names a member or is None; every static member is in `static_members`;
`votes` counts for each protocol the members that offer it.

This module starts no timers and writes no log: `membership.py` and `rebalance.py` do.

Source: `ClassicGroup`, `ClassicGroupMember`.
"""

import logging
from dataclasses import dataclass, field
from enum import Enum

from minikafka.common.errors import (
    FencedInstanceIdError,
    IllegalGenerationError,
    NonEmptyGroupError,
    UnknownMemberIdError,
)
from minikafka.common.state_table import StateTable
from minikafka.common.timers import Timer
from minikafka.group.embedded import subscription_of
from minikafka.group.member import Member, Protocols, size_of_protocols
from minikafka.group.memory import GROUP_BYTES, PENDING_MEMBER_BYTES, Holding
from minikafka.messages.coordinator.group_metadata import GroupMetadataValue
from minikafka.messages.join_group import JoinGroupResponseMember
from minikafka.protocol.primitives import MalformedMessage

_log = logging.getLogger("minikafka.group")
CONSUMER_PROTOCOL = "consumer"
CLASSIC_TYPE = "classic"


class GroupState(Enum):
    """The states, with the names that clients see."""

    EMPTY = "Empty"
    PREPARING_REBALANCE = "PreparingRebalance"
    COMPLETING_REBALANCE = "CompletingRebalance"
    STABLE = "Stable"
    DEAD = "Dead"


GROUP_STATES = StateTable(
    "group",
    {
        # A member joins.
        GroupState.EMPTY: (GroupState.PREPARING_REBALANCE, GroupState.DEAD),
        # Members have joined, and the leader must assign; or no member is left.
        GroupState.PREPARING_REBALANCE: (
            GroupState.COMPLETING_REBALANCE,
            GroupState.EMPTY,
            GroupState.DEAD,
        ),
        # The leader's assignment is committed; or a member joins, leaves or does not sync.
        GroupState.COMPLETING_REBALANCE: (
            GroupState.STABLE,
            GroupState.PREPARING_REBALANCE,
            GroupState.DEAD,
        ),
        # A member joins, leaves or times out.
        GroupState.STABLE: (GroupState.PREPARING_REBALANCE, GroupState.DEAD),
        # The group is deleted, or has another coordinator.
        GroupState.DEAD: (GroupState.DEAD,),
    },
)


@dataclass(slots=True, eq=False)
class Group:
    """One group. `members` is in join order.

    `pending_members` are member ids that were issued (KIP-394) but not used yet; `unsynced` are the
    members of this generation that have not sent SyncGroup.
    """

    group_id: str
    state_since_ms: int
    state: GroupState = GroupState.EMPTY
    previous_state: GroupState = GroupState.EMPTY
    generation: int = 0
    protocol_type: str | None = None
    protocol_name: str | None = None
    leader_id: str | None = None
    members: dict[str, Member] = field(default_factory=dict)
    static_members: dict[str, str] = field(default_factory=dict)
    pending_members: dict[str, Timer] = field(default_factory=dict)
    unsynced: dict[str, None] = field(default_factory=dict)
    votes: dict[str, int] = field(default_factory=dict)
    joined_since_delay: bool = False
    join_timer: Timer | None = None
    sync_timer: Timer | None = None
    holding: Holding = field(default_factory=lambda: Holding(GROUP_BYTES))

    def transition(self, target: GroupState, wall_ms: int, reason: str) -> None:
        """Change the state to `target`.

        Raises:
            InvariantViolation: this transition does not exist.
        """
        GROUP_STATES.require(self.state, target, self.group_id)
        _log.info(
            "[Group %s] %s -> %s in generation %d: %s",
            self.group_id,
            self.state.value,
            target.value,
            self.generation,
            reason,
        )
        self.previous_state = self.state
        self.state = target
        self.state_since_ms = wall_ms

    # Members

    def add(self, member: Member, protocol_type: str) -> None:
        """Add a member; the first one sets the protocol type and becomes leader."""
        if not self.members:
            self.protocol_type = protocol_type
        if self.leader_id is None:
            self.leader_id = member.member_id
        self.members[member.member_id] = member
        if member.group_instance_id is not None:
            self.static_members[member.group_instance_id] = member.member_id
        self._count(member.protocols, 1)
        self.holding.add(member.size_bytes)
        self.forget_pending(member.member_id)

    def remove(self, member_id: str) -> None:
        """Remove a member, if it exists; if it led, the first of the others becomes leader."""
        self.forget_pending(member_id)
        self.unsynced.pop(member_id, None)
        member = self.members.pop(member_id, None)
        if member is None:
            return
        member.stop_timer()
        self._count(member.protocols, -1)
        self.holding.add(-member.size_bytes)
        instance = member.group_instance_id
        if instance is not None and self.static_members.get(instance) == member_id:
            del self.static_members[instance]
        if self.leader_id == member_id:
            self.leader_id = next(iter(self.members), None)

    def replace_static(self, old_id: str, new_id: str) -> tuple[Member, Member]:
        """Give a static member a new id; return the old and the new member.

        The new member replaces the old one, also as leader.
        """
        old = self.members[old_id]
        new = old.successor(new_id)
        old.stop_timer()
        self.holding.add(new.size_bytes - old.size_bytes)
        self.members = {
            new_id if key == old_id else key: new if key == old_id else member
            for key, member in self.members.items()
        }
        assert new.group_instance_id is not None
        self.static_members[new.group_instance_id] = new_id
        self.unsynced.pop(old_id, None)
        if self.leader_id == old_id:
            self.leader_id = new_id
        return old, new

    def update(
        self,
        member: Member,
        protocols: Protocols,
        rebalance_timeout_ms: int,
        session_timeout_ms: int,
    ) -> None:
        """Update a member's protocols and timeouts."""
        self._count(member.protocols, -1)
        self._count(protocols, 1)
        self.holding.add(size_of_protocols(protocols) - size_of_protocols(member.protocols))
        member.protocols = protocols
        member.rebalance_timeout_ms = rebalance_timeout_ms
        member.session_timeout_ms = session_timeout_ms

    def assign(self, member: Member, assignment: bytes) -> None:
        """Set a member's assignment."""
        self.holding.add(len(assignment) - len(member.assignment))
        member.assignment = assignment

    def expect(self, member_id: str, timer: Timer) -> None:
        """Add a member id that was issued; `timer` expires it if it is not used."""
        self.pending_members[member_id] = timer
        self.holding.add(PENDING_MEMBER_BYTES + len(member_id))

    def forget_pending(self, member_id: str) -> None:
        """Remove an issued member id: it was used, or has expired."""
        timer = self.pending_members.pop(member_id, None)
        if timer is not None:
            timer.cancel()
            self.holding.add(-PENDING_MEMBER_BYTES - len(member_id))

    def _count(self, protocols: Protocols, by: int) -> None:
        for name, _ in protocols:
            count = self.votes.get(name, 0) + by
            if count:
                self.votes[name] = count
            else:
                del self.votes[name]

    def require_member(self, member_id: str, group_instance_id: str | None) -> Member:
        """Return the member with this id.

        Raises:
            FencedInstanceIdError: the instance has another member id now.
            UnknownMemberIdError: the member does not exist.
        """
        if group_instance_id is not None:
            current = self.static_members.get(group_instance_id)
            if current is None:
                raise UnknownMemberIdError
            if current != member_id:
                raise FencedInstanceIdError
        member = self.members.get(member_id)
        if member is None:
            raise UnknownMemberIdError
        return member

    def require_empty(self) -> None:
        """Check that the group can be deleted.

        Raises:
            NonEmptyGroupError: it has members.
        """
        if self.state is not GroupState.EMPTY:
            raise NonEmptyGroupError

    @property
    def may_be_over(self) -> bool:
        """True if nothing is left but committed offsets."""
        return self.state is GroupState.EMPTY and not self.pending_members

    def require_generation(self, generation: int) -> None:
        """Raise IllegalGenerationError unless `generation` is the current one."""
        if generation != self.generation:
            raise IllegalGenerationError

    def is_leader(self, member_id: str) -> bool:
        """True if this member is the group leader, which assigns."""
        return self.leader_id == member_id

    @property
    def joining_count(self) -> int:
        """The number of members that have joined and wait for the rebalance to complete."""
        return sum(member.joining is not None for member in self.members.values())

    @property
    def has_all_joined(self) -> bool:
        """True if every member has joined, and no issued member id is unused."""
        return not self.pending_members and all(
            member.joining is not None for member in self.members.values()
        )

    @property
    def rebalance_timeout_ms(self) -> int:
        """The longest rebalance timeout of the members; members may have negative ones."""
        return max((0, *(m.rebalance_timeout_ms for m in self.members.values())))

    def elect_joined_leader(self) -> bool:
        """Ensure that the leader is a member that joined; return False if no member joined."""
        leader = None if self.leader_id is None else self.members.get(self.leader_id)
        if leader is None:
            return False
        if leader.joining is not None:
            return True
        for member in self.members.values():
            if member.joining is not None:
                self.leader_id = member.member_id
                return True
        return False

    # Protocols

    def supports(self, protocol_type: str, protocols: Protocols) -> bool:
        """True if a member with these protocols can join."""
        if self.state is GroupState.EMPTY:
            return bool(protocol_type) and bool(protocols)
        return self.protocol_type == protocol_type and any(
            self.votes.get(name, 0) == len(self.members) for name, _ in protocols
        )

    def select_protocol(self) -> str:
        """Return the protocol with the most votes among those that all members offer."""
        assert self.members
        candidates = {
            name: None for name, count in self.votes.items() if count == len(self.members)
        }
        tally: dict[str, int] = {}
        for member in self.members.values():
            choice = member.vote(candidates)
            tally[choice] = tally.get(choice, 0) + 1
        return max(tally, key=lambda name: tally[name])

    def begin_generation(self, wall_ms: int) -> None:
        """End the join phase: start the next generation, or become empty without members."""
        self.generation += 1
        self.unsynced.clear()
        if self.members:
            self.protocol_name = self.select_protocol()
            self.transition(GroupState.COMPLETING_REBALANCE, wall_ms, "members have joined")
        else:
            self.protocol_name = None
            self.transition(GroupState.EMPTY, wall_ms, "no member is left")

    def joined_members(self) -> list[JoinGroupResponseMember]:
        """Return the members as the JoinGroup response of the leader lists them."""
        protocol = self.protocol_name or ""
        return [
            JoinGroupResponseMember(m.member_id, m.group_instance_id, m.metadata(protocol))
            for m in self.members.values()
        ]

    # What members consume

    @property
    def uses_consumer_protocol(self) -> bool:
        """True if members describe their topics in Kafka's consumer protocol."""
        return self.protocol_type == CONSUMER_PROTOCOL

    def subscribed_topics(self) -> frozenset[str] | None:
        """Return the topics that members subscribe to; None if they cannot be determined."""
        if not self.uses_consumer_protocol:
            return None
        if not self.members:
            return frozenset()
        if self.protocol_name is None:
            return None
        try:
            return frozenset(
                topic
                for member in self.members.values()
                for topic in subscription_of(member.metadata(self.protocol_name)).topics
            )
        except MalformedMessage:
            return None

    def may_consume(self, topic: str, subscribed: frozenset[str] | None) -> bool:
        """True if members may consume `topic`, given the result of `subscribed_topics`."""
        return self.uses_consumer_protocol if subscribed is None else topic in subscribed

    # Records

    def to_record(self, assignments: dict[str, bytes] | None = None) -> GroupMetadataValue:
        """Return the group as a record; `assignments` replace those of the members."""
        protocol = self.protocol_name
        return GroupMetadataValue(
            self.protocol_type or "",
            self.generation,
            protocol,
            self.leader_id,
            self.state_since_ms,
            [
                member.to_record(
                    protocol or "",
                    member.assignment
                    if assignments is None
                    else assignments.get(member.member_id, b""),
                )
                for member in self.members.values()
            ],
        )

    @classmethod
    def from_record(cls, group_id: str, record: GroupMetadataValue) -> "Group":
        """Return the group of a record: Stable with members, Empty without."""
        group = cls(
            group_id,
            record.current_state_timestamp,
            state=GroupState.STABLE if record.members else GroupState.EMPTY,
            generation=record.generation,
            protocol_type=record.protocol_type or None,
            protocol_name=record.protocol,
            leader_id=record.leader,
        )
        for member in record.members:
            group.add(Member.from_record(member, record.protocol or ""), record.protocol_type)
        return group
