"""One measurement: a new topic, warm memory, a worker, and the processor time of the brokers.

The topic is deleted after its measurement, and its files with it, without Kafka's default delay.
"""

import json
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.admin.client import AdminClient
from minikafka.admin.topics import create_topic, delete_topics
from minikafka.bench.memory import WarmMemory
from minikafka.bench.plan import LOADS, Load, Measurement, Step
from minikafka.bench.processes import cpu_seconds
from minikafka.bench.targets import BenchError, BenchTarget, end
from minikafka.common.errors import ErrorCode
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic

_WORKER = "minikafka.bench.worker"
_FILL_SECONDS = 60.0
_GRACE_S = 120.0
_READY_TIMEOUT_S = 30.0
_POLL_S = 0.02


class Conditions(NamedTuple):
    """The conditions of every measurement."""

    acks: str
    replication_factor: int
    min_isr: int
    seconds: float
    max_mb: int
    warm_mb: int
    scratch: Path

    @property
    def max_bytes(self) -> int:
        """The amount of data after which a load stops, even if time is left."""
        return self.max_mb * 1_000_000


def measure(step: Step, target: BenchTarget, conditions: Conditions) -> Measurement:
    """Run one measurement on a new topic.

    Raises:
        BenchError: if the load fails.
        AdminError: if the topic cannot be created.
    """
    topic = f"bench-{step.load.name}-{step.round}-{time.time_ns() % 1_000_000_000}"
    with AdminClient(target.bootstrap, client_id="minikafka-bench") as client:
        _make_topic(client, topic, step.load.partitions, conditions)
        try:
            if step.load.reads:
                _fill(step.load, target, topic, conditions)
                return _run_worker(step.load, target, topic, conditions._replace(warm_mb=0))
            return _run_worker(step.load, target, topic, conditions)
        finally:
            delete_topics(client, [topic])


def _make_topic(client: AdminClient, topic: str, partitions: int, conditions: Conditions) -> None:
    create_topic(
        client,
        topic,
        partitions=partitions,
        replication_factor=conditions.replication_factor,
        configs={
            "min.insync.replicas": str(conditions.min_isr),
            "file.delete.delay.ms": "0",
        },
    )
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while not _is_complete(client, topic, conditions.replication_factor):
        if time.monotonic() > deadline:
            raise BenchError(f"topic {topic}: not all replicas joined the ISR in time")
        time.sleep(_POLL_S)


def _is_complete(client: AdminClient, topic: str, replicas: int) -> bool:
    """True if every broker knows the topic with a leader and all replicas in sync."""
    request = MetadataRequest(
        topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
    )
    for broker in client.brokers():
        found = client.ask_broker(broker, request).topics[0]
        if found.error_code != ErrorCode.NONE:
            return False
        for partition in found.partitions:
            if partition.leader_id < 0 or len(partition.isr_nodes) < replicas:
                return False
    return True


def _fill(load: Load, target: BenchTarget, topic: str, conditions: Conditions) -> None:
    """Write the records that a load reads into all partitions of its topic."""
    filling = LOADS[load.filled_by]
    brief = conditions._replace(seconds=_FILL_SECONDS, warm_mb=0)
    _run_worker(filling, target, topic, brief, load.partitions)


def _run_worker(
    load: Load, target: BenchTarget, topic: str, conditions: Conditions, partitions: int = 0
) -> Measurement:
    job = {
        "load": load.name,
        "bootstrap": target.bootstrap,
        "topic": topic,
        "partitions": partitions or load.partitions,
        "acks": conditions.acks,
        "seconds": conditions.seconds,
        "max_bytes": conditions.max_bytes,
    }
    process = subprocess.Popen(
        [sys.executable, "-m", _WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    timer = threading.Timer(conditions.seconds + _GRACE_S, process.kill)
    timer.start()
    try:
        _tell(process, json.dumps(job))
        answer = _line(process)
        if answer != "ready":
            raise BenchError(f"{load.name} against {target.name}: {_reason(answer)}")
        with WarmMemory(conditions.scratch, conditions.warm_mb) as memory:
            before = _cpu(target.pids)
            memory.hand_out(conditions.seconds)
            _tell(process, "go")
            answer = _line(process)
            after = _cpu(target.pids)
        fields = _fields(answer)
        if "error" in fields:
            raise BenchError(f"{load.name} against {target.name}: {fields['error']}")
    finally:
        timer.cancel()
        end(process)
    spent = None if before is None or after is None else after - before
    return Measurement.from_json(fields)._replace(broker_cpu_s=spent)


def _tell(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None, "it was asked for"
    try:
        process.stdin.write(line + "\n")
        process.stdin.flush()
    except BrokenPipeError:
        raise BenchError("the worker exited too early") from None


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None, "it was asked for"
    return process.stdout.readline().strip()


def _fields(answer: str) -> dict[str, Any]:
    if not answer:
        return {"error": "the worker exited without a result, or took too long"}
    fields: dict[str, Any] = json.loads(answer)
    return fields


def _reason(answer: str) -> str:
    return str(_fields(answer).get("error", answer))


def _cpu(pids: Sequence[int]) -> float | None:
    used = [cpu_seconds(pid) for pid in pids]
    known = [seconds for seconds in used if seconds is not None]
    return sum(known) if used and len(known) == len(used) else None
