"""Whether the client of a request may do what it asks for.

Handlers ask here, and each of them decides what a client is told that may not: an error for a
resource, or nothing about it. Without an authorizer everything is allowed.

A denial is written to the log unless `is_asked` is False: then the client did not name the resource
and is told nothing of it, or the operation has another right that is enough.

Source: `AuthHelper`.
"""

from typing import TYPE_CHECKING

from minikafka.common.errors import (
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    TransactionalIdAuthorizationFailedError,
)
from minikafka.messages.api_keys import APIS
from minikafka.security.acl import (
    CLUSTER_NAME,
    SUPPORTED_OPERATIONS,
    AclOperation,
    AclResourceType,
    host_text,
)
from minikafka.security.denials import Denial
from minikafka.security.not_ready import SUPER_USER, AuthorizerNotReadyError
from minikafka.serving.context import BrokerContext, RequestContext

if TYPE_CHECKING:
    from minikafka.security.authorizer import Authorizer

_TOPIC = AclResourceType.TOPIC


def allows(
    ctx: RequestContext, operation: int, resource_type: int, name: str, *, is_asked: bool = True
) -> bool:
    """True if the client may do `operation` to the resource."""
    authorizer = ctx.authorizer
    return authorizer is None or _allows(
        authorizer, ctx, operation, resource_type, name, is_asked=is_asked
    )


def _allows(
    authorizer: "Authorizer",
    ctx: RequestContext,
    operation: int,
    resource_type: int,
    name: str,
    *,
    is_asked: bool = True,
) -> bool:
    host = host_text(ctx.peer_host)
    decision = authorizer.decide(ctx.principal, host, operation, resource_type, name)
    if decision.rule != SUPER_USER and not ctx.has_caught_up:
        raise AuthorizerNotReadyError
    if not decision.allowed and is_asked:
        authorizer.denials.note(
            Denial(ctx.principal, operation, resource_type, name),
            host,
            APIS[ctx.api_key].name,
            decision.rule,
            ctx.now_ms,
        )
    return decision.allowed


def allows_cluster(ctx: RequestContext, operation: int, *, is_asked: bool = True) -> bool:
    """True if the client may do `operation` to the cluster."""
    return allows(ctx, operation, AclResourceType.CLUSTER, CLUSTER_NAME, is_asked=is_asked)


def require_cluster(ctx: RequestContext, operation: int) -> None:
    """Go on only if the client may do `operation` to the cluster.

    Raises:
        ClusterAuthorizationFailedError: it may not.
    """
    if not allows_cluster(ctx, operation):
        raise ClusterAuthorizationFailedError(
            f"{ctx.principal} may not do {AclOperation(operation).name} on the cluster"
        )


def may_act_as_broker(ctx: BrokerContext) -> bool:
    """True if the client may do what only brokers do.

    Without an authorizer these are the clients of the inter-broker listener.
    """
    if ctx.broker.authorizer is None:
        return ctx.may_be_broker
    return allows_cluster(ctx, AclOperation.CLUSTER_ACTION)


def require_group(ctx: RequestContext, operation: int, group_id: str) -> None:
    """Go on only if the client may do `operation` to a group.

    Raises:
        GroupAuthorizationFailedError: it may not.
    """
    if not allows(ctx, operation, AclResourceType.GROUP, group_id):
        raise GroupAuthorizationFailedError


def require_transactional_id(ctx: RequestContext, operation: int, transactional_id: str) -> None:
    """Go on only if the client may do `operation` to a transactional id.

    Raises:
        TransactionalIdAuthorizationFailedError: it may not.
    """
    if not allows(ctx, operation, AclResourceType.TRANSACTIONAL_ID, transactional_id):
        raise TransactionalIdAuthorizationFailedError


class AllowedTopics:
    """The topics to which the client may do an operation; without an authorizer all.

    Each name is decided once in a request.
    """

    __slots__ = ("_authorizer", "_ctx", "_is_asked", "_known", "_operation")

    def __init__(self, ctx: RequestContext, operation: int, *, is_asked: bool = True) -> None:
        """Decide when names are looked up."""
        self._ctx = ctx
        self._authorizer = ctx.authorizer
        self._operation = operation
        self._is_asked = is_asked
        self._known: dict[str, bool] = {}

    def __contains__(self, name: str) -> bool:
        authorizer = self._authorizer
        if authorizer is None:
            return True
        known = self._known.get(name)
        if known is None:
            known = self._known[name] = _allows(
                authorizer, self._ctx, self._operation, _TOPIC, name, is_asked=self._is_asked
            )
        return known


def allows_any(ctx: RequestContext, operation: int, resource_type: int) -> bool:
    """True if there is a resource of this type on which the client may do `operation`."""
    authorizer = ctx.authorizer
    if authorizer is None:
        return True
    if not ctx.has_caught_up:
        raise AuthorizerNotReadyError
    return authorizer.decide_for_any(
        ctx.principal, host_text(ctx.peer_host), operation, resource_type
    )


def topic_operations(ctx: RequestContext, name: str) -> int:
    """Return the operations that the client may do to a topic, one bit for each."""
    return _operations(ctx, _TOPIC, name)


def group_operations(ctx: RequestContext, name: str) -> int:
    """Return the operations that the client may do to a group, one bit for each."""
    return _operations(ctx, AclResourceType.GROUP, name)


def cluster_operations(ctx: RequestContext) -> int:
    """Return the operations that the client may do to the cluster; none if it may not ask."""
    if not allows_cluster(ctx, AclOperation.DESCRIBE):
        return 0
    return _operations(ctx, AclResourceType.CLUSTER, CLUSTER_NAME)


def _operations(ctx: RequestContext, resource_type: AclResourceType, name: str) -> int:
    return sum(
        1 << each
        for each in SUPPORTED_OPERATIONS[resource_type]
        if allows(ctx, each, resource_type, name, is_asked=False)
    )
