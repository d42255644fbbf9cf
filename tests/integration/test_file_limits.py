"""A node with few file descriptors refuses clients before its logs lack one."""

import contextlib
import socket
import subprocess
import sys

from confluent_kafka import Producer

IDLE = 400
PROGRAM = """
import resource, sys
from minikafka.testing.cluster import Cluster
resource.setrlimit(resource.RLIMIT_NOFILE, (110, 220))
with Cluster(nodes=1) as cluster:
    print(cluster.port(1), flush=True)
    sys.stdin.readline()
    print(cluster.log_text(1))
"""


def is_open(connection):
    connection.settimeout(0.2)
    try:
        return connection.recv(1) != b""
    except TimeoutError:
        return True
    except ConnectionResetError:
        return False


def test_idle_connections_leave_files_for_logs():
    """195 of them took the log directory of a node offline, which stopped it."""
    command = [sys.executable, "-c", PROGRAM]
    with (
        subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as process,
        contextlib.ExitStack() as held,
    ):
        port = int(process.stdout.readline())
        connections = [
            held.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(IDLE)
        ]
        assert not is_open(connections[-1])
        assert is_open(connections[0])
        # A place for the producer's two connections, and for ten logs: they have the lowest
        # descriptors that are free.
        for connection in connections[:40]:
            connection.close()
        failures = []
        producer = Producer({"bootstrap.servers": f"127.0.0.1:{port}"})
        for number in range(10):
            producer.produce(
                f"made-while-files-are-few-{number}", b"x", callback=lambda e, _: failures.append(e)
            )
        assert producer.flush(30) == 0
        assert failures == [None] * 10
        log, _ = process.communicate("\n", timeout=30)
    assert "the others are for logs" in log
    assert log.count("refused") <= 60
    assert "offline" not in log
