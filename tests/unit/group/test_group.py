"""A group's state machine: transitions, leaders, votes, subscriptions."""

import pytest

from minikafka.common.faults import InvariantViolation
from minikafka.group.group import Group, GroupState
from minikafka.group.member import Member


def member(name, *protocols, instance=None):
    offered = tuple((each, b"") for each in protocols or ("range",))
    return Member(name, instance, "c", "/h", 60_000, 10_000, offered)


def group_of(*members):
    group = Group("g", 0)
    for each in members:
        group.add(each, "consumer")
    return group


LEGAL = {
    ("Empty", "PreparingRebalance"),
    ("PreparingRebalance", "Empty"),
    ("PreparingRebalance", "CompletingRebalance"),
    ("CompletingRebalance", "PreparingRebalance"),
    ("CompletingRebalance", "Stable"),
    ("Stable", "PreparingRebalance"),
} | {(state.value, "Dead") for state in GroupState}


@pytest.mark.parametrize("source", list(GroupState))
@pytest.mark.parametrize("target", list(GroupState))
def test_only_legal_transitions_are_made(source, target):
    group = Group("g", 0, state=source)
    if (source.value, target.value) in LEGAL:
        group.transition(target, 77, "test")
        assert (group.state, group.previous_state) == (target, source)
        assert group.state_since_ms == 77
    else:
        with pytest.raises(InvariantViolation):
            group.transition(target, 77, "test")
        assert group.state is source


def test_first_member_leads_and_the_next_one_when_it_goes():
    group = group_of(member("a"), member("b"))
    assert group.is_leader("a")
    group.remove("a")
    assert group.is_leader("b")
    group.remove("b")
    assert group.leader_id is None


def test_protocol_needs_the_support_of_all():
    group = group_of(member("a", "x", "y"), member("b", "y", "z"))
    group.state = GroupState.STABLE
    assert group.select_protocol() == "y"
    assert group.supports("consumer", (("y", b""),))
    assert not group.supports("consumer", (("x", b""), ("z", b"")))
    group.remove("b")
    assert group.supports("consumer", (("x", b""),))


def test_update_moves_a_members_votes():
    first = member("a", "x", "y")
    group = group_of(first, member("b", "x", "y"))
    group.update(first, (("y", b"new"),), 1, 2)
    assert group.select_protocol() == "y"
    assert group.votes == {"x": 1, "y": 2}
    assert (first.rebalance_timeout_ms, first.session_timeout_ms) == (1, 2)


def test_static_member_is_replaced_in_its_place():
    group = group_of(member("a", instance="i"), member("b"))
    old, new = group.replace_static("a", "a2")
    assert list(group.members) == ["a2", "b"]
    assert group.static_members == {"i": "a2"}
    assert group.is_leader("a2")
    assert (old.member_id, new.protocols) == ("a", old.protocols)


def test_rebalance_lasts_as_long_as_the_slowest_member_may_take():
    slow = member("b")
    slow.rebalance_timeout_ms = 90_000
    assert group_of(member("a"), slow).rebalance_timeout_ms == 90_000
    assert Group("g", 0).rebalance_timeout_ms == 0


def test_subscriptions_are_the_union_over_members():
    def subscribing(name, topic):
        metadata = b"\0\0\0\0\0\1\0\1" + topic + b"\xff\xff\xff\xff"
        return Member(name, None, "c", "/h", 1, 1, (("range", metadata),))

    group = group_of(subscribing("a", b"x"), subscribing("b", b"y"))
    assert group.subscribed_topics() is None
    group.protocol_name = "range"
    assert group.subscribed_topics() == {"x", "y"}
    assert group.may_consume("x", group.subscribed_topics())
    assert not group.may_consume("z", group.subscribed_topics())


def test_subscription_of_a_newer_client_is_understood():
    metadata = b"\0\x63\0\0\0\1\0\1x\xff\xff\xff\xff\0\0\0\0\0\0\0\0\xff\xff more"
    group = group_of(Member("a", None, "c", "/h", 1, 1, (("range", metadata),)))
    group.protocol_name = "range"
    assert group.subscribed_topics() == {"x"}


@pytest.mark.parametrize("metadata", [b"", b"\0", b"\xff\xff\0\0", b"\0\0\0\0\0\5"])
def test_subscription_that_makes_no_sense_may_be_to_anything(metadata):
    group = group_of(Member("a", None, "c", "/h", 1, 1, (("range", metadata),)))
    group.protocol_name = "range"
    assert group.subscribed_topics() is None
    assert group.may_consume("any", None)


def test_group_of_another_kind_has_no_subscriptions():
    group = Group("g", 0)
    group.add(member("a"), "connect")
    assert group.subscribed_topics() is None
    assert not group.may_consume("any", None)


def test_group_survives_its_record():
    group = group_of(member("a", "range", instance="i"), member("b"))
    group.generation = 4
    group.protocol_name = "range"
    again = Group.from_record("g", group.to_record({"a": b"1"}))
    assert (again.state, again.generation, again.leader_id) == (GroupState.STABLE, 4, "a")
    assert [m.assignment for m in again.members.values()] == [b"1", b""]
    assert again.static_members == {"i": "a"}


def test_a_static_member_that_is_replaced_owes_no_sync():
    group = group_of(member("a", instance="i"), member("b"))
    group.unsynced = {"a": None, "b": None}
    group.replace_static("a", "a2")
    assert list(group.unsynced) == ["b"]
