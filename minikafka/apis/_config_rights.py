"""The parts of requests for changes of configurations that a client may not make.

Source: `ControllerApis.authorizeAlterResource`.
"""

from collections import Counter
from typing import Any

from minikafka.common.errors import (
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    KafkaError,
    TopicAuthorizationFailedError,
)
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
)
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows, allows_cluster
from minikafka.serving.context import ControllerContext


def split_by_rights(
    ctx: ControllerContext, resources: list[Any]
) -> tuple[list[Any], list[tuple[Any, KafkaError]]]:
    """Return the resources that the client may alter, and the others, each with its error.

    A resource that is named twice, or of another type, is among the first: it is refused for that.
    """
    if ctx.authorizer is None:
        return resources, []
    named = [(each.resource_type, each.resource_name) for each in resources]
    counts = Counter(named)
    allowed, refused = [], []
    for each, name in zip(resources, named, strict=True):
        error = _error(ctx, *name) if counts[name] == 1 else None
        if error is None:
            allowed.append(each)
        else:
            refused.append((each, error))
    return allowed, refused


def _error(ctx: ControllerContext, resource_type: int, name: str) -> KafkaError | None:
    operation = AclOperation.ALTER_CONFIGS
    if resource_type in (RESOURCE_BROKER, RESOURCE_CLIENT_METRICS):
        return None if allows_cluster(ctx, operation) else ClusterAuthorizationFailedError()
    if resource_type == RESOURCE_TOPIC:
        is_allowed = allows(ctx, operation, AclResourceType.TOPIC, name)
        return None if is_allowed else TopicAuthorizationFailedError()
    if resource_type == RESOURCE_GROUP:
        is_allowed = allows(ctx, operation, AclResourceType.GROUP, name)
        return None if is_allowed else GroupAuthorizationFailedError()
    return None
