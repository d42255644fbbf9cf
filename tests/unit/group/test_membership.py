"""Joining, staying in and leaving a classic group."""

import pytest

from minikafka.common.errors import (
    ErrorCode,
    FencedInstanceIdError,
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.group.group import GroupState
from tests.worlds.group_world import SESSION_MS


def test_new_dynamic_member_is_given_its_id_before_it_may_join(world):
    answer = world.join().answer
    assert answer.error_code == ErrorCode.MEMBER_ID_REQUIRED
    assert answer.member_id.startswith("client-")
    assert not world.group().members


def test_old_clients_join_without_an_id(world):
    joining = world.join(version=3)
    world.run()
    assert joining.answer.error_code == 0
    assert joining.answer.generation_id == 1


def test_id_that_was_given_out_expires_with_the_session(world):
    member_id = world.member_id()
    world.run(10_001)
    with pytest.raises(UnknownMemberIdError):
        world.join(member_id)


def test_only_the_leader_learns_who_else_is_in_the_group(world):
    first, second = world.enter(2)
    assert first.leader == second.leader == first.member_id
    assert [m.member_id for m in first.members] == [first.member_id, second.member_id]
    assert second.members == []
    assert (first.protocol_type, first.protocol_name) == ("consumer", "range")


def test_member_of_an_unknown_group_is_unknown(world):
    with pytest.raises(UnknownMemberIdError):
        world.join("other")


def test_empty_group_takes_no_member_without_protocols(world):
    with pytest.raises(InconsistentGroupProtocolError):
        world.join(protocols=())
    with pytest.raises(InconsistentGroupProtocolError):
        world.join(protocol_type="")


def test_member_with_no_common_protocol_stays_out(world):
    world.stable()
    with pytest.raises(InconsistentGroupProtocolError):
        world.join(protocols=("other",))
    with pytest.raises(InconsistentGroupProtocolError):
        world.join(protocol_type="connect")


def test_full_group_takes_no_member(make_world):
    world = make_world(group_max_size=1)
    world.stable()
    answer = world.join().answer
    assert (answer.error_code, answer.member_id) == (ErrorCode.GROUP_MAX_SIZE_REACHED, "")


def test_follower_that_joins_again_unchanged_gets_the_current_generation(world):
    _, follower = world.stable(2)
    answer = world.join(follower).answer
    assert (answer.error_code, answer.generation_id, answer.members) == (0, 1, [])
    assert world.group().state is GroupState.STABLE


def test_leader_that_joins_again_starts_a_rebalance(world):
    leader, _ = world.stable(2)
    assert not world.join(leader).settled()
    assert world.group().state is GroupState.PREPARING_REBALANCE


def test_follower_with_other_protocols_starts_a_rebalance(world):
    _, follower = world.stable(2)
    world.join(follower, protocols=("range", "sticky"))
    assert world.group().state is GroupState.PREPARING_REBALANCE


def test_join_repeated_while_others_sync_is_answered_at_once(world):
    first, _ = world.enter(2)
    again = world.join(first.member_id).answer
    assert again.generation_id == 1
    assert len(again.members) == 2


def test_second_join_of_a_waiting_member_takes_the_place_of_the_first(world):
    leader, follower = world.stable(2)
    first = world.join(leader)
    second = world.join(leader)
    assert first.answer.error_code == ErrorCode.REBALANCE_IN_PROGRESS
    world.join(follower)
    assert second.answer.generation_id == 2


def test_heartbeat_says_when_to_join_again(world):
    leader, follower = world.stable(2)
    world.heartbeat(follower, 1)
    world.join(leader)
    with pytest.raises(RebalanceInProgressError):
        world.heartbeat(follower, 1)


def test_heartbeat_of_the_wrong_generation_or_member_fails(world):
    (member,) = world.stable()
    with pytest.raises(IllegalGenerationError):
        world.heartbeat(member, 2)
    with pytest.raises(UnknownMemberIdError):
        world.heartbeat("other", 1)
    with pytest.raises(UnknownMemberIdError):
        world.heartbeat(member, 1, group="other")


# Leaving


def test_each_leaving_member_has_its_own_answer(world):
    first, second = world.stable(2)
    answers = world.leave(("unknown",), (first,))
    assert [a.error_code for a in answers] == [ErrorCode.UNKNOWN_MEMBER_ID, 0]
    assert list(world.group().members) == [second]
    assert world.group().state is GroupState.PREPARING_REBALANCE


def test_group_is_empty_when_the_last_member_left(world):
    (member,) = world.stable()
    world.leave((member,))
    group = world.group()
    assert (group.state, group.generation, group.leader_id) == (GroupState.EMPTY, 2, None)
    value = world.records()[-1].value
    assert (value.generation, value.members, value.protocol_type) == (2, [], "consumer")


def test_member_that_leaves_while_it_waits_is_told_that_it_is_unknown(world):
    leader, _ = world.stable(2)
    joining = world.join(leader)
    world.leave((leader,))
    assert joining.answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID


def test_id_that_was_given_out_can_leave(world):
    member_id = world.member_id()
    assert world.leave((member_id,))[0].error_code == 0
    assert not world.group().pending_members


# Static members (KIP-345)


def static(world, *instances):
    """A stable group of static members; their ids."""
    waiting = [world.join(instance=each) for each in instances]
    world.run()
    ids = [each.answer.member_id for each in waiting]
    for instance, member_id in reversed(list(zip(instances, ids, strict=True))):
        world.sync(member_id, 1, {each: each.encode() for each in ids}, instance=instance)
    assert world.group().state is GroupState.STABLE
    return ids


def test_static_member_that_is_back_goes_on_without_a_rebalance(world):
    _, follower = static(world, "a", "b")
    answer = world.join(instance="b").answer
    assert (answer.error_code, answer.generation_id) == (0, 1)
    assert answer.member_id != follower
    assert world.group().state is GroupState.STABLE
    synced = world.sync(answer.member_id, 1, instance="b").answer
    assert synced.assignment == follower.encode()


def test_static_leader_that_is_back_skips_the_assignment(world):
    leader, _ = static(world, "a", "b")
    answer = world.join(instance="a").answer
    assert answer.skip_assignment
    assert answer.leader == answer.member_id != leader
    assert len(answer.members) == 2


def test_static_leader_of_an_old_client_gets_its_former_id_as_leader(world):
    leader, _ = static(world, "a", "b")
    answer = world.join(instance="a", version=8).answer
    assert (answer.leader, answer.members, answer.skip_assignment) == (leader, [], False)


def test_former_id_of_a_static_member_is_fenced(world):
    (former,) = static(world, "a")
    world.join(instance="a")
    with pytest.raises(FencedInstanceIdError):
        world.heartbeat(former, 1, instance="a")
    with pytest.raises(UnknownMemberIdError):
        world.heartbeat(former, 1)


def test_waiting_static_member_is_fenced_by_its_successor(world):
    first, _ = static(world, "a", "b")
    joining = world.join(first, instance="a")
    world.join(instance="a")
    assert joining.answer.error_code == ErrorCode.FENCED_INSTANCE_ID


def test_static_member_with_another_first_choice_starts_a_rebalance(world):
    joining = [world.join(instance=each, protocols=("x", "y")) for each in "ab"]
    world.run()
    first, second = (each.answer.member_id for each in joining)
    world.sync(second, 1, instance="b")
    world.sync(first, 1, instance="a")
    again = [world.join(instance=each, protocols=("y",)) for each in "ab"]
    assert [each.answer.protocol_name for each in again] == ["y", "y"]
    assert world.group().generation == 2


def test_operator_removes_a_static_member_by_its_instance(world):
    static(world, "a", "b")
    answers = world.leave(("", "a"), ("", "c"), ("wrong", "b"))
    assert [a.error_code for a in answers] == [
        0,
        ErrorCode.UNKNOWN_MEMBER_ID,
        ErrorCode.FENCED_INSTANCE_ID,
    ]
    assert list(world.group().static_members) == ["b"]


def test_failed_write_gives_a_static_member_its_former_id_back(make_world):
    world = make_world(replicas=(1, 2))
    joining = world.join(instance="a")
    world.run()
    former = joining.answer.member_id
    world.sync(former, 1, {former: b"x"}, instance="a")
    world.replicate()
    world.heartbeat(former, 1, instance="a")
    again = world.join(instance="a", protocols=("range", "x"), session_timeout_ms=7_000)
    assert not again.settled()
    again.write.expire()
    assert again.answer.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.heartbeat(former, 1, instance="a")
    member = world.group().members[former]
    assert [name for name, _ in member.protocols] == ["range"]
    assert member.session_timeout_ms == SESSION_MS
    assert world.group().votes == {"range": 1}


@pytest.mark.parametrize("instance", ["a", "other"])
def test_an_id_that_was_issued_cannot_join_as_a_static_member(world, instance):
    """It would be the second member of its instance. Kafka: UNKNOWN_SERVER_ERROR, too."""
    (static_id,) = static(world, "a")
    issued = world.member_id()
    answer = world.join(issued, instance=instance).answer
    assert (answer.error_code, answer.member_id) == (ErrorCode.UNKNOWN_SERVER_ERROR, "")
    assert list(world.group().members) == [static_id]
    assert world.group().static_members == {"a": static_id}
    world.heartbeat(static_id, 1, instance="a")
    world.join(issued)
    assert issued in world.group().members


def test_a_static_member_that_waits_longer_than_its_session_has_a_session_afterwards(make_world):
    world = make_world(replicas=(1, 2), group_min_session_timeout_ms=1)
    joining = world.join(instance="a", session_timeout_ms=1_000)
    world.run()
    first = joining.answer.member_id
    world.sync(first, 1, {first: b"x"}, instance="a")
    world.replicate()
    world.run()
    again = world.join(instance="a", session_timeout_ms=1_000)
    world.run(4_500)
    assert not again.settled()
    world.replicate()
    assert again.settled()
    assert again.answer.error_code == ErrorCode.NONE
    world.run(999)
    world.heartbeat(again.answer.member_id, 1, instance="a")
    world.run(1_001)
    assert not world.group().members


def test_a_member_that_waits_has_a_session_timer_all_the_time(make_world):
    world = make_world(group_min_session_timeout_ms=1)
    leader, follower = world.stable(2, session_timeout_ms=500)
    waiting = world.join(leader, session_timeout_ms=1)
    long_chains = []
    world.env.timers.on_long_chain = long_chains.append
    for _ in range(40):
        world.run(400)
        with pytest.raises(RebalanceInProgressError):
            world.heartbeat(follower, 1)
        assert world.group().members[leader].timer.pending
    assert not waiting.settled()
    assert long_chains == []
