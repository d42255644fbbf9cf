"""Apache Kafka's nodes behind the same handles as `minikafka.testing.nodes`.

`MINIKAFKA_ORACLE` names a folder with `kafka-cluster`.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

_TIMEOUT_S = 150


class KafkaNodes:
    def __init__(self, brokers=3, *, config=None, features=None, base_port=21300, directory=None):
        self.brokers = range(1, brokers + 1)
        self.base_port = base_port
        self.directory = directory or Path(tempfile.mkdtemp(prefix="kafka-"))
        self._options = ["--nodes", str(brokers), "--controllers", "separate"]
        self._options += ["--base-port", str(base_port)]
        # So that no preferred election comes between.
        for key, value in {"auto.leader.rebalance.enable": "false", **(config or {})}.items():
            self._options += ["--config", f"{key}={value}"]
        for name, level in (features or {}).items():
            self._options += ["--feature", f"{name}={level}"]
        self._stopped = set()
        self._paused = set()

    def __enter__(self):
        self._run("start", *self._options)
        return self

    def __exit__(self, *_):
        try:
            self._run("stop")
        finally:
            shutil.rmtree(self.directory, ignore_errors=True)

    @property
    def bootstrap_servers(self):
        return ",".join(f"127.0.0.1:{self.port(node)}" for node in self.brokers)

    @property
    def running(self):
        return [node for node in self.brokers if node not in self._stopped]

    def port(self, node):
        return self.base_port + node - 1

    def log_dirs(self, node):
        return [self.directory / f"node-{node}" / "data"]

    def start(self, *nodes):
        # The tool waits until all running brokers see one another; paused ones never do.
        waiting = ["--no-wait"] if self._paused else []
        self._run("start", *waiting, *map(str, nodes))
        self._stopped -= set(nodes)

    def kill(self, *nodes):
        self._run("kill", "-9", *map(str, nodes))
        self._stopped |= set(nodes)
        self._paused -= set(nodes)

    def stop(self, *nodes):
        self._run("stop", *map(str, nodes))
        self._stopped |= set(nodes)

    def pause(self, *nodes):
        self._run("kill", "-STOP", *map(str, nodes))
        self._paused |= set(nodes)

    def resume(self, *nodes):
        self._run("kill", "-CONT", *map(str, nodes))
        self._paused -= set(nodes)

    def _run(self, action, *words):
        tool = Path(os.environ["MINIKAFKA_ORACLE"]) / "kafka-cluster"
        command = [tool, action, "--dir", self.directory, "--timeout", "90", *words]
        if action == "kill":
            command = [tool, action, "--dir", self.directory, *words]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
        if done.returncode:
            raise RuntimeError(f"kafka-cluster {action} {words}: {done.stderr.strip()}")
