"""FindCoordinator (key 10), v0-6.

Broker:      names the leader of the partition of `__consumer_offsets` or `__transaction_state` that
             a group or transactional id belongs to; the first request creates that topic.
Leaves out:  share groups: they have no coordinator.
Versions:    v1 key types; v3 flexible; v4 several keys; v6 share groups (KIP-932).
Errors:      GROUP_AUTHORIZATION_FAILED, TRANSACTIONAL_ID_AUTHORIZATION_FAILED,
             CLUSTER_AUTHORIZATION_FAILED, COORDINATOR_NOT_AVAILABLE, INVALID_REQUEST (per key).
"""

from minikafka.common.errors import (
    CoordinatorNotAvailableError,
    InvalidRequestError,
    KafkaError,
)
from minikafka.common.internal_topics import OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.find_coordinator import (
    Coordinator,
    FindCoordinatorRequest,
    FindCoordinatorResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.absent import Feature
from minikafka.serving.authorization import require_cluster, require_group, require_transactional_id
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_SEVERAL_FROM = 4
_SHARE_FROM = 6
_NO_NODE = -1
_GROUP = 0
_TRANSACTION = 1
_SHARE = 2


@broker_api(ApiKey.FIND_COORDINATOR, versions=(0, 6))
def find_coordinator(
    ctx: BrokerContext, request: FindCoordinatorRequest
) -> FindCoordinatorResponse:
    """Return the coordinator of each key."""
    several = ctx.version >= _SEVERAL_FROM
    keys = request.coordinator_keys if several else [request.key]
    if request.key_type == _SHARE and ctx.version >= _SHARE_FROM:
        require_cluster(ctx, AclOperation.CLUSTER_ACTION)
    found = [_coordinator(ctx, request.key_type, key) for key in keys]
    if several:
        return FindCoordinatorResponse(coordinators=found)
    one = found[0]
    return FindCoordinatorResponse(
        error_code=one.error_code,
        # As Kafka: in these versions, success has the message "NONE" (`Errors.NONE.message`).
        error_message=one.error_message if one.error_code else "NONE",
        node_id=one.node_id,
        host=one.host,
        port=one.port,
    )


def _coordinator(ctx: BrokerContext, key_type: int, key: str) -> Coordinator:
    try:
        return _leader(ctx, key_type, key)
    except KafkaError as error:
        return Coordinator(key, _NO_NODE, "", -1, error.code, error.message)


def _leader(ctx: BrokerContext, key_type: int, key: str) -> Coordinator:
    if key_type == _GROUP:
        require_group(ctx, AclOperation.DESCRIBE, key)
    elif key_type == _TRANSACTION:
        require_transactional_id(ctx, AclOperation.DESCRIBE, key)
    if key_type == _SHARE:
        ctx.broker.absent.warn(ctx.client_id, ctx.peer_host, Feature.SHARE_GROUPS)
    if key_type == _GROUP:
        topic, index = OFFSETS_TOPIC, ctx.broker.groups.partition_of(key)
    elif key_type == _TRANSACTION:
        topic, index = TRANSACTIONS_TOPIC, ctx.broker.transactions.partition_of(key)
    else:
        raise InvalidRequestError(f"coordinators of key type {key_type} are not supported")
    image = ctx.broker.image
    if index is None:
        ctx.broker.auto_topics.create([topic])
        raise CoordinatorNotAvailableError
    registration = image.partition(topic, index)
    broker = None if registration is None else image.brokers.get(registration.leader)
    endpoint = None if broker is None else broker.endpoint(ctx.listener)
    if broker is None or broker.fenced or endpoint is None:
        raise CoordinatorNotAvailableError
    return Coordinator(key, broker.broker_id, endpoint.host, endpoint.port)
