"""The consumer groups of a shard: operations on them, and the writes that they need.

Each operation makes a draft, appends its records, and lets the group of the draft take over. An
operation that fails leaves the group as it was.

Source: `GroupMetadataManager`.
"""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from minikafka.common.errors import (
    ErrorCode,
    GroupIdNotFoundError,
    KafkaError,
)
from minikafka.config import consumer_group_keys, log_keys
from minikafka.config.definition import Key
from minikafka.coordinator.journal import Write
from minikafka.group.consumer import heartbeat, records
from minikafka.group.consumer.assignors import ASSIGNORS
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ConsumerMember, MemberState
from minikafka.group.consumer.metadata_hash import TopicHashes
from minikafka.group.consumer.settings import assignor_names, settings_of
from minikafka.group.consumer.timeouts import MemberTimeouts, Timeout, TimeoutKind
from minikafka.group.consumer.world import GroupWorld
from minikafka.group.group import Group
from minikafka.group.migration import downgraded, may_downgrade
from minikafka.group.records import consumer_key, consumer_value, group_key, group_value
from minikafka.group.store import GroupStore
from minikafka.records.builder import NewRecord

_log = logging.getLogger("minikafka.group")
T = TypeVar("T")


def _ignore(_: ErrorCode) -> None:
    pass


@dataclass(slots=True, eq=False)
class ConsumerGroups:
    """The consumer groups of a store."""

    store: GroupStore
    hashes: TopicHashes = field(default_factory=TopicHashes)
    timeouts: MemberTimeouts = field(init=False)

    def __post_init__(self) -> None:
        """Create the timeouts of the members."""
        self.timeouts = MemberTimeouts(self.store.env, self._expired)

    # Life

    def resume(self, group: ConsumerGroup) -> None:
        """Start the timeouts of a group that was loaded."""
        for member in group.members.values():
            self.renew_session(group, member)
            self.watch_revocation(group, member)

    def close(self) -> None:
        """Stop all timeouts: the shard no longer serves."""
        self.timeouts.close()

    # Members

    def remove(self, group: ConsumerGroup, members: Iterable[ConsumerMember]) -> Write | None:
        """Remove members, and start the next epoch of the group.

        If only classic members stay, it becomes a classic group, which rebalances.

        Raises:
            The errors of `Journal.append`.
        """
        gone = {each.member_id: each for each in members}
        draft = Draft(group)
        if self._may_downgrade(group, gone):
            self.downgrade(draft, gone, group.epoch)
        else:
            draft.write_all(records.member_tombstones(group.group_id, gone))
            for pattern in [
                each for each in draft.group.resolved if not draft.group.patterns[each]
            ]:
                draft.write(records.pattern_tombstone(group.group_id, pattern))
            heartbeat.bump_epoch(draft, self.world(group.group_id), has_changed=True)
        write = self.commit(draft)
        for member_id in gone:
            self.timeouts.stop_all(group.group_id, member_id)
        if draft.successor is not None:
            self.store.rebalance.prepare(
                draft.successor, "the last member of the consumer protocol has left"
            )
        return write

    def require_room(self, group: ConsumerGroup, member_id: str) -> None:
        """Check that a member may join.

        Raises:
            GroupMaxSizeReachedError: the group is full.
        """
        heartbeat.require_room(group, member_id, self.config(consumer_group_keys.MAX_SIZE))

    # Groups

    def group(self, group_id: str) -> ConsumerGroup:
        """Return the consumer group with this id.

        Raises:
            GroupIdNotFoundError: there is no group, or one of the classic protocol.
        """
        found = self.store.groups.get(group_id)
        if found is None:
            raise GroupIdNotFoundError(f"Group {group_id} not found.")
        if not isinstance(found, ConsumerGroup):
            raise GroupIdNotFoundError(f"Group {group_id} is not a consumer group.")
        return found

    def _may_downgrade(self, group: ConsumerGroup, gone: Mapping[str, ConsumerMember]) -> bool:
        policy = self.config(consumer_group_keys.MIGRATION_POLICY)
        return may_downgrade(group, gone, policy, self.config(log_keys.GROUP_MAX_SIZE))

    def downgrade(self, draft: Draft, gone: Mapping[str, ConsumerMember], generation: int) -> None:
        """Let a classic group take the place of the group, without the members that are gone.

        Raises:
            GroupIdNotFoundError: the bytes of a member are malformed.
        """
        group = draft.group
        wall_ms = self.store.env.clock.wall_ms
        draft.successor = downgraded(group, gone, generation, self.store.view.image, wall_ms)
        draft.write_all(group.tombstones())

    def world(self, group_id: str) -> GroupWorld:
        """Return what an operation on a group depends on."""
        store = self.store
        image = self.store.view.image
        config = store.view.config
        return GroupWorld(
            image,
            self.hashes,
            store.env.clock.wall_ms,
            settings_of(group_id, config, image),
            {name: ASSIGNORS[name] for name in assignor_names(config)},
        )

    def config(self, key: Key[T]) -> T:
        """Return the current value of a broker key."""
        return self.store.view.config[key]

    # Writes

    def commit(
        self, draft: Draft, on_decided: Callable[[ErrorCode], None] = _ignore
    ) -> Write | None:
        """Append the records of a draft, and let its group take over; return the open write.

        Without records there may be a write, too: what the answer tells may not be committed yet.
        `on_decided` gets the result; it is called before this returns if there is no write.

        Raises:
            CoordinatorNotAvailableError (memory bound reached), and the errors of `Journal.append`;
            `on_decided` is not called then.
        """
        store = self.store
        journal = store.journal
        if draft.is_empty:
            if not journal.is_waiting:
                on_decided(ErrorCode.NONE)
                return None
            timeout_ms = self.config(log_keys.OFFSETS_COMMIT_TIMEOUT_MS)
            deadline_ms = store.env.clock.monotonic_ms + timeout_ms
            end_offset = store.shard.partition.log.log_end_offset
            return journal.expect(end_offset, deadline_ms, on_decided=on_decided)
        group = draft.group
        store.memory.require(group.size_bytes - group.holding.held_bytes)
        write = journal.append(self._new_records(draft), on_decided=on_decided)
        if draft.former is not None:
            why = "it becomes a consumer group"
            store.rebalance.end(draft.former, why, ErrorCode.REBALANCE_IN_PROGRESS)
        if draft.successor is None:
            store.groups[group.group_id] = group
            group.holding.add(group.size_bytes - group.holding.held_bytes)
            group.holding.count_in(store.memory)
            if draft.former is not None:
                self.resume(group)
        else:
            self._succeed(group, draft.successor)
        return write

    def _new_records(self, draft: Draft) -> list[NewRecord]:
        record = self.store.record
        found = [
            record(consumer_key(each.key), consumer_value(each.value)) for each in draft.records
        ]
        key = group_key(draft.group.group_id)
        if draft.former is not None:
            found.insert(0, record(key, None))
        if draft.successor is not None:
            found.append(record(key, group_value(draft.successor.to_record())))
        return found

    def _succeed(self, group: ConsumerGroup, successor: Group) -> None:
        """Let a classic group take the place of a consumer group."""
        store = self.store
        store.end(group, "it becomes a classic group")
        store.groups[group.group_id] = successor
        successor.holding.count_in(store.memory)
        for member in successor.members.values():
            self.timeouts.stop_all(group.group_id, member.member_id)
            store.rebalance.renew_session(successor, member, member.session_timeout_ms)
        _log.info("[Group %s] is a classic group now", group.group_id)

    # Timeouts

    def renew_session(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        """Restart a member's session."""
        if member.classic is not None:
            timeout_ms = member.classic.session_timeout_ms
        else:
            settings = settings_of(group.group_id, self.store.view.config, self.store.view.image)
            timeout_ms = settings.session_timeout_ms
        timeout = Timeout(TimeoutKind.HEARTBEAT, group.group_id, member.member_id)
        self.timeouts.start(timeout, timeout_ms)

    def watch_revocation(self, group: ConsumerGroup, member: ConsumerMember) -> None:
        """Give a member its rebalance timeout to give partitions up, if it must."""
        kind = TimeoutKind.REVOCATION
        if member.state is MemberState.UNREVOKED_PARTITIONS and not member.is_classic:
            timeout = Timeout(kind, group.group_id, member.member_id, member.epoch)
            self.timeouts.start(timeout, member.rebalance_timeout_ms)
        else:
            self.timeouts.stop(kind, group.group_id, member.member_id)

    def _expired(self, timeout: Timeout) -> bool:
        """Remove a member whose time is over; return False if that must be tried again."""
        if not self.store.shard.serves:
            return True
        group = self.store.groups.get(timeout.group_id)
        if not isinstance(group, ConsumerGroup):
            return True
        member = group.members.get(timeout.member_id)
        if member is None or timeout.epoch not in (None, member.epoch):
            return True
        why = timeout.kind.value
        _log.info("[Group %s] member %s is removed: %s", group.group_id, member.member_id, why)
        try:
            self.remove(group, [member])
        except KafkaError as error:
            # NOT_COORDINATOR may be a storage error that is over soon, such as a lack of files.
            _log.info("[Group %s] it cannot be removed yet: %s", group.group_id, error)
            return not self.store.shard.serves
        return True
