"""A cluster that a run did not start, and the commands that break it.

    python foreign_cluster.py serve DIR [TOOLS]     start one; TOOLS starts an Apache Kafka
    python foreign_cluster.py DIR ACTION NODE…      one of kill, stop, start, pause, resume, cut, heal

The server writes its address to DIR/bootstrap, takes actions by DIR/socket, and ends with SIGTERM.
"""

import contextlib
import signal
import socket
import sys
from pathlib import Path

ANSWER_MAX_BYTES = 10_000


def act(cluster, action, *nodes):
    match action:
        case "cut":
            cluster.network.cut(*nodes)
        case "heal":
            cluster.network.join(*nodes)
        case _:
            getattr(cluster, action)(*nodes)


def serve(folder, *tools):
    from minikafka.harness.clusters.kafka_cluster import KafkaCluster
    from minikafka.harness.clusters.own_cluster import OwnCluster
    from minikafka.harness.plan.settings import RunSettings

    settings = RunSettings(network="proxy", kafka_tools=Path(tools[0]) if tools else None)
    kind = KafkaCluster if tools else OwnCluster
    cluster = kind(settings, folder / "nodes", ["cut"])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with contextlib.ExitStack() as parts:
        parts.callback(cluster.close)
        cluster.wait_ready()
        server = parts.enter_context(listening(folder))
        (folder / "bootstrap.part").write_text(cluster.bootstrap_servers)
        (folder / "bootstrap.part").rename(folder / "bootstrap")
        take_actions(server, cluster)


def listening(folder):
    """Return the socket to which `ask` connects."""
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(folder / "socket"))
    server.listen()
    return server


def take_actions(server, cluster):
    """Take actions until the socket is shut down."""
    while True:
        try:
            connection, _ = server.accept()
        except OSError:
            return
        with connection:
            action, *nodes = connection.recv(ANSWER_MAX_BYTES).decode().split()
            try:
                act(cluster, action, *map(int, nodes))
            except Exception as error:
                connection.sendall(f"{type(error).__name__}: {error}".encode())


def ask(folder, *words):
    """Return the error of an action; empty if it was done."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(folder / "socket"))
        connection.sendall(" ".join(words).encode())
        return connection.recv(ANSWER_MAX_BYTES).decode()


if __name__ == "__main__":
    if sys.argv[1] == "serve":
        serve(Path(sys.argv[2]), *sys.argv[3:])
    elif problem := ask(Path(sys.argv[1]), *sys.argv[2:]):
        sys.exit(problem)
