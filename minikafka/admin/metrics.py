"""Metrics of a cluster's nodes: find their endpoints and read them.

Brokers are found by DescribeCluster, controllers by DescribeQuorum (from a broker) or
DescribeCluster (from a controller); their metrics endpoints by DescribeConfigs of
`metrics.http.listen` (KIP-919).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.admin.configs import ResourceType
from minikafka.admin.quorum import describe_quorum
from minikafka.common.addresses import server_text
from minikafka.common.errors import ErrorCode
from minikafka.config.broker import METRICS_HTTP_LISTEN
from minikafka.config.node_config import parse_address
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

_CONTROLLERS = 2
_EVERY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - recognized, not bound
_PATH = "/metrics"


class NodeAddress(NamedTuple):
    """A node with its address and role."""

    node_id: int
    host: str
    port: int
    role: str


class Value(NamedTuple):
    """One value of one node."""

    name: str
    labels: Mapping[str, str]
    value: float


class NodeMetrics(NamedTuple):
    """The metrics of a node; `problem` is the error if they cannot be read."""

    node_id: int
    role: str
    values: Sequence[Value]
    problem: str = ""


Connect = Callable[[str], AdminClient]
"""Returns a client for an address (host:port)."""


def nodes_by_broker(client: AdminClient) -> list[NodeAddress]:
    """Return every node of a cluster, as a broker knows them, also fenced ones if supported.

    Raises:
        AdminError: the nodes cannot be listed, with the cluster's reason.
    """
    try:
        response = client.ask(DescribeClusterRequest(include_fenced_brokers=True))
    except AdminError as error:
        if error.code != ErrorCode.UNSUPPORTED_VERSION:
            raise
        response = client.ask(DescribeClusterRequest())
    check(response.error_code, response.error_message)
    found = {
        it.broker_id: NodeAddress(it.broker_id, it.host, it.port, "broker")
        for it in response.brokers
    }
    for node_id, listeners in describe_quorum(client).endpoints.items():
        address = listeners[0].partition("://")[2] if listeners else ""
        if address and node_id not in found:
            found[node_id] = NodeAddress(node_id, *parse_address(address), "controller")
    return sorted(found.values())


def nodes_by_controller(client: AdminClient) -> list[NodeAddress]:
    """Return the controllers of a cluster, as one of them knows them.

    Raises:
        AdminError: the controllers cannot be listed, with the cluster's reason.
    """
    response = client.ask(DescribeClusterRequest(endpoint_type=_CONTROLLERS))
    check(response.error_code, response.error_message)
    return sorted(
        NodeAddress(it.broker_id, it.host, it.port, "controller") for it in response.brokers
    )


def read_metrics(
    nodes: Sequence[NodeAddress], connect: Connect, timeout_s: float
) -> list[NodeMetrics]:
    """Return the metrics of each node, in the given order."""
    return [_read(node, connect, timeout_s) for node in nodes]


def _read(node: NodeAddress, connect: Connect, timeout_s: float) -> NodeMetrics:
    try:
        with connect(server_text(node.host, node.port)) as client:
            endpoint = endpoint_of(client, node)
        values = list(parse(_fetch(*endpoint, timeout_s)))
    except (AdminError, OSError, HTTPException) as error:
        return NodeMetrics(node.node_id, node.role, [], str(error))
    return NodeMetrics(node.node_id, node.role, values)


def endpoint_of(client: AdminClient, node: NodeAddress) -> tuple[str, int]:
    """Return host and port of a node's metrics endpoint.

    Raises:
        AdminError: the node serves no metrics, or its configuration cannot be described.
    """
    name = METRICS_HTTP_LISTEN.name
    asked = DescribeConfigsResource(ResourceType.BROKER, str(node.node_id), [name])
    (result,) = client.ask(DescribeConfigsRequest(resources=[asked])).results
    check(result.error_code, result.error_message)
    text = next((entry.value for entry in result.configs if entry.name == name), None)
    if not text:
        raise AdminError(f"serves no metrics: set {name}=HOST:PORT in its properties file")
    host, port = parse_address(text)
    return (node.host if host in _EVERY_ADDRESS else host), port


def _fetch(host: str, port: int, timeout_s: float) -> str:
    url = f"http://{server_text(host, port)}{_PATH}"
    connection = HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", _PATH)
        response = connection.getresponse()
        body = response.read()
    except OSError as error:
        raise AdminError(f"no answer from {url}: {error}") from None
    finally:
        connection.close()
    if response.status != 200:
        raise AdminError(f"{url} answers {response.status} {response.reason}")
    return body.decode()


def parse(text: str) -> Iterator[Value]:
    """Yield the values of a metrics text in Prometheus format.

    Raises:
        AdminError: the extra `metrics` is not installed, or the text is not in this format.
    """
    try:
        from prometheus_client.parser import text_string_to_metric_families  # noqa: PLC0415
    except ImportError:
        raise AdminError(
            "reading metrics needs the extra metrics: pip install 'minikafka[metrics]'",
            ErrorCode.UNSUPPORTED_VERSION,
        ) from None
    try:
        for family in text_string_to_metric_families(text):
            for sample in family.samples:
                yield Value(sample.name, sample.labels, sample.value)
    except ValueError as error:
        raise AdminError(f"the response is not in the Prometheus text format: {error}") from None
