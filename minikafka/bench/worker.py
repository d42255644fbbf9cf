"""The process that generates a load for `minikafka bench`.

It reads a job as one line of JSON, prepares it, prints `ready`, waits for a line, runs, and prints
the measurement as one line of JSON, or `{"error": …}`.
"""

import json
import sys
from collections.abc import Callable
from typing import Any, NamedTuple, TextIO

from minikafka.admin.client import AdminError
from minikafka.bench.plan import LOADS, Measurement
from minikafka.bench.replay import ReplayError, fetch_replay, produce_replay, run_replay

_ACKS = {"0": 0, "1": 1, "all": -1}


class Job(NamedTuple):
    """The job of a worker."""

    load: str
    bootstrap: str
    topic: str
    partitions: int
    acks: str
    seconds: float
    max_bytes: int


def main(stdin: TextIO = sys.stdin, stdout: TextIO = sys.stdout) -> int:
    """Do one job; return the exit status."""
    job = Job(**json.loads(stdin.readline()))
    try:
        run = prepare(job)
        print("ready", file=stdout, flush=True)
        if not stdin.readline():
            return 1
        result: dict[str, Any] = run()._asdict()
    except (ReplayError, AdminError, OSError) as error:
        print(json.dumps({"error": str(error)}), file=stdout, flush=True)
        return 1
    print(json.dumps(result), file=stdout, flush=True)
    return 0


def prepare(job: Job) -> Callable[[], Measurement]:
    """Do what is not measured (connect, encode); return the function that runs the load."""
    load = LOADS[job.load]
    if not load.is_raw:
        return _prepare_librdkafka(job)
    if load.kind == "raw-produce":
        replay = produce_replay(job.bootstrap, job.topic, load, _ACKS[job.acks])
    else:
        replay = fetch_replay(job.bootstrap, job.topic)
    limit = job.max_bytes if load.kind == "raw-produce" else sys.maxsize
    return lambda: run_replay(replay, load.in_flight, job.seconds, limit)


def _prepare_librdkafka(job: Job) -> Callable[[], Measurement]:
    from confluent_kafka import KafkaException

    from minikafka.bench import librdkafka as clients
    from minikafka.bench import native

    load = LOADS[job.load]
    try:
        if not load.in_python:
            topic = native.Topic(job.topic, job.partitions)
            run = native.prepare(job.bootstrap, topic, load, job.acks, job.max_bytes)
            return lambda: run(job.seconds)
        if load.kind == "produce":
            run = clients.prepare_produce(job.bootstrap, job.topic, load, job.acks, job.max_bytes)
        elif load.kind == "transactions":
            run = clients.prepare_transactions(job.bootstrap, job.topic, load, job.max_bytes)
        elif load.kind == "latency":
            run = clients.prepare_latency(job.bootstrap, job.topic, load, job.acks)
        else:
            run = clients.prepare_consume(job.bootstrap, job.topic, load)
    except KafkaException as error:
        raise ReplayError(str(error)) from None
    return lambda: run(job.seconds)


if __name__ == "__main__":
    sys.exit(main())
