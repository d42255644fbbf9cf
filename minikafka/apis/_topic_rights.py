"""The parts of requests about topics that a client may not make: removed, and answered.

Source: `ControllerApis.createTopics`, `deleteTopics`, `createPartitions`.
"""

from collections import Counter
from collections.abc import Iterable

from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import AllowedTopics, allows_cluster
from minikafka.serving.context import ControllerContext


def denied(
    ctx: ControllerContext, operation: AclOperation, names: Iterable[str], *, by_cluster: bool
) -> list[str]:
    """Return the names of topics to which the client may not do `operation`.

    With `by_cluster` the right to do it to the cluster is enough. As Kafka: a name that is repeated
    is refused for that, whatever the client's rights are.
    """
    if ctx.authorizer is None:
        return []
    counts = Counter(names)
    if by_cluster and allows_cluster(ctx, operation, is_asked=False):
        return []
    allowed = AllowedTopics(ctx, operation)
    return [name for name, count in counts.items() if count == 1 and name not in allowed]
