"""DescribeQuorum (key 55), v0-2.

Broker:      forwards to the active controller.
Controller:  voters and observers of the metadata log, and their progress.
Versions:    v1 fetch times; v2 directory ids, endpoints of controllers, error messages.
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER
             (partition).
"""

from minikafka.common.errors import NotControllerError, UnknownTopicOrPartitionError
from minikafka.common.ids import ZERO_UUID
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_quorum import (
    DescribeQuorumRequest,
    DescribeQuorumRequestTopicData,
    DescribeQuorumResponse,
    DescribeQuorumResponsePartitionData,
    DescribeQuorumResponseTopicData,
    Listener,
    Node,
    ReplicaState,
)
from minikafka.metadata.topic_name import METADATA_TOPIC
from minikafka.raft.quorum_progress import Progress
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api

_NODES_FROM = 2
_DIRECTORIES_FROM = 2
_VERSIONS = (0, 2)

forward_to_controller(ApiKey.DESCRIBE_QUORUM, _VERSIONS)


@controller_api(ApiKey.DESCRIBE_QUORUM, versions=_VERSIONS)
def describe_quorum(
    ctx: ControllerContext, request: DescribeQuorumRequest
) -> DescribeQuorumResponse:
    """Describe the quorum from the leader's view of its voters and observers."""
    require_cluster(ctx, AclOperation.DESCRIBE)
    if not ctx.services.raft.is_leader:
        raise NotControllerError
    names = [
        (topic.topic_name, each.partition_index)
        for topic in request.topics
        for each in topic.partitions
    ]
    if len(request.topics) != 1 or names != [(METADATA_TOPIC, 0)]:
        # As Kafka: a request that names any other partition gets an error for all of them.
        return DescribeQuorumResponse(topics=[_unknown(topic) for topic in request.topics])
    response = DescribeQuorumResponse(
        topics=[DescribeQuorumResponseTopicData(METADATA_TOPIC, [_describe(ctx)])],
    )
    if ctx.version >= _NODES_FROM:
        response.nodes = [
            Node(
                controller.controller_id,
                [Listener(e.name, e.host, e.port) for e in controller.endpoints],
            )
            for controller in ctx.services.image.controllers.values()
        ]
    return response


def _unknown(topic: DescribeQuorumRequestTopicData) -> DescribeQuorumResponseTopicData:
    error = UnknownTopicOrPartitionError()
    return DescribeQuorumResponseTopicData(
        topic.topic_name,
        [
            DescribeQuorumResponsePartitionData(
                partition_index=each.partition_index,
                error_code=error.code,
                error_message=error.message,
            )
            for each in topic.partitions
        ],
    )


def _describe(ctx: ControllerContext) -> DescribeQuorumResponsePartitionData:
    raft = ctx.services.raft
    assert raft.voters is not None
    now_ms = ctx.env.clock.wall_ms
    own = Progress(raft.node_id, raft.quorum.directory_id, raft.end_offset, now_ms, now_ms)
    voters = []
    for voter in raft.voters.voters.values():
        progress = own if voter.node_id == raft.node_id else raft.progress.of(voter)
        voters.append(progress or Progress(voter.node_id, voter.directory_id or ZERO_UUID))
    observers = [
        each for each in raft.progress if not raft.voters.includes(each.node_id, each.directory_id)
    ]
    has_directories = ctx.version >= _DIRECTORIES_FROM
    # A static quorum does not know the directories of its voters.
    is_dynamic = raft.kraft_version > 0
    return DescribeQuorumResponsePartitionData(
        partition_index=0,
        leader_id=raft.leader_id,
        leader_epoch=raft.epoch,
        high_watermark=raft.high_watermark,
        current_voters=[
            _state(each, has_directory=has_directories and is_dynamic) for each in voters
        ],
        observers=[_state(each, has_directory=has_directories) for each in observers],
    )


def _state(progress: Progress, *, has_directory: bool) -> ReplicaState:
    return ReplicaState(
        replica_id=progress.node_id,
        replica_directory_id=progress.directory_id if has_directory else ZERO_UUID,
        log_end_offset=progress.log_end_offset,
        last_fetch_timestamp=progress.last_fetch_ms,
        last_caught_up_timestamp=progress.last_caught_up_ms,
    )
