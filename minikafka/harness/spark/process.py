"""The Spark process, seen from the process that started it."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.lines import Event
from minikafka.harness.plan.settings import RunFiles, RunSettings, SparkJob
from minikafka.harness.spark import jars

_END_GRACE_S = 20.0


@dataclass(slots=True)
class SparkProcess:
    """Takes commands; its answers are events that the run follows and hands back to `take`.

    Faults stop and kill it from threads of their own; nothing here waits for an answer.
    """

    settings: RunSettings
    files: RunFiles
    session: Event | None = None
    judged: Event | None = None
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
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "minikafka.harness.spark.job", job.to_json()],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    @property
    def log(self) -> Path:
        """Where Spark's noise goes."""
        return self.files.logs / "spark.log"

    @property
    def is_running(self) -> bool:
        """Whether the process lives, or is to live again."""
        with self._lock:
            return self._is_down or self._process.poll() is None

    def command(self, do: str, **values: object) -> None:
        """Send a command; one to a dead process is lost, and `why_ended` says the rest."""
        with self._lock:
            assert self._process.stdin is not None
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.write(json.dumps({"do": do, **values}).encode() + b"\n")
                self._process.stdin.flush()

    def begin_stream(self, **values: object) -> None:
        """Let it read as a stream, now and whenever it is started again."""
        self._stream = values
        self.command("stream", **values)

    def stop_stream(self) -> None:
        """Tell it to stop the query."""
        self.command("stop")

    def start_stream(self) -> None:
        """Tell it to start the query where its checkpoint says."""
        self.command("start")

    def kill(self) -> None:
        """SIGKILL to the driver and its JVM, which are of one process group."""
        with self._lock:
            self._is_down = True
            self.kill_count += 1
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def revive(self) -> None:
        """Start it again; the stream goes on where its checkpoint says."""
        with self._lock:
            if self._process.stdin is not None:
                with contextlib.suppress(BrokenPipeError):
                    self._process.stdin.close()
            self._launch()
            self._is_down = False
            self.command("stream", **self._stream)

    def take(self, event: Event) -> None:
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
        """One sentence about a process that ended without an answer."""
        log = self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""
        explained = jars.explain_failure(log) if self.session is None else None
        if explained:
            return explained
        if self.gave_up:
            return f"Spark gave up: {self.gave_up} (log: {self.log})"
        lines = [line.strip() for line in log.splitlines() if line.strip()]
        named = [line for line in lines if "Exception" in line or "Error" in line] or lines
        last = f", {named[-1][:300]}" if named else ""
        return f"The Spark process ended without an answer (log: {self.log}{last})."

    def end(self) -> None:
        """Let it end by itself for a while, then kill it; its JVM goes with it."""
        self._is_down = False
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(_END_GRACE_S if self.judged else 3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
