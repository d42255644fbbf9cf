"""Common checks of election requests: one partition, of this cluster, for this voter."""

from typing import Any, Protocol

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.serving.context import ControllerContext

_ANY_VOTER = -1


class QuorumRequest(Protocol):
    """A request about the metadata partition."""

    cluster_id: str | None
    topics: list[Any]


def refused(ctx: ControllerContext, request: QuorumRequest) -> ErrorCode:
    """The error for the whole request, or NONE."""
    if request.cluster_id is not None and request.cluster_id != ctx.services.cluster_id:
        return ErrorCode.INCONSISTENT_CLUSTER_ID
    topics = request.topics
    if (
        len(topics) != 1
        or topics[0].topic_name != METADATA_TOPIC
        or len(topics[0].partitions) != 1
        or topics[0].partitions[0].partition_index != 0
    ):
        return ErrorCode.INVALID_REQUEST
    return ErrorCode.NONE


def metadata_partition(request: QuorumRequest) -> Any:
    """The only partition of a request that was not refused."""
    return request.topics[0].partitions[0]


def is_this_voter(ctx: ControllerContext, voter_id: int, directory_id: Uuid) -> bool:
    """True if a request is for this node, as its sender knows it; older versions do not say."""
    quorum = ctx.services.raft.quorum
    return voter_id in (_ANY_VOTER, quorum.node_id) and directory_id in (
        ZERO_UUID,
        quorum.directory_id,
    )
