"""The parent's handle of the producer processes of a run.

Several clients write at the same time into every partition, each with its share of the rate: by
default librdkafka through confluent-kafka (producer 1) and aiokafka (producer 2). Each has its own
process and ledger; if it dies, only its records without an outcome become unknown.
"""

import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.clients.command_client import READY_MAX_S
from minikafka.harness.clients.outbox import ProducerTask
from minikafka.harness.lines import Tail
from minikafka.harness.part_process import close_input, start_part, write_byte
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.plan.workload_options import SENT_TIME

DRAIN_S = 30.0
"""The time that a producer waits for outstanding answers after it has stopped writing."""

READY_TIMEOUT_S = READY_MAX_S + 5.0
"""The time in which every command is ready or was ended by its producer."""

_END_GRACE_S = 10.0
_TERMINATE_S = 5.0
"""The time that a producer has to kill its command when the run is aborted."""
_PRODUCER = "minikafka.harness.clients.producer"


@dataclass(slots=True)
class Workload:
    """The producer processes of one run."""

    tasks: list[ProducerTask]
    files: RunFiles
    _processes: dict[int, subprocess.Popen[bytes]] = field(default_factory=dict)
    _starting: dict[int, Tail] = field(default_factory=dict)

    @property
    def event_files(self) -> list[Path]:
        """The files into which the producers write their counters."""
        return [Path(task.events) for task in self.tasks]

    @property
    def pids(self) -> list[int]:
        """The process ids, in the order in which the producers were started."""
        return [process.pid for process in self._processes.values()]

    def prepare(self) -> None:
        """Start the commands, which write one record each and wait for `start`."""
        for task in self.tasks:
            if task.command:
                self._start(task)
                self._starting[task.pid] = Tail(Path(task.events))

    @property
    def is_ready(self) -> bool:
        """True if every command has written its first record, or has ended."""
        for pid, tail in [*self._starting.items()]:
            events = {event["event"] for event in tail.read()}
            if "producer_ready" in events or self._processes[pid].poll() is not None:
                del self._starting[pid]
        return not self._starting

    def start(self) -> None:
        """Let the commands write, and start the other producers."""
        for process in self._processes.values():
            write_byte(process)
        for task in self.tasks:
            if not task.command:
                self._start(task)

    def _start(self, task: ProducerTask) -> None:
        log = self.files.logs / f"producer-{task.pid}.log"
        self._processes[task.pid] = start_part(_PRODUCER, task.to_json(), log)

    def ask_to_stop(self) -> None:
        """Ask every producer to stop writing; return at once."""
        for process in self._processes.values():
            close_input(process)

    @property
    def is_running(self) -> bool:
        """True while any producer process exists."""
        return any(process.poll() is None for process in self._processes.values())

    def end(self) -> list[str]:
        """Kill the remaining producers; return a sentence for each that did not exit with 0."""
        self.ask_to_stop()
        for task in self.tasks:
            process = self._processes.get(task.pid)
            if process is not None and process.poll() is None:
                if task.command:
                    process.terminate()  # It kills its command first.
                else:
                    process.kill()
        deadline_s = time.monotonic() + _TERMINATE_S
        notes = []
        for task in self.tasks:
            process = self._processes.get(task.pid)
            if process is None:
                continue
            try:
                status = process.wait(max(0.0, deadline_s - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                status = process.wait()
            if status:
                notes.append(self._failure(task, status))
        return notes

    def _failure(self, task: ProducerTask, status: int) -> str:
        """Return the sentence of a producer that did not exit with 0."""
        events = [it for it in Tail(Path(task.events)).read() if it["event"] == "producer_failed"]
        who = f"Producer {task.pid} ({task.client})"
        if task.command and events:
            return f"{who}: the command {events[-1]['reason']}; see {task.stderr}."
        log = self.files.logs / f"producer-{task.pid}.log"
        return f"{who} ended with status {status}; see {log}."

    def end_deadline(self) -> float:
        """Monotonic time by which producers must have exited if they are asked to stop now."""
        return time.monotonic() + DRAIN_S + _END_GRACE_S


def plan_workload(
    settings: RunSettings,
    files: RunFiles,
    *,
    run: str,
    bootstrap_servers: str,
    topic: str,
    topic_id: str,
    timestamps: str = SENT_TIME,
) -> Workload:
    """Plan one producer for each client and command of the options, which have no `problems`.

    `topic` may be several names, separated by commas.
    """
    options = settings.workload
    producers = options.producers
    tasks = [
        ProducerTask(
            run=run,
            pid=pid,
            client=client,
            bootstrap_servers=bootstrap_servers,
            topic=topic,
            topic_id=topic_id,
            partitions=settings.partitions,
            seed=settings.seed,
            rate=settings.rate / len(producers),
            seconds=settings.seconds,
            drain_s=DRAIN_S,
            ledger=str(files.ledgers / f"producer-{pid}.msgpack"),
            events=str(files.logs / f"producer-{pid}.jsonl"),
            acks=options.acks,
            idempotent=options.idempotent,
            size_min_bytes=options.size_min_bytes,
            size_max_bytes=options.size_max_bytes,
            size_distribution=options.size_distribution,
            key_skew=options.key_skew,
            compression=options.compression,
            bytes_per_s=options.bytes_per_s / len(producers),
            message_max_bytes=options.message_max_bytes,
            transactions=options.transactions,
            timestamps=timestamps,
            command=command,
            stderr=str(files.logs / f"client-{pid}.log"),
        )
        for pid, (client, command) in enumerate(producers, start=1)
    ]
    return Workload(tasks, files)
