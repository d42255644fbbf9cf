"""A cluster whose nodes are minikafka or Apache Kafka; a stopped node may become the other kind.

Apache Kafka is run by `kafka-run-class` in a folder of tools. Both kinds read the same
`server.properties` and the same log directory.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import SystemRandom

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.membership import await_everybody
from minikafka.admin.quorum import read_quorum_leader
from minikafka.admin.topics import describe_topics, list_topics
from minikafka.common.ids import Uuid
from minikafka.testing.base_ports import free_base_port

KAFKA, MINIKAFKA = "kafka", "minikafka"
BROKER, CONTROLLER, COMBINED = "broker", "controller", "broker,controller"
HOST = "127.0.0.1"
ABSENT_FEATURES = ("share.version", "streams.version")
"""Features that only Apache Kafka has: their levels must be 0 beside minikafka."""
_START_S = 90
_STOP_S = 60
_EQUAL_S = 10
_POLL_S = 0.01
_GUARD = """
import os, signal, sys
pids = set()
for line in sys.stdin:
    (pids.add if line[0] == "+" else pids.discard)(int(line[1:]))
for pid in pids:
    os.kill(pid, signal.SIGKILL)
"""
"""Kills the nodes when standard input is closed: when its owner ends, even by SIGKILL."""
_LOG4J = """
status = error
appender.out.type = Console
appender.out.name = out
appender.out.layout.type = PatternLayout
appender.out.layout.pattern = [%d] %p %m (%c)%n
rootLogger.level = INFO
rootLogger.appenderRef.out.ref = out
"""


KEPT = "MINIKAFKA_KEEP"
"""With this variable in the environment the files of a cluster stay."""


class MixedError(AssertionError):
    """Something that a cluster of both kinds must do was not done."""


@dataclass
class Node:
    """One node: its kind may change while it is stopped."""

    id: int
    kind: str
    roles: str
    port: int
    controller_port: int
    home: Path
    directory_id: Uuid = field(default_factory=lambda: Uuid.draw(SystemRandom()))
    process: subprocess.Popen | None = None

    @property
    def data(self):
        return self.home / "data"

    @property
    def log_text(self):
        return (self.home / "node.log").read_text(errors="replace")

    @property
    def is_broker(self):
        return BROKER in self.roles

    @property
    def is_voter(self):
        return CONTROLLER in self.roles

    @property
    def address(self):
        return f"{HOST}:{self.port}"

    @property
    def controller_address(self):
        return f"{HOST}:{self.controller_port}"


class MixedNodes:
    """The processes of a cluster. `spec` has the kind and the roles of each node, by its id."""

    def __init__(self, tools, spec, *, config=None, dynamic=False):
        self.tools = tools
        self.dynamic = dynamic
        self.config = config or {}
        self.directory = Path(tempfile.mkdtemp(prefix="mixed-"))
        self.cluster_id = str(Uuid.draw(SystemRandom()))
        base = free_base_port(len(spec))
        self.nodes = {
            node: Node(node, kind, roles, base + at, base + 100 + at, self.directory / f"node-{node}")
            for at, (node, (kind, roles)) in enumerate(spec.items())
        }  # fmt: skip
        self._guard = None
        self._admins = {}
        self._numbers = count(1)

    def __enter__(self):
        self._guard = subprocess.Popen(
            [sys.executable, "-c", _GUARD], stdin=subprocess.PIPE, text=True, start_new_session=True
        )
        try:
            (self.directory / "log4j2.properties").write_text(_LOG4J)
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(self._format, self.nodes.values()))
            self.start(*self.nodes)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Kill all nodes and remove their files."""
        for client in self._admins.values():
            client.close()
        for node in self.nodes.values():
            if node.process:
                self._end(node, signal.SIGKILL)
        self._guard.stdin.close()
        self._guard.wait()
        if KEPT in os.environ:
            print(f"{self.directory} is kept", file=sys.stderr)
        else:
            shutil.rmtree(self.directory)

    # -- processes

    def start(self, *ids):
        """Start nodes, and wait until every running broker lists every other."""
        self.launch(*ids)
        for number in ids:
            node = self.nodes[number]
            if node.is_voter:
                self.await_true(
                    lambda node=node: self._listens(node), f"{self.name(number)} listens", _START_S
                )
        self.await_membership()

    def launch(self, *ids):
        """Start nodes without waiting."""
        for number in ids:
            node = self.nodes[number]
            with (node.home / "node.log").open("ab") as log:
                node.process = subprocess.Popen(
                    self._command(node), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    start_new_session=True, env=self._environment(),
                )  # fmt: skip
            self._note("+", node.process.pid)

    def await_membership(self):
        """Wait until every running broker lists every other."""
        brokers = [node for node in self.nodes.values() if node.is_broker and node.process]
        for node in brokers:
            self.await_true(
                lambda node=node: self._lists(node, brokers),
                f"{self.name(node.id)} lists all",
                _START_S,
            )

    def kill(self, *ids):
        """Send SIGKILL."""
        for number in ids:
            self._end(self.nodes[number], signal.SIGKILL)

    def stop(self, *ids):
        """Stop nodes by controlled shutdowns."""
        for number in ids:
            status = self._end(self.nodes[number], signal.SIGTERM)
            # A JVM that ends by SIGTERM has the status 143.
            if status not in (0, 143):
                raise MixedError(f"{self.name(number)} ended with status {status}")

    def replace(self, number, kind):
        """Stop a node, and start the other kind on its files."""
        self.stop(number)
        self.nodes[number].kind = kind
        self.start(number)

    def name(self, number):
        """Return a node's id with its kind."""
        return f"node {number} ({self.nodes[number].kind})"

    def _end(self, node, number):
        if client := self._admins.pop(node.id, None):
            client.close()
        process, node.process = node.process, None
        process.send_signal(number)
        try:
            return process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            raise MixedError(f"{self.name(node.id)} did not stop within {_STOP_S} s") from None
        finally:
            self._note("-", process.pid)

    def _note(self, sign, pid):
        self._guard.stdin.write(f"{sign}{pid}\n")
        self._guard.stdin.flush()

    def _command(self, node):
        properties = str(node.home / "server.properties")
        if node.kind == KAFKA:
            return [str(self.tools / "kafka-run-class"), "kafka.Kafka", properties]
        return [sys.executable, "-m", "minikafka", "server-start", properties]

    def _environment(self):
        log4j = f"-Dlog4j2.configurationFile={self.directory / 'log4j2.properties'}"
        return {
            **os.environ,
            "KAFKA_HEAP": "512m",
            "KAFKA_TIERED_STOP": "1",
            "KAFKA_JVM_ARGS": log4j,
        }

    def _listens(self, node):
        self._check_alive(node)
        try:
            socket.create_connection((HOST, node.controller_port), 1).close()
        except OSError:
            return False
        return True

    def _lists(self, node, brokers):
        self._check_alive(node)
        try:
            await_everybody([node.address], [each.id for each in brokers], timeout_s=1)
        except AdminError:
            return False
        return True

    def _check_alive(self, node):
        if node.process.poll() is not None:
            last = "\n".join(node.log_text.splitlines()[-8:])
            raise MixedError(
                f"{self.name(node.id)} ended with status {node.process.returncode}:\n{last}"
            )

    def next_number(self):
        """Return a number for the name of a new topic."""
        return next(self._numbers)

    # -- files

    def _format(self, node):
        node.home.mkdir()
        lines = [f"{key}={value}\n" for key, value in self._properties(node).items()]
        (node.home / "server.properties").write_text("".join(lines))
        options = ["format", "-t", self.cluster_id, "-c", str(node.home / "server.properties")]
        for name in ABSENT_FEATURES:
            options += ["--feature", f"{name}=0"]
        if self.dynamic and node.is_voter:
            voters = [
                f"{each.id}@{each.controller_address}:{each.directory_id}"
                for each in self.nodes.values() if each.is_voter
            ]  # fmt: skip
            options += ["--initial-controllers", ",".join(voters)]
        elif self.dynamic:
            options += ["--no-initial-controllers"]
        if node.kind == KAFKA:
            command = [str(self.tools / "kafka-run-class"), "kafka.tools.StorageTool"]
        else:
            command = [sys.executable, "-m", "minikafka", "storage"]
        done = subprocess.run(
            [*command, *options],
            capture_output=True,
            text=True,
            env=self._environment(),
            check=False,
        )
        if done.returncode:
            raise MixedError(f"format of {self.name(node.id)}: {done.stdout}{done.stderr}")

    def _properties(self, node):
        listeners = []
        if node.is_broker:
            listeners.append(f"BROKER://{node.address}")
        if node.is_voter:
            listeners.append(f"CONTROLLER://{node.controller_address}")
        found = {
            "node.id": node.id,
            "process.roles": node.roles,
            "listeners": ",".join(listeners),
            "advertised.listeners": ",".join(listeners),
            "controller.listener.names": "CONTROLLER",
            "listener.security.protocol.map": "BROKER:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "log.dirs": node.data,
            "offsets.topic.replication.factor": 3,
            "offsets.topic.num.partitions": 3,
            "transaction.state.log.replication.factor": 3,
            "transaction.state.log.min.isr": 2,
            "transaction.state.log.num.partitions": 3,
            "group.initial.rebalance.delay.ms": 0,
            "auto.create.topics.enable": "false",
            "auto.leader.rebalance.enable": "false",
        }
        if node.is_broker:
            found["inter.broker.listener.name"] = "BROKER"
        voters = [each for each in self.nodes.values() if each.is_voter]
        if self.dynamic:
            found["controller.quorum.bootstrap.servers"] = ",".join(
                each.controller_address for each in voters
            )
        else:
            found["controller.quorum.voters"] = ",".join(
                f"{each.id}@{each.controller_address}" for each in voters
            )
        return found | self.config

    # -- the cluster

    @property
    def bootstrap_servers(self):
        return ",".join(node.address for node in self.nodes.values() if node.is_broker)

    def admin(self, number=None):
        """Return a client of one broker; without a number of the first one that runs."""
        if number is None:
            number = next(
                node.id for node in self.nodes.values() if node.is_broker and node.process
            )
        if number not in self._admins:
            address = self.nodes[number].address
            self._admins[number] = AdminClient(address, client_id="mixed", timeout_s=30)
        return self._admins[number]

    def active(self):
        """Return the active controller, or None."""
        leader = read_quorum_leader(self.admin())
        return leader and leader.node_id

    def await_active(self, other_than=None):
        """Return the active controller as soon as one is known that is not `other_than`."""
        return self.await_value(
            lambda: None if (found := self.active()) == other_than else found,
            "a controller is active",
        )

    def lead_by(self, kind):
        """Kill active controllers until one of this kind is active; return its id."""
        for _ in range(12):
            active = self.await_active()
            if self.nodes[active].kind == kind:
                return active
            self.kill(active)
            self.await_active(other_than=active)
            self.start(active)
        raise MixedError(f"no controller of {kind} became active")

    def partition(self, topic, partition=0, *, by=None):
        """Describe one partition."""
        (found,) = describe_topics(self.admin(by), [topic], 2000)
        return found.partitions[partition]

    def await_partition(self, topic, is_right, what, *, by=None, timeout_s=60):
        """Return the description of partition 0 as soon as it is right."""
        seen = []

        def look():
            seen[:] = [self.partition(topic, by=by)]
            return seen[0] if is_right(seen[0]) else None

        try:
            return self.await_value(look, f"{topic}-0: {what}", timeout_s)
        except MixedError as error:
            raise MixedError(f"{error}; {seen}") from None

    def topics(self):
        """Describe all topics."""
        names = [each.name for each in list_topics(self.admin())]
        return describe_topics(self.admin(), names, 2000)

    def await_full_isrs(self):
        """Wait until each replica of each partition is in the ISR."""

        def is_full():
            return all(
                sorted(it.isr) == sorted(it.replicas)
                for topic in self.topics()
                for it in topic.partitions
            )

        self.await_true(is_full, "all replicas are in the ISRs", 60)

    def await_true(self, condition, what, timeout_s=60):
        """Wait until `condition()` is true."""
        self.await_value(lambda: condition() or None, what, timeout_s)

    def await_value(self, look, what, timeout_s=60):
        """Return what `look` returns as soon as that is not None; it may raise AdminError until then."""
        deadline_s = time.monotonic() + timeout_s
        why = ""
        while time.monotonic() < deadline_s:
            for node in self.nodes.values():
                if node.process:
                    self._check_alive(node)
            try:
                if (found := look()) is not None:
                    return found
            except AdminError as error:
                why = f" ({error})"
            time.sleep(_POLL_S)
        raise MixedError(f"not within {timeout_s} s: {what}{why}")

    def await_equal(self, compare):
        """Return the size of what `compare` finds equal; files may be written until then."""
        deadline_s = time.monotonic() + _EQUAL_S
        while True:
            wrong, size = compare(self)
            if not wrong:
                return size
            if time.monotonic() > deadline_s:
                raise MixedError("\n".join(wrong[:20]))
            time.sleep(_POLL_S)

    def await_done(self, act, what):
        """Repeat `act` until it raises no AdminError."""
        self.await_true(lambda: act() or True, what)

    def await_line(self, number, pattern):
        """Wait until a node has logged a line with this pattern."""
        self.await_true(
            lambda: re.search(pattern, self.nodes[number].log_text),
            f"{self.name(number)} logs {pattern!r}",
        )


@contextmanager
def measured():
    """Yield a list that gets the seconds of the block."""
    seconds = []
    start_s = time.monotonic()
    yield seconds
    seconds.append(time.monotonic() - start_s)
