"""The clusters that `minikafka bench` measures: given ones, and ones that it starts and ends."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO, NamedTuple

from minikafka.admin.client import AdminClient
from minikafka.bench.processes import listeners

_START_TIMEOUT_S = 120
_STOP_TIMEOUT_S = 60
_KAFKA_HEAP = "1g"


class BenchError(Exception):
    """Why there is nothing to measure."""


class Target(NamedTuple):
    """A cluster. Without pids its processor time and memory are unknown."""

    name: str
    bootstrap: str
    pids: Sequence[int]
    brokers: int


def given_target(name: str, bootstrap: str, pids: Sequence[int] = ()) -> Target:
    """A cluster that runs already; its processes are found by its brokers' ports if they are here.

    Raises:
        AdminError: if nobody answers.
    """
    with AdminClient(bootstrap, client_id="minikafka-bench") as client:
        brokers = client.brokers()
    if not pids:
        found = listeners(port for _, port in brokers.values())
        pids = sorted(set(found.values())) if len(found) == len(brokers) else ()
    return Target(name, bootstrap, pids, len(brokers))


def start_minikafka(stack: ExitStack, nodes: int, base_port: int, scratch: Path) -> Target:
    """A cluster of `minikafka dev`, which `stack` ends.

    Raises:
        BenchError: if it does not get ready.
    """
    directory = stack.enter_context(
        tempfile.TemporaryDirectory(prefix="minikafka-bench-", dir=scratch)
    )
    command = [sys.executable, "-m", "minikafka", "dev", "--nodes", str(nodes)]
    command += ["--base-port", str(base_port), "--dir", str(Path(directory) / "cluster")]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    stack.callback(end, process)
    assert process.stdout is not None, "it was asked for"
    lines = read_until(process, process.stdout, "ready")
    if lines is None:
        raise BenchError("`minikafka dev` did not get ready")
    bootstrap = next(line for line in lines if line.startswith("bootstrap.servers=")).partition("=")
    return given_target("minikafka", bootstrap[2])


def start_kafka(stack: ExitStack, nodes: int, base_port: int, tools: Path, scratch: Path) -> Target:
    """A cluster of Apache Kafka by `kafka-cluster` in `tools`, which `stack` ends.

    Raises:
        BenchError: if there is no such program, or it fails.
    """
    program = kafka_cluster_program(tools)
    directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="kafka-bench-", dir=scratch))
    stack.callback(_run_kafka_cluster, program, "stop", directory)
    started = _run_kafka_cluster(
        program, "start", directory,
        "--nodes", str(nodes), "--base-port", str(base_port), "--heap", _KAFKA_HEAP,
    )  # fmt: skip
    if started.returncode != 0:
        raise BenchError(f"{program}: {started.stderr.strip() or started.stdout.strip()}")
    servers = ",".join(f"127.0.0.1:{base_port + node}" for node in range(nodes))
    return given_target("Apache Kafka", servers)


def kafka_cluster_program(tools: Path) -> Path:
    """The program in `tools` that runs Apache Kafka.

    Raises:
        BenchError: if it is not there.
    """
    program = tools / "kafka-cluster"
    if not os.access(program, os.X_OK):
        raise BenchError(
            f"--kafka-tools {tools}: there is no program kafka-cluster in it. "
            "Start Apache Kafka yourself and give its address with --versus."
        )
    return program


def read_until(
    process: subprocess.Popen[str], stream: IO[str], last: str, timeout_s: float = _START_TIMEOUT_S
) -> list[str] | None:
    """The lines up to `last`; None if the process ends or the time is over before."""
    timer = threading.Timer(timeout_s, process.kill)
    timer.start()
    try:
        lines: list[str] = []
        for line in stream:
            lines.append(line.strip())
            if lines[-1] == last:
                return lines
        return None
    finally:
        timer.cancel()


def end(process: subprocess.Popen[str]) -> None:
    """End a process that was started here: kindly, then not."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()


def _run_kafka_cluster(
    program: Path, action: str, directory: str, *more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [program, action, "--dir", directory, *more],
        capture_output=True, text=True, check=False, timeout=2 * _START_TIMEOUT_S,
    )  # fmt: skip
