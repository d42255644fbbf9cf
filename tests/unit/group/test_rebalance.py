"""Rebalances: who is waited for, who assigns, what silence does."""

from random import Random

import pytest

from minikafka.common.errors import (
    ErrorCode,
    IllegalGenerationError,
    InconsistentGroupProtocolError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.group.group import GroupState


def test_first_rebalance_waits_for_more_members(make_world):
    world = make_world(group_initial_rebalance_delay_ms=3000)
    first = world.join(world.member_id())
    world.run(2000)
    second = world.join(world.member_id())
    assert not first.settled()
    world.run(1000)
    # The second one came during the delay, which therefore starts again.
    assert not first.settled()
    world.run(3000)
    assert first.answer.generation_id == second.answer.generation_id == 1
    assert len(first.answer.members) == 2


def test_a_member_that_joins_while_groups_are_resumed_keeps_its_longer_wait(world):
    world.stable()
    world.join(version=3)
    (new,) = [member for member in world.group().members.values() if member.is_new]
    until_ms = new.expires_at_ms
    world.groups.shard_of("g").store.rebalance.resume(world.group())
    assert new.expires_at_ms == until_ms > world.env.clock.monotonic_ms + new.session_timeout_ms


def test_first_rebalance_waits_no_longer_than_the_rebalance_timeout(make_world):
    world = make_world(group_initial_rebalance_delay_ms=3000)
    first = world.join(world.member_id(), rebalance_timeout_ms=5000)
    for _ in range(4):
        world.run(1500)
        world.join(world.member_id(), rebalance_timeout_ms=5000)
    assert first.answer.generation_id == 1


def test_rebalance_ends_when_the_last_member_has_joined(world):
    leader, follower = world.stable(2)
    first = world.join(leader)
    assert not first.settled()
    second = world.join(follower)
    assert first.answer.generation_id == second.answer.generation_id == 2


def test_rebalance_waits_for_ids_that_were_given_out(world):
    (leader,) = world.stable()
    newcomer = world.member_id()
    first = world.join(leader)
    assert not first.settled()
    world.join(newcomer)
    assert len(first.answer.members) == 2


def test_members_that_do_not_join_in_time_lose_their_place(world):
    leader, follower = world.stable(2, session_timeout_ms=300_000)
    first = world.join(leader, session_timeout_ms=300_000)
    world.run(60_000)
    assert [m.member_id for m in first.answer.members] == [leader]
    with pytest.raises(UnknownMemberIdError):
        world.join(follower)


def test_follower_leads_when_the_leader_does_not_join_in_time(world):
    _, follower = world.stable(2, session_timeout_ms=300_000)
    joining = world.join(follower, protocols=("range", "x"), session_timeout_ms=300_000)
    world.run(60_000)
    assert joining.answer.leader == follower


def test_static_member_keeps_its_place_through_a_rebalance_that_it_misses(world):
    joining = [world.join(instance=each, session_timeout_ms=300_000) for each in "ab"]
    world.run()
    first, second = (each.answer.member_id for each in joining)
    world.sync(second, 1, instance="b")
    world.sync(first, 1, instance="a")
    again = world.join(first, instance="a", session_timeout_ms=300_000)
    world.run(60_000)
    assert [m.member_id for m in again.answer.members] == [first, second]


def test_protocol_is_what_most_prefer_of_what_all_offer(world):
    offers = (("a", "b", "c"), ("b", "c"), ("c", "b"))
    ids = [world.member_id(protocols=each) for each in offers]
    waiting = [world.join(i, protocols=p) for i, p in zip(ids, offers, strict=True)]
    world.run()
    assert {each.answer.protocol_name for each in waiting} == {"b"}


# Syncing


def test_everybody_gets_what_the_leader_assigned(world):
    leader, follower = (each.member_id for each in world.enter(2))
    waiting = world.sync(follower, 1)
    assert not waiting.settled()
    own = world.sync(leader, 1, {leader: b"mine", follower: b"yours"})
    assert (own.answer.assignment, waiting.answer.assignment) == (b"mine", b"yours")
    assert waiting.answer.protocol_name == "range"
    assert world.group().state is GroupState.STABLE


def test_assignment_is_in_the_log_before_anybody_gets_it(make_world):
    world = make_world(replicas=(1, 2))
    member = world.enter()[0].member_id
    syncing = world.sync(member, 1, {member: b"x"})
    assert world.records()[-1].value.members[0].assignment == b"x"
    assert not syncing.settled()
    assert world.group().state is GroupState.COMPLETING_REBALANCE
    world.replicate()
    assert syncing.settled()
    assert syncing.answer.assignment == b"x"
    assert world.group().state is GroupState.STABLE


def test_assignment_that_cannot_be_stored_in_time_starts_a_rebalance(make_world):
    world = make_world(replicas=(1, 2))
    leader, follower = (each.member_id for each in world.enter(2))
    waiting = world.sync(follower, 1)
    own = world.sync(leader, 1, {})
    own.write.expire()
    assert own.answer.error_code == waiting.answer.error_code
    assert own.answer.error_code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    assert world.group().state is GroupState.PREPARING_REBALANCE


def test_assignment_of_a_generation_that_is_over_changes_nothing(make_world):
    world = make_world(replicas=(1, 2))
    leader, follower = (each.member_id for each in world.enter(2))
    own = world.sync(leader, 1, {leader: b"old"})
    world.join(follower, protocols=("range", "x"))
    assert own.answer.error_code == ErrorCode.REBALANCE_IN_PROGRESS
    world.replicate()
    assert own.write.settled()
    assert world.group().state is GroupState.PREPARING_REBALANCE
    assert world.group().members[leader].assignment == b""


def test_sync_of_the_wrong_generation_member_or_protocol_fails(world):
    member = world.enter()[0].member_id
    with pytest.raises(IllegalGenerationError):
        world.sync(member, 2)
    with pytest.raises(UnknownMemberIdError):
        world.sync("other", 1)
    with pytest.raises(InconsistentGroupProtocolError):
        world.sync(member, 1, protocol_name="other")


def test_sync_during_a_rebalance_says_so(world):
    leader, follower = world.stable(2)
    world.join(leader)
    with pytest.raises(RebalanceInProgressError):
        world.sync(follower, 1)


def test_sync_in_a_stable_group_repeats_the_assignment(world):
    (member,) = world.stable()
    assert world.sync(member, 1).answer.assignment == member.encode()


def test_members_that_do_not_sync_in_time_are_expelled(world):
    leader, follower = (each.member_id for each in world.enter(2, session_timeout_ms=300_000))
    own = world.sync(leader, 1, {})
    assert own.settled()
    world.run(60_000)
    assert list(world.group().members) == [leader]
    assert world.group().state is GroupState.PREPARING_REBALANCE
    with pytest.raises(UnknownMemberIdError):
        world.sync(follower, 1)


# Sessions


def test_silent_member_is_removed_and_the_others_rebalance(world):
    leader, follower = world.stable(2)
    world.run(9_000)
    world.heartbeat(leader, 1)
    world.run(1_000)
    assert list(world.group().members) == [leader]
    assert world.group().state is GroupState.PREPARING_REBALANCE
    with pytest.raises(UnknownMemberIdError):
        world.heartbeat(follower, 1)


def test_heartbeats_keep_a_member(world):
    (member,) = world.stable()
    for _ in range(20):
        world.run(9_000)
        world.heartbeat(member, 1)
    assert world.group().state is GroupState.STABLE


def test_commits_keep_a_member_as_heartbeats_do(world):
    (member,) = world.stable()
    for _ in range(5):
        world.run(9_000)
        world.commit({0: 1}, member_id=member, generation=1)
    assert list(world.group().members) == [member]


def test_member_that_waits_for_others_owes_no_heartbeat(world):
    leader, follower = world.stable(2)
    world.heartbeat(follower, 1)
    joining = world.join(leader)
    for _ in range(3):
        world.run(9_000)
        with pytest.raises(RebalanceInProgressError):
            world.heartbeat(follower, 1)
    assert leader in world.group().members
    assert not joining.settled()


def test_new_member_without_client_is_dropped_after_five_minutes(make_world):
    world = make_world(group_initial_rebalance_delay_ms=600_000)
    joining = world.join(version=0, rebalance_timeout_ms=600_000)
    world.run(300_000)
    assert joining.answer.error_code == ErrorCode.UNKNOWN_MEMBER_ID
    assert not world.group().members


def test_waiting_members_go_elsewhere_when_leadership_is_lost(world):
    leader, follower = world.stable(2)
    joining = world.join(leader)
    world.stable(1, group="h")
    world.lead(leader=2)
    assert joining.answer.error_code == ErrorCode.NOT_COORDINATOR
    assert world.env.timers.next_deadline_ms() == 600_000  # only the expiry of offsets is left


def static_pair(world, rebalance_timeout_ms):
    """Two static members of a stable group; their ids, the leader first, and the generation."""
    joins = [
        world.join(instance=name, rebalance_timeout_ms=timeout_ms, session_timeout_ms=1_800_000)
        for name, timeout_ms in (("i1", rebalance_timeout_ms), ("i2", 60_000))
    ]
    world.run()
    ids = [each.answer.member_id for each in joins]
    generation = joins[0].answer.generation_id
    for each in reversed(ids):
        plan = dict.fromkeys(ids, b"a") if each == joins[0].answer.leader else None
        world.sync(each, generation, plan)
    assert world.group().state is GroupState.STABLE
    return ids


@pytest.mark.parametrize("timeout_ms", [0, -1, -(2**31), 1])
def test_a_silent_static_member_without_rebalance_timeout_starts_no_timers(world, timeout_ms):
    ids = static_pair(world, timeout_ms)
    fired = []
    world.env.timers.on_long_chain = fired.append
    world.leave((ids[1], "i2"))
    world.run(1_000)
    assert world.group().state is GroupState.PREPARING_REBALANCE
    assert world.env.timers.next_deadline_ms() > world.env.clock.monotonic_ms + 1_000
    again = world.join(ids[0], instance="i1", rebalance_timeout_ms=timeout_ms)
    assert again.answer.error_code == ErrorCode.NONE
    assert again.answer.leader == ids[0]
    assert fired == []


def test_the_first_static_member_that_joins_starts_the_wait_for_the_others(world):
    ids = static_pair(world, 5_000)
    world.join(instance="i3", rebalance_timeout_ms=5_000)
    world.leave(("", "i3"))
    world.run(600_000)
    assert world.group().state is GroupState.PREPARING_REBALANCE
    joining = world.join(ids[1], instance="i2", rebalance_timeout_ms=7_000)
    world.run(6_999)
    assert not joining.settled()
    world.run(1)
    assert joining.answer.leader == ids[1]


@pytest.mark.parametrize(
    ("version", "timeout_ms", "is_kept"),
    [(0, -1, True), (1, -1, False), (1, 0, False), (1, 2**31 - 1, True)],
)
def test_only_version_0_has_no_rebalance_timeout_of_its_own(world, version, timeout_ms, is_kept):
    """As Kafka 4.3.1 answers: a negative timeout is 0, and the member must sync at once."""
    joining = world.join(version=version, rebalance_timeout_ms=timeout_ms)
    world.run(10)
    assert joining.answer.error_code == ErrorCode.NONE
    assert bool(world.group().members) is is_kept


@pytest.mark.parametrize("gone", ["leader", "follower"])
def test_a_member_that_leaves_before_the_assignment_starts_a_rebalance(world, gone):
    leader, follower = (each.member_id for each in world.enter(2))
    world.leave((leader if gone == "leader" else follower, None))
    assert world.group().state is GroupState.PREPARING_REBALANCE
    left = follower if gone == "leader" else leader
    with pytest.raises(RebalanceInProgressError):
        world.sync(left, 1, {left: b"x"})
    assert world.join(left).answer.generation_id == 2


def test_the_wait_for_syncs_ends_with_its_generation(world):
    leader, follower = (each.member_id for each in world.enter(2, session_timeout_ms=300_000))
    errors = []
    world.env.on_contained = lambda what, error: errors.append(error)
    world.join(leader, protocols=("range", "x"), session_timeout_ms=300_000)
    assert world.group().sync_timer is None
    world.run(59_999)
    world.join(follower, session_timeout_ms=300_000)
    assert world.group().state is GroupState.COMPLETING_REBALANCE
    world.run(1)
    assert list(world.group().members) == [leader, follower]
    assert errors == []


@pytest.mark.parametrize("seed", range(30))
def test_every_member_of_an_initial_rebalance_has_joined(make_world, seed):
    """So its delay never ends with silent static members only, which would wait for the others."""
    rng, ids, initial_count = Random(seed), [""], 0
    world = make_world(group_initial_rebalance_delay_ms=1_000, group_max_size=3)
    joining = world.join(instance="a")
    for _ in range(150):
        instance, member_id = rng.choice((None, "a", "b", "c")), rng.choice(ids)
        try:
            match rng.randrange(8):
                case 0 | 1 | 2:
                    joining = world.join(
                        member_id, instance, version=rng.choice((3, 9)),
                        rebalance_timeout_ms=rng.choice((0, 500, 5_000)),
                        session_timeout_ms=rng.choice((200, 6_000)),
                    )  # fmt: skip
                case 3:
                    world.leave((member_id, instance))
                case 4:
                    generation = world.group().generation
                    world.sync(member_id, generation, dict.fromkeys(ids, b"a"), instance=instance)
                case 5 | 6:
                    world.run(rng.choice((1, 300, 3_000)))
                case 7 if rng.random() < 0.2:
                    world.restart()
            if joining.settled():
                ids = [*ids[-4:], joining.answer.member_id, ""]
            group = world.group()
        except KafkaError:
            continue
        if (group.state, group.previous_state) == (
            GroupState.PREPARING_REBALANCE,
            GroupState.EMPTY,
        ):
            initial_count += 1
            assert group.joining_count == len(group.members)
    assert initial_count
