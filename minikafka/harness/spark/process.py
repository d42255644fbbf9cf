"""The parent's handle of the Spark process."""

import contextlib
import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.lines import RunEvent
from minikafka.harness.part_process import close_input, start_part
from minikafka.harness.plan.settings import RunFiles, RunSettings, SparkJob
from minikafka.harness.spark import jars

_JOB = "minikafka.harness.spark.job"
_END_GRACE_S = 20.0


@dataclass(slots=True)
class SparkProcess:
    """Sends commands to the process; its answers are events, which the run hands to `take`.

    Faults stop and kill the process from their own threads; no method waits for an answer.
    """

    settings: RunSettings
    files: RunFiles
    session: RunEvent | None = None
    judged: RunEvent | None = None
    gave_up: str = ""
    kill_count: int = 0
    _stream: Mapping[str, object] = field(default_factory=dict)
    _is_down: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._launch()

    def _launch(self) -> None:
        job = SparkJob(
            root=str(self.files.root),
            master=self.settings.master,
            seed=self.settings.seed,
            records=int(self.settings.rate * self.settings.seconds),
            inject=self.settings.inject,
            instance=self.kill_count,
            jars=str(self.settings.jars or ""),
            transactions=self.settings.workload.transactions,
        )
        self._process = start_part(_JOB, job.to_json(), self.log, append=True)

    @property
    def log(self) -> Path:
        """The file with the process's output."""
        return self.files.logs / "spark.log"

    @property
    def is_running(self) -> bool:
        """True while the process exists, and between `kill` and `revive`."""
        with self._lock:
            return self._is_down or self._process.poll() is None

    def command(self, do: str, **values: object) -> None:
        """Send a command; if the process is dead, the command is lost (see `why_ended`)."""
        with self._lock:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps({"do": do, **values}).encode() + b"\n")
                self._process.stdin.flush()

    def begin_stream(self, **values: object) -> None:
        """Start the stream, now and after each `revive`."""
        self._stream = values
        self.command("stream", **values)

    def stop_stream(self) -> None:
        """Send the command to stop the query."""
        self.command("stop")

    def start_stream(self) -> None:
        """Send the command to start the query from its checkpoint."""
        self.command("start")

    def kill(self) -> None:
        """Kill the driver and its JVM, which are one process group, with SIGKILL."""
        with self._lock:
            self._is_down = True
            self.kill_count += 1
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def revive(self) -> None:
        """Start the process again; the stream continues from its checkpoint."""
        with self._lock:
            close_input(self._process)
            self._launch()
            self._is_down = False
            self.command("stream", **self._stream)

    def take(self, event: RunEvent) -> None:
        """Keep the answers that the run waits for."""
        match event["event"]:
            case "session":
                self.session = event
            case "judged":
                self.judged = event
            case "gave_up":
                self.gave_up = event["reason"]
            case _:
                pass

    def why_ended(self) -> str:
        """Return one sentence on why the process ended without an answer."""
        log = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        explained = jars.explain_failure(log) if self.session is None else None
        if explained:
            return explained
        if self.gave_up:
            return f"The Spark process failed: {self.gave_up} (log: {self.log})"
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        named = [line for line in lines if "Exception" in line or "Error" in line] or lines
        last = f", {named[-1][:300]}" if named else ""
        return f"The Spark process ended without an answer (log: {self.log}{last})."

    def end(self) -> None:
        """Wait for the process to exit, and kill it after a timeout; its JVM ends with it."""
        self._is_down = False
        close_input(self._process)
        try:
            self._process.wait(_END_GRACE_S if self.judged else 3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
