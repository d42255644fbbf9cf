"""Configurations of topics, brokers and groups: describe, alter, list configured resources.

The configuration of a single broker is described and changed by requests to that broker; all other
requests go to any broker.
"""

from collections.abc import Mapping, Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.common.errors import ErrorCode
from minikafka.config.definition import ConfigSource
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_configs import (
    DescribeConfigsRequest,
    DescribeConfigsResource,
    DescribeConfigsResourceResult,
)
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.messages.list_config_resources import ListConfigResourcesRequest

_SET = 0
_DELETE = 1


class ResourceType(IntEnum):
    """The types of resources with a configuration (`ConfigResource.Type`)."""

    TOPIC = 2
    BROKER = 4
    GROUP = 32


class Resource(NamedTuple):
    """One resource with a configuration; an empty broker name means the default of all brokers."""

    type: ResourceType
    name: str


class Synonym(NamedTuple):
    """One possible source of a value."""

    name: str
    value: str | None
    source: ConfigSource


class ConfigEntry(NamedTuple):
    """One value; its synonyms in order of precedence, highest first."""

    name: str
    value: str | None
    source: ConfigSource
    is_sensitive: bool
    synonyms: Sequence[Synonym]


def describe_configs(
    client: AdminClient, resources: Sequence[Resource], *, synonyms: bool = False
) -> dict[Resource, list[ConfigEntry]]:
    """Return every entry of each resource, in the server's order.

    Raises:
        AdminError: a resource cannot be described, with the cluster's reason.
    """
    found: dict[Resource, list[ConfigEntry]] = {}
    for target, group in _by_target(resources).items():
        request = DescribeConfigsRequest(
            resources=[DescribeConfigsResource(it.type, it.name, None) for it in group],
            include_synonyms=synonyms,
        )
        for result in _ask(client, target, request).results:
            check(result.error_code, result.error_message)
            resource = Resource(ResourceType(result.resource_type), result.resource_name)
            found[resource] = [_entry(entry) for entry in result.configs]
    return found


def alter_configs(
    client: AdminClient, resource: Resource, add: Mapping[str, str], delete: Sequence[str]
) -> None:
    """Set and remove entries of one resource, either all or none.

    Raises:
        AdminError: a change was rejected, with the cluster's reason.
    """
    changes = [AlterableConfig(name, _SET, value) for name, value in add.items()]
    changes += [AlterableConfig(name, _DELETE, None) for name in delete]
    request = IncrementalAlterConfigsRequest(
        resources=[AlterConfigsResource(resource.type, resource.name, changes)]
    )
    response = client.settle(
        lambda: _ask(client, _target(resource), request), lambda it: it.responses[0].error_code
    )
    check(response.responses[0].error_code, response.responses[0].error_message)


def broker_ids(client: AdminClient) -> list[int]:
    """Return the ids of the live brokers, sorted."""
    try:
        response = client.ask(DescribeClusterRequest())
        check(response.error_code, response.error_message)
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise
        return sorted(client.brokers())
    return sorted(broker.broker_id for broker in response.brokers)


def configured_names(client: AdminClient, resource_type: ResourceType) -> list[str]:
    """Return the resources of a type that have dynamic configuration; empty if not supported."""
    try:
        response = client.ask(ListConfigResourcesRequest(resource_types=[resource_type]))
        check(response.error_code)
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise
        return []
    return [
        it.resource_name for it in response.config_resources if it.resource_type == resource_type
    ]


def _by_target(resources: Sequence[Resource]) -> dict[int | None, list[Resource]]:
    groups: dict[int | None, list[Resource]] = {}
    for resource in resources:
        groups.setdefault(_target(resource), []).append(resource)
    return groups


def _target(resource: Resource) -> int | None:
    return int(resource.name) if resource.type is ResourceType.BROKER and resource.name else None


def _ask(client: AdminClient, target: int | None, request: Any) -> Any:
    return client.ask(request) if target is None else client.ask_broker(target, request)


def _entry(it: DescribeConfigsResourceResult) -> ConfigEntry:
    synonyms = [Synonym(each.name, each.value, _source(each.source)) for each in it.synonyms]
    return ConfigEntry(it.name, it.value, _source(it.config_source), it.is_sensitive, synonyms)


def _source(number: int) -> ConfigSource:
    known = number in ConfigSource.__members__.values()
    return ConfigSource(number) if known else ConfigSource.UNKNOWN
