"""DescribeConfigs (key 32), v1-4.

Both:        the effective values of topics, this node, the cluster's broker defaults, groups,
             and subscriptions to metrics, each with its source, and the levels of this node's
             loggers. The values of another node must be requested from that node; a controller
             describes itself on its own listener (KIP-919).
Versions:    v3 types and documentation; v4 flexible.
Errors:      TOPIC_AUTHORIZATION_FAILED, GROUP_AUTHORIZATION_FAILED, CLUSTER_AUTHORIZATION_FAILED,
             UNKNOWN_TOPIC_OR_PARTITION, INVALID_TOPIC_EXCEPTION, INVALID_REQUEST (resource).
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final

from minikafka.common.errors import (
    ClusterAuthorizationFailedError,
    GroupAuthorizationFailedError,
    InvalidRequestError,
    InvalidTopicError,
    KafkaError,
    TopicAuthorizationFailedError,
    UnknownTopicOrPartitionError,
)
from minikafka.config.client_metrics import CLIENT_METRICS_KEYS
from minikafka.config.definition import ConfigSource, ConfigType, Key, KeyTable, Update
from minikafka.config.group import GROUP_KEYS
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import (
    ConfigLayers,
    ConfigOrigin,
    broker_keys,
    listener_key,
)
from minikafka.controller.config_keys import DYNAMIC_ONLY
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
    DescribeConfigsResponse,
    DescribeConfigsResult,
    DescribeConfigsSynonym,
)
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_BROKER_LOGGER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
)
from minikafka.metadata.topic_name import fault_in_topic_name
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import allows, allows_cluster
from minikafka.serving.broker_loggers import level_names
from minikafka.serving.context import (
    BrokerContext,
    ControllerContext,
    NodeServices,
    RequestContext,
)
from minikafka.serving.encoded import EncodedResponse
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps, compute, next_turn

_DOCUMENTATION_FROM = 3
_ROW_US: Final = 10
"""The description of a resource, and of each of its keys."""


@broker_api(ApiKey.DESCRIBE_CONFIGS, versions=(1, 4))
def describe_configs(
    ctx: BrokerContext, request: DescribeConfigsRequest
) -> Steps[DescribeConfigsResponse | EncodedResponse]:
    """Describe each requested resource."""
    return _response(ctx, ctx.broker, request)


@controller_api(ApiKey.DESCRIBE_CONFIGS, versions=(1, 4))
def describe_configs_on_controller(
    ctx: ControllerContext, request: DescribeConfigsRequest
) -> Steps[DescribeConfigsResponse | EncodedResponse]:
    """Describe each requested resource, as the controller sees it."""
    return _response(ctx, ctx.services, request)


def _response(
    ctx: RequestContext, node: NodeServices, request: DescribeConfigsRequest
) -> Steps[DescribeConfigsResponse | EncodedResponse]:
    """Describe the resources; other requests run between many of them."""
    # Unlike Kafka (row W5): a resource that is named several times with the same keys is described
    # once.
    asked = {
        (each.resource_type, each.resource_name, tuple(each.configuration_keys or ())): each
        for each in request.resources
    }
    response = DescribeConfigsResponse()
    cost_us, is_long = 0, False
    for each in asked.values():
        if node.env.spend(cost_us):
            yield from next_turn(node.env, for_answer_only=True)
            is_long = True
        result = _denied(ctx, each) or _resource(node, request, each, ctx.version)
        response.results.append(result)
        cost_us = _ROW_US * (1 + len(result.configs))
    return (
        (yield from compute(partial(EncodedResponse, response, ctx.version)))
        if is_long
        else response
    )


def _denied(ctx: RequestContext, asked: DescribeConfigsResource) -> DescribeConfigsResult | None:
    """Return the answer for a resource whose configuration the client may not see, or None."""
    operation = AclOperation.DESCRIBE_CONFIGS
    error: KafkaError | None = None
    if asked.resource_type == RESOURCE_TOPIC:
        if not allows(ctx, operation, AclResourceType.TOPIC, asked.resource_name):
            error = TopicAuthorizationFailedError()
    elif asked.resource_type == RESOURCE_GROUP:
        if not allows(ctx, operation, AclResourceType.GROUP, asked.resource_name):
            error = GroupAuthorizationFailedError()
    elif not allows_cluster(ctx, operation):
        error = ClusterAuthorizationFailedError()
    if error is None:
        return None
    return DescribeConfigsResult(
        error.code, error.message, asked.resource_type, asked.resource_name
    )


def _resource(
    node: NodeServices,
    request: DescribeConfigsRequest,
    asked: DescribeConfigsResource,
    version: int,
) -> DescribeConfigsResult:
    result = DescribeConfigsResult(0, "", asked.resource_type, asked.resource_name)
    try:
        rows = _rows(node, asked, frozenset(asked.configuration_keys or ()))
    except KafkaError as error:
        result.error_code = error.code
        result.error_message = error.message
        return result
    result.configs = [_describe(request, key, origins, version) for key, origins in rows]
    return result


_Rows = Iterable[tuple[Key[object], list[ConfigOrigin]]]
"""The described keys of a resource, each with the origins of its value."""


def _rows(node: NodeServices, asked: DescribeConfigsResource, wanted: frozenset[str]) -> _Rows:
    """Return the rows of the wanted keys; of all keys if `wanted` is empty.

    The values of other keys are not computed.
    """
    layers = node.config_layers()
    name = asked.resource_name
    if asked.resource_type == RESOURCE_TOPIC:
        return _topic_rows(node, layers, name, wanted)
    if asked.resource_type == RESOURCE_BROKER:
        if not name:
            return _default_rows(layers, wanted)
        if name != str(node.config.node_id):
            raise InvalidRequestError(_wrong_node(name, node.config.node_id, "or empty string, "))
        return _broker_rows(layers, wanted)
    if asked.resource_type == RESOURCE_GROUP:
        own = node.image.config(RESOURCE_GROUP, name)
        return [
            (key, layers.described_origins(key, own, ConfigSource.DYNAMIC_GROUP_CONFIG))
            for key in _keys(GROUP_KEYS, wanted)
        ]
    if asked.resource_type == RESOURCE_BROKER_LOGGER:
        if not name:
            raise InvalidRequestError("Broker id must not be empty")
        if name != str(node.config.node_id):
            raise InvalidRequestError(_wrong_node(name, node.config.node_id, ""))
        return [
            (
                Key(name=logger, type=ConfigType.UNKNOWN, default=None, update=Update.PER_BROKER),
                [ConfigOrigin(logger, level, ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG)],
            )
            for logger, level in _chosen(level_names(), wanted)
        ]
    if asked.resource_type == RESOURCE_CLIENT_METRICS:
        if not name:
            raise InvalidRequestError("Client metrics subscription name must not be empty")
        return _subscription_rows(node.image.config(RESOURCE_CLIENT_METRICS, name), wanted)
    raise InvalidRequestError


def _subscription_rows(
    own: Mapping[str, str], wanted: frozenset[str]
) -> list[tuple[Key[object], list[ConfigOrigin]]]:
    rows = []
    for key in _keys(CLIENT_METRICS_KEYS, wanted):
        text = own.get(key.name)
        if text is None:
            origin = _NO_VALUE._replace(text=key.text(key.default))
        else:
            origin = ConfigOrigin(
                key.name, key.shown(text), ConfigSource.DYNAMIC_CLIENT_METRICS_CONFIG
            )
        rows.append((key, [origin]))
    return rows


def _keys(table: KeyTable, wanted: frozenset[str]) -> Iterable[Key[object]]:
    return table.named(wanted) if wanted else table


def _chosen(values: Mapping[str, str], wanted: frozenset[str]) -> Iterable[tuple[str, str]]:
    return [pair for pair in values.items() if not wanted or pair[0] in wanted]


def _wrong_node(name: str, node_id: int, more: str) -> str:
    if not (name.isascii() and name.isdigit()):
        return f"Broker id must be an integer, but it is: {name}"
    return f"Unexpected broker id, expected {node_id} {more}but received {name}"


def _broker_rows(layers: ConfigLayers, wanted: frozenset[str]) -> _Rows:
    found = [
        (key, layers.described_broker_origins(key) or [_NO_VALUE])
        for key in _keys(broker_keys(), wanted)
    ]
    # As Kafka: keys that exist only as dynamic values, and those of plug-ins, if they are set.
    for name, _ in _chosen({**layers.dynamic_broker, **layers.dynamic_default}, wanted):
        if broker_keys().get(name) is None:
            origins = layers._replace(static={}).broker_origins(_dynamic_key(name))
            own = [each for each in origins if each.source != ConfigSource.DEFAULT_CONFIG]
            # As Kafka: a key of one listener falls back to the same key of all listeners.
            common = broker_keys().get(listener_key(name))
            others = [] if common is None else layers.broker_origins(common)
            found.append((_dynamic_key(name), own + others))
    return found


def _dynamic_key(name: str) -> Key[object]:
    known = DYNAMIC_ONLY.get(name) or broker_keys().get(listener_key(name))
    if known is None:
        return Key(name=name, type=ConfigType.UNKNOWN, default=None)
    return replace(known, name=name)


def _topic_rows(
    node: NodeServices, layers: ConfigLayers, name: str, wanted: frozenset[str]
) -> _Rows:
    fault = fault_in_topic_name(name)
    if fault is not None:
        raise InvalidTopicError(fault)
    if node.image.topic(name) is None:
        raise UnknownTopicOrPartitionError
    own = node.image.config(RESOURCE_TOPIC, name)
    return [
        (
            key,
            layers.described_origins(key, own, ConfigSource.DYNAMIC_TOPIC_CONFIG)
            or [_NO_VALUE._replace(text=layers.topic_text(key, own))],
        )
        for key in _keys(TOPIC_KEYS, wanted)
    ]


def _default_rows(layers: ConfigLayers, wanted: frozenset[str]) -> _Rows:
    """Return the cluster-wide dynamic defaults: only the keys that are set."""
    return [
        (
            broker_keys().get(name) or _dynamic_key(name),
            [ConfigOrigin(name, value, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG)],
        )
        for name, value in _chosen(layers.dynamic_default, wanted)
    ]


def _describe(
    request: DescribeConfigsRequest, key: Key[object], origins: list[ConfigOrigin], version: int
) -> DescribeConfigsResourceResult:
    value = origins[0]
    text = None if value.text is None else key.shown(value.text)
    result = DescribeConfigsResourceResult(
        key.name,
        None
        if key.sensitive and value.source != ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG
        else text,
        key.update is Update.READ_ONLY,
        value.source,
        key.sensitive and value.source != ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG,
        config_type=int(key.type),
        documentation=None,
    )
    if request.include_synonyms:
        result.synonyms = [
            DescribeConfigsSynonym(
                origin.name, None if key.sensitive else origin.text, origin.source
            )
            for origin in origins
            if origin.name and origin.source != ConfigSource.DYNAMIC_BROKER_LOGGER_CONFIG
        ]
    if request.include_documentation and version >= _DOCUMENTATION_FROM:
        result.documentation = key.doc
    return result


_NO_VALUE = ConfigOrigin("", None, ConfigSource.DEFAULT_CONFIG)
