"""One attack against one cluster, measured: latency beside it, memory, fenced brokers."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from tests.attacks.attacks import Kind
from tests.attacks.honest import TOPIC, HonestProducer
from tests.attacks.peer import PATIENCE_S, Target

AFTER_S = (10, 20)
_STILL_S = 2
"""The wake of an attack counts as well."""
_WARM_S = 3
_NICE = 5


@dataclass
class Outcome:
    """The effects of an attack."""

    name: str
    sent: str = ""
    took_s: float = 0.0
    latencies_ms: list[float] = field(default_factory=list)
    failed: int = 0
    fenced: int = 0
    before_mib: float = 0.0
    highest_mib: float = 0.0
    """Growth of the node that grew most, over its memory before; `after_mib` likewise."""
    after_mib: list[float] = field(default_factory=list)

    def percentile(self, share: float) -> float:
        """The latency that this share of the records did not exceed."""
        ordered = sorted(self.latencies_ms)
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


def resident_mib(pid: int) -> float:
    """The resident memory of a process; 0 if it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except FileNotFoundError:
        return 0.0
    found = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(found[0].split()[1]) / 1024 if found else 0.0


class Memory:
    """The memory of some processes, sampled until `close`."""

    def __init__(self, pids: list[int]) -> None:
        self.pids = pids
        self.before = [resident_mib(pid) for pid in pids]
        self.highest = list(self.before)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while not self._over.wait(0.05):
            self.highest = [
                max(high, resident_mib(pid))
                for pid, high in zip(self.pids, self.highest, strict=True)
            ]

    def growth(self) -> float:
        """Return the greatest growth of a process so far, in MiB."""
        return max(
            (resident_mib(pid) - was for pid, was in zip(self.pids, self.before, strict=True)),
            default=0.0,
        )

    def close(self) -> None:
        self._over.set()
        self._thread.join()


def measure(
    name: str, kind: Kind, target: Target, servers: str, pids: list[int], after_s=AFTER_S
) -> Outcome:
    """Run one attack beside an honest producer. Fenced brokers are the caller's to count."""
    outcome = Outcome(name)
    _create_honest(servers)
    honest = HonestProducer(servers, kind.honest_bytes)
    try:
        running = kind.run(target)
        next(running)
        time.sleep(_WARM_S * target.scale)
        memory = Memory(pids)
        begun_s = time.monotonic()
        try:
            _in_background(lambda: next(running))
            ended_s = time.monotonic()
            _in_background(lambda: list(running))
            target.clean_up()
            time.sleep(_STILL_S * target.scale)
            times, errors = honest.end()
            waited_s = time.monotonic()
            for seconds in after_s:
                time.sleep(max(waited_s + seconds - time.monotonic(), 0))
                outcome.after_mib.append(memory.growth())
        finally:
            memory.close()
    finally:
        honest.close()
    if not all(resident_mib(pid) for pid in pids):
        raise RuntimeError(f"{name}: a broker ended")
    outcome.sent = "; ".join(target.sent)
    outcome.took_s = ended_s - begun_s
    still_s = ended_s + _STILL_S
    outcome.latencies_ms = [took * 1000 for at, took in times if begun_s <= at <= still_s]
    outcome.failed = len(errors)
    outcome.before_mib = max(memory.before, default=0.0)
    outcome.highest_mib = max(
        (high - was for high, was in zip(memory.highest, memory.before, strict=True)), default=0.0
    )
    return outcome


def _in_background(work: Callable[[], object]) -> None:
    """Run in a thread that yields to the nodes: a sender would have its own machine."""
    failures: list[BaseException] = []

    def run() -> None:
        # Linux: the priority of this thread, and of those that it starts.
        os.nice(_NICE)
        try:
            work()
        except BaseException as error:
            failures.append(error)

    # A daemon: an interrupted run does not wait for the attack.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join()
    if failures:
        raise failures[0]


def _create_honest(servers: str) -> None:
    admin = AdminClient({"bootstrap.servers": servers, "log_level": 0})
    known = admin.list_topics(timeout=PATIENCE_S)
    if TOPIC not in known.topics:
        topic = NewTopic(TOPIC, 3, min(3, len(known.brokers)))
        admin.create_topics([topic])[TOPIC].result(PATIENCE_S)
