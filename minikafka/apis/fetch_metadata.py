"""Fetch (key 1), v4-18.

Broker:      see `apis/fetch.py`.
Controller:  serves the metadata log to observers and voters; see `raft/metadata_reads.py`.
Versions:    v12 diverging epochs and snapshots; v13 topic ids; v16 node endpoints; v18 high
             watermark (KIP-1166).
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, INVALID_REQUEST; those of
             `raft/metadata_reads.py`.
"""

from minikafka.apis._leaders import NODE_ENDPOINTS_FROM_VERSION
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import METADATA_TOPIC_ID
from minikafka.log.segment.reads import UNKNOWN_OFFSET
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch import (
    EpochEndOffset,
    FetchableTopicResponse,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    LeaderIdAndEpoch,
    NodeEndpoint,
    PartitionData,
    SnapshotId,
)
from minikafka.raft.metadata_reads import MetadataRead, read_metadata
from minikafka.raft.raft_node import RaftEvent
from minikafka.replica.fetch_session import (
    TOPIC_IDS_FROM_VERSION,
    replica_id_of,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps, wait_until


@controller_api(ApiKey.FETCH, versions=(4, 18))
def fetch_metadata(
    ctx: ControllerContext, request: FetchRequest
) -> FetchResponse | Steps[FetchResponse]:
    """Serve the metadata log to observers and voters."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    raft = ctx.services.raft
    if request.cluster_id is not None and request.cluster_id != ctx.services.cluster_id:
        return FetchResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID)
    if (
        ctx.version < TOPIC_IDS_FROM_VERSION
        or len(request.topics) != 1
        or request.topics[0].topic_id != METADATA_TOPIC_ID
        or len(request.topics[0].partitions) != 1
        or request.topics[0].partitions[0].partition != 0
    ):
        return FetchResponse(error_code=ErrorCode.INVALID_REQUEST)
    wanted = request.topics[0].partitions[0]
    read = _read_metadata(ctx, wanted)
    replica_id = replica_id_of(request)
    is_valid = read.error == ErrorCode.NONE and not (read.diverging or read.snapshot)
    if replica_id >= 0 and is_valid and read.is_boundary:
        raft.fetched(replica_id, wanted.replica_directory_id, wanted.fetch_offset)
    # KIP-1166: a fetch without a high watermark (before v18) counts as up to date.
    is_behind = wanted.high_watermark < raft.announced_high_watermark
    if not read.is_empty or is_behind or request.max_wait_ms <= 0:
        return _metadata_response(ctx, read)
    return _await_metadata(ctx, request, wanted, raft.announced_high_watermark)


def _await_metadata(
    ctx: ControllerContext, request: FetchRequest, wanted: FetchPartition, high_watermark: int
) -> Steps[FetchResponse]:
    raft = ctx.services.raft
    epoch = raft.epoch
    yield from wait_until(
        (RaftEvent.LOG_CHANGED, RaftEvent.COMMITTED, RaftEvent.ROLE_CHANGED),
        lambda: (
            raft.end_offset > wanted.fetch_offset
            or raft.announced_high_watermark > high_watermark
            or raft.epoch != epoch
            or not raft.is_leader
        ),
        ctx.deadline_ms(request.max_wait_ms),
        for_answer_only=True,
    )
    return _metadata_response(ctx, _read_metadata(ctx, wanted))


def _read_metadata(ctx: ControllerContext, wanted: FetchPartition) -> MetadataRead:
    return read_metadata(
        ctx.services.raft,
        current_leader_epoch=wanted.current_leader_epoch,
        fetch_offset=wanted.fetch_offset,
        last_fetched_epoch=wanted.last_fetched_epoch,
    )


def _metadata_response(ctx: ControllerContext, read: MetadataRead) -> FetchResponse:
    raft = ctx.services.raft
    data = PartitionData(
        0,
        read.error,
        read.high_watermark,
        UNKNOWN_OFFSET,
        read.log_start_offset,
        current_leader=LeaderIdAndEpoch(raft.leader_id, raft.epoch),
        aborted_transactions=None,
        records=read.records if read.records is not None else b"",
    )
    if read.diverging is not None:
        data.diverging_epoch = EpochEndOffset(read.diverging.epoch, read.diverging.end_offset)
    if read.snapshot is not None:
        data.snapshot_id = SnapshotId(read.snapshot.end_offset, read.snapshot.epoch)
    response = FetchResponse(
        responses=[FetchableTopicResponse(topic_id=METADATA_TOPIC_ID, partitions=[data])]
    )
    address = raft.leader_address
    if address is not None and ctx.version >= NODE_ENDPOINTS_FROM_VERSION:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, address[0], address[1], None)]
    return response
