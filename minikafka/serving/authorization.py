"""Whether the client of a request may do what it asks for.

Handlers ask here, and each of them decides what a client is told that may not: an error for a
resource, or nothing about it. Without an authorizer everything is allowed.

Source: `AuthHelper`.
"""

from collections.abc import Iterable

from minikafka.common.errors import ClusterAuthorizationFailedError
from minikafka.security.acl import CLUSTER_NAME, AclOperation, AclResourceType
from minikafka.serving.context import RequestContext


def allows(ctx: RequestContext, operation: int, resource_type: int, name: str) -> bool:
    """True if the client may do `operation` to the resource."""
    authorizer = ctx.authorizer
    if authorizer is None:
        return True
    return authorizer.decide(ctx.principal, ctx.peer_host, operation, resource_type, name).allowed


def allows_cluster(ctx: RequestContext, operation: int) -> bool:
    """True if the client may do `operation` to the cluster."""
    return allows(ctx, operation, AclResourceType.CLUSTER, CLUSTER_NAME)


def require_cluster(ctx: RequestContext, operation: int) -> None:
    """Go on only if the client may do `operation` to the cluster.

    Raises:
        ClusterAuthorizationFailedError: it may not.
    """
    if not allows_cluster(ctx, operation):
        raise ClusterAuthorizationFailedError(
            f"{ctx.principal} may not do {AclOperation(operation).name} on the cluster"
        )


def allowed_names(
    ctx: RequestContext, operation: int, resource_type: int, names: Iterable[str]
) -> set[str]:
    """Return the names of the resources to which the client may do `operation`."""
    if ctx.authorizer is None:
        return set(names)
    return {name for name in dict.fromkeys(names) if allows(ctx, operation, resource_type, name)}


def allows_any(ctx: RequestContext, operation: int, resource_type: int) -> bool:
    """True if there is a resource of this type on which the client may do `operation`."""
    authorizer = ctx.authorizer
    if authorizer is None:
        return True
    return authorizer.decide_for_any(ctx.principal, ctx.peer_host, operation, resource_type)


def authorized_operations(
    ctx: RequestContext, resource_type: int, name: str, supported: Iterable[int]
) -> int:
    """Return those of the `supported` operations that the client may do, one bit for each."""
    return sum(1 << each for each in supported if allows(ctx, each, resource_type, name))
