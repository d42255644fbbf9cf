"""Metrics of a cluster's nodes: where each tells them, and what it tells.

Nodes are found by DescribeCluster, controllers through brokers by DescribeQuorum; their endpoints
by DescribeConfigs of `metrics.http.listen` (KIP-919).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.admin.configs import ResourceType
from minikafka.admin.quorum import describe_quorum
from minikafka.common.errors import ErrorCode
from minikafka.config.broker import METRICS_HTTP_LISTEN
from minikafka.config.node_config import parse_address
from minikafka.messages.describe_cluster import DescribeClusterRequest
from minikafka.messages.describe_configs import DescribeConfigsRequest, DescribeConfigsResource

_CONTROLLERS = 2
_EVERY_ADDRESS = ("", "0.0.0.0", "::")  # noqa: S104 - recognized, not bound
_PATH = "/metrics"


class NodeAddress(NamedTuple):
    """A node, where it takes requests, and what it is."""

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
    """What a node tells; where it tells nothing `problem` says why."""

    node_id: int
    role: str
    values: Sequence[Value]
    problem: str = ""


Connect = Callable[[str], AdminClient]
"""A client for host:port."""


def nodes_by_broker(client: AdminClient) -> list[NodeAddress]:
    """Every node of a cluster, as its brokers know them; fenced ones, too, where they are told.

    Raises:
        AdminError: with the cluster's reason.
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
    """The controllers of a cluster, as one of them knows them.

    Raises:
        AdminError: with the cluster's reason.
    """
    response = client.ask(DescribeClusterRequest(endpoint_type=_CONTROLLERS))
    check(response.error_code, response.error_message)
    return sorted(
        NodeAddress(it.broker_id, it.host, it.port, "controller") for it in response.brokers
    )


def read_metrics(
    nodes: Sequence[NodeAddress], connect: Connect, timeout_s: float
) -> list[NodeMetrics]:
    """What each node tells, in the order given."""
    return [_read(node, connect, timeout_s) for node in nodes]


def _read(node: NodeAddress, connect: Connect, timeout_s: float) -> NodeMetrics:
    try:
        with connect(_joined(node.host, node.port)) as client:
            endpoint = endpoint_of(client, node)
        values = list(parse(_fetch(*endpoint, timeout_s)))
    except (AdminError, OSError, HTTPException) as error:
        return NodeMetrics(node.node_id, node.role, [], str(error))
    return NodeMetrics(node.node_id, node.role, values)


def endpoint_of(client: AdminClient, node: NodeAddress) -> tuple[str, int]:
    """Where a node tells its metrics.

    Raises:
        AdminError: it tells none, or does not say where.
    """
    name = METRICS_HTTP_LISTEN.name
    asked = DescribeConfigsResource(ResourceType.BROKER, str(node.node_id), [name])
    (result,) = client.ask(DescribeConfigsRequest(resources=[asked])).results
    check(result.error_code, result.error_message)
    text = next((entry.value for entry in result.configs if entry.name == name), None)
    if not text:
        raise AdminError(f"tells no metrics: set {name}=HOST:PORT in its properties")
    host, port = parse_address(text)
    return (node.host if host in _EVERY_ADDRESS else host), port


def _fetch(host: str, port: int, timeout_s: float) -> str:
    connection = HTTPConnection(host, port, timeout=timeout_s)
    try:
        connection.request("GET", _PATH)
        response = connection.getresponse()
        body = response.read()
    except OSError as error:
        raise AdminError(f"no answer from http://{_joined(host, port)}{_PATH}: {error}") from None
    finally:
        connection.close()
    if response.status != 200:
        where = f"http://{_joined(host, port)}{_PATH}"
        raise AdminError(f"{where} answers {response.status} {response.reason}")
    return body.decode()


def parse(text: str) -> Iterator[Value]:
    """The values in an exposition.

    Raises:
        AdminError: the extra that reads it is missing, or it is none.
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
        raise AdminError(f"what answers there tells no metrics: {error}") from None


def _joined(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
