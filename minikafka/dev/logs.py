"""The logs of a cluster's nodes, printed in the order of their times."""

import heapq
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

_LOOK_EVERY_S = 0.2
_TIME_LENGTH = len("2026-01-31 10:20:30,123")


def log_files(directory: Path, node: str | None) -> list[Path]:
    """Return the logs of a cluster, or of one node; empty if there are none."""
    found = sorted(directory.glob("node-*.log" if node is None else f"node-{node}.log"))
    return found or ([directory / "cluster.log"] if (directory / "cluster.log").is_file() else [])


def merged(files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines of log files by time; a line without a time follows the one before."""
    entries = heapq.merge(*(_entries(file) for file in files), key=lambda entry: entry[0])
    for _, text in entries:
        yield from text


def follow(files: Sequence[Path]) -> Iterator[str]:
    """Yield the lines that are appended to log files, without an end."""
    ends = {file: file.stat().st_size for file in files}
    while True:
        for file, end in ends.items():
            with file.open("rb") as log:
                log.seek(end)
                data = log.read()
            whole = data[: data.rfind(b"\n") + 1]
            ends[file] = end + len(whole)
            yield from whole.decode(errors="replace").splitlines()
        time.sleep(_LOOK_EVERY_S)


def _entries(file: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield each line that begins with a time, with the lines that follow it."""
    at = ""
    lines: list[str] = []
    with file.open(errors="replace") as log:
        for raw in log:
            line = raw.rstrip("\n")
            if line[:2] == "20" and line[10:11] == " ":
                if lines:
                    yield at, lines
                at, lines = line[:_TIME_LENGTH], []
            lines.append(line)
    if lines:
        yield at, lines
