"""The start-up time of nodes, and their idle memory."""

import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from minikafka.bench.processes import resident_mib
from minikafka.bench.targets import BenchError, end, start_minikafka
from minikafka.dev.layout import Layout
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.rpc.envelope import encode_request

_HOST = "127.0.0.1"
_TIMEOUT_S = 30.0
_POLL_S = 0.001
_SETTLE_S = 2.0


class StartUp(NamedTuple):
    """The times of each round in seconds, and the memory of each node of the last cluster."""

    api_versions_s: Sequence[float]
    ready_s: Sequence[float]
    nodes: int
    idle_mib: Sequence[float]


def measure_start_up(rounds: int, nodes: int, base_port: int, scratch: Path) -> StartUp:
    """Measure the start of one node and of a cluster, `rounds` times each.

    Raises:
        BenchError: if one of them does not start.
    """
    with tempfile.TemporaryDirectory(prefix="minikafka-bench-", dir=scratch) as directory:
        layout = Layout(Path(directory) / "cluster", 1, base_port, {})
        layout.prepare()
        command = [
            sys.executable,
            "-m",
            "minikafka",
            "server-start",
            str(layout.properties_file(1)),
        ]
        single = [_first_answer(command, base_port) for _ in range(rounds)]
    ready: list[float] = []
    idle: Sequence[float] = []
    for _ in range(rounds):
        with ExitStack() as stack:
            started = time.perf_counter()
            target = start_minikafka(stack, nodes, base_port, scratch)
            ready.append(time.perf_counter() - started)
            idle = idle_memory(target.pids)
    return StartUp(single, ready, nodes, idle)


def idle_memory(pids: Sequence[int]) -> list[float]:
    """Return the resident memory of each process in MiB, after a moment without work."""
    time.sleep(_SETTLE_S)
    return [mib for mib in map(resident_mib, pids) if mib is not None]


def _first_answer(command: Sequence[str], port: int) -> float:
    """Return the time from exec to the first ApiVersions response; then stop the node."""
    started = time.perf_counter()
    process = subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, text=True
    )
    try:
        with _connect(process, port, started + _TIMEOUT_S) as connection:
            _ask_versions(connection)
        return time.perf_counter() - started
    finally:
        process.send_signal(signal.SIGTERM)
        end(process)


def _connect(process: subprocess.Popen[str], port: int, deadline: float) -> socket.socket:
    while True:
        try:
            return socket.create_connection((_HOST, port), timeout=_TIMEOUT_S)
        except OSError:
            if process.poll() is not None:
                raise BenchError(
                    f"the node exited with status {process.returncode} before it listened"
                ) from None
            if time.perf_counter() > deadline:
                raise BenchError("the node did not listen before the timeout") from None
            time.sleep(_POLL_S)


def _ask_versions(connection: socket.socket) -> None:
    request = ApiVersionsRequest()
    for part in encode_request(0, "minikafka-bench", request, 0):
        assert isinstance(part, bytes | bytearray | memoryview), "nothing of it is in a file"
        connection.sendall(part)
    if len(connection.recv(4)) == 0:
        raise BenchError("the node closed the connection")
