"""Measure the compaction of one log, and what it costs a producer meanwhile.

    python -m tools.measure_compaction [--records 10000000] [--keys 1000000] [--kafka FOLDER]

One node with default settings but `log.cleaner.backoff.ms=1000`. A topic is filled with records of
100 bytes under random keys, lz4-compressed by the client; then its policy becomes `compact`. These
are printed:

- the size of the log before and after, and the time until the cleaner has reached its end
- MB/s: the size before, by the time since the change of the policy
- the greatest memory of the process before and during the cleaning, in MiB
- the 99th percentile of the acknowledgements of a producer that sends a record every 5 ms to
  another topic, while the log is idle and while it is cleaned, in ms

With --kafka, which names a folder with `kafka-cluster`, an Apache Kafka is measured, too.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

from confluent_kafka import Producer
from confluent_kafka.admin import (
    AdminClient,
    AlterConfigOpType,
    ConfigEntry,
    ConfigResource,
    NewTopic,
)

from minikafka.bench.processes import resident_mib
from minikafka.testing import Cluster
from minikafka.testing.base_ports import free_base_port

_TOPIC = "compacted"
_SIDE_TOPIC = "beside"
_CONFIG = {"log.cleaner.backoff.ms": "1000"}
_SEGMENT_BYTES = 64 * 1024 * 1024
_SEND_INTERVAL_S = 0.005
_IDLE_S = 20.0
_DEADLINE_S = 900.0
_VALUE_BYTES = 92
_CHECKPOINT = "cleaner-offset-checkpoint"


class Running(NamedTuple):
    """A node that runs: its address, its process and its log directory."""

    name: str
    servers: str
    pid: int
    log_dir: Path


class Figures(NamedTuple):
    """What was measured: bytes, seconds, MiB, and percentiles in ms."""

    size_before: int
    size_after: int
    took_s: float
    memory_before: float
    memory_during: float
    idle_p99: float
    busy_p99: float


@contextmanager
def minikafka() -> Iterator[Running]:
    """Run a node of minikafka."""
    # In a folder of its own: the files of a temporary cluster are not synced.
    folder = tempfile.mkdtemp(prefix="minikafka-")
    try:
        with Cluster(1, kafka_defaults=True, config=_CONFIG, directory=folder) as cluster:
            log_dir = next(Path(folder).rglob("meta.properties")).parent
            yield Running("minikafka", cluster.bootstrap_servers, cluster.pid(1), log_dir)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def kafka(tools: Path) -> Iterator[Running]:
    """Run a node of Apache Kafka."""
    folder, port = tempfile.mkdtemp(prefix="kafka-"), free_base_port(1)
    command = [str(tools / "kafka-cluster")]

    def run(action: str, *more: str) -> None:
        subprocess.run(
            [*command, action, "--dir", folder, *more], check=True, stdout=subprocess.DEVNULL
        )

    given = [x for key, value in _CONFIG.items() for x in ("--config", f"{key}={value}")]
    run("start", "--nodes", "1", "--base-port", str(port), *given)
    try:
        pid = int((Path(folder) / "node-1" / "pid").read_text().split()[0])
        log_dir = next(Path(folder).rglob("meta.properties")).parent
        yield Running("Apache Kafka", f"127.0.0.1:{port}", pid, log_dir)
    finally:
        with suppress(subprocess.CalledProcessError):
            run("kill", "1")
        run("delete")
        shutil.rmtree(folder, ignore_errors=True)


class Sender(threading.Thread):
    """A producer that sends a record every 5 ms; `latencies` are those of its acknowledgements."""

    def __init__(self, servers: str) -> None:
        """Prepare it."""
        super().__init__()
        self._producer = Producer({"bootstrap.servers": servers, "acks": "all", "linger.ms": 0})
        self._ends = threading.Event()
        self.latencies: list[float] = []

    def run(self) -> None:
        """Send until `stop`."""
        while not self._ends.wait(_SEND_INTERVAL_S):
            sent_s = time.monotonic()

            def acknowledged(error: object, _: object, sent_s: float = sent_s) -> None:
                assert error is None, error
                self.latencies.append(time.monotonic() - sent_s)

            self._producer.produce(_SIDE_TOPIC, value=b"x" * 100, on_delivery=acknowledged)
            self._producer.poll(0)
        self._producer.flush()

    def stop(self) -> float:
        """End it, and return the 99th percentile in ms."""
        self._ends.set()
        self.join()
        ordered = sorted(self.latencies)
        return 1_000 * ordered[int(len(ordered) * 0.99)]


def measure(node: Running, records: int, keys: int) -> Figures:
    """Fill a log, let it be cleaned, and return the figures."""
    admin = AdminClient({"bootstrap.servers": node.servers})
    configs = {"segment.bytes": str(_SEGMENT_BYTES), "min.cleanable.dirty.ratio": "0.01"}
    topics = [NewTopic(_TOPIC, 1, 1, config=configs), NewTopic(_SIDE_TOPIC, 1, 1)]
    for future in admin.create_topics(topics).values():
        future.result()
    _fill(node.servers, records, keys)
    folder = node.log_dir / f"{_TOPIC}-0"
    size_before, memory_before = _size(folder), resident_mib(node.pid) or 0.0
    end_offset = max(int(path.stem) for path in folder.glob("*.log"))
    sender = Sender(node.servers)
    sender.start()
    time.sleep(_IDLE_S)
    idle_p99 = sender.stop()
    sender = Sender(node.servers)
    sender.start()
    began_s = time.monotonic()
    entry = ConfigEntry("cleanup.policy", "compact", incremental_operation=AlterConfigOpType.SET)
    resource = ConfigResource(ConfigResource.Type.TOPIC, _TOPIC, incremental_configs=[entry])
    for future in admin.incremental_alter_configs([resource]).values():
        future.result()
    memory = memory_before
    while _cleaned(node.log_dir) < end_offset:
        if time.monotonic() > began_s + _DEADLINE_S:
            raise TimeoutError(f"{node.name} has not cleaned the log in {_DEADLINE_S:.0f} s")
        memory = max(memory, resident_mib(node.pid) or 0.0)
        time.sleep(0.02)
    took_s = time.monotonic() - began_s
    busy_p99 = sender.stop()
    return Figures(size_before, _size(folder), took_s, memory_before, memory, idle_p99, busy_p99)


def _fill(servers: str, records: int, keys: int) -> None:
    producer = Producer(
        {
            "bootstrap.servers": servers, "compression.type": "lz4", "linger.ms": 20,
            "batch.size": 200_000, "queue.buffering.max.messages": 500_000,
        }
    )  # fmt: skip
    rng = Random(1)
    for number in range(records):
        value = rng.randbytes(_VALUE_BYTES // 4).hex().encode()
        while True:
            try:
                producer.produce(
                    _TOPIC, value=value.ljust(_VALUE_BYTES, b"v"), key=b"%08d" % rng.randrange(keys)
                )
                break
            except BufferError:
                producer.poll(0.1)
        if not number % 1_000:
            producer.poll(0)
    assert not producer.flush(120)


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.glob("*.log"))


def _cleaned(log_dir: Path) -> int:
    try:
        lines = (log_dir / _CHECKPOINT).read_text().splitlines()
    except FileNotFoundError:
        return 0
    rows = [line.split() for line in lines[2:]]
    return next((int(row[2]) for row in rows if row[:2] == [_TOPIC, "0"]), 0)


def main() -> int:
    """Measure the targets, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--records", type=int, default=10_000_000)
    parser.add_argument("--keys", type=int, default=1_000_000)
    parser.add_argument("--kafka", type=Path)
    args = parser.parse_args()
    targets = [minikafka()] + ([kafka(args.kafka)] if args.kafka else [])
    for target in targets:
        with target as node:
            it = measure(node, args.records, args.keys)
            print(
                f"{node.name}: {it.size_before / 1e6:.0f} MB -> {it.size_after / 1e6:.0f} MB in "
                f"{it.took_s:.1f} s ({it.size_before / 1e6 / it.took_s:.0f} MB/s); memory "
                f"{it.memory_before:.0f} -> {it.memory_during:.0f} MiB; p99 of an acknowledgement "
                f"{it.idle_p99:.1f} ms idle, {it.busy_p99:.1f} ms meanwhile",
                flush=True,
            )
    return 0


if __name__ == "__main__":
    sys.exit(main())
