"""Dynamic configuration of topics, brokers, the cluster's brokers, groups, and subscriptions.

A subscription is one to the metrics of clients; its resource type is CLIENT_METRICS.

Each resource of a request succeeds or fails separately. The changes that succeed are written in one
batch, followed by the changes that a new `min.insync.replicas` causes in ELRs (E10) and in
reassignments that wait for it (E11).

Source: `ConfigurationControlManager`, KIP-339, KIP-966; docs/rules.md E10, E11.
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple, TypeVar

from minikafka.common.errors import (
    ErrorCode,
    InvalidConfigError,
    InvalidRequestError,
    KafkaError,
    UnknownTopicOrPartitionError,
)
from minikafka.config.definition import ConfigType, Key, parse_list
from minikafka.config.group import check_group_bounds
from minikafka.config.topic import MIN_INSYNC_REPLICAS
from minikafka.config.values import check_topic_conflicts
from minikafka.controller.config_keys import check_value, find_key
from minikafka.controller.elr_clearing import clearing_records
from minikafka.controller.reassignment_completion import completing_records
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import alter_configs as replacing
from minikafka.messages import incremental_alter_configs as incremental
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
)
from minikafka.metadata.serde import MetadataRecord

_SET, _DELETE, _APPEND, _SUBTRACT = range(4)

Values = dict[str, str | None]


class _Resource(NamedTuple):
    type: int
    name: str


class _Outcome(NamedTuple):
    resource: _Resource
    error: KafkaError | None


def incremental_alter_configs(
    view: View, request: incremental.IncrementalAlterConfigsRequest
) -> ControllerResult[incremental.IncrementalAlterConfigsResponse]:
    """Set, delete, append to and subtract from configuration values of resources."""
    records, outcomes = _alter_all(
        view,
        [(_Resource(r.resource_type, r.resource_name), r) for r in request.resources],
        lambda resource, asked: _incremental_values(view, resource, asked.configs),
    )
    response = incremental.IncrementalAlterConfigsResponse(
        responses=[
            incremental.AlterConfigsResourceResponse(
                error_code=_code(error),
                error_message=None if error is None else error.message,
                resource_type=resource.type,
                resource_name=resource.name,
            )
            for resource, error in outcomes
        ]
    )
    return ControllerResult([] if request.validate_only else records, response, atomic=True)


def alter_configs(
    view: View, request: replacing.AlterConfigsRequest
) -> ControllerResult[replacing.AlterConfigsResponse]:
    """Replace the configuration of each resource by the values of the request."""
    records, outcomes = _alter_all(
        view,
        [(_Resource(r.resource_type, r.resource_name), r) for r in request.resources],
        lambda resource, asked: _replacing_values(view, resource, asked.configs),
    )
    response = replacing.AlterConfigsResponse(
        responses=[
            replacing.AlterConfigsResourceResponse(
                error_code=_code(error),
                error_message=None if error is None else error.message,
                resource_type=resource.type,
                resource_name=resource.name,
            )
            for resource, error in outcomes
        ]
    )
    return ControllerResult([] if request.validate_only else records, response, atomic=True)


def _code(error: KafkaError | None) -> ErrorCode:
    return ErrorCode.NONE if error is None else error.code


A = TypeVar("A")


def _alter_all(
    view: View,
    asked: list[tuple[_Resource, A]],
    values_of: Callable[[_Resource, A], Values],
) -> tuple[list[MetadataRecord], list[_Outcome]]:
    """Return the records of the valid changes, and the outcome for each resource."""
    counts: dict[_Resource, int] = {}
    for resource, _ in asked:
        counts[resource] = counts.get(resource, 0) + 1
    records: list[ConfigRecord] = []
    outcomes: list[_Outcome] = []
    for resource, alterations in asked:
        try:
            if counts[resource] > 1:
                raise InvalidRequestError("Each resource must appear at most once.")
            _check_resource(view, resource)
            values = values_of(resource, alterations)
            _check_min_isr(view, resource, values)
            _check_conflicts(view, resource, values)
        except KafkaError as error:
            # Without its traceback, which would hold this frame and so form a reference cycle.
            outcomes.append(_Outcome(resource, error.with_traceback(None)))
            continue
        outcomes.append(_Outcome(resource, None))
        records += _config_records(view, resource, values)
    cleared = [*records, *clearing_records(view, records)]
    return (
        [*cleared, *completing_records(view.after(cleared), records)],
        outcomes,
    )


def _check_resource(view: View, resource: _Resource) -> None:
    """Check that the resource exists."""
    if resource.type == RESOURCE_TOPIC:
        if view.image.topic(resource.name) is None:
            raise UnknownTopicOrPartitionError(f"The topic '{resource.name}' does not exist.")
    elif resource.type == RESOURCE_BROKER:
        _check_broker(view, resource.name)
    elif resource.type == RESOURCE_GROUP:
        if not resource.name:
            raise InvalidRequestError("groups have no default configuration; name a group")
    elif resource.type == RESOURCE_CLIENT_METRICS:
        if not resource.name:
            raise InvalidRequestError("Subscription name can't be empty")
    else:
        raise InvalidRequestError(f"Unknown resource type {resource.type}")


def _check_broker(view: View, name: str) -> None:
    if not name:
        return
    if not (name.isascii() and name.isdigit()):
        raise InvalidRequestError(f"Node id must be an integer, but it is: {name}")
    if int(name) not in view.image.brokers and int(name) not in view.image.controllers:
        raise InvalidRequestError(f"broker {name} is not registered")


def _incremental_values(
    view: View, resource: _Resource, alterations: Iterable[incremental.AlterableConfig]
) -> Values:
    """Return the new value of each named key; None means that the key is removed."""
    values: Values = {}
    for asked in alterations:
        if asked.name in values:
            raise InvalidRequestError("Error due to duplicate config keys")
        if asked.config_operation == _DELETE:
            values[asked.name] = None
            continue
        if asked.value is None:
            raise InvalidRequestError(f"Null value not supported for : {asked.name}")
        value = asked.value
        if asked.config_operation in (_APPEND, _SUBTRACT):
            value = _altered_list(view, resource, asked.name, value, asked.config_operation)
        elif asked.config_operation != _SET:
            # Unlike Kafka (row W2).
            raise InvalidRequestError(f"Unknown operations type {asked.config_operation}")
        check_value(resource.type, resource.name, asked.name, value)
        values[asked.name] = value
    return values


def _altered_list(view: View, resource: _Resource, name: str, value: str, operation: int) -> str:
    key = find_key(resource.type, name)
    # As Kafka: lists of a subscription can only be replaced.
    is_list = key is not None and key.type is ConfigType.LIST
    if key is None or not is_list or resource.type == RESOURCE_CLIENT_METRICS:
        verb = "APPEND" if operation == _APPEND else "SUBTRACT"
        raise InvalidConfigError(f"Can't {verb} to key {name} because its type is not LIST.")
    present = parse_list(_text_in_force(view, resource, key) or "")
    given = parse_list(value)
    if operation == _APPEND:
        return ",".join(dict.fromkeys((*present, *given)))
    return ",".join(item for item in present if item not in given)


def _text_in_force(view: View, resource: _Resource, key: Key[object]) -> str | None:
    own = view.image.config(resource.type, resource.name)
    if resource.type == RESOURCE_TOPIC:
        return view.layers().topic_origins(key, own)[0].scaled
    if resource.type == RESOURCE_BROKER:
        origins = view.layers()._replace(dynamic_broker=own).broker_origins(key)
        return origins[0].text if origins else None
    return own.get(key.name, key.text(key.default))


def _replacing_values(
    view: View, resource: _Resource, given: Iterable[replacing.AlterableConfig]
) -> Values:
    """Return the new value of each key: the given values, and None for every other key."""
    values: Values = {}
    for asked in given:
        if asked.name in values:
            raise InvalidRequestError("Error due to duplicate config keys")
        if asked.value is None:
            raise InvalidRequestError(f"Null value not supported for : {asked.name}")
        check_value(resource.type, resource.name, asked.name, asked.value)
        values[asked.name] = asked.value
    for name in view.image.config(resource.type, resource.name):
        values.setdefault(name, None)
    return values


def _check_min_isr(view: View, resource: _Resource, values: Values) -> None:
    """With ELR, check that no broker gets a min ISR different from the cluster's.

    Every controller must decide by the same value: the topic's, or else the cluster's.
    """
    name = MIN_INSYNC_REPLICAS.name
    if resource.type != RESOURCE_BROKER or name not in values or not view.elr_enabled:
        return
    if resource.name and values[name] is not None:
        raise InvalidConfigError(f"{name}: cannot be set for one broker while ELR is enabled")
    if not resource.name and values[name] is None:
        raise InvalidConfigError(f"{name}: the default cannot be removed while ELR is enabled")


def _check_conflicts(view: View, resource: _Resource, values: Values) -> None:
    if resource.type not in (RESOURCE_TOPIC, RESOURCE_GROUP):
        return
    changed = {**view.image.config(resource.type, resource.name), **values}
    merged = {name: value for name, value in changed.items() if value is not None}
    if resource.type == RESOURCE_TOPIC:
        conflict = check_topic_conflicts(view.layers(), merged)
    else:
        conflict = check_group_bounds(view.layers().broker_config(), merged)
    if conflict is not None:
        raise InvalidConfigError(conflict)


def _config_records(view: View, resource: _Resource, values: Values) -> list[ConfigRecord]:
    own = view.image.config(resource.type, resource.name)
    return [
        ConfigRecord(
            resource_type=resource.type, resource_name=resource.name, name=name, value=value
        )
        for name, value in _as_spelled(resource, values).items()
        if own.get(name) != value
    ]


def _as_spelled(resource: _Resource, values: Values) -> Values:
    found: Values = {}
    for name, value in values.items():
        key = find_key(resource.type, name)
        found[name] = value if key is None or value is None else key.spelling(value)
    return found
