"""Nodes from properties files of a test, formatted and started by Kafka's tools in `bin/`."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from minikafka.common.ids import Uuid
from minikafka.testing.base_ports import free_base_port

ROOT = Path(__file__).resolve().parents[2]
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qg"
_CONTROLLERS = 100


def tool(name, *words, check=True, timeout_s=60):
    """Run a tool of `bin/`; the finished process with its output."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "bin" / f"{name}.py"), *map(str, words)],
        capture_output=True, text=True, timeout=timeout_s, check=False,
    )  # fmt: skip
    assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
    return done


class OwnNodes:
    """Combined nodes 1 to `count` under a folder; each is formatted and started by the test."""

    def __init__(self, folder, count, **config):
        self.folder = Path(folder)
        self.base = free_base_port(count)
        self.config = config
        self.processes = {}
        self._begins = {}
        self.directory_ids = {each: Uuid.of(9, each) for each in range(1, count + 1)}
        for node in self.directory_ids:
            self.write(node)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for node in list(self.processes):
            self.kill(node)

    # Files

    def file(self, node):
        return self.folder / f"{node}.properties"

    def data(self, node):
        return self.folder / f"data-{node}"

    def log(self, node):
        return self.folder / f"{node}.log"

    def log_text(self, node):
        return self.log(node).read_text()

    def write(self, node, **changes):
        """Write the properties of a node."""
        known = ",".join(self.controller(each) for each in self.directory_ids)
        values = {
            "process.roles": "broker,controller",
            "node.id": node,
            "listeners": f"PLAINTEXT://{self.server(node)},CONTROLLER://{self.controller(node)}",
            "controller.listener.names": "CONTROLLER",
            "controller.quorum.bootstrap.servers": known,
            "log.dirs": self.data(node),
            "broker.session.timeout.ms": 3000,
            "broker.heartbeat.interval.ms": 500,
            **{name.replace("_", "."): value for name, value in {**self.config, **changes}.items()},
        }
        text = "".join(f"{key}={value}\n" for key, value in values.items() if value is not None)
        self.file(node).write_text(text)

    def voters(self, *nodes):
        """The value of `--initial-controllers`."""
        return ",".join(
            f"{each}@{self.controller(each)}:{self.directory_ids[each]}" for each in nodes
        )

    def static_voters(self, *nodes):
        """The value of `controller.quorum.voters`."""
        return ",".join(f"{each}@{self.controller(each)}" for each in nodes)

    def format(self, node, *options):
        tool("kafka-storage", "format", "-t", CLUSTER_ID, "-c", self.file(node), *options)

    # Addresses

    def server(self, node):
        return f"127.0.0.1:{self.base + node - 1}"

    def controller(self, node):
        return f"127.0.0.1:{self.base + _CONTROLLERS + node - 1}"

    @property
    def servers(self):
        return ",".join(self.server(each) for each in self.processes)

    # Processes

    def environment(self, _node):
        """The environment of a node's process; None: that of the test."""
        return

    def start(self, *nodes, wait=True):
        """Start nodes; wait until each serves."""
        for node in nodes:
            self._begins[node] = self.log(node).stat().st_size if self.log(node).exists() else 0
            with self.log(node).open("ab") as output:
                self.processes[node] = subprocess.Popen(
                    [sys.executable, str(ROOT / "bin" / "kafka-server-start.py"),
                     str(self.file(node))],
                    stdout=output, stderr=output, env=self.environment(node),
                )  # fmt: skip
        if wait:
            for node in nodes:
                self.await_log(node, rf"node {node} serves")

    def await_log(self, node, pattern, timeout_s=60):
        """Wait for a line in what the node has written since its start."""
        deadline = time.monotonic() + timeout_s
        while not re.search(pattern, self.log_text(node)[self._begins[node] :]):
            assert self.processes[node].poll() is None, self.log_text(node)
            assert time.monotonic() < deadline, self.log_text(node)
            time.sleep(0.05)

    def kill(self, node):
        process = self.processes.pop(node)
        process.kill()
        process.wait(30)

    def stop(self, node):
        process = self.processes.pop(node)
        process.send_signal(signal.SIGTERM)
        return process.wait(60)

    # The quorum

    def status(self, node):
        """What the tool says of the quorum, asked through one broker."""
        done = tool(
            "kafka-metadata-quorum", "--bootstrap-server", self.server(node), "describe", "--status"
        )
        return dict(re.findall(r"^(\w+): +(.*)$", done.stdout, re.MULTILINE))

    def voter_ids(self, node):
        return [
            int(each) for each in re.findall(r'"id": (\d+)', self.status(node)["CurrentVoters"])
        ]

    def observer_ids(self, node):
        found = self.status(node)["CurrentObservers"]
        return [int(each) for each in re.findall(r'"id": (\d+)', found)]
