"""The Spark process, seen from the process that started it."""

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness import jars
from minikafka.harness.lines import Event
from minikafka.harness.settings import RunFiles, RunSettings, SparkJob

_END_GRACE_S = 20.0


@dataclass(slots=True)
class SparkProcess:
    """Takes commands; its answers are events that the run follows and hands back to `take`."""

    settings: RunSettings
    files: RunFiles
    session: Event | None = None
    judged: Event | None = None
    gave_up: str = ""
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        job = SparkJob(
            root=str(self.files.root),
            master=self.settings.master,
            seed=self.settings.seed,
            inject=self.settings.inject,
        )
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "minikafka.harness.spark_job", job.to_json()],
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
        """Whether the process lives."""
        return self._process.poll() is None

    def command(self, do: str, **values: object) -> None:
        """Send a command; one to a dead process is lost, and `why_ended` says the rest."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            self._process.stdin.write(json.dumps({"do": do, **values}).encode() + b"\n")
            self._process.stdin.flush()

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
        if self._process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self._process.stdin.close()
        try:
            self._process.wait(_END_GRACE_S if self.judged else 3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
