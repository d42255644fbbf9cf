"""What a ConsumerGroupHeartbeat must have, before any group is looked at.

Source: `GroupCoordinatorService.throwIfConsumerGroupHeartbeatRequestIsInvalid`.
"""

from collections.abc import Collection
from typing import Final

from minikafka.common.errors import InvalidRequestError, UnsupportedAssignorError
from minikafka.group.consumer.member import AWAY_EPOCH, JOIN_EPOCH, LEAVE_EPOCH
from minikafka.messages.consumer_group_heartbeat import ConsumerGroupHeartbeatRequest

_CLIENT_MAKES_ID_FROM: Final = 1
_NO_TIMEOUT: Final = -1


def require_valid(
    request: ConsumerGroupHeartbeatRequest, version: int, assignors: Collection[str]
) -> None:
    """Check the fields of a request, given the names of the assignors.

    Raises:
        InvalidRequestError: a field is missing, or not possible.
        UnsupportedAssignorError: there is no such assignor.
    """
    epoch = request.member_epoch
    if version >= _CLIENT_MAKES_ID_FROM or epoch > JOIN_EPOCH or epoch == LEAVE_EPOCH:
        _require_text(request.member_id, "MemberId can't be empty.")
    _require_text(request.group_id, "GroupId can't be empty.")
    _require_text(request.instance_id, "InstanceId can't be empty.")
    _require_text(request.rack_id, "RackId can't be empty.")
    if epoch == JOIN_EPOCH:
        if request.rebalance_timeout_ms == _NO_TIMEOUT:
            raise InvalidRequestError("RebalanceTimeoutMs must be provided in first request.")
        if request.topic_partitions is None or request.topic_partitions:
            raise InvalidRequestError("TopicPartitions must be empty when (re-)joining.")
        if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
            raise InvalidRequestError(
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
                "(re-)joining."
            )
    elif epoch == AWAY_EPOCH:
        if request.instance_id is None:
            raise InvalidRequestError("InstanceId can't be null.")
    elif epoch < AWAY_EPOCH:
        raise InvalidRequestError("MemberEpoch is invalid.")
    wanted = request.server_assignor
    if wanted is not None and wanted not in assignors:
        raise UnsupportedAssignorError(
            f"ServerAssignor {wanted} is not supported. "
            f"Supported assignors: {', '.join(assignors)}."
        )


def _require_text(text: str | None, message: str) -> None:
    if text is not None and not text.strip():
        raise InvalidRequestError(message)
