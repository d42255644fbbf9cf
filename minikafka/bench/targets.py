"""The clusters that `minikafka bench` measures: running ones, and ones that it starts and stops."""

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
_VOTERS = 3


class BenchError(Exception):
    """A measurement is not possible; the message says why."""


class BenchTarget(NamedTuple):
    """A cluster. Without `pids` its processor time and memory are unknown."""

    name: str
    bootstrap: str
    pids: Sequence[int]
    brokers: int


def given_target(name: str, bootstrap: str, pids: Sequence[int] = ()) -> BenchTarget:
    """Return a running cluster; local processes are found by the brokers' ports.

    Raises:
        AdminError: if no broker answers.
    """
    with AdminClient(bootstrap, client_id="minikafka-bench") as client:
        brokers = client.brokers()
    if not pids:
        found = listeners(port for _, port in brokers.values())
        pids = sorted(set(found.values())) if len(found) == len(brokers) else ()
    return BenchTarget(name, bootstrap, pids, len(brokers))


def start_minikafka(
    stack: ExitStack, nodes: int, base_port: int, scratch: Path, before: Path | None = None
) -> BenchTarget:
    """Start a cluster by `minikafka dev`; `stack` stops it.

    With `before`, the folder of another version's package, it is that version.

    Raises:
        BenchError: if it is not ready in time.
    """
    directory = stack.enter_context(
        tempfile.TemporaryDirectory(prefix="minikafka-bench-", dir=scratch.absolute())
    )
    command = [sys.executable, "-m", "minikafka", "dev", "--nodes", str(nodes)]
    command += ["--base-port", str(base_port), "--dir", str(Path(directory) / "cluster")]
    command += ["--voters", str(_VOTERS if nodes >= _VOTERS else 1), "--quiet"]
    # Python imports from its working folder first.
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=before)
    stack.callback(end, process)
    assert process.stdout is not None, "it was asked for"
    lines = read_until(process, process.stdout, "ready")
    if lines is None:
        of = "" if before is None else f" of {before}"
        raise BenchError(f"`minikafka dev`{of} was not ready in time")
    bootstrap = next(line for line in lines if line.startswith("bootstrap.servers=")).partition("=")
    return given_target("minikafka" if before is None else "before", bootstrap[2])


def check_package(folder: Path) -> None:
    """Check that a folder has a package of minikafka.

    Raises:
        BenchError: if it has none.
    """
    if not (folder / "minikafka" / "__init__.py").is_file():
        raise BenchError(
            f"--before {folder}: the folder has no package minikafka. `pip install --no-deps "
            "--target FOLDER` puts another version into one."
        )


def start_kafka(
    stack: ExitStack, nodes: int, base_port: int, tools: Path, scratch: Path
) -> BenchTarget:
    """Start a cluster of Apache Kafka by `kafka-cluster` in `tools`; `stack` stops it.

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
    """Return the program in `tools` that runs Apache Kafka.

    Raises:
        BenchError: if it does not exist.
    """
    program = tools / "kafka-cluster"
    if not os.access(program, os.X_OK):
        raise BenchError(
            f"--kafka-tools {tools}: the folder has no program kafka-cluster. "
            "Start Apache Kafka yourself and give its address with --versus."
        )
    return program


def read_until(
    process: subprocess.Popen[str], stream: IO[str], last: str, timeout_s: float = _START_TIMEOUT_S
) -> list[str] | None:
    """Return the lines up to `last`; None if the process ends or the timeout passes first."""
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
    """Stop a child process with SIGTERM, and with SIGKILL after a timeout."""
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
