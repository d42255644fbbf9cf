"""The group coordinator against its log, with faults of appends and failovers between any requests.

Requests of clients, markers, deletions, expiry, time, replication and failovers come in random
order. An append may end the leadership, meet a full disk or too small an ISR, or be committed after
its deadline. A new coordinator has the whole log of the former one, or only what was committed.

After each step, clients read what the committed log says. In the end every request is answered, and
another coordinator loads the same state.
"""

from collections.abc import Generator
from functools import partial
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.apis.delete_groups import delete_groups
from minikafka.apis.join_group import join_group
from minikafka.apis.leave_group import leave_group
from minikafka.apis.offset_commit import offset_commit
from minikafka.apis.offset_delete import offset_delete
from minikafka.apis.sync_group import sync_group
from minikafka.apis.txn_offset_commit import txn_offset_commit
from minikafka.apis.write_txn_markers import write_txn_markers
from minikafka.common import environment
from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    ErrorCode,
    KafkaError,
    NotCoordinatorError,
)
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.coordinator import loading
from minikafka.group.group import GroupState
from minikafka.group.records import GroupRecord, parse_record
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol
from minikafka.messages.leave_group import LeaveGroupRequest, MemberIdentity
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
)
from minikafka.messages.offset_delete import (
    OffsetDeleteRequest,
    OffsetDeleteRequestPartition,
    OffsetDeleteRequestTopic,
)
from minikafka.messages.sync_group import SyncGroupRequest, SyncGroupRequestAssignment
from minikafka.messages.txn_offset_commit import (
    TxnOffsetCommitRequest,
    TxnOffsetCommitRequestPartition,
    TxnOffsetCommitRequestTopic,
)
from minikafka.messages.write_txn_markers import (
    WritableTxnMarker,
    WritableTxnMarkerTopic,
    WriteTxnMarkersRequest,
)
from minikafka.node.purgatory import Purgatory
from minikafka.records.reader import end_marker, read_batch
from minikafka.records.scan import split_batches
from minikafka.replica.in_sync_replicas import IsrState
from minikafka.sim.world.violation import endless_work
from tests.worlds.group_requests import Asked, T
from tests.worlds.group_world import SUBSCRIPTION, LostAtAppend, World
from tests.worlds.wire_world import take_turn

AT_ONCE = (join_group, leave_group)
"""Handlers that do not wait for what they write, as in Kafka."""
GROUPS = ("g", "members")
INSTANCES = ("i", "j")
REBALANCE_TIMEOUTS_MS = ((20_000,), (0, -1, -(2**31)), (20_000, 0, 2**31 - 1))
PROTOCOLS = (("range",), ("range",), ("cooperative-sticky", "range"))
PRODUCERS = (7, 8)


class State(NamedTuple):
    """What clients can see; `members` are those of stable groups."""

    offsets: dict
    unstable: set
    groups: set
    members: dict


def batches(log):
    read = log.read(0, 1 << 24, upper_bound_offset=log.log_end_offset, min_one_message=True)
    data = b"" if read.slice is None else read.slice.read()
    for position, header in split_batches(data):
        yield header, list(read_batch(data, position, header))


class Logged:
    """The offsets of a log, told by its records one by one."""

    def __init__(self, log, committed_to):
        self.offsets = {}
        self.open = {}
        for header, records in batches(log):
            is_committed = header.next_offset <= committed_to
            for record in records:
                if header.is_control:
                    if is_committed:
                        self.end(header.producer_id, end_marker(record))
                else:
                    self.take(header, record, is_committed)

    def end(self, producer_id, marker):
        ended = self.open.pop(producer_id, {})
        if marker.is_commit:
            for at, (value, offset) in ended.items():
                if value is not None and self.offsets.get(at, (None, -1))[1] < offset:
                    self.offsets[at] = (value, offset)

    def take(self, header, record, is_committed):
        parsed = parse_record(record.key, record.value)
        if isinstance(parsed, GroupRecord):
            return
        at = (parsed.key.group, parsed.key.topic, parsed.key.partition)
        if parsed.value is None:
            if is_committed:
                self.offsets[at] = (None, record.offset)
                for offsets in self.open.values():
                    if at in offsets:
                        offsets[at] = (None, record.offset)
        elif header.is_transactional:
            self.open.setdefault(header.producer_id, {})[at] = (parsed.value.offset, record.offset)
        elif is_committed:
            self.offsets[at] = (parsed.value.offset, record.offset)

    @property
    def present(self):
        return {at: value for at, (value, _) in self.offsets.items() if value is not None}

    @property
    def unstable(self):
        return {at for offsets in self.open.values() for at in offsets}


class Model:
    """The coordinator, its clients, and what they wait for."""

    def __init__(self, timeouts_ms):
        self.timeouts_ms = timeouts_ms
        self.world = World(replicas=(1, 2), offsets_retention_minutes=1)
        self.world.env.on_contained = failed
        self.world.env.on_endless_work = endless_work
        self.purgatory = Purgatory(self.world.env)
        self.unanswered = {}
        self.members = []
        """Leader, member id and generation of clients that have joined."""
        self.count = 0
        self.committed_to = 0

    # Requests

    def ask(self, handler, request, version, codes_of, then=None):
        self.count += 1
        number, before = self.count, self.world.log.log_end_offset
        self.unanswered[number] = request
        result = Asked(self.world)(handler, request, version)
        end_offset = self.world.log.log_end_offset

        def answered(response):
            del self.unanswered[number]
            codes = codes_of(response)
            assert set(codes) <= EXPECTED
            if end_offset > before and not any(codes) and handler not in AT_ONCE:
                assert self.world.log.high_watermark >= end_offset
            if then is not None:
                then(response)

        if isinstance(result, Generator):
            self.go_on(result, answered, None)
        else:
            answered(result)

    def go_on(self, steps, answered, settled):
        try:
            wait = steps.send(settled)
        except StopIteration as end:
            answered(end.value)
        else:
            self.purgatory.park(
                wait.keys, wait.settled, wait.deadline_ms, partial(self.go_on, steps, answered)
            )

    def commit(self, rng):
        indexes = rng.sample((0, 1), rng.randint(1, 2))
        rows = [OffsetCommitRequestPartition(index, self.count, 0, "") for index in indexes]
        topics = [OffsetCommitRequestTopic("t", T, rows)]
        request = OffsetCommitRequest(rng.choice(GROUPS), topics=topics)
        if self.members and rng.random() < 0.3:
            _, request.member_id, request.generation_id_or_member_epoch = rng.choice(self.members)
            request.group_id = "members"
        self.ask(offset_commit, request, 9, by_partition)

    def commit_transactional(self, rng):
        rows = [TxnOffsetCommitRequestPartition(rng.randrange(2), self.count, 0, "")]
        topics = [TxnOffsetCommitRequestTopic("t", partitions=rows)]
        request = TxnOffsetCommitRequest(
            "x", rng.choice(GROUPS), rng.choice(PRODUCERS), 0, -1, "", None, topics
        )
        self.ask(txn_offset_commit, request, 3, by_partition)

    def mark(self, rng):
        topics = [WritableTxnMarkerTopic(OFFSETS_TOPIC, [0])]
        marker = WritableTxnMarker(rng.choice(PRODUCERS), 0, rng.random() < 0.5, topics)
        request = WriteTxnMarkersRequest([marker])
        self.ask(write_txn_markers, request, 1, lambda found: by_partition(found.markers[0]))

    def delete(self, rng):
        names = rng.sample(GROUPS, rng.randint(1, 2))
        request = DeleteGroupsRequest(names)
        self.ask(delete_groups, request, 2, lambda found: [r.error_code for r in found.results])

    def delete_offsets(self, rng):
        rows = [OffsetDeleteRequestPartition(rng.randrange(2))]
        request = OffsetDeleteRequest(rng.choice(GROUPS), [OffsetDeleteRequestTopic("t", rows)])
        self.ask(offset_delete, request, 0, lambda found: [found.error_code, *by_partition(found)])

    def join(self, rng):
        member_id = rng.choice(self.members)[1] if self.members and rng.random() < 0.5 else ""
        # A known member may name the instance of another one, or one that it is not.
        instance = rng.choice((None, None, None, *INSTANCES))
        names = rng.choice(PROTOCOLS)
        request = JoinGroupRequest(
            "members", 10_000, rng.choice(self.timeouts_ms), member_id, instance, "consumer",
            [JoinGroupRequestProtocol(name, SUBSCRIPTION) for name in names],
        )  # fmt: skip

        def joined(response):
            if not response.error_code:
                member = (response.leader, response.member_id, response.generation_id)
                others = [each for each in self.members if each[1] != response.member_id]
                self.members = [*others[-3:], member]

        version = 3 if instance is None else 5
        self.ask(join_group, request, version, lambda found: [found.error_code], joined)

    def sync(self, rng):
        if self.members:
            leader, member_id, generation = rng.choice(self.members)
            found = [SyncGroupRequestAssignment(each[1], b"a") for each in self.members]
            assignments = found if leader == member_id else []
            request = SyncGroupRequest("members", generation, member_id, assignments=assignments)
            self.ask(sync_group, request, 3, lambda found: [found.error_code])

    def leave(self, rng):
        """Leave, or remove a static member as an operator does."""
        leaving = MemberIdentity("", rng.choice(INSTANCES))
        if self.members and rng.random() < 0.7:
            leaving = MemberIdentity(rng.choice(self.members)[1])
        request = LeaveGroupRequest("members", members=[leaving])
        self.ask(leave_group, request, 4, lambda found: [found.error_code])

    # Faults and time

    def lose_at_append(self, rng):
        LostAtAppend(self.world, is_told=rng.random() < 0.5)
        rng.choice(APPENDS)(self, rng)

    def lose_minimum_isr(self, rng):
        partition = self.world.partition
        isr = partition.isr
        partition.isr = IsrState((1,))
        rng.choice(APPENDS)(self, rng)
        partition.isr = isr

    def lose_disk(self, rng):
        self.world.disk.fill(rng.choice((0, 100)))
        rng.choice(APPENDS)(self, rng)
        self.world.run()
        self.world.disk.fill(1 << 40)
        if not self.world.partition.is_leader:
            self.purgatory.drain()
            # What was written of the append may be in its file.
            self.world.log = self.world.open_log(clean=False)
            self.world.log.high_watermark = self.committed_to
            self.fail_over(rng)

    def replicate(self, rng):
        if self.world.partition.is_leader:
            high_watermark = self.world.log.high_watermark
            ends = [header.next_offset for header, _ in batches(self.world.log)]
            ends = [end for end in ends if end > high_watermark] or [high_watermark]
            self.world.replicate(rng.choice((ends[0], ends[0], ends[0], ends[-1])))

    def take_turn(self, _):
        take_turn(self.world.env, self.world.env.clock.monotonic_ms)

    def pass_time(self, rng):
        self.world.run(for_ms=rng.choice((0, 1_000, 6_000, 30_000)))

    def clean(self, rng):
        self.world.run(for_ms=rng.choice((0, 61_000)))
        for shard in list(self.world.groups.shards.values()):
            shard.expiration.clean()

    def forget_topic(self, _):
        self.world.groups.forget_topics(frozenset("t"))

    def elect(self, rng):
        """Another epoch, with or without another leader before."""
        if rng.random() < 0.5:
            self.world.lead(leader=2)
            if rng.random() < 0.5:
                self.world.log.truncate_to(self.committed_to, self.world.env.clock.now)
        self.world.lead()

    def fail_over(self, rng):
        before = None
        if rng.random() < 0.5:
            self.world.run()
            self.purgatory.drain()
            before = self.settled_state()
        keep_to = rng.choice((None, self.committed_to)) if before is None else None
        self.unanswered.clear()
        self.purgatory = Purgatory(self.world.env)
        self.world.fail_over(keep_to)
        if before is not None:
            self.world.run()
            self.require_loaded(before)
        else:
            self.world.log.high_watermark = rng.randint(0, self.world.log.high_watermark)

    # What must hold

    def settle(self):
        self.purgatory.drain()
        world = self.world
        self.committed_to = max(self.committed_to, world.log.high_watermark)
        try:
            seen = offsets_of(world)
        except (NotCoordinatorError, CoordinatorLoadInProgressError):
            return
        logged = Logged(world.log, world.log.high_watermark)
        assert seen == (logged.present, logged.unstable)

    def settled_state(self):
        """The state if everything is committed and known to the coordinator, else None."""
        world = self.world
        try:
            shard = world.groups.shard_of("g")
        except KafkaError:
            return None
        is_settled = world.log.high_watermark == world.log.log_end_offset
        if not is_settled or shard.store.journal.is_waiting:
            return None
        return state_of(world)

    def require_loaded(self, before):
        """The coordinator has the state of the former one."""
        after = state_of(self.world)
        assert after[:3] == before[:3]
        for group_id, members in before.members.items():
            assert after.members[group_id] == members

    def finish(self, rng):
        """Give everything the time to end, and load it once more."""
        for _ in range(130):
            if not self.world.partition.is_leader:
                self.world.lead()
            self.world.run(for_ms=1_000)
            if self.world.partition.is_leader:
                self.world.replicate()
            self.settle()
        assert self.unanswered == {}
        before = self.settled_state()
        assert before is not None
        held_bytes = self.world.groups.memory.held_bytes
        self.world.fail_over()
        self.world.run()
        self.require_loaded(before)
        assert self.world.groups.memory.held_bytes == held_bytes


def failed(what, error):
    raise AssertionError(what) from error


def by_partition(response):
    return [each.error_code for topic in response.topics for each in topic.partitions]


def offsets_of(world):
    """Committed offsets and unstable partitions, as clients get them."""
    present, unstable = {}, set()
    for group_id in GROUPS:
        present |= {(group_id, "t", at): value for at, value in world.committed(group_id).items()}
        unstable |= {(group_id, "t", at) for at in world.unstable(group_id)}
    return present, unstable


def state_of(world):
    groups = {group.group_id: group for group in world.groups.all_groups()}
    members = {
        name: (
            group.generation,
            {each.member_id: each.assignment for each in group.members.values()},
        )
        for name, group in groups.items()
        if group.state is GroupState.STABLE
    }
    return State(*offsets_of(world), set(groups), members)


EXPECTED = {
    ErrorCode.NONE, ErrorCode.COORDINATOR_LOAD_IN_PROGRESS, ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.NOT_COORDINATOR, ErrorCode.GROUP_ID_NOT_FOUND, ErrorCode.NON_EMPTY_GROUP,
    ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.ILLEGAL_GENERATION, ErrorCode.REBALANCE_IN_PROGRESS,
    ErrorCode.GROUP_SUBSCRIBED_TO_TOPIC, ErrorCode.NOT_LEADER_OR_FOLLOWER,
    ErrorCode.FENCED_INSTANCE_ID,
    # A loaded member has only the protocol of its generation.
    ErrorCode.INCONSISTENT_GROUP_PROTOCOL,
    ErrorCode.NOT_ENOUGH_REPLICAS, ErrorCode.KAFKA_STORAGE_ERROR,
}  # fmt: skip

APPENDS = (
    Model.commit, Model.commit, Model.commit_transactional, Model.mark, Model.delete,
    Model.delete_offsets, Model.join, Model.sync,
)  # fmt: skip

STEPS = (
    *APPENDS, *APPENDS, Model.delete, Model.delete_offsets, Model.leave, Model.clean, Model.forget_topic, Model.elect,
    Model.fail_over, Model.lose_at_append, Model.lose_minimum_isr, Model.lose_disk,
    *(Model.replicate,) * 8, *(Model.take_turn,) * 5, *(Model.pass_time,) * 2,
)  # fmt: skip
OF_MEMBERS = (*STEPS, *(Model.join, Model.sync, Model.leave, Model.pass_time) * 6)
"""Steps of a group whose members come and go."""


@given(st.integers(0, 2**32), st.integers(30, 150), st.sampled_from((1, 3, 300)))
def test_clients_see_the_committed_log_and_the_next_coordinator_the_same(seed, length, units):
    play(seed, length, units)


def play(seed, length, units):
    """Random steps, and what must hold after each one and in the end."""
    rng = Random(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(environment, "STEP_BUDGET_US", 10 * units)
        patch.setattr(loading, "_SLICE_BYTES", 400)
        model = Model(rng.choice(REBALANCE_TIMEOUTS_MS))
        steps = rng.choice((STEPS, OF_MEMBERS))
        for _ in range(length):
            rng.choice(steps)(model, rng)
            model.settle()
        model.finish(rng)
