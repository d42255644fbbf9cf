"""The files of Spark's streaming query: what its checkpoint and the list of its output say."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote


class StreamOrigin(NamedTuple):
    """The topics to read (separated by commas, with `width` partitions each) and their cluster."""

    bootstrap_servers: str
    topic: str
    width: int = 1


class StreamCommit(NamedTuple):
    """The last completed batch of a checkpoint, and its ends: topic → partition → end."""

    batch: int
    offsets: dict[str, dict[str, int]]


def last_commit(checkpoint: Path) -> StreamCommit | None:
    """Read the last commit from a query's checkpoint; None if no batch is completed.

    The layout is Spark's: `commits/N` exists when batch N is completed, and the third line of
    `offsets/N` has the end offsets of the first source.
    """
    done = [int(path.name) for path in (checkpoint / "commits").glob("*") if path.name.isdigit()]
    if not done:
        return None
    lines = (checkpoint / "offsets" / str(max(done))).read_text(encoding="utf-8").splitlines()
    return StreamCommit(max(done), json.loads(lines[2]))


def committed_files(sink: Path) -> list[Path]:
    """Return the files that a streaming query has committed to a folder, even if it was moved.

    Spark's list of these files, `_spark_metadata`, has absolute paths: in a folder that was moved
    or copied, Spark finds none of them and reads nothing. `N.compact` is the list up to batch N,
    `N` the files that batch N added.
    """
    logs = [path for path in (sink / "_spark_metadata").glob("*") if path.stem.isdigit()]
    compacts = [path for path in logs if path.suffix == ".compact"]
    first = max((int(path.stem) for path in compacts), default=-1)
    later = [path for path in logs if not path.suffix and int(path.stem) > first]
    last_compact = [path for path in compacts if int(path.stem) == first]
    names = [name for path in (*last_compact, *later) for name in _committed_names(path)]
    return [sink / name for name in sorted(names)]


def _committed_names(log: Path) -> Iterator[str]:
    """Yield the file names of a list; its first line is a version, each other line a file."""
    for line in log.read_text(encoding="utf-8").splitlines()[1:]:
        yield unquote(json.loads(line)["path"]).rpartition("/")[2]


def stream_ends(checkpoint: Path, origin: StreamOrigin) -> dict[int, int]:
    """Return the ends of the last completed batch by partition; empty if there is none."""
    commit = last_commit(checkpoint)
    if commit is None:
        return {}
    return {
        index * origin.width + int(partition): end
        for index, topic in enumerate(origin.topic.split(","))
        for partition, end in commit.offsets.get(topic, {}).items()
    }
