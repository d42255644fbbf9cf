"""The parent's handle of the Spark process."""

import contextlib
import os
import signal
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.lines import RunEvent
from minikafka.harness.part_process import close_input, start_part
from minikafka.harness.plan.settings import SparkJob
from minikafka.harness.spark import jars
from minikafka.harness.verdict.engine_process import EngineProcess

_JOB = "minikafka.harness.spark.job"


@dataclass(slots=True)
class SparkProcess(EngineProcess):
    """The process of Spark's driver; its JVM ends with it.

    Faults stop and kill the process from their own threads.
    """

    _stream: Mapping[str, object] = field(default_factory=dict)

    def _start(self) -> subprocess.Popen[bytes]:
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
        return start_part(_JOB, job.to_json(), self.log, append=True)

    @property
    def name(self) -> str:
        """The engine's name in sentences."""
        return "Spark"

    @property
    def log(self) -> Path:
        """The file with the process's output."""
        return self.files.logs / "spark.log"

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
            self._process = self._start()
            self._is_down = False
            self.command("stream", **self._stream)

    def stream(self, events: Iterable[RunEvent]) -> dict[str, Any]:
        """Return the verdict's `stream` object."""
        events = [event for event in events if event["event"] == "stream"]
        strayed = [event["reason"] for event in events if event["phase"] == "strayed"]
        # Not super(): a dataclass with slots is a second class, which the zero arguments miss.
        return {**EngineProcess.stream(self, events), "strayed": strayed}

    def why_ended(self) -> str:
        """Return one sentence on why the process ended, of missing jars for example."""
        explained = jars.explain_failure(self._logged()) if self.session is None else None
        return explained or EngineProcess.why_ended(self)
