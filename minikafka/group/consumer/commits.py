"""Which offsets a member of a consumer group may commit and fetch.

A member may send an epoch from before its present one: it commits while it gets the answer to a
heartbeat. Then each partition decides: the member must have got it in that epoch or before.

Source: `ConsumerGroup.validateOffsetCommit`, `validateOffsetFetch`; KIP-1251.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

from minikafka.common.errors import (
    IllegalGenerationError,
    KafkaError,
    StaleMemberEpochError,
    UnknownServerError,
    UnsupportedVersionError,
)
from minikafka.common.ids import Uuid
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ConsumerMember

_EPOCHS_FROM: Final = 9
_NO_EPOCH: Final = -1


class Committer(NamedTuple):
    """What a request says about who commits; `epoch` is a generation for classic members."""

    member_id: str
    instance_id: str | None
    epoch: int


class CommittedAt(NamedTuple):
    """A partition of a commit."""

    topic: str
    topic_id: Uuid
    partition: int


def require_may_commit(
    group: ConsumerGroup, by: Committer, partitions: Iterable[CommittedAt], version: int
) -> None:
    """Check an OffsetCommit of a version.

    Raises:
        UnknownMemberIdError, UnsupportedVersionError, StaleMemberEpochError; for classic members
        IllegalGenerationError.
    """
    if by.epoch < 0 and not group.members:
        return
    member = group.member(by.member_id)
    if not member.is_classic and version < _EPOCHS_FROM:
        raise UnsupportedVersionError(
            "OffsetCommit version 9 or above must be used by members using the consumer group "
            "protocol"
        )
    _require_epoch(member, by.epoch, partitions)


def require_may_commit_in_transaction(
    group: ConsumerGroup, by: Committer, partitions: Iterable[CommittedAt]
) -> None:
    """Check a TxnOffsetCommit.

    Raises:
        UnknownMemberIdError
        IllegalGenerationError: the member of either protocol has another epoch, or not the
            partition. A producer knows no member epochs.
    """
    if by.epoch < 0 and not group.members:
        return
    if by == Committer("", None, _NO_EPOCH):
        # Older producers name no member.
        return
    try:
        _require_epoch(group.member(by.member_id), by.epoch, partitions)
    except StaleMemberEpochError as error:
        raise IllegalGenerationError(error.message) from None


def _require_epoch(member: ConsumerMember, epoch: int, partitions: Iterable[CommittedAt]) -> None:
    if epoch == member.epoch:
        return
    what = "generation id" if member.is_classic else "member epoch"
    if epoch > member.epoch:
        raise _stale(member)(
            f"Received {what} {epoch} is newer than current member epoch {member.epoch}."
        )
    for topic, topic_id, index in partitions:
        since = member.assigned.get(topic_id, {}).get(index)
        if since is None:
            since = member.revoking.get(topic_id, {}).get(index)
        if since is None:
            raise _stale(member)(
                f"Partition {topic}-{index} is not assigned or pending revocation for member."
            )
        if epoch < since:
            raise _stale(member)(
                f"Received {what} {epoch} is older than assignment epoch {since} for partition "
                f"{topic}-{index}."
            )


def require_may_fetch(group: ConsumerGroup, member_id: str | None, epoch: int) -> None:
    """Check an OffsetFetch that names a member.

    Raises:
        UnknownMemberIdError, StaleMemberEpochError; for classic members IllegalGenerationError.
        UnknownServerError: there is an epoch, but no member.
    """
    if member_id is None:
        if epoch < 0:
            return
        # As Kafka, which fails without a word.
        raise UnknownServerError
    member = group.member(member_id)
    if epoch != member.epoch:
        what = "generation id" if member.is_classic else "member epoch"
        raise _stale(member)(
            f"The received {what} {epoch} does not match the expected member epoch {member.epoch}."
        )


def _stale(member: ConsumerMember) -> type[KafkaError]:
    return IllegalGenerationError if member.is_classic else StaleMemberEpochError
