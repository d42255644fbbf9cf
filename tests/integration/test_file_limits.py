"""A node with few file descriptors: logs share them, requests are refused, nothing goes offline."""

import contextlib
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka import Producer

from minikafka.admin.client import BrokerConnection
from minikafka.common.errors import ErrorCode
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreatableTopicConfig,
    CreateTopicsRequest,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic

IDLE = 400
LIMIT = 220
PROGRAM = """
import resource, sys
from minikafka.testing import Cluster
resource.setrlimit(resource.RLIMIT_NOFILE, (int(sys.argv[1]), int(sys.argv[2])))
with Cluster(nodes=1) as cluster:
    print(cluster.port(1), flush=True)
    print(cluster.log_dir(1), flush=True)
    sys.stdin.readline()
    print(cluster.log_text(1))
"""


@dataclass
class Node:
    """A node with few descriptors, and what it logged when it was stopped."""

    process: subprocess.Popen
    port: int
    log_dir: Path

    def log(self):
        log, _ = self.process.communicate("\n", timeout=30)
        return log

    def connection(self):
        return contextlib.closing(BrokerConnection("127.0.0.1", self.port, "test", 30))

    def producer(self, **config):
        return Producer({"bootstrap.servers": f"127.0.0.1:{self.port}", **config})


@contextlib.contextmanager
def node(soft, hard):
    command = [sys.executable, "-c", PROGRAM, str(soft), str(hard)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        port, log_dir = (process.stdout.readline().rstrip() for _ in range(2))
        yield Node(process, int(port), Path(log_dir))


def failures_of(producer, topics, value=b"x", **options):
    failures = []
    for topic in topics:
        producer.produce(topic, value, callback=lambda e, _: failures.append(e), **options)
    assert producer.flush(60) == 0
    return [each for each in failures if each is not None]


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
    with node(110, LIMIT) as short, contextlib.ExitStack() as held:
        connections = [
            held.enter_context(socket.create_connection(("127.0.0.1", short.port)))
            for _ in range(IDLE)
        ]
        assert not is_open(connections[-1])
        closed = sum(not is_open(each) for each in connections[:10])
        assert closed < 10
        # A place for the producer's two connections.
        for connection in connections[:10]:
            connection.close()
        names = [f"made-while-files-are-few-{number}" for number in range(100)]
        assert failures_of(short.producer(), names) == []
        log = short.log()
    assert "descriptors are reserved for logs" in log
    # The idlest client makes room when the node connects to itself.
    assert closed <= log.count("closing idle client connection")
    assert 0 < log.count("rejected") <= 60
    assert "offline" not in log


def test_more_logs_than_descriptors():
    """1,100 unknown topics in one Metadata stopped a node with a limit of 1,024 for good."""
    names = [f"asked-for-{number}" for number in range(LIMIT + 80)]
    request = MetadataRequest([MetadataRequestTopic(name=name) for name in names])
    with node(LIMIT, LIMIT) as short:
        with short.connection() as client:
            answers = client.ask(request).topics
            assert {each.error_code for each in answers} <= {
                ErrorCode.LEADER_NOT_AVAILABLE, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
            }  # fmt: skip
        assert failures_of(short.producer(), names) == []
        log = short.log()
    assert "offline" not in log


def test_more_segments_than_descriptors():
    """A topic with `segment.ms=1` stopped a node: each segment held a descriptor."""
    with node(LIMIT, LIMIT) as short:
        topic = CreatableTopic(
            name="rolls", num_partitions=1, replication_factor=1,
            configs=[CreatableTopicConfig("segment.ms", "1")],
        )  # fmt: skip
        with short.connection() as client:
            assert client.ask(CreateTopicsRequest([topic], 10_000)).topics[0].error_code == 0
        producer = short.producer(**{"linger.ms": 0, "batch.num.messages": 1})
        failures = []
        for number in range(LIMIT + 80):
            producer.produce(
                "rolls", b"x", timestamp=1_700_000_000_000 + 10 * number,
                callback=lambda error, _: failures.append(error),
            )  # fmt: skip
        assert producer.flush(60) == 0
        assert failures == [None] * (LIMIT + 80)
        assert len(list((short.log_dir / "rolls-0").glob("*.log"))) > LIMIT
        log = short.log()
    assert "offline" not in log
