"""A cluster as a whole: its id, its nodes, and the registrations of its brokers."""

from typing import NamedTuple

from minikafka.admin.client import AdminClient, check
from minikafka.common.errors import ErrorCode
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.unregister_broker import UnregisterBrokerRequest


class ClusterNode(NamedTuple):
    """A broker or a controller, with the address for clients of this kind."""

    node_id: int
    host: str
    port: int
    rack: str | None
    is_fenced: bool


class ClusterDescription(NamedTuple):
    """The cluster's id, and its brokers or controllers in ascending order."""

    cluster_id: str
    nodes: list[ClusterNode]


def describe_cluster(client: AdminClient, *, include_fenced: bool = False) -> ClusterDescription:
    """Describe the cluster: its brokers, or its controllers if the client asks controllers.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    request = DescribeClusterRequest(
        endpoint_type=client.endpoint_type, include_fenced_brokers=include_fenced
    )
    response = client.ask(request)
    check(response.error_code, response.error_message)
    nodes = [
        ClusterNode(it.broker_id, it.host, it.port, it.rack, it.is_fenced)
        for it in response.brokers
    ]
    return ClusterDescription(response.cluster_id, sorted(nodes))


def unregister_broker(client: AdminClient, broker_id: int) -> None:
    """Remove the registration of a broker that will not return.

    Raises:
        AdminError: the request failed, with the cluster's reason.
    """
    request = UnregisterBrokerRequest(broker_id)
    response = client.settle(
        lambda: client.ask_active(request),
        lambda it: it.error_code if it.error_code == ErrorCode.NOT_CONTROLLER else ErrorCode.NONE,
    )
    check(response.error_code, response.error_message)
