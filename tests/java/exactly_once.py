"""Exactly-once processing while brokers, and the application, are killed with SIGKILL.

A producer numbers the records of each partition of `input`. An application copies them to `output`,
with its offsets in the transaction, or counts their digits with Kafka Streams. At the end the
output must have everything once and in order.
"""

import random
import subprocess
import threading
import time
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.topics import describe_topics, list_topics

CONFIG = {
    "broker.session.timeout.ms": "3000",
    "broker.heartbeat.interval.ms": "500",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.num.partitions": "3",
    "offsets.topic.replication.factor": "3",
    "transaction.state.log.num.partitions": "3",
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.min.isr": "2",
    "transaction.abort.timed.out.transaction.cleanup.interval.ms": "1000",
    "default.replication.factor": "3",
    "min.insync.replicas": "2",
}
NODES = 3
RATE = 300
_APPLICATION_EVERY = 5
_ISR_S = 90
_LOOK_S = 0.2
_PAGE = 1000


class Outcome(NamedTuple):
    """What was done, and the line of the check at its end."""

    result: str
    records: int
    broker_kills: int
    application_kills: int
    seconds: float
    said: Counter

    def __str__(self):
        said = ", ".join(f"{count} x {line}" for line, count in self.said.most_common(8))
        return (
            f"{self.result}; {self.records} records, {self.broker_kills} kills of brokers, "
            f"{self.application_kills} of the application, {self.seconds:.0f} s\n  {said}"
        )


class Application:
    """A program that is killed and started again; the lines that it prints are counted."""

    def __init__(self, command, log):
        self._command = command
        self._log = log
        self.said = Counter()
        self._process = None
        self._reader = None

    def start(self):
        self._process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=self._log, text=True
        )
        self._reader = threading.Thread(target=self._read, args=(self._process,), daemon=True)
        self._reader.start()

    def _read(self, process):
        for line in process.stdout:
            words = line.split()
            # Without numbers, so that equal lines are counted together.
            kept = [word for word in words if not any(each.isdigit() for each in word)]
            self.said[" ".join(kept)[:100]] += 1

    def kill(self):
        self._process.kill()
        self._process.wait()
        self._reader.join()


def check(cluster, programs, kind, *, kills, seed, kill_nodes, start_nodes):
    """Run one test against a cluster of three nodes; returns its outcome."""
    rng = random.Random(f"java/{kind}/{seed}")
    servers = cluster.bootstrap_servers
    programs.run("ExactlyOnce", "create", servers, "input", "output")
    begun_s = time.monotonic()
    with Path(programs.folder / f"{kind}.log").open("w") as log:
        generator = subprocess.Popen(
            programs.command("ExactlyOnce", "generate", servers, "input", RATE),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, text=True,
        )  # fmt: skip
        if kind == "copier":
            words = ("ExactlyOnce", "copy", servers, "input", "output", "copiers", "copier-0")
        else:
            state = programs.folder / "state"
            words = ("WordCount", servers, "input", "output", "digits", state)
        application = Application(programs.command(*words), log)
        application.start()
        application_kills = 0
        try:
            time.sleep(rng.uniform(5, 8))
            for number in range(kills):
                node = number % NODES + 1
                kill_nodes(node)
                if number % _APPLICATION_EVERY == _APPLICATION_EVERY - 1:
                    application.kill()
                    application.start()
                    application_kills += 1
                time.sleep(rng.uniform(0.5, 5))
                start_nodes(node)
                await_replicas(servers, generator)
                time.sleep(rng.uniform(0.5, 3))
            counts, _ = generator.communicate("end\n", timeout=120)
            checks = {"copier": "verify", "streams": "digits"}
            result = programs.run("ExactlyOnce", checks[kind], servers, "output", *counts.split())
        finally:
            application.kill()
            if generator.poll() is None:
                generator.kill()
    took_s = time.monotonic() - begun_s
    records = sum(map(int, counts.split()))
    return Outcome(result.strip(), records, kills, application_kills, took_s, application.said)


def await_replicas(servers, generator):
    """Wait until every partition has all its replicas in the ISR."""
    end_s = time.monotonic() + _ISR_S
    missing = ["everything"]
    while missing:
        if generator.poll() is not None:
            raise AdminError("the producer has ended")
        if time.monotonic() > end_s:
            raise AdminError(f"not in the ISR after {_ISR_S} s: {missing[:5]}")
        try:
            with AdminClient(servers, client_id="isr") as client:
                missing = [
                    f"{topic.name}-{partition.index}"
                    for topic in describe_topics(
                        client, [listing.name for listing in list_topics(client)], _PAGE
                    )
                    for partition in topic.partitions
                    if len(partition.isr) < len(partition.replicas)
                ]
        except AdminError as error:
            missing = [str(error)]
        time.sleep(_LOOK_S)
