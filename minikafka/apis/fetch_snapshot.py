"""FetchSnapshot (key 59), v0-1.

Controller:  a part of a metadata snapshot, which need not end at a batch boundary.
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, INVALID_REQUEST; per partition
             UNKNOWN_TOPIC_OR_PARTITION, FENCED_LEADER_EPOCH, UNKNOWN_LEADER_EPOCH,
             NOT_LEADER_OR_FOLLOWER, SNAPSHOT_NOT_FOUND, POSITION_OUT_OF_RANGE.
"""

from minikafka.common.errors import ErrorCode
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch_snapshot import (
    FetchSnapshotRequest,
    FetchSnapshotRequestPartitionSnapshot,
    FetchSnapshotResponse,
    FetchSnapshotResponsePartitionSnapshot,
    FetchSnapshotResponseSnapshotId,
    FetchSnapshotResponseTopicSnapshot,
    LeaderIdAndEpoch,
    NodeEndpoint,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.raft.snapshots import SnapshotId
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.registry import controller_api

_ENDPOINTS_FROM = 1
_MAX_BYTES = 8 * 1024 * 1024
"""The largest part, which is in memory until it is sent: the default of Kafka's followers."""


@controller_api(ApiKey.FETCH_SNAPSHOT, versions=(0, 1))
def fetch_snapshot(ctx: ControllerContext, request: FetchSnapshotRequest) -> FetchSnapshotResponse:
    """Read one part of the snapshot file."""
    require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    if request.cluster_id is not None and request.cluster_id != ctx.services.cluster_id:
        return FetchSnapshotResponse(error_code=ErrorCode.INCONSISTENT_CLUSTER_ID)
    if len(request.topics) != 1 or len(request.topics[0].partitions) != 1:
        return FetchSnapshotResponse(error_code=ErrorCode.INVALID_REQUEST)
    topic = request.topics[0]
    wanted = topic.partitions[0]
    raft = ctx.services.raft
    answer = FetchSnapshotResponsePartitionSnapshot(
        index=wanted.partition,
        snapshot_id=FetchSnapshotResponseSnapshotId(
            wanted.snapshot_id.end_offset, wanted.snapshot_id.epoch
        ),
        current_leader=LeaderIdAndEpoch(raft.leader_id, raft.epoch),
        unaligned_records=b"",
    )
    if topic.name != METADATA_TOPIC or wanted.partition != 0:
        answer.error_code = ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    else:
        answer.error_code = _read(ctx, request, wanted, answer)
    response = FetchSnapshotResponse(
        topics=[FetchSnapshotResponseTopicSnapshot(topic.name, [answer])]
    )
    address = raft.leader_address
    if address is not None and ctx.version >= _ENDPOINTS_FROM:
        response.node_endpoints = [NodeEndpoint(raft.leader_id, *address)]
    return response


def _read(
    ctx: ControllerContext,
    request: FetchSnapshotRequest,
    wanted: FetchSnapshotRequestPartitionSnapshot,
    answer: FetchSnapshotResponsePartitionSnapshot,
) -> ErrorCode:
    raft = ctx.services.raft
    if wanted.current_leader_epoch < raft.epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if wanted.current_leader_epoch > raft.epoch:
        return ErrorCode.UNKNOWN_LEADER_EPOCH
    if not raft.is_leader:
        return ErrorCode.NOT_LEADER_OR_FOLLOWER
    raft.elections.voter_fetched(request.replica_id, wanted.replica_directory_id)
    snapshot_id = SnapshotId(wanted.snapshot_id.end_offset, wanted.snapshot_id.epoch)
    path = f"{METADATA_FOLDER}/{snapshot_id.file_name}"
    # The snapshot at offset 0 is the start of a quorum; it is never sent.
    if snapshot_id.end_offset <= 0 or not raft.disk.exists(path):
        return ErrorCode.SNAPSHOT_NOT_FOUND
    file = raft.disk.open(path)
    try:
        if not 0 <= wanted.position < file.size:
            return ErrorCode.POSITION_OUT_OF_RANGE
        answer.size = file.size
        answer.position = wanted.position
        answer.unaligned_records = file.read_at(
            wanted.position, min(max(request.max_bytes, 1), _MAX_BYTES)
        )
    finally:
        file.close()
    return ErrorCode.NONE
