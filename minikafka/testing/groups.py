"""Groups of consumers and share consumers, for `KafkaOperations`."""

from collections.abc import Mapping
from typing import Any, Final

from minikafka.admin.client import AdminClient, AdminError, error_text
from minikafka.admin.topics import list_topics
from minikafka.common.errors import ErrorCode
from minikafka.messages.delete_groups import DeleteGroupsRequest
from minikafka.messages.list_groups import ListGroupsRequest

_OFFSETS: Final = "__consumer_offsets"


def coordinators(client: AdminClient) -> dict[str, int]:
    """Return the coordinator of each group.

    Raises:
        AdminError: a broker does not answer.
    """
    if all(topic.name != _OFFSETS for topic in list_topics(client)):
        # No group can exist: the usual case costs one request.
        return {}
    return {
        group.group_id: broker
        for broker in client.brokers()
        for group in _ask(client, broker, ListGroupsRequest()).groups
    }


def delete(client: AdminClient, by_coordinator: Mapping[int, list[str]]) -> dict[str, str]:
    """Delete groups; return why, by group, for those that are not deleted.

    Raises:
        AdminError: a broker does not answer.
    """
    return {
        result.group_id: error_text(result.error_code, None)
        for broker, groups in by_coordinator.items()
        for result in _ask(client, broker, DeleteGroupsRequest(groups_names=groups)).results
        if result.error_code not in (ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND)
    }


def _ask(client: AdminClient, broker: int, request: Any) -> Any:
    try:
        return client.ask_broker(broker, request)
    except AdminError as error:
        if error.code != ErrorCode.NETWORK_EXCEPTION:
            raise
        # The connection may be older than the broker's process.
        return client.ask_broker(broker, request)
