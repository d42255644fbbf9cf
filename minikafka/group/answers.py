"""Responses to JoinGroup and SyncGroup, and their delivery to waiting members.

Source: `GroupMetadataManager` (classicGroup*).
"""

from minikafka.common.errors import ErrorCode
from minikafka.group.group import Group
from minikafka.group.member import Member
from minikafka.messages.join_group import JoinGroupResponse
from minikafka.messages.sync_group import SyncGroupResponse


def join_failure(code: ErrorCode, member_id: str) -> JoinGroupResponse:
    """Return the response to a member that could not join."""
    return JoinGroupResponse(error_code=code, member_id=member_id)


def sync_failure(code: ErrorCode) -> SyncGroupResponse:
    """Return the response to a member that gets no assignment."""
    return SyncGroupResponse(error_code=code)


def joined(group: Group, member_id: str) -> JoinGroupResponse:
    """Return the response to a member of the current generation; the leader gets all members."""
    return JoinGroupResponse(
        generation_id=group.generation,
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        leader=group.leader_id or "",
        member_id=member_id,
        members=group.joined_members() if group.is_leader(member_id) else [],
    )


def assigned(group: Group, member: Member) -> SyncGroupResponse:
    """Return the response to a member after the leader has assigned."""
    return SyncGroupResponse(
        protocol_type=group.protocol_type,
        protocol_name=group.protocol_name,
        assignment=member.assignment,
    )


def answer_join(member: Member, response: JoinGroupResponse) -> None:
    """Answer the member's waiting JoinGroup, if any."""
    joining, member.joining = member.joining, None
    if joining is not None:
        joining.complete(response)


def answer_sync(member: Member, response: SyncGroupResponse) -> None:
    """Answer the member's waiting SyncGroup, if any."""
    syncing, member.syncing = member.syncing, None
    if syncing is not None:
        syncing.complete(response)
