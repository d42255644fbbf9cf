"""Groups that change their protocol while they are in use."""

import pytest

from minikafka.common.errors import ErrorCode, GroupIdNotFoundError
from minikafka.common.ids import Uuid
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ClassicMember, ConsumerMember
from minikafka.group.consumer.records import assignment_record, member_record
from minikafka.group.embedded import assignment_bytes, assignment_of
from minikafka.group.group import Group, GroupState
from minikafka.group.member import Member
from minikafka.group.migration import (
    downgraded,
    may_downgrade,
    may_downgrade_without,
    require_upgradable,
    upgraded,
)
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest
from tests.worlds.consumer_groups import InProcess
from tests.worlds.group_world import SUBSCRIPTION

OFFERED = (("range", SUBSCRIPTION),)


def classic_group(*members, generation=3):
    group = Group(
        "g", 0, state=GroupState.STABLE, generation=generation, protocol_type="consumer",
        protocol_name="range",
    )  # fmt: skip
    for each in members:
        group.add(each, "consumer")
    return group


def classic(name, assignment=b"", instance=None, protocols=OFFERED):
    return Member(name, instance, "c", "/h", 60_000, 10_000, protocols, assignment)


@pytest.fixture
def image():
    return InProcess({"t": 3}).image


def hash_of(names, _):
    return len(list(names))


def test_members_keep_what_they_have(image):
    group = classic_group(
        classic("a", assignment_bytes({"t": [0, 1], "gone": [0]}, 1)), classic("b", instance="i")
    )
    new = ConsumerGroup("g")
    for record in upgraded(group, image, hash_of):
        new.apply(record)
    topic_id = image.topic_ids["t"]
    assert (new.epoch, new.assignment_epoch, new.metadata_hash) == (3, 3, 1)
    assert new.members["a"].assigned == {topic_id: {0: 3, 1: 3}}
    assert new.target("a") == {topic_id: {0, 1}}
    assert new.members["b"].instance_id == "i"
    assert all(each.is_classic for each in new.members.values())


@pytest.mark.parametrize(
    ("group", "policy", "most", "why"),
    [
        (classic_group(classic("a")), "downgrade", 9, "online upgrade is disabled"),
        (classic_group(classic("a")), "disabled", 9, "online upgrade is disabled"),
        (classic_group(classic("a"), classic("b")), "upgrade", 1, "exceeds"),
    ],
)
def test_some_groups_stay_classic(group, policy, most, why):
    with pytest.raises(GroupIdNotFoundError, match=why):
        require_upgradable(group, policy, most)


def test_groups_of_other_protocols_stay_classic():
    group = classic_group(classic("a"))
    group.protocol_type = "connect"
    with pytest.raises(GroupIdNotFoundError, match="embedded protocol"):
        require_upgradable(group, "bidirectional", 9)


@pytest.mark.parametrize(
    ("member", "why"),
    [
        (classic("a", protocols=(("range", b"\0"),)), "malformed"),
        (classic("a", assignment_bytes({}, 0)[:-4] + b"\0\0\0\1x"), "custom assignor"),
    ],
)
def test_bytes_that_cannot_be_kept_refuse_the_change(image, member, why):
    with pytest.raises(GroupIdNotFoundError, match=why):
        list(upgraded(classic_group(member), image, hash_of))


def consumer_group(*members):
    group = ConsumerGroup("g")
    for each in members:
        group.apply(member_record("g", each))
        group.apply(assignment_record("g", each))
    return group


CLASSIC = ClassicMember(10_000, OFFERED)


@pytest.mark.parametrize(
    ("leaving", "policy", "most", "expected"),
    [
        (["new"], "bidirectional", 9, True),
        (["new"], "downgrade", 9, True),
        (["new"], "upgrade", 9, False),
        (["new"], "bidirectional", 1, False),
        (["a"], "bidirectional", 9, False),
        (["new", "a", "b"], "bidirectional", 9, False),
    ],
)
def test_a_group_is_classic_again_without_its_last_consumer_member(leaving, policy, most, expected):
    members = [
        ConsumerMember("a", classic=CLASSIC),
        ConsumerMember("b", classic=CLASSIC),
        ConsumerMember("new"),
    ]
    group = consumer_group(*members)
    gone = {name: group.members[name] for name in leaving}
    assert may_downgrade(group, gone, policy, most) is expected


def test_a_classic_member_that_replaces_the_last_consumer_member():
    group = consumer_group(
        ConsumerMember("a", classic=CLASSIC), ConsumerMember("s", instance_id="i")
    )
    assert may_downgrade_without(group, group.members["s"], "bidirectional", 9)
    assert not may_downgrade_without(group, group.members["a"], "bidirectional", 9)
    assert not may_downgrade_without(group, group.members["s"], "upgrade", 9)


def test_members_get_their_targets_as_bytes(image):
    topic_id = image.topic_ids["t"]
    group = consumer_group(ConsumerMember("a", classic=CLASSIC))
    group.targets["a"] = {topic_id: {2, 1}, Uuid.of(9, 9): {0}}
    found = downgraded(group, {}, 8, image, 77)
    assert (found.state, found.generation, found.protocol_name) == (GroupState.STABLE, 8, "range")
    (topic,) = assignment_of(found.members["a"].assignment).assigned_partitions
    assert (topic.topic, topic.partitions) == ("t", [1, 2])


def test_members_keep_what_others_have_not_got_yet(image):
    """A consumer group that takes over before the rebalance has ended must not give it away."""
    topic_id = image.topic_ids["t"]
    slow = ConsumerMember(
        "slow", classic=CLASSIC, assigned={topic_id: {0: 7}}, revoking={topic_id: {1: 7}}
    )
    fast = ConsumerMember("fast", classic=CLASSIC)
    group = consumer_group(slow, fast, ConsumerMember("new"))
    group.targets.update({"slow": {topic_id: {0}}, "fast": {topic_id: {1}}})
    found = downgraded(group, {"new": group.members["new"]}, 8, image, 77)
    (topic,) = assignment_of(found.members["slow"].assignment).assigned_partitions
    assert topic.partitions == [0, 1]
    assert assignment_of(found.members["fast"].assignment).assigned_partitions == []


def test_an_empty_classic_group_makes_room():
    side = InProcess({"t": 1})
    side.world.commit({0: 5})
    join = ConsumerGroupHeartbeatRequest(
        "g", "m", 0, None, None, 1000, ["t"], None, None, []
    )  # fmt: skip
    assert side.ask(join, 1).error_code == ErrorCode.NONE
    (shard,) = side.world.groups.shards.values()
    assert isinstance(shard.store.groups["g"], ConsumerGroup)
    assert shard.store.offsets["g"].written_count == 1
