"""Finding the nodes of a cluster, and reading their metrics."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from minikafka.admin.client import AdminError
from minikafka.admin.metrics import (
    NodeAddress,
    Value,
    nodes_by_broker,
    nodes_by_controller,
    parse,
    read_metrics,
)
from tests.worlds.admin_world import SimAdmin
from tests.worlds.sim_world import started_cluster

TEXT = '# HELP a What.\n# TYPE a gauge\na 1\na{topic="t"} 2.5\n'
VALUES = [Value("a", {}, 1.0), Value("a", {"topic": "t"}, 2.5)]


@contextmanager
def metrics_endpoint(status=200, text=TEXT):
    """A metrics endpoint; yields its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(status)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    asked = []
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
    assert asked == [path for path in asked if path == "/metrics"]


def started(**given):
    given = {key.replace("_", "."): value for key, value in given.items()}
    return started_cluster(2, given=given, separate_controller=True)


def read(cluster, nodes):
    return read_metrics(nodes, lambda text: SimAdmin.at(cluster, text), 5.0)


def test_brokers_know_every_node():
    cluster = started()
    assert nodes_by_broker(SimAdmin(cluster)) == [
        NodeAddress(1, "n1", 9092, "broker"),
        NodeAddress(2, "n2", 9092, "broker"),
        NodeAddress(100, "n100", 9093, "controller"),
    ]


def test_a_fenced_broker_is_known_too():
    cluster = started()
    cluster.nodes[2].kill()
    cluster.world.run_until(
        lambda: cluster.nodes[100].node.loader.image.brokers[2].fenced, 60_000, "2 is fenced"
    )
    assert [node.node_id for node in nodes_by_broker(SimAdmin(cluster))] == [1, 2, 100]


def test_a_node_with_both_roles_is_listed_once():
    cluster = started_cluster(2)
    assert [node.node_id for node in nodes_by_broker(SimAdmin(cluster))] == [1, 2]


def test_controllers_know_controllers():
    """KIP-919."""
    cluster = started()
    found = nodes_by_controller(SimAdmin.of_controller(cluster))
    assert found == [NodeAddress(100, "n100", 9093, "controller")]


def test_every_node_is_read_at_its_endpoint():
    with metrics_endpoint() as address:
        cluster = started(metrics_http_listen=address)
        nodes = nodes_by_broker(SimAdmin(cluster))
        told = read(cluster, nodes)
    assert [(it.node_id, it.role, it.values, it.problem) for it in told] == [
        (1, "broker", VALUES, ""),
        (2, "broker", VALUES, ""),
        (100, "controller", VALUES, ""),
    ]


def test_nodes_without_metrics_name_the_setting():
    cluster = started()
    told = read(cluster, nodes_by_broker(SimAdmin(cluster)))
    assert [it.values for it in told] == [[], [], []]
    assert {it.problem for it in told} == {
        "serves no metrics: set metrics.http.listen=HOST:PORT in its properties file"
    }


def test_an_endpoint_that_does_not_answer_is_named():
    with metrics_endpoint() as address:
        pass
    cluster = started(metrics_http_listen=address)
    (told,) = read(cluster, nodes_by_controller(SimAdmin.of_controller(cluster)))
    assert f"no answer from http://{address}/metrics" in told.problem


def test_an_endpoint_that_refuses_is_named():
    with metrics_endpoint(status=503) as address:
        cluster = started(metrics_http_listen=address)
        (told,) = read(cluster, nodes_by_controller(SimAdmin.of_controller(cluster)))
    assert told.problem == f"http://{address}/metrics answers 503 Service Unavailable"


def test_a_response_without_metrics_is_refused():
    with pytest.raises(AdminError, match="not in the Prometheus text format"):
        list(parse("<html>{"))
