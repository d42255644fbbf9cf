"""Measure how long a killed broker costs its clients.

    python -m tools.measure_failover [--kills 20] [--kafka FOLDER]

Three nodes, each broker and controller, with default settings. A librdkafka producer with default
settings and acks=all sends a record every 10 ms to a partition with three replicas and min ISR 2.
After up to a second more, drawn from the number of the kill, the leader is killed with SIGKILL. It
is started again when a record is acknowledged. Two times are printed, in seconds:

- first: from the signal to the first acknowledgement of a record that was sent after it
- in sync: from the start of the killed node until it is in the ISR of the partition

In half of the kills the leader is the active controller, too. With --kafka, which names a folder
with `kafka-cluster`, an Apache Kafka is measured in the same run, kill by kill.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.testing import Cluster
from minikafka.testing.base_ports import free_base_port

NODES = 3
_SEND_INTERVAL_S = 0.01
_POLL_INTERVAL_S = 0.02
_DEADLINE_S = 60.0
_QUIET = {"log_level": 0}


class Times(NamedTuple):
    """The times of one kill, in seconds."""

    first: float
    in_sync: float


class Target(ABC):
    """A cluster whose nodes can be killed and started."""

    name: str
    base_port: int

    def servers(self, *nodes: int) -> str:
        """Return the addresses of some nodes; of all, if none is named."""
        ids = nodes or range(1, NODES + 1)
        return ",".join(f"127.0.0.1:{self.base_port + node - 1}" for node in ids)

    @abstractmethod
    def pid(self, node: int) -> int:
        """Return the process id of a node."""

    @abstractmethod
    def start(self, node: int) -> None:
        """Start a node that was killed; it may return before the node serves."""

    @abstractmethod
    def close(self) -> None:
        """End all nodes."""


class MinikafkaTarget(Target):
    """A cluster of `minikafka dev`."""

    name = "minikafka"

    def __init__(self) -> None:
        """Start the cluster."""
        self._cluster = Cluster(nodes=NODES, kafka_defaults=True)
        self._cluster.open()
        self.base_port = self._cluster.base_port

    def pid(self, node: int) -> int:
        """Return the process id of a node."""
        return self._cluster.pid(node)

    def start(self, node: int) -> None:
        """Start a node."""
        self._cluster.start(node)

    def close(self) -> None:
        """Stop the cluster."""
        self._cluster.close()


class KafkaTarget(Target):
    """An Apache Kafka, with the commands of `kafka-cluster`."""

    name = "Apache Kafka"

    def __init__(self, tools: Path) -> None:
        """Start the cluster."""
        self._command = tools / "kafka-cluster"
        self._folder = tempfile.mkdtemp(prefix="kafka-")
        self.base_port = free_base_port(NODES)
        self._run(
            "start", "--nodes", str(NODES), "--base-port", str(self.base_port),
            "--config", "offsets.topic.replication.factor=1",
        )  # fmt: skip

    def _run(self, action: str, *arguments: str) -> None:
        command = [str(self._command), action, "--dir", self._folder, *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def pid(self, node: int) -> int:
        """Return the process id of a node."""
        return int((Path(self._folder) / f"node-{node}" / "pid").read_text().split()[0])

    def start(self, node: int) -> None:
        """Start a node."""
        self._run("start", str(node))

    def close(self) -> None:
        """End the nodes, and remove their files."""
        with suppress(subprocess.CalledProcessError):  # A node that was killed is no error.
            self._run("kill", *(str(node) for node in range(1, NODES + 1)))
        self._run("delete")
        shutil.rmtree(self._folder, ignore_errors=True)


class Sender:
    """A producer that sends a record every 10 ms, in its own thread."""

    def __init__(self, servers: str, topic: str) -> None:
        """Start to send."""
        self._producer = Producer({"bootstrap.servers": servers, "acks": "all", **_QUIET})
        self._topic = topic
        self._stop = threading.Event()
        self._acknowledged: list[tuple[float, float]] = []
        self._thread = threading.Thread(target=self._send)
        self._thread.start()

    def _send(self) -> None:
        while not self._stop.is_set():
            sent_s = time.monotonic()

            def done(error: object, _: object, sent_s: float = sent_s) -> None:
                if error is None:
                    self._acknowledged.append((sent_s, time.monotonic()))

            self._producer.produce(self._topic, b"x" * 100, on_delivery=done)
            while time.monotonic() < sent_s + _SEND_INTERVAL_S:
                self._producer.poll(_SEND_INTERVAL_S / 2)

    def first_after(self, at_s: float) -> float:
        """Wait for a record that was sent after `at_s`; return when it was acknowledged."""
        found: list[float] = []

        def acknowledged() -> bool:
            found.extend(done for sent, done in self._acknowledged if sent > at_s)
            return bool(found)

        _wait(acknowledged, "a record is acknowledged")
        return found[0]

    def close(self) -> None:
        """Stop sending."""
        self._stop.set()
        self._thread.join()
        self._producer.flush(_DEADLINE_S)


def _wait(condition: Callable[[], bool], what: str) -> float:
    """Wait until a condition holds; return the time."""
    deadline_s = time.monotonic() + _DEADLINE_S
    while not condition():
        if time.monotonic() > deadline_s:
            raise TimeoutError(f"{what}: not within {_DEADLINE_S} s")
        time.sleep(_POLL_INTERVAL_S)
    return time.monotonic()


def measure_kill(target: Target, number: int, *, is_controller: bool) -> Times:
    """Kill the leader of a new topic, and start it again."""
    admin = AdminClient({"bootstrap.servers": target.servers(), **_QUIET})
    _wait(lambda: len(admin.list_topics(timeout=10).brokers) == NODES, "all brokers are listed")
    active = int(admin.describe_cluster().result(10).controller.id)
    active = _active_controller(target, active)
    others = [node for node in range(1, NODES + 1) if node != active]
    leader = active if is_controller else others[number % 2]
    live = [node for node in range(1, NODES + 1) if node != leader]
    topic = f"failover-{number}-{int(is_controller)}"
    wanted = NewTopic(
        topic, 1, replica_assignment=[[leader, *live]], config={"min.insync.replicas": "2"}
    )
    admin.create_topics([wanted])[topic].result(30)
    _wait(lambda: _isr(admin, topic) == NODES, "all replicas are in sync")
    survivors = AdminClient({"bootstrap.servers": target.servers(*live), **_QUIET})
    sender = Sender(target.servers(), topic)
    try:
        sender.first_after(time.monotonic())
        # The client looks for a new leader once a second: let the kill come at any time of that.
        time.sleep(Random(number).random())
        killed_s = time.monotonic()
        os.kill(target.pid(leader), signal.SIGKILL)
        first_s = sender.first_after(killed_s)
        started_s = time.monotonic()
        starting = threading.Thread(target=target.start, args=(leader,))
        starting.start()
        in_sync_s = _wait(lambda: _isr(survivors, topic) == NODES, "the node is in the ISR")
        starting.join()
    finally:
        sender.close()
    admin.delete_topics([topic])[topic].result(30)
    return Times(first_s - killed_s, in_sync_s - started_s)


def _active_controller(target: Target, named: int) -> int:
    """Return the leader of the quorum: brokers name any broker as the controller."""
    command = [
        sys.executable, "bin/kafka-metadata-quorum.py", "--bootstrap-server", target.servers(),
        "describe", "--status",
    ]  # fmt: skip
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    lines = [line.split() for line in text.splitlines() if line.startswith("LeaderId:")]
    return int(lines[0][1]) if lines else named


def _isr(admin: AdminClient, topic: str) -> int:
    found = admin.list_topics(topic, timeout=10).topics[topic].partitions.get(0)
    return 0 if found is None else len(found.isrs)


def report(name: str, what: str, times: list[Times]) -> None:
    """Print the median, the 90th percentile and the range of each time."""
    for field in Times._fields:
        values = sorted(getattr(each, field) for each in times)
        p90 = values[max(0, -(-9 * len(values) // 10) - 1)]
        print(
            f"{name:14} {what:22} {field:10} n {len(values):3}  median {median(values):6.2f}  "
            f"p90 {p90:6.2f}  min {values[0]:6.2f}  max {values[-1]:6.2f}",
            flush=True,
        )


def main() -> int:
    """Measure, and print a line for each time."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--kills", type=int, default=20, help="kills of each kind (default: 20)")
    parser.add_argument("--kafka", type=Path, help="a folder with kafka-cluster")
    arguments = parser.parse_args()
    socket.setdefaulttimeout(_DEADLINE_S)
    targets: list[Target] = [MinikafkaTarget()]
    try:
        if arguments.kafka is not None:
            targets.append(KafkaTarget(arguments.kafka))
        found: dict[tuple[str, str], list[Times]] = {}
        for number in range(arguments.kills):
            for target in targets:
                for is_controller in (False, True):
                    what = "leader and controller" if is_controller else "leader"
                    times = measure_kill(target, number, is_controller=is_controller)
                    found.setdefault((target.name, what), []).append(times)
                    shown = ", ".join(f"{value:.2f}" for value in times)
                    print(f"{target.name} {what} {number}: {shown}", file=sys.stderr, flush=True)
    finally:
        for target in targets:
            target.close()
    for (name, what), all_times in found.items():
        report(name, what, all_times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
