"""Answers to JoinGroup and SyncGroup."""

from minikafka.common.errors import ErrorCode
from minikafka.group.answers import answer_join, join_failure, joined, sync_failure


def test_failures_carry_nothing_but_the_code():
    join = join_failure(ErrorCode.UNKNOWN_MEMBER_ID, "m")
    assert (join.error_code, join.member_id, join.generation_id, join.members) == (25, "m", -1, [])
    sync = sync_failure(ErrorCode.ILLEGAL_GENERATION)
    assert (sync.error_code, sync.assignment, sync.protocol_name) == (22, b"", None)


def test_member_that_waits_for_nothing_is_left_alone(world):
    (member_id,) = world.stable()
    member = world.group().members[member_id]
    before = list(world.env.notified)
    answer_join(member, joined(world.group(), member_id))
    assert world.env.notified == before
