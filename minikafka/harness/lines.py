"""Events as JSON lines between processes: one writer appends, any number of readers follow.

A line is one event, `{"at_ms": wall time, "event": name, …}`. If the writer dies, at most its last
line is torn, and a reader never sees half a line.
"""

import io
import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RunEvent = dict[str, Any]


def wall_ms() -> int:
    """Milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


@dataclass(slots=True)
class EventLog:
    """Appends events to a file, each in one write; may be used by several threads."""

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def repair(self) -> None:
        """Remove a torn last line of a killed writer, before another writer appends."""
        if self.path.exists():
            data = self.path.read_bytes()
            with self.path.open("r+b") as file:
                file.truncate(data.rfind(b"\n") + 1)

    def write(self, event: str, **values: object) -> RunEvent:
        """Append one event with the current wall time, and return it."""
        return self.append({"at_ms": wall_ms(), "event": event, **values})

    def append(self, event: Mapping[str, object]) -> RunEvent:
        """Append an event that carries its own time, and return it."""
        line = json.dumps(event, separators=(",", ":")) + "\n"
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line)
        return dict(event)


@dataclass(slots=True)
class Tail:
    """Follows a file of JSON lines; the file need not exist yet."""

    path: Path
    _position: int = 0

    def read(self) -> list[RunEvent]:
        """Return the events whose lines were completed since the last call, in order."""
        if not self.path.exists():
            return []
        with self.path.open("rb") as file:
            file.seek(self._position)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        self._position += len(whole)
        return [json.loads(line) for line in io.BytesIO(whole)]
