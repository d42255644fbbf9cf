"""DescribeConfigs (key 32), v1-4.

Both:        the effective values of topics, this node, the cluster's broker defaults and groups,
             each with its source. The values of another node must be requested from that node; a
             controller describes itself on its own listener (KIP-919).
Versions:    v3 types and documentation; v4 flexible.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION, INVALID_REQUEST (resource).
"""

from collections.abc import Iterable

from minikafka.common.errors import (
    InvalidRequestError,
    InvalidTopicError,
    KafkaError,
    UnknownTopicOrPartitionError,
)
from minikafka.config.definition import ConfigType, Key, Update
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import (
    SOURCE_DEFAULT,
    SOURCE_DYNAMIC_DEFAULT,
    ConfigLayers,
    ConfigOrigin,
    broker_keys,
)
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_GROUP, RESOURCE_TOPIC
from minikafka.metadata.topic_name import fault_in_topic_name
from minikafka.serving.context import BrokerContext, ControllerContext, NodeServices
from minikafka.serving.registry import broker_api, controller_api

_DOCUMENTATION_FROM = 3
_SOURCE_GROUP = 8


@broker_api(ApiKey.DESCRIBE_CONFIGS, versions=(1, 4))
def describe_configs(
    ctx: BrokerContext, request: DescribeConfigsRequest
) -> DescribeConfigsResponse:
    """Describe each requested resource."""
    return _response(ctx.broker, request, ctx.version)


@controller_api(ApiKey.DESCRIBE_CONFIGS, versions=(1, 4))
def describe_configs_on_controller(
    ctx: ControllerContext, request: DescribeConfigsRequest
) -> DescribeConfigsResponse:
    """Describe each requested resource, as the controller sees it."""
    return _response(ctx.services, request, ctx.version)


def _response(
    node: NodeServices, request: DescribeConfigsRequest, version: int
) -> DescribeConfigsResponse:
    # Unlike Kafka (row 81): a resource that is named several times with the same keys is described
    # once.
    asked = {
        (each.resource_type, each.resource_name, tuple(each.configuration_keys or ())): each
        for each in request.resources
    }
    return DescribeConfigsResponse(
        results=[_resource(node, request, each, version) for each in asked.values()]
    )


def _resource(
    node: NodeServices,
    request: DescribeConfigsRequest,
    asked: DescribeConfigsResource,
    version: int,
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(0, None, asked.resource_type, asked.resource_name)
    try:
        rows = list(_rows(node, asked))
    except KafkaError as error:
        result.error_code = error.code
        result.error_message = error.message
        return result
    wanted = frozenset(asked.configuration_keys or ())
    result.configs = [
        _describe(request, key, origins, version)
        for key, origins in rows
        if not wanted or key.name in wanted
    ]
    return result


def _rows(
    node: NodeServices, asked: DescribeConfigsResource
) -> Iterable[tuple[Key[object], list[ConfigOrigin]]]:
    layers = node.config_layers()
    name = asked.resource_name
    if asked.resource_type == RESOURCE_TOPIC:
        return _topic_rows(node, layers, name)
    if asked.resource_type == RESOURCE_BROKER:
        if not name:
            return _default_rows(layers)
        if name != str(node.config.node_id):
            raise InvalidRequestError(
                f"the configuration of broker {name!r} must be requested from that broker; "
                f"this is node {node.config.node_id}"
            )
        return [(key, layers.broker_origins(key) or [_NO_VALUE]) for key in broker_keys()]
    if asked.resource_type == RESOURCE_GROUP:
        values = node.image.config(RESOURCE_GROUP, name)
        return [
            (
                Key(name=key, type=ConfigType.STRING, default=None),
                [ConfigOrigin(key, value, _SOURCE_GROUP)],
            )
            for key, value in values.items()
        ]
    raise InvalidRequestError(f"resource type {asked.resource_type} cannot be described")


def _topic_rows(
    node: NodeServices, layers: ConfigLayers, name: str
) -> Iterable[tuple[Key[object], list[ConfigOrigin]]]:
    fault = fault_in_topic_name(name)
    if fault is not None:
        raise InvalidTopicError(fault)
    if node.image.topic(name) is None:
        raise UnknownTopicOrPartitionError
    own = node.image.config(RESOURCE_TOPIC, name)
    return [(key, layers.topic_origins(key, own)) for key in TOPIC_KEYS]


def _default_rows(layers: ConfigLayers) -> Iterable[tuple[Key[object], list[ConfigOrigin]]]:
    """Return the cluster-wide dynamic defaults: only the keys that are set."""
    found = []
    for name, value in layers.dynamic_default.items():
        key = broker_keys().get(name)
        if key is not None:
            shown = key.spelling(value)
            found.append((key, [ConfigOrigin(name, shown, SOURCE_DYNAMIC_DEFAULT)]))
    return found


def _describe(
    request: DescribeConfigsRequest, key: Key[object], origins: list[ConfigOrigin], version: int
) -> DescribeConfigsResourceResult:
    value = origins[0]
    result = DescribeConfigsResourceResult(
        key.name,
        None if key.sensitive else value.scaled,
        key.update is Update.READ_ONLY,
        value.source,
        key.sensitive,
        config_type=int(key.type),
        documentation=None,
    )
    if request.include_synonyms:
        result.synonyms = [
            DescribeConfigsSynonym(
                origin.name, None if key.sensitive else origin.text, origin.source
            )
            for origin in origins
            if origin is not _NO_VALUE
        ]
    if request.include_documentation and version >= _DOCUMENTATION_FROM:
        result.documentation = key.doc
    return result


_NO_VALUE = ConfigOrigin("", None, SOURCE_DEFAULT)
