"""A member's record, and what counts as silence."""

from minikafka.group.member import Member, protocols_of
from minikafka.messages.coordinator.group_metadata import MemberMetadata
from minikafka.messages.join_group import JoinGroupRequest, JoinGroupRequestProtocol


def test_record_without_a_rebalance_timeout_takes_the_session_timeout():
    member = Member.from_record(MemberMetadata("m", None, "c", "/h", -1, 5, b"s", b"a"), "range")
    assert (member.rebalance_timeout_ms, member.session_timeout_ms) == (5, 5)
    assert member.metadata("range") == b"s"
    assert member.to_record("range", b"a") == MemberMetadata("m", None, "c", "/h", 5, 5, b"s", b"a")


def test_protocol_that_is_offered_twice_counts_once():
    offered = [JoinGroupRequestProtocol(name, b"") for name in ("a", "b", "a")]
    assert [name for name, _ in protocols_of(JoinGroupRequest(protocols=offered))] == ["a", "b"]


def test_new_member_owes_a_sign_of_life_even_while_it_waits(world):
    joining = world.join(version=0)
    (member,) = world.group().members.values()
    assert member.joining is joining
    assert not member.outlives_silence
    member.is_new = False
    assert member.outlives_silence
