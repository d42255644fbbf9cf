"""Limits of connections follow the configuration while a broker runs."""

import contextlib
import socket

from minikafka.admin.client import BrokerConnection
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
)
from minikafka.testing import Cluster

API_VERSIONS = bytes.fromhex("0000000a 0012 0000 00000001 ffff")
BROKER, SET, DELETE = 4, 0, 1


def is_refused(port):
    """True if a new connection is closed; False once a request on it is answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            connection.sendall(API_VERSIONS)
            return connection.recv(1) == b""
        return True


def test_limits_follow_the_configuration():
    with Cluster(nodes=1) as cluster:
        port = cluster.port(1)
        with contextlib.closing(BrokerConnection("127.0.0.1", port, "test", 30)) as client:

            def alter(operation, value):
                change = AlterableConfig("max.connections.per.ip.overrides", operation, value)
                resource = AlterConfigsResource(BROKER, "", [change])
                answer = client.ask(IncrementalAlterConfigsRequest([resource]))
                assert answer.responses[0].error_code == 0, answer

            assert not is_refused(port)
            alter(SET, "127.0.0.1:0")
            while not is_refused(port):
                pass
            alter(DELETE, None)
            while is_refused(port):
                pass


def test_a_client_over_the_limit_of_its_listener_waits_until_another_one_ends():
    config = {"listener.name.plaintext.max.connections": "2"}
    with Cluster(nodes=1, config=config) as cluster, contextlib.ExitStack() as held:
        port = cluster.port(1)
        three = [
            held.enter_context(socket.create_connection(("127.0.0.1", port), timeout=30))
            for _ in range(3)
        ]
        for client in three:
            client.sendall(API_VERSIONS)
        for client in three[:2]:
            assert client.recv(1) != b""
        three[0].close()
        assert three[2].recv(1) != b""
        assert "new connections on listener PLAINTEXT must wait" in cluster.log_text(1)
