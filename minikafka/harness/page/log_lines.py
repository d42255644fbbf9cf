"""The log lines that the processes of a run wrote around a moment, limited in number.

Logs are those of minikafka's nodes and of Apache Kafka, whose lines begin with a local time, and of
librdkafka, whose lines have seconds since the epoch. A line without a time belongs to the one
before it. No function here fails: a log that cannot be read has no lines.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

AROUND_MS = 2_000
LINES_MAX = 60
MOMENTS_MAX = 6
_WIDTH_MAX = 400
_BYTES_MAX = 64_000_000

_LOCAL = re.compile(r"\[?(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)[,.](\d{3})")
_EPOCH = re.compile(r"%\d\|(\d{10})\.(\d{3})\|")
_SEGMENT = re.compile(r"\d{20}")


@dataclass(frozen=True, slots=True)
class LogLine:
    """A line with its time and its source: the path of the file within the run's folder."""

    at_ms: int
    source: str
    text: str


@dataclass(slots=True)
class LogMoment:
    """One or more close times and the log lines around them; `left_out` lines did not fit."""

    began_at_ms: int
    ended_at_ms: int
    lines: list[LogLine] = field(default_factory=list)
    left_out: int = 0


def moments(times_ms: Iterable[int]) -> list[LogMoment]:
    """Join times that are close together; return the first `MOMENTS_MAX`, in order."""
    found: list[LogMoment] = []
    for at_ms in sorted(times_ms):
        if found and at_ms - found[-1].ended_at_ms <= AROUND_MS:
            found[-1].ended_at_ms = at_ms
        else:
            found.append(LogMoment(at_ms, at_ms))
    return found[:MOMENTS_MAX]


def fill(around: Sequence[LogMoment], folder: Path) -> None:
    """Fill each moment with the log lines around it, from the logs below the run's folder."""
    for path in log_files(folder) if around else ():
        for line in read(path, str(path.relative_to(folder))):
            for moment in around:
                low, high = moment.began_at_ms - AROUND_MS, moment.ended_at_ms + AROUND_MS
                if low <= line.at_ms <= high:
                    moment.lines.append(line)
    for moment in around:
        moment.lines.sort(key=lambda line: line.at_ms)
        moment.left_out = max(0, len(moment.lines) - LINES_MAX)
        if moment.left_out:
            half = LINES_MAX // 2
            moment.lines[half:-half] = []


def log_files(folder: Path) -> list[Path]:
    """Return the logs of processes, sorted by path; not the segments of topics."""
    places = [folder / "logs", folder / "cluster"]
    found = [path for place in places for path in place.rglob("*.log")]
    return sorted(path for path in found if path.is_file() and not _SEGMENT.fullmatch(path.stem))


def read(path: Path, source: str) -> Iterator[LogLine]:
    """Yield the lines of a log with their times; of a very long log only the first part."""
    at_ms, size = 0, 0
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for text in file:
                size += len(text)
                if size > _BYTES_MAX:
                    return
                at_ms = time_of(text) or at_ms
                if at_ms and text.strip():
                    yield LogLine(at_ms, source, text.rstrip()[:_WIDTH_MAX])
    except OSError:
        return


def time_of(text: str) -> int:
    """Return the time in a line, in milliseconds since the epoch; 0 if it has none."""
    if found := _LOCAL.match(text):
        local = datetime.strptime(found[1], "%Y-%m-%d %H:%M:%S").astimezone()
        return int(local.timestamp()) * 1000 + int(found[2])
    if found := _EPOCH.match(text):
        return int(found[1]) * 1000 + int(found[2])
    return 0
