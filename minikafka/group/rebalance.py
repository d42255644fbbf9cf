"""Rebalances of classic groups: joins, syncs and session timeouts of the members.

A rebalance starts with `prepare`, waits until all members have joined or the longest rebalance
timeout has passed, answers the joins, waits for the leader's assignment, stores it, and answers the
syncs. Timers belong to the group or to a member, and are cancelled with them.

Source: `GroupMetadataManager` (classicGroup*), KIP-62, KIP-134, KIP-345.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    ErrorCode,
    InconsistentGroupProtocolError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.common.timers import Timer
from minikafka.config import log_keys
from minikafka.coordinator.journal import Journal, Write
from minikafka.coordinator.pending import Pending
from minikafka.group.answers import (
    answer_join,
    answer_sync,
    assigned,
    join_failure,
    joined,
    sync_failure,
)
from minikafka.group.group import Group, GroupState
from minikafka.group.member import Member
from minikafka.group.records import group_key, group_value
from minikafka.messages.coordinator.group_metadata import GroupMetadataValue
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from minikafka.metadata.local_broker import BrokerView
from minikafka.records.builder import NewRecord

_log = logging.getLogger("minikafka.group")

Syncing = Pending[SyncGroupResponse]

_MIN_CHECK_MS = 1_000
"""The time after which the session of a member that waits for a response is checked again."""
_CAN_REBALANCE = (GroupState.EMPTY, GroupState.COMPLETING_REBALANCE, GroupState.STABLE)


@dataclass(slots=True, eq=False)
class Rebalance:
    """The rebalances, timers and stored state of the groups of one partition."""

    env: Environment
    view: BrokerView
    journal: Journal

    # Rebalancing

    def consider(self, group: Group, reason: str) -> None:
        """Start a rebalance after a change of the members, or continue the current one."""
        if group.state in _CAN_REBALANCE:
            self.prepare(group, reason)
        else:
            self.complete_join_if_all_are_here(group)

    def prepare(self, group: Group, reason: str) -> None:
        """Start a rebalance: every member must join again.

        The rebalance of an empty group waits `group.initial.rebalance.delay.ms` for more members.
        """
        if group.state is GroupState.COMPLETING_REBALANCE:
            self._fail_assignment(group, ErrorCode.REBALANCE_IN_PROGRESS)
        _stop_sync_timer(group)
        was_empty = group.state is GroupState.EMPTY
        group.transition(GroupState.PREPARING_REBALANCE, self.env.clock.wall_ms, reason)
        if not was_empty:
            self._complete_join_or_wait(group)
            return
        delay_ms = self.view.config[log_keys.GROUP_INITIAL_REBALANCE_DELAY_MS]
        left_ms = max(group.rebalance_timeout_ms - delay_ms, 0)
        group.joined_since_delay = False
        self._delay(group, delay_ms, left_ms)

    def _guarded(self, group: Group, callback: Callable[[], None]) -> Callable[[], None]:
        return self.env.guarded(f"a timer of group {group.group_id}", callback)

    def _delay(self, group: Group, delay_ms: int, left_ms: int) -> None:
        _stop_join_timer(group)
        group.join_timer = self.env.after(
            delay_ms,
            self._guarded(group, partial(self._initial_delay_over, group, delay_ms, left_ms)),
        )

    def _initial_delay_over(self, group: Group, delay_ms: int, left_ms: int) -> None:
        if not self.is_led():
            return
        if group.joined_since_delay and left_ms:
            group.joined_since_delay = False
            next_ms = min(self.view.config[log_keys.GROUP_INITIAL_REBALANCE_DELAY_MS], left_ms)
            self._delay(group, next_ms, max(left_ms - delay_ms, 0))
        else:
            self._complete_join(group)

    def complete_join_if_all_are_here(self, group: Group) -> None:
        """End the join phase if all members have joined, except during the initial delay."""
        if group.state is GroupState.PREPARING_REBALANCE and not (
            group.previous_state is GroupState.EMPTY and _is_running(group.join_timer)
        ):
            self._complete_join_or_wait(group)

    def _complete_join_or_wait(self, group: Group) -> None:
        if group.has_all_joined:
            self._complete_join(group)
        elif not _is_running(group.join_timer):
            group.join_timer = self.env.after(
                group.rebalance_timeout_ms,
                self._guarded(group, partial(self._join_timed_out, group)),
            )

    def _join_timed_out(self, group: Group) -> None:
        if self.is_led():
            self._complete_join(group)

    def _complete_join(self, group: Group) -> None:
        """End the join phase: members that did not join are removed, unless they are static."""
        _stop_join_timer(group)
        for member in list(group.members.values()):
            if member.joining is None and not member.is_static:
                group.remove(member.member_id)
        if group.members and not group.elect_joined_leader():
            # Only static members are left, and none joined. The next one that joins starts the wait
            # for the others. Unlike Kafka (row G6), which waits again and again, without any pause
            # if the rebalance timeout is 0.
            return
        group.begin_generation(self.env.clock.wall_ms)
        if group.state is GroupState.EMPTY:
            self.store(group, group.to_record(), partial(_warn_if_failed, group))
            return
        for member in group.members.values():
            answer_join(member, joined(group, member.member_id))
            self.renew_session(group, member, member.session_timeout_ms)
            member.is_new = False
            group.unsynced[member.member_id] = None
        group.sync_timer = self.env.after(
            group.rebalance_timeout_ms, self._guarded(group, partial(self._sync_timed_out, group))
        )

    # Syncing

    def sync(self, group: Group, request: SyncGroupRequest) -> Syncing:
        """Return a member's assignment; the leader's request brings the assignments of all.

        Raises:
            UnknownMemberIdError, FencedInstanceIdError, IllegalGenerationError,
            InconsistentGroupProtocolError, RebalanceInProgressError
        """
        member = group.require_member(request.member_id, request.group_instance_id)
        group.require_generation(request.generation_id)
        if _differ(request.protocol_type, group.protocol_type) or _differ(
            request.protocol_name, group.protocol_name
        ):
            raise InconsistentGroupProtocolError
        syncing = Syncing(self.env)
        match group.state:
            case GroupState.PREPARING_REBALANCE:
                raise RebalanceInProgressError
            case GroupState.COMPLETING_REBALANCE:
                answer_sync(member, sync_failure(ErrorCode.REBALANCE_IN_PROGRESS))
                member.syncing = syncing
                self._has_synced(group, member)
                if group.is_leader(member.member_id):
                    self._store_assignment(group, request, syncing)
            case GroupState.STABLE:
                self._has_synced(group, member)
                self.renew_session(group, member, member.session_timeout_ms)
                syncing.complete(assigned(group, member))
            case _:
                raise UnknownMemberIdError
        return syncing

    def _has_synced(self, group: Group, member: Member) -> None:
        group.unsynced.pop(member.member_id, None)
        if not group.unsynced:
            _stop_sync_timer(group)

    def _store_assignment(self, group: Group, request: SyncGroupRequest, syncing: Syncing) -> None:
        assignments = {each.member_id: bytes(each.assignment) for each in request.assignments}
        generation = group.generation

        def stored(code: ErrorCode) -> None:
            if group.state is not GroupState.COMPLETING_REBALANCE or group.generation != generation:
                return
            if code:
                self._fail_assignment(group, code)
                if self.journal.is_closed:
                    return
                self.prepare(group, f"the assignment could not be stored: {code.name}")
                return
            for member in group.members.values():
                group.assign(member, assignments.get(member.member_id, b""))
                answer_sync(member, assigned(group, member))
                self.renew_session(group, member, member.session_timeout_ms)
            group.transition(GroupState.STABLE, self.env.clock.wall_ms, "the leader has assigned")

        syncing.write = self.store(group, group.to_record(assignments), stored)

    def _fail_assignment(self, group: Group, code: ErrorCode) -> None:
        for member in group.members.values():
            group.assign(member, b"")
            if member.syncing is not None:
                answer_sync(member, sync_failure(code))
                self.renew_session(group, member, member.session_timeout_ms)

    def _sync_timed_out(self, group: Group) -> None:
        if not self.is_led() or not group.unsynced:
            return
        silent = list(group.unsynced)
        for member_id in silent:
            self.drop(group, member_id)
        self.prepare(group, f"members {silent} did not sync")

    # Sessions

    def resume(self, group: Group) -> None:
        """Start the member sessions of a group that was read from the log.

        Members that joined since then have theirs: a new one waits longer than its session.
        """
        for member in group.members.values():
            if member.timer is not None:
                continue
            self.renew_session(group, member, member.session_timeout_ms)
        is_too_large = len(group.members) > self.view.config[log_keys.GROUP_MAX_SIZE]
        if is_too_large and group.state in _CAN_REBALANCE:
            self.prepare(group, "the group is larger than group.max.size")

    def renew_session(self, group: Group, member: Member, timeout_ms: int) -> None:
        """Restart a member's session: it ends `timeout_ms` from now."""
        member.expires_at_ms = self.env.clock.monotonic_ms + timeout_ms
        timer = member.timer
        # A running timer is kept and checks for a later end when it fires, so that a heartbeat
        # need not start a timer.
        if timer is None or not timer.pending or timer.deadline_ms > member.expires_at_ms:
            member.stop_timer()
            self._start_session_timer(group, member)

    def _session_over(self, group: Group, member: Member) -> None:
        if not self.is_led() or group.members.get(member.member_id) is not member:
            return
        if self.env.clock.monotonic_ms < member.expires_at_ms:
            self._start_session_timer(group, member)
        elif member.outlives_silence:
            # It is checked again after the response, whatever that will be: a member always has a
            # timer.
            timeout_ms = max(member.session_timeout_ms, _MIN_CHECK_MS)
            self.renew_session(group, member, timeout_ms)
        else:
            self.drop(group, member.member_id)
            self.member_gone(group, f"the session of {member.member_id} timed out")

    def _start_session_timer(self, group: Group, member: Member) -> None:
        member.timer = self.env.timers.at(
            member.expires_at_ms,
            self._guarded(group, partial(self._session_over, group, member)),
        )

    # Ending

    def drop(self, group: Group, member_id: str) -> None:
        """Remove a member; answer its waiting requests with UNKNOWN_MEMBER_ID."""
        member = group.members.get(member_id)
        if member is not None:
            answer_join(member, join_failure(ErrorCode.UNKNOWN_MEMBER_ID, ""))
            answer_sync(member, sync_failure(ErrorCode.UNKNOWN_MEMBER_ID))
        group.remove(member_id)

    def member_gone(self, group: Group, reason: str) -> None:
        """Rebalance the remaining members after others were dropped."""
        if group.state in (GroupState.STABLE, GroupState.COMPLETING_REBALANCE):
            self.prepare(group, reason)
        else:
            self.complete_join_if_all_are_here(group)

    def end(self, group: Group, reason: str, code: ErrorCode = ErrorCode.NOT_COORDINATOR) -> None:
        """End a group on this broker; waiting requests are answered with `code`."""
        _stop_join_timer(group)
        _stop_sync_timer(group)
        for member_id in list(group.pending_members):
            group.forget_pending(member_id)
        for member in group.members.values():
            member.stop_timer()
            answer_join(member, join_failure(code, member.member_id))
            answer_sync(member, sync_failure(code))
        group.holding.count_out()
        group.transition(GroupState.DEAD, self.env.clock.wall_ms, reason)

    def is_led(self) -> bool:
        """True if this broker still leads the partition; otherwise close the shard."""
        self.journal.settle()
        if self.journal.is_closed:
            return False
        if self.journal.partition.is_leader:
            return True
        self.journal.owner.lose()
        return False

    def store(
        self, group: Group, value: GroupMetadataValue, stored: Callable[[ErrorCode], None]
    ) -> Write | None:
        """Write a group; `stored` gets the result, immediately if the append fails."""
        record = NewRecord(self.env.clock.wall_ms, group_key(group.group_id), group_value(value))
        try:
            return self.journal.append([record], on_decided=stored)
        except KafkaError as error:
            stored(error.code)
            return None


def _is_running(timer: Timer | None) -> bool:
    return timer is not None and timer.pending


def _stop_join_timer(group: Group) -> None:
    if group.join_timer is not None:
        group.join_timer.cancel()
        group.join_timer = None


def _stop_sync_timer(group: Group) -> None:
    if group.sync_timer is not None:
        group.sync_timer.cancel()
        group.sync_timer = None


def _warn_if_failed(group: Group, code: ErrorCode) -> None:
    # As Kafka: only a warning, as an empty group loses no more than its generation number.
    if code:
        _log.warning(
            "[Group %s] the empty group could not be stored: %s", group.group_id, code.name
        )


def _differ(given: str | None, current: str | None) -> bool:
    return given is not None and current is not None and given != current
