"""The parent's handle of the second reader's process."""

import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.clients.reader import ReaderTask
from minikafka.harness.lines import RunEvent
from minikafka.harness.part_process import close_input, start_part
from minikafka.harness.plan.settings import RunFiles, RunSettings

_READER = "minikafka.harness.clients.reader"
END_TIMEOUT_S = 100.0
"""Longer than the group needs to read to the end and each member needs to leave."""


@dataclass(slots=True)
class ReaderProcess:
    """A process that runs a consumer group."""

    task: ReaderTask
    files: RunFiles
    counts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._process = start_part(_READER, self.task.to_json(), self.log)

    @property
    def log(self) -> Path:
        """The file with the process's output."""
        return self.files.logs / "reader.log"

    @property
    def is_running(self) -> bool:
        """True while the process exists."""
        return self._process.poll() is None

    def take(self, event: RunEvent) -> None:
        """Keep the counters or the note of an event."""
        if event["event"] == "reader":
            self.counts = {name: event[name] for name in _COUNTS}
        elif event["event"] == "reader_note":
            self.notes.append(event["note"])

    def ask_to_finish(self) -> None:
        """Ask the group to read to the end; return at once."""
        close_input(self._process)

    def explain(self) -> None:
        """Let the process, which should have ended, write down what its threads are doing."""
        self._process.send_signal(signal.SIGUSR1)
        self.notes.append(
            f"The consumer group did not end within {END_TIMEOUT_S:g} s: {self.log} has what its "
            "threads were doing."
        )

    def end(self) -> None:
        """Kill the process if it still exists."""
        self.ask_to_finish()
        if self.is_running:
            self._process.kill()
        self._process.wait()

    def as_json(self) -> dict[str, Any]:
        """Return the verdict's `group` object."""
        return {"protocol": self.task.protocol, **self.counts}


_COUNTS = ("polled", "commits", "refused", "assignments")


def start_reader(
    settings: RunSettings, files: RunFiles, *, run: str, bootstrap_servers: str, topic: str
) -> ReaderProcess | None:
    """Start the reader; return None if the settings request none.

    In a cluster that the run started, commits must need as many replicas as records do.
    """
    if settings.reader == "none":
        return None
    task = ReaderTask(
        run=run,
        bootstrap_servers=bootstrap_servers,
        topic=topic,
        width=settings.partitions,
        protocol=settings.reader,
        seed=settings.seed,
        seconds=settings.seconds,
        log=str(files.poll_log),
        events=str(files.logs / "reader.jsonl"),
        offsets_min_isr=0 if settings.bootstrap_servers else settings.min_isr,
    )
    return ReaderProcess(task, files)
