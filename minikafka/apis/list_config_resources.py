"""ListConfigResources (key 74), v0-1.

Broker:      the resources that may have a configuration: topics, brokers, groups, client metrics.
Versions:    v0 client metrics only; v1 the requested types.
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION (an unknown type).
"""

from minikafka.common.errors import UnsupportedVersionError
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.list_config_resources import (
    ConfigResource,
    ListConfigResourcesRequest,
    ListConfigResourcesResponse,
)
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
    MetadataImage,
)
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_BROKER_LOGGER = 8
_ALL = (RESOURCE_TOPIC, RESOURCE_BROKER, _BROKER_LOGGER, RESOURCE_CLIENT_METRICS, RESOURCE_GROUP)


@broker_api(ApiKey.LIST_CONFIG_RESOURCES, versions=(0, 1))
def list_config_resources(
    ctx: BrokerContext, request: ListConfigResourcesRequest
) -> ListConfigResourcesResponse:
    """List by type, from the image."""
    require_cluster(ctx, AclOperation.DESCRIBE_CONFIGS)
    if ctx.version == 0:
        wanted: list[int] = [RESOURCE_CLIENT_METRICS]
    else:
        wanted = list(dict.fromkeys(request.resource_types)) or list(_ALL)
    for kind in wanted:
        if kind not in _ALL:
            raise UnsupportedVersionError(f"resource type {kind} is unknown")
    return ListConfigResourcesResponse(
        config_resources=[
            ConfigResource(name, kind) for kind in wanted for name in _names(ctx.broker.image, kind)
        ]
    )


def _names(image: MetadataImage, kind: int) -> list[str]:
    if kind == RESOURCE_TOPIC:
        return list(image.topic_ids)
    if kind in (RESOURCE_BROKER, _BROKER_LOGGER):
        return [str(broker) for broker in image.brokers]
    return [name for found, name in image.configs if found == kind]
