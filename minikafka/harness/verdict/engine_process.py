"""The parent's handle of the process that reads the topics and judges: the part of both engines."""

import contextlib
import json
import subprocess
import threading
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.lines import RunEvent
from minikafka.harness.part_process import close_input
from minikafka.harness.plan.settings import RunFiles, RunSettings

_END_GRACE_S = 20.0


@dataclass(slots=True)
class EngineProcess:
    """Sends commands to the process; its answers are events, which the run hands to `take`.

    No method waits for an answer. A subclass starts the process in `_start`.
    """

    settings: RunSettings
    files: RunFiles
    session: RunEvent | None = None
    judged: RunEvent | None = None
    gave_up: str = ""
    kill_count: int = 0
    _is_down: bool = False
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        raise NotImplementedError

    @property
    def name(self) -> str:
        """The engine's name in sentences."""
        raise NotImplementedError

    @property
    def log(self) -> Path:
        """The file with the process's output."""
        raise NotImplementedError

    @property
    def is_running(self) -> bool:
        """True while the process exists, and while it is killed and about to be started again."""
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
        """Start to read the topics."""
        self.command("stream", **values)

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

    def stream(self, events: Iterable[RunEvent]) -> dict[str, Any]:
        """Return the verdict's `stream` object; `strayed` is null without a checkpoint."""
        phases = Counter(event["phase"] for event in events if event["event"] == "stream")
        return {
            "starts": phases["started"],
            "stops": phases["stopped"],
            "kills": self.kill_count,
            "ended": phases["ended"],
            "strayed": None,
        }

    def why_ended(self) -> str:
        """Return one sentence on why the process ended without an answer."""
        if self.gave_up:
            return f"The process of {self.name} failed: {self.gave_up} (log: {self.log})"
        lines = [line.strip() for line in self._logged().splitlines() if line.strip()]
        named = [line for line in lines if "Exception" in line or "Error" in line] or lines
        last = f", {named[-1][:300]}" if named else ""
        return f"The process of {self.name} ended without an answer (log: {self.log}{last})."

    def _logged(self) -> str:
        return self.log.read_text(encoding="utf-8", errors="replace") if self.log.exists() else ""

    def end(self) -> None:
        """Wait for the process to exit, and kill it after a timeout."""
        self._is_down = False
        close_input(self._process)
        try:
            self._process.wait(_END_GRACE_S if self.judged else 3)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
