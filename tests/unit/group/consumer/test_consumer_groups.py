"""Sessions, revocations, bounds and bad input of consumer groups."""

import pytest

from minikafka.common.errors import CoordinatorNotAvailableError, ErrorCode, NotCoordinatorError
from minikafka.common.ids import Uuid
from minikafka.coordinator.journal import Journal
from minikafka.group.consumer import background
from minikafka.group.consumer.group import ConsumerGroup, ConsumerGroupState
from minikafka.messages.consumer_group_describe import ConsumerGroupDescribeRequest
from minikafka.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatRequestTopicPartitions,
)
from minikafka.messages.list_groups import ListGroupsRequest
from tests.worlds.consumer_groups import InProcess
from tests.worlds.wire_world import take_turn

SESSION_MS = 45_000


@pytest.fixture
def side():
    return InProcess({"t": 4})


def join(name, timeout_ms=60_000, names=("t",), **more):
    return ConsumerGroupHeartbeatRequest(
        "g", name, 0, rebalance_timeout_ms=timeout_ms, subscribed_topic_names=list(names),
        topic_partitions=[], **more,
    )  # fmt: skip


def beat(side, name, epoch, owned=None, **more):
    partitions = None
    if owned is not None:
        partitions = [
            ConsumerGroupHeartbeatRequestTopicPartitions(side.topic_ids["t"], sorted(owned))
        ]
    return ConsumerGroupHeartbeatRequest("g", name, epoch, topic_partitions=partitions, **more)


def group_of(side):
    (shard,) = side.world.groups.shards.values()
    return shard.store.groups["g"]


def given(answer):
    return [sorted(each.partitions) for each in answer.assignment.topic_partitions]


def test_a_silent_member_is_removed(side):
    side.ask(join("a"), 1)
    side.ask(join("b"), 1)
    side.world.run(for_ms=SESSION_MS - 1)
    side.ask(beat(side, "b", 3), 1)
    side.world.run(for_ms=2)
    assert list(group_of(side).members) == ["b"]
    assert group_of(side).state is ConsumerGroupState.ASSIGNING
    assert given(side.ask(beat(side, "b", 3), 1)) == [[0, 1, 2, 3]]


def test_a_member_that_gives_nothing_up_is_removed(side):
    side.ask(join("a", timeout_ms=10_000), 1)
    side.ask(join("b"), 1)
    kept = side.ask(beat(side, "a", 2, owned=range(4)), 1)
    assert (given(kept), kept.member_epoch) == ([[0, 1]], 2)
    side.world.run(for_ms=9_999)
    assert side.ask(beat(side, "a", 2, owned=range(4)), 1).member_epoch == 2
    side.world.run(for_ms=2)
    assert list(group_of(side).members) == ["b"]


def test_a_member_that_gives_up_in_time_stays(side):
    side.ask(join("a", timeout_ms=10_000), 1)
    side.ask(join("b"), 1)
    side.ask(beat(side, "a", 2, owned=range(4)), 1)
    side.world.run(for_ms=9_999)
    assert side.ask(beat(side, "a", 2, owned=[0, 1]), 1).member_epoch == 3
    side.world.run(for_ms=20_000)
    assert sorted(group_of(side).members) == ["a", "b"]
    assert given(side.ask(beat(side, "b", 3), 1)) == [[2, 3]]


def test_a_coordinator_that_takes_over_removes_members_that_stay_silent(side):
    side.ask(join("a"), 1)
    side.fail_over()
    side.world.run(for_ms=SESSION_MS - 1)
    assert list(group_of(side).members) == ["a"]
    side.world.run(for_ms=2)
    assert not group_of(side).members


def join_many(side, count):
    """Let members join in one moment; their sessions end together."""
    for number in range(count):
        side.ask(join(f"m{number:02}"), 1)
    world = side.world
    world.at(world.env.clock.monotonic_ms + SESSION_MS)
    take_turn(world.env, world.env.clock.monotonic_ms)


def test_sessions_that_end_together_are_ended_in_several_steps(side):
    join_many(side, 60)
    assert 40 < len(group_of(side).members) < 60
    side.world.run()
    assert not group_of(side).members


def test_a_member_that_is_heard_of_before_its_turn_stays(side):
    join_many(side, 60)
    assert not side.ask(beat(side, "m59", group_of(side).members["m59"].epoch), 1).error_code
    side.world.run()
    assert list(group_of(side).members) == ["m59"]
    side.world.run(for_ms=SESSION_MS)
    assert not group_of(side).members


def test_a_shard_that_ends_removes_no_members_in_later_steps(side):
    join_many(side, 60)
    (shard,) = side.world.groups.shards.values()
    staying = len(group_of(side).members)
    shard.groups.close()
    side.world.run()
    assert len(group_of(side).members) == staying


@pytest.mark.parametrize("error", [CoordinatorNotAvailableError, NotCoordinatorError])
def test_a_removal_that_cannot_be_written_is_tried_again(side, monkeypatch, error):
    """A storage error is NOT_COORDINATOR for clients, also if it is over soon."""
    side.ask(join("a"), 1)
    (shard,) = side.world.groups.shards.values()

    def refuse(_, *__, **___):
        raise error

    with monkeypatch.context() as patched:
        patched.setattr(Journal, "append", refuse)
        side.world.run(for_ms=SESSION_MS + 400)
        assert list(shard.store.groups["g"].members) == ["a"]
    side.world.run(for_ms=101)
    assert not shard.store.groups["g"].members


def test_a_full_group_takes_no_more_members():
    side = InProcess({"t": 1}, group_consumer_max_size=1)
    side.ask(join("a"), 1)
    refused = side.ask(join("b"), 1)
    assert refused.error_code == ErrorCode.GROUP_MAX_SIZE_REACHED
    assert refused.error_message == (
        "The consumer group has reached its maximum capacity of 1 members."
    )
    assert side.ask(join("a"), 1).error_code == 0


def test_members_hold_no_more_memory_than_groups_may():
    side = InProcess({"t": 1}, group_coordinator_memory_bytes=1_048_576)
    many = [f"topic-{number}" for number in range(100_000)]
    refused = side.ask(join("a", names=many), 1)
    assert refused.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    (shard,) = side.world.groups.shards.values()
    assert (shard.store.groups, shard.store.memory.held_bytes) == ({}, 0)
    assert side.ask(join("a"), 1).error_code == 0
    held = shard.store.memory.held_bytes
    assert held == group_of(side).size_bytes > 0
    side.ask(beat(side, "a", -1), 1)
    assert shard.store.memory.held_bytes == group_of(side).size_bytes < held


def test_a_group_without_traffic_writes_nothing(side):
    side.ask(join("a"), 1)
    end_offset = side.world.log.log_end_offset
    for _ in range(20):
        side.world.run(for_ms=5_000)
        side.ask(beat(side, "a", 2), 1)
    assert side.world.log.log_end_offset == end_offset


def test_a_topic_with_more_partitions_starts_an_epoch(side):
    side.ask(join("a"), 1)
    side.create("t", 6, side.topic_ids["t"])
    answer = side.ask(beat(side, "a", 2), 1)
    assert (answer.member_epoch, given(answer)) == (3, [[0, 1, 2, 3, 4, 5]])


def test_a_group_is_assigned_once_in_its_interval():
    side = InProcess({"t": 4}, group_consumer_assignment_interval_ms=1000)
    assert side.ask(join("a"), 1).member_epoch == 2
    side.world.run(for_ms=10)
    assert side.ask(join("b"), 1).member_epoch == 2
    assert group_of(side).state is ConsumerGroupState.ASSIGNING
    side.world.run(for_ms=989)
    assert side.ask(beat(side, "b", 2), 1).member_epoch == 2
    side.world.run(for_ms=1)
    assert side.ask(beat(side, "b", 2), 1).member_epoch == 3


def test_an_assignment_of_the_future_delays_none():
    """The coordinator's clock goes back, or the former coordinator's was ahead."""
    side = InProcess({"t": 4}, group_consumer_assignment_interval_ms=1000)
    assert side.ask(join("a"), 1).member_epoch == 2
    side.world.wall_ms -= 30_000
    side.world.run(for_ms=10)
    assert side.ask(join("b"), 1).member_epoch == 3


def test_patterns_that_were_resolved_in_the_future_are_resolved_again(side):
    request = ConsumerGroupHeartbeatRequest(
        "g", "a", 0, rebalance_timeout_ms=1000, subscribed_topic_regex="t.*", topic_partitions=[]
    )
    side.ask(request, 1)
    side.world.run(for_ms=1)
    assert given(side.ask(beat(side, "a", 1), 1)) == [[0, 1, 2, 3]]
    side.create("tt", 1, Uuid.of(5, 5))
    side.world.wall_ms -= 30_000
    side.world.run(for_ms=1)
    side.ask(beat(side, "a", 2), 1)
    side.world.run(for_ms=1)
    assert sorted(given(side.ask(beat(side, "a", 2), 1))) == [[0], [0, 1, 2, 3]]


def test_a_new_topic_matches_a_pattern(side):
    request = ConsumerGroupHeartbeatRequest(
        "g", "a", 0, rebalance_timeout_ms=1000, subscribed_topic_regex="t.*", topic_partitions=[]
    )
    side.ask(request, 1)
    side.world.run(for_ms=1)
    assert given(side.ask(beat(side, "a", 1), 1)) == [[0, 1, 2, 3]]
    side.create("tt", 1, Uuid.of(5, 5))
    side.world.run(for_ms=10_001)
    side.ask(beat(side, "a", 2), 1)
    side.world.run(for_ms=1)
    assert sorted(given(side.ask(beat(side, "a", 2), 1))) == [[0], [0, 1, 2, 3]]


def test_a_member_is_told_what_it_has_when_it_says_all(side):
    side.ask(join("a"), 1)
    assert side.ask(beat(side, "a", 2), 1).assignment is None
    full = beat(side, "a", 2, owned=[], rebalance_timeout_ms=60_000, subscribed_topic_names=["t"])
    assert given(side.ask(full, 1)) == [[0, 1, 2, 3]]


def test_a_group_is_gone_when_nothing_is_left(side):
    side.ask(join("a"), 1)
    side.ask(beat(side, "a", -1), 1)
    assert group_of(side).state is ConsumerGroupState.EMPTY
    (shard,) = side.world.groups.shards.values()
    shard.expiration.clean()
    side.world.run(for_ms=1)
    assert (shard.store.groups, shard.store.memory.held_bytes) == ({}, 0)
    side.fail_over()
    (shard,) = side.world.groups.shards.values()
    assert shard.store.groups == {}


def test_many_members_and_partitions_are_divided_in_slices():
    side = InProcess({"t": 2_000})
    longest = 0
    env = side.world.env
    for number in range(300):
        side.ask(join(f"m{number}"), 1)
        longest = max(longest, env.spent_us)
        side.world.run(for_ms=10)
    side.ask(beat(side, "m0", 2, owned=range(2_000)), 1)
    side.world.run(for_ms=100)
    group = group_of(side)
    assert isinstance(group, ConsumerGroup)
    assert group.assignment_epoch == group.epoch
    sizes = [len(next(iter(each.values()), ())) for each in group.targets.values()]
    assert (sum(sizes), max(sizes) - min(sizes)) == (2_000, 1)


def test_a_small_group_is_divided_at_once_also_beside_other_work(side):
    side.world.env.spent_us = 10_000
    assert given(side.ask(join("a"), 1)) == [[0, 1, 2, 3]]


def test_a_member_without_targets_yet_learns_of_them_later(side, monkeypatch):
    monkeypatch.setattr(background, "_AT_ONCE_US", 0)
    side.world.env.spent_us = 10_000
    assert given(side.ask(join("a"), 1)) == []
    side.world.run(for_ms=1)
    answer = side.ask(beat(side, "a", 1), 1)
    assert (answer.member_epoch, given(answer)) == (2, [[0, 1, 2, 3]])


def test_a_cluster_without_the_feature_has_no_consumer_groups(side):
    side.change(lambda builder: builder.set_feature("group.version", 0))
    answer = side.ask(join("a"), 1)
    assert (answer.error_code, answer.error_message) == (ErrorCode.UNSUPPORTED_VERSION, None)
    (described,) = side.ask(ConsumerGroupDescribeRequest(["g"]), 1).groups
    assert described.error_code == ErrorCode.UNSUPPORTED_VERSION


def test_a_broker_may_be_configured_without_consumer_groups():
    side = InProcess({"t": 1}, group_coordinator_rebalance_protocols="classic")
    assert side.ask(join("a"), 1).error_code == ErrorCode.UNSUPPORTED_VERSION


def test_groups_and_members_are_listed_in_the_order_of_kafka(side):
    for name in ("member-1", "member-2", "member-0"):
        side.ask(join(name), 1)
    (group,) = side.ask(ConsumerGroupDescribeRequest(["g"]), 1).groups
    assert [each.member_id for each in group.members] == ["member-0", "member-2", "member-1"]
    for index in range(1, 7):
        request = join("a")
        request.group_id = f"grp-{index}"
        side.ask(request, 1)
    listed = [each.group_id for each in side.ask(ListGroupsRequest(), 5).groups]
    assert listed.index("grp-4") < listed.index("grp-1")


def test_an_assignor_may_be_configured_by_the_class_of_kafka():
    package = "org.apache.kafka.coordinator.group.assignor"
    names = f"{package}.RangeAssignor,range,{package}.UniformAssignor"
    side = InProcess({"t": 3}, group_consumer_assignors=names)
    assert side.ask(join("a", server_assignor="uniform"), 1).error_code == ErrorCode.NONE
    refused = side.ask(join("b", server_assignor="sticky"), 1)
    assert refused.error_message.endswith("Supported assignors: range, uniform.")
    request = join("c")
    request.group_id = "other"
    side.ask(request, 1)
    (group,) = side.ask(ConsumerGroupDescribeRequest(["other"]), 1).groups
    assert group.assignor_name == "range"


def test_a_member_may_subscribe_to_100_000_topics(side):
    """The answers are those of Apache Kafka: such a record must fit into a batch."""
    short = [f"{number:05}" for number in range(100_000)]
    answer = side.ask(join("a", names=["t", *short]), 1)
    assert given(answer) == [[0, 1, 2, 3]]
    assert len(group_of(side).members["a"].subscribed_names) == 100_001
    long = [f"{number:030}" for number in range(100_000)]
    assert side.ask(join("b", names=long), 1).error_code == ErrorCode.UNKNOWN_SERVER_ERROR
    assert list(group_of(side).members) == ["a"]
