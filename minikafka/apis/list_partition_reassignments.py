"""ListPartitionReassignments (key 46), v0.

Broker:      forwards to the active controller.
Controller:  partitions with replicas that are being added or removed.
Errors:      CLUSTER_AUTHORIZATION_FAILED, NOT_CONTROLLER.
"""

from collections.abc import Iterator

from minikafka.common.errors import NotControllerError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_partition_reassignments import (
    ListPartitionReassignmentsRequest,
    ListPartitionReassignmentsResponse,
    OngoingPartitionReassignment,
    OngoingTopicReassignment,
)
from minikafka.metadata.image import TopicImage
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api

_VERSIONS = (0, 0)

forward_to_controller(ApiKey.LIST_PARTITION_REASSIGNMENTS, _VERSIONS)


@controller_api(ApiKey.LIST_PARTITION_REASSIGNMENTS, versions=_VERSIONS)
def list_partition_reassignments(
    ctx: ControllerContext, request: ListPartitionReassignmentsRequest
) -> ListPartitionReassignmentsResponse:
    """Answer from the committed image."""
    require_cluster(ctx, AclOperation.DESCRIBE)
    if not ctx.services.controller.is_active:
        raise NotControllerError
    found = []
    for topic, indexes in _asked(ctx, request):
        ongoing = [
            OngoingPartitionReassignment(
                index,
                list(registration.replicas),
                list(registration.adding_replicas),
                list(registration.removing_replicas),
            )
            for index in indexes
            if (registration := topic.partitions.get(index)) and registration.is_reassigning
        ]
        if ongoing:
            found.append(OngoingTopicReassignment(topic.name, ongoing))
    return ListPartitionReassignmentsResponse(error_message=None, topics=found)


def _asked(
    ctx: ControllerContext, request: ListPartitionReassignmentsRequest
) -> Iterator[tuple[TopicImage, list[int]]]:
    image = ctx.services.image
    if request.topics is None:
        for topic in image.topics.values():
            yield topic, list(topic.partitions)
        return
    for wanted in request.topics:
        found = image.topic(wanted.name)
        if found is not None:
            yield found, list(wanted.partition_indexes)
