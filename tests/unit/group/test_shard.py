"""Committed offsets of groups: who may write them, when they show, when they go."""

import pytest

from minikafka.common.errors import (
    CoordinatorLoadInProgressError,
    CoordinatorNotAvailableError,
    ErrorCode,
    FencedInstanceIdError,
    GroupIdNotFoundError,
    IllegalGenerationError,
    NonEmptyGroupError,
    NotCoordinatorError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
from minikafka.group.group import GroupState

DAY_MS = 24 * 60 * 60 * 1000


def test_committed_offset_shows_once_the_high_watermark_passed_it(make_world):
    world = make_world(replicas=(1, 2))
    write, _ = world.commit({0: 5, 1: 6})
    assert not write.settled()
    assert world.committed() == {}
    world.replicate()
    assert write.settled()
    assert write.code == ErrorCode.NONE
    assert world.committed() == {0: 5, 1: 6}


def test_commit_of_several_partitions_is_one_batch(world):
    before = world.log.log_end_offset
    size = world.log.size_bytes
    world.commit({0: 5})
    one = world.log.size_bytes - size
    world.commit({0: 5, 1: 6, 2: 7})
    assert world.log.log_end_offset == before + 4
    assert world.log.size_bytes - size - one < 3 * one


def test_a_partition_that_is_named_again_is_written_once_and_its_last_offset_counts(world):
    before = world.log.log_end_offset
    _, codes = world.commit([(0, 5), (1, 6), (0, 7)])
    assert codes == [ErrorCode.NONE] * 3
    assert world.log.log_end_offset == before + 2
    assert world.committed() == {0: 7, 1: 6}


def test_anybody_commits_for_a_group_without_members(world):
    world.commit({0: 5})
    group = world.group()
    assert (group.state, group.protocol_type) == (GroupState.EMPTY, None)


def test_members_alone_commit_for_a_group_that_has_some(world):
    (member,) = world.stable()
    world.commit({0: 1}, member_id=member, generation=1)
    with pytest.raises(UnknownMemberIdError):
        world.commit({0: 2})
    with pytest.raises(UnknownMemberIdError):
        world.commit({0: 2}, member_id="other", generation=1)
    with pytest.raises(IllegalGenerationError):
        world.commit({0: 2}, member_id=member, generation=2)
    assert world.committed() == {0: 1}


def test_commit_for_a_generation_of_an_unknown_group_fails_by_version(world):
    with pytest.raises(GroupIdNotFoundError):
        world.commit({0: 1}, generation=3, version=9)
    with pytest.raises(IllegalGenerationError):
        world.commit({0: 1}, generation=3, version=8)


def test_fenced_static_member_does_not_commit(world):
    joining = world.join(instance="a")
    world.run()
    former = joining.answer.member_id
    world.sync(former, 1, {}, instance="a")
    world.join(instance="a")
    request = {"member_id": former, "generation": 1}
    with pytest.raises(UnknownMemberIdError):
        world.commit({0: 1}, **request)
    with pytest.raises(FencedInstanceIdError):
        world.group().require_member(former, "a")


def test_member_does_not_commit_before_it_has_its_assignment(world):
    member = world.enter()[0].member_id
    with pytest.raises(RebalanceInProgressError):
        world.commit({0: 1}, member_id=member, generation=1)


def test_member_commits_what_it_did_before_it_joins_again(world):
    leader, follower = world.stable(2)
    world.join(leader)
    world.commit({0: 9}, member_id=follower, generation=1)
    assert world.committed() == {0: 9}


def test_too_long_metadata_fails_its_partition_alone(world):
    write, codes = world.commit({0: 1}, metadata="x" * 4097)
    assert write is None
    assert codes == [ErrorCode.OFFSET_METADATA_TOO_LARGE]
    assert world.commit({0: 1}, metadata="x" * 4096)[1] == [0]


def test_nothing_is_committed_while_the_isr_is_too_small(make_world):
    world = make_world(replicas=(1, 2))
    world.partition.isr = world.partition.isr.__class__((1,))
    with pytest.raises(CoordinatorNotAvailableError):
        world.commit({0: 1})
    assert world.records() == []
    with pytest.raises(GroupIdNotFoundError):
        world.group()


def test_write_out_of_time_fails_and_may_still_show_later(make_world):
    world = make_world(replicas=(1, 2))
    write, _ = world.commit({0: 1})
    assert write.deadline_ms == 5000
    write.expire()
    assert write.code == ErrorCode.COORDINATOR_NOT_AVAILABLE
    world.replicate()
    assert world.committed() == {0: 1}


def test_offset_of_an_earlier_topic_of_the_same_name_is_none(world):
    world.commit({0: 1})
    offsets = world.groups.shard_of("g").committed_offsets("g")
    own = offsets.committed["t"][0].topic_id
    other = own.__class__.of(9, 9)
    assert offsets.find("t", 0, own).offset == 1
    assert offsets.find("t", 0, other) is None


# Deleting


def test_deleted_group_is_gone_with_its_offsets(world):
    (member,) = world.stable()
    world.commit({0: 1, 1: 2}, member_id=member, generation=1)
    with pytest.raises(NonEmptyGroupError):
        world.groups.shard_of("g").delete_group("g")
    world.leave((member,))
    assert world.groups.shard_of("g").delete_group("g").settled()
    assert world.committed() == {}
    assert [record.value for record in world.records()[-3:]] == [None] * 3
    with pytest.raises(GroupIdNotFoundError):
        world.groups.shard_of("g").delete_group("g")


def test_offsets_are_deleted_one_by_one(world):
    world.commit({0: 1, 1: 2})
    shard = world.groups.shard_of("g")
    shard.delete_offsets(world.group(), [("t", 0), ("t", 7), ("other", 0)])
    assert world.committed() == {1: 2}
    assert shard.delete_offsets(world.group(), [("t", 0)]) is None


def test_offsets_of_deleted_topics_are_forgotten(world):
    world.commit({0: 1}, topic="gone")
    world.commit({0: 1}, topic="kept")
    world.groups.forget_topics(frozenset(("gone", "never there")))
    assert world.committed(topic="gone") == {}
    assert world.committed(topic="kept") == {0: 1}


# Expiry (KIP-211)


def test_unused_offsets_expire_a_week_after_their_commit(world):
    world.commit({0: 1})
    world.run(6 * DAY_MS)
    world.commit({1: 2})
    world.run(DAY_MS + 600_000)
    assert world.committed() == {1: 2}
    world.run(6 * DAY_MS)
    with pytest.raises(GroupIdNotFoundError):
        world.group()
    assert world.records()[-1].value is None


def test_offsets_of_a_group_with_members_stay_while_it_consumes_them(world):
    (member,) = world.stable(session_timeout_ms=1_800_000)
    world.commit({0: 1}, member_id=member, generation=1)
    world.commit({0: 1}, member_id=member, generation=1, topic="no longer consumed")
    for _ in range(8 * 48):
        world.run(1_800_000 - 1)
        world.heartbeat(member, 1)
    assert world.committed() == {0: 1}
    assert world.committed(topic="no longer consumed") == {}


def test_offsets_of_an_abandoned_group_expire_a_week_after_its_last_member(world):
    (member,) = world.stable(session_timeout_ms=1_800_000)
    world.commit({0: 1}, member_id=member, generation=1)
    for _ in range(3 * 48):
        world.run(1_800_000 - 1)
        world.heartbeat(member, 1)
    world.leave((member,))
    world.run(6 * DAY_MS)
    assert world.committed() == {0: 1}
    world.run(DAY_MS + 600_000)
    assert world.committed() == {}


def test_retention_of_an_old_client_holds_for_its_offset(world):
    world.commit({0: 1}, retention=1000, version=4)
    world.commit({1: 1})
    world.run(600_000)
    assert world.committed() == {1: 1}


def test_retention_beyond_the_end_of_time_never_expires(world):
    world.commit({0: 1}, retention=2**63 - 1, version=4)
    world.run(600_000)
    assert world.committed() == {0: 1}


def test_group_that_only_gave_out_an_id_goes_once_the_id_is_too_old(world):
    world.member_id()
    world.run(600_000)
    with pytest.raises(GroupIdNotFoundError):
        world.group()


# Coming and going


def test_leadership_that_is_lost_unnoticed_is_noticed_by_the_next_request(world):
    member, _ = world.stable(2)
    joining = world.join(member)
    world.partition.leader = -1
    with pytest.raises(NotCoordinatorError):
        world.heartbeat(member, 1)
    assert joining.answer.error_code == ErrorCode.NOT_COORDINATOR
    assert not world.groups.shards


def test_write_is_answered_when_leadership_is_lost(make_world):
    world = make_world(replicas=(1, 2))
    write, _ = world.commit({0: 1})
    world.lead(leader=2)
    assert write.settled()
    assert write.code == ErrorCode.NOT_COORDINATOR


def test_another_epoch_of_the_same_leader_changes_nothing(world):
    (member,) = world.stable()
    world.lead()
    world.heartbeat(member, 1)


def test_old_offsets_do_not_show_before_the_new_leader_knows_what_is_committed(make_world):
    world = make_world(replicas=(1, 2))
    world.commit({0: 5})
    world.replicate()
    assert world.committed() == {0: 5}
    world.commit({0: 6})
    world.restart()
    with pytest.raises(CoordinatorLoadInProgressError):
        world.committed()
    world.replicate()
    assert world.committed() == {0: 6}
