"""A power cut that leaves exactly the data that a node had synced, by its journal of fsyncs.

The journal is a hook of `server.debug_hooks`. After SIGKILL every file in it is truncated to the
size that was synced last. A file that was never synced is deleted if it was created after the last
sync of its folder; else it becomes empty, as does a file that replaced another one by a rename
without a sync. Files that are not in the journal do not change.

The end of the metadata log that was not synced is cut like any other, but it is no loss: a voter
acknowledges nothing in it before it is synced.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.file_names import LOG_SUFFIX, parse_folder
from minikafka.log.segment.scan import scan_headers
from minikafka.records.errors import CorruptRecordsError
from minikafka.server.debug_hooks import JOURNAL
from minikafka.server.os_disk import OsDisk


class Loss(NamedTuple):
    """The offsets that a log lost: from `first_offset` up to, but not including, `end_offset`."""

    partition: TopicPartition
    first_offset: int
    end_offset: int

    def __str__(self) -> str:
        return f"{self.partition} offsets {self.first_offset}-{self.end_offset - 1}"


class Cut(NamedTuple):
    """A file that was truncated from `size` to `kept` bytes."""

    path: Path
    kept: int
    size: int


@dataclass(slots=True)
class Durable:
    """The data that is certainly on disk, by path.

    `sizes` has the synced size of every file that was written; `nameless` has the files whose
    folder entry is not synced yet.
    """

    sizes: dict[str, int] = field(default_factory=dict)
    nameless: dict[str, None] = field(default_factory=dict)

    def take(self, action: str, path: str, value: str) -> None:
        """Apply one line of the journal."""
        match action:
            case "sync":
                self.sizes[path] = int(value)
                self.nameless.pop(path, None)
            case "create":
                if path not in self.sizes:
                    self.nameless[path] = None
                self.sizes[path] = 0
            case "truncate":
                if path in self.sizes:
                    self.sizes[path] = min(self.sizes[path], int(value))
            case "names":
                for name in [name for name in self.nameless if name.rpartition("/")[0] == path]:
                    del self.nameless[name]
            case "rename":
                self._forget(value)
                for old in self._at(path):
                    self.sizes[value + old[len(path) :]] = self.sizes.pop(old)
                    self.nameless.pop(old, None)
            case _:
                self._forget(path)

    def _forget(self, path: str) -> None:
        for name in self._at(path):
            del self.sizes[name]
            self.nameless.pop(name, None)

    def _at(self, path: str) -> list[str]:
        return [name for name in self.sizes if name == path or name.startswith(path + "/")]


def read_journal(lines: Iterable[str]) -> Durable:
    """Return what is durable after these lines.

    A last line without a line end is ignored: its fsync may not have returned.
    """
    durable = Durable()
    for line in lines:
        if line.endswith("\n"):
            action, path, value = line[:-1].split("\t")
            durable.take(action, path, value)
    return durable


def cut_power(kill: Callable[[], None], debug_dir: Path) -> tuple[list[Cut], list[Loss]]:
    """Kill a node and drop what its files had not synced; return the cuts and the losses.

    `kill` must return when the process is gone.
    """
    kill()
    return lose_unsynced(debug_dir)


def lose_unsynced(debug_dir: Path) -> tuple[list[Cut], list[Loss]]:
    """Drop what a node that was killed had not synced; return the cuts and the losses."""
    with (debug_dir / JOURNAL).open(encoding="utf-8") as lines:
        return drop_unsynced(read_journal(lines))


def drop_unsynced(durable: Durable) -> tuple[list[Cut], list[Loss]]:
    """Truncate or delete the files to what is durable; return the cuts and the lost offsets."""
    cuts: list[Cut] = []
    losses: list[Loss] = []
    for name, kept in sorted(durable.sizes.items()):
        path = Path(name)
        if not path.is_file():
            continue
        if (size := path.stat().st_size) > kept:
            losses += _lost_offsets(path, kept)
            with path.open("r+b") as file:
                file.truncate(kept)
            cuts.append(Cut(path, kept, size))
        if name in durable.nameless:
            path.unlink()
    return cuts, sorted(_joined(losses))


def _lost_offsets(path: Path, kept: int) -> Iterator[Loss]:
    """Yield the offsets of batches that end after `kept`, if a partition has this segment."""
    folder = path.parent.name
    partition = parse_folder(folder)
    if path.suffix != LOG_SUFFIX or partition is None or folder == METADATA_FOLDER:
        return
    file = OsDisk(str(path.parent)).open(path.name)
    first = end = None
    # The kill may have interrupted a write: the bytes at the end may not be a batch.
    with closing(file), suppress(CorruptRecordsError):
        for position, header in scan_headers(file):
            if position + header.size > kept:
                first = header.base_offset if first is None else first
                end = header.next_offset
    if first is not None and end is not None:
        yield Loss(partition, first, end)


def _joined(losses: Iterable[Loss]) -> list[Loss]:
    """Merge the losses of a partition's segments into one."""
    found: dict[TopicPartition, Loss] = {}
    for loss in losses:
        before = found.get(loss.partition, loss)
        found[loss.partition] = Loss(
            loss.partition,
            min(before.first_offset, loss.first_offset),
            max(before.end_offset, loss.end_offset),
        )
    return list(found.values())
