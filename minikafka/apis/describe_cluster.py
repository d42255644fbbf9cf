"""DescribeCluster (key 60), v0-2.

Broker:      brokers with the request's listener; v2 also fenced ones if requested.
Controller:  controllers, from the voter set and their registrations.
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNSUPPORTED_ENDPOINT_TYPE, MISMATCHED_ENDPOINT_TYPE;
             INVALID_REQUEST (v0 on a controller, which can ask for brokers only).
"""

from minikafka.common.errors import ErrorCode
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_cluster import (
    DescribeClusterBroker,
    DescribeClusterRequest,
    DescribeClusterResponse,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import cluster_operations, require_cluster
from minikafka.serving.context import BrokerContext, ControllerContext, RequestContext
from minikafka.serving.registry import broker_api, controller_api

_BROKERS = 1
_CONTROLLERS = 2
_ENDPOINT_TYPE_FROM = 1
_NOT_ASKED = -(2**31)


@broker_api(ApiKey.DESCRIBE_CLUSTER, versions=(0, 2))
def describe_brokers(
    ctx: BrokerContext, request: DescribeClusterRequest
) -> DescribeClusterResponse:
    """Describe the brokers."""
    if request.endpoint_type != _BROKERS:
        return _wrong_type(ctx, request)
    found = []
    for broker in ctx.broker.image.brokers.values():
        endpoint = broker.endpoint(ctx.listener)
        if endpoint is not None and (not broker.fenced or request.include_fenced_brokers):
            found.append(
                DescribeClusterBroker(
                    broker.broker_id, endpoint.host, endpoint.port, broker.rack, broker.fenced
                )
            )
    alive = [broker.broker_id for broker in found if not broker.is_fenced]
    return DescribeClusterResponse(
        endpoint_type=_BROKERS,
        cluster_id=ctx.broker.cluster_id,
        controller_id=ctx.env.rng.choice(alive) if alive else -1,
        brokers=found,
        cluster_authorized_operations=_operations(ctx, request),
    )


@controller_api(ApiKey.DESCRIBE_CLUSTER, versions=(0, 2))
def describe_controllers(
    ctx: ControllerContext, request: DescribeClusterRequest
) -> DescribeClusterResponse:
    """Describe the controllers. As Kafka: this needs more rights than on a broker."""
    require_cluster(ctx, AclOperation.ALTER)
    if request.endpoint_type != _CONTROLLERS:
        return _wrong_type(ctx, request)
    found = [
        DescribeClusterBroker(controller.controller_id, endpoint.host, endpoint.port)
        for controller in ctx.services.image.controllers.values()
        for endpoint in controller.endpoints
        if endpoint.name == ctx.listener
    ]
    return DescribeClusterResponse(
        endpoint_type=_CONTROLLERS,
        cluster_id=ctx.services.cluster_id,
        controller_id=ctx.services.raft.leader_id,
        brokers=found,
        cluster_authorized_operations=_operations(ctx, request),
    )


def _operations(ctx: RequestContext, request: DescribeClusterRequest) -> int:
    asked = request.include_cluster_authorized_operations
    return cluster_operations(ctx) if asked else _NOT_ASKED


def _wrong_type(ctx: RequestContext, request: DescribeClusterRequest) -> DescribeClusterResponse:
    """Refuse a request; Kafka's clients show the text."""
    wanted = request.endpoint_type
    if wanted not in (_BROKERS, _CONTROLLERS):
        return DescribeClusterResponse(
            error_code=ErrorCode.UNSUPPORTED_ENDPOINT_TYPE,
            error_message=f"Unsupported endpoint type {wanted}",
        )
    is_known = ctx.version >= _ENDPOINT_TYPE_FROM
    asked, other = ("BROKER", "CONTROLLER") if wanted == _CONTROLLERS else ("CONTROLLER", "BROKER")
    return DescribeClusterResponse(
        error_code=(ErrorCode.MISMATCHED_ENDPOINT_TYPE if is_known else ErrorCode.INVALID_REQUEST),
        error_message=f"The request was sent to an endpoint of type {asked}, but we wanted an "
        f"endpoint of type {other}",
    )
