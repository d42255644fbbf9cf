"""DeleteAcls (key 31), v1-3.

Broker:      forwards to the active controller.
Controller:  removes the entries that the filters match, and answers once that is committed.
Versions:    v1 pattern types; v2 flexible; v3 users as resources.
Errors:      CLUSTER_AUTHORIZATION_FAILED, SECURITY_DISABLED (there is no authorizer),
             NOT_CONTROLLER (filter). As Kafka, a request with an unknown type closes the
             connection.
"""

from typing import Any

from minikafka.apis._acls import all_known
from minikafka.common.errors import SecurityDisabledError
from minikafka.controller import acl_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.delete_acls import DeleteAclsRequest
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import CLOSE, Steps

_VERSIONS = (1, 3)


@broker_api(ApiKey.DELETE_ACLS, versions=_VERSIONS)
def forward_delete_acls(ctx: BrokerContext, request: DeleteAclsRequest) -> Steps[Any] | object:
    """Forward the request."""
    return forward(ctx) if _is_known(request) else CLOSE


@controller_api(ApiKey.DELETE_ACLS, versions=_VERSIONS)
def delete_acls(ctx: ControllerContext, request: DeleteAclsRequest) -> Steps[Any] | object:
    """Decide and write."""
    if not _is_known(request):
        return CLOSE
    require_cluster(ctx, AclOperation.ALTER)
    if ctx.authorizer is None:
        raise SecurityDisabledError("No Authorizer is configured.")
    return commit(ctx, ctx.services.controller.decide(acl_control.delete_acls, request))


def _is_known(request: DeleteAclsRequest) -> bool:
    return all_known(
        (row.resource_type_filter, row.pattern_type_filter, row.operation, row.permission_type)
        for row in request.filters
    )
