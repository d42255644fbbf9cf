"""The poll log: every poll and every commit of a consumer group, in the order of one process.

Its frames are those of the ledger (`ledger.FrameWriter`), with these entries:

    [HEADER, {version, run, group, protocol}]
    [POLLED, time µs, member, [partition], [assignment], [first offset], [last offset]]
    [COMMITTED, time µs, member, [partition], [offset]]     the coordinator confirmed it
    [REFUSED, time µs, member, error]                       a commit without confirmation
    [ASSIGNED, time µs, member, [partition], [assignment]]
    [REVOKED, time µs, member, [partition], is lost]
    [LEFT, time µs, member]
    [END, time µs, {partition: end}]      the ends that the group read to; {} if it did not

A run of consecutive offsets is one row of POLLED. An assignment gets its number when a member is
assigned a partition; within an assignment, positions only increase. Members share one lock, so the
order of entries is the order of events. An entry is written after the commit was confirmed or the
records were polled, so that "polled again after it was committed" is never an artifact of the log.
Partitions are numbered through all topics of the run.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from minikafka.harness.clients.ledger import Entries, FrameWriter, LedgerDamagedError

VERSION = 1
HEADER, POLLED, COMMITTED, REFUSED, ASSIGNED, REVOKED, LEFT, END = range(8)

POLL_SCHEMA = (
    "position bigint, at_us bigint, member int, kind string, partition int, assignment int,"
    " first bigint, last bigint, rebalances int"
)
"""`kind` is polled or committed. For a commit, `last` is the committed offset, which is the next to
be read. Positions are even, so that there is room between two. `rebalances` is the number of
rebalances that the member had seen before; they may not have affected the partition."""


_COUNTS = ("polled", "commits", "refused", "assignments")


class OffsetRun(NamedTuple):
    """Consecutive offsets of one partition, returned by one poll."""

    partition: int
    assignment: int
    first: int
    last: int


def runs(delivered: Iterable[tuple[int, int, int]]) -> list[OffsetRun]:
    """Group records into runs; `delivered` has (partition, assignment, offset) in poll order."""
    found: list[OffsetRun] = []
    open_at: dict[int, int] = {}
    for partition, assignment, offset in delivered:
        index = open_at.get(partition, -1)
        if index >= 0 and found[index][1::2] == (assignment, offset - 1):
            found[index] = found[index]._replace(last=offset)
        else:
            open_at[partition] = len(found)
            found.append(OffsetRun(partition, assignment, offset, offset))
    return found


@dataclass(slots=True)
class PollLog:
    """The writer of the log for all members of a process; tracks the group's progress."""

    frames: FrameWriter
    reached: dict[int, int] = field(default_factory=dict)
    """Partition → the first offset that no member has polled yet."""
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(_COUNTS, 0))
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _assignments: dict[int, int] = field(default_factory=dict)

    def header(self, **values: object) -> None:
        """Write the header, which must be the first entry."""
        self.frames.append([HEADER, {"version": VERSION, **values}])

    def assigned(self, member: int, partitions: Sequence[int]) -> dict[int, int]:
        """Note that a member was assigned partitions; return each partition's assignment number."""
        with self._lock:
            numbers = {}
            for partition in partitions:
                numbers[partition] = self._assignments.get(partition, 0) + 1
            self._assignments |= numbers
            self.frames.append([ASSIGNED, _now_us(), member, list(numbers), list(numbers.values())])
            self.counts["assignments"] += len(numbers)
            return numbers

    def polled(self, member: int, found: Sequence[OffsetRun]) -> None:
        """Note what a poll returned."""
        with self._lock:
            columns = [list(column) for column in zip(*found, strict=True)]
            self.frames.append([POLLED, _now_us(), member, *columns])
            for run in found:
                self.reach(run.partition, run.last + 1)
                self.counts["polled"] += run.last - run.first + 1

    def reach(self, partition: int, offset: int) -> None:
        """Note that the group has read everything below an offset."""
        with self._lock:
            self.reached[partition] = max(offset, self.reached.get(partition, 0))

    def committed(self, member: int, offsets: Mapping[int, int]) -> None:
        """Note a commit that was confirmed."""
        with self._lock:
            columns = [list(offsets), list(offsets.values())]
            self.frames.append([COMMITTED, _now_us(), member, *columns])
            self.counts["commits"] += 1

    def refused(self, member: int, error: str) -> None:
        """Note a commit that was not confirmed."""
        with self._lock:
            self.frames.append([REFUSED, _now_us(), member, error])
            self.counts["refused"] += 1

    def revoked(self, member: int, partitions: Sequence[int], *, lost: bool) -> None:
        """Note that partitions were revoked from a member."""
        with self._lock:
            self.frames.append([REVOKED, _now_us(), member, list(partitions), lost])

    def left(self, member: int) -> None:
        """Note that a member left the group."""
        with self._lock:
            self.frames.append([LEFT, _now_us(), member])

    def end(self, ends: Mapping[int, int]) -> None:
        """Write the last entry: the ends that the group read to, or {} if it did not."""
        with self._lock:
            self.frames.append([END, _now_us(), dict(ends)])
            self.frames.sync()


def _now_us() -> int:
    return time.time_ns() // 1000


@dataclass(frozen=True, slots=True)
class PollTable:
    """A log that was read: rows of `POLL_SCHEMA`, and the ends that the group read to.

    Empty `ends` mean that the group did not reach the end. `counts` are those of `PollLog` when the
    log was written.
    """

    rows: pa.Table
    ends: dict[int, int]
    header: dict[str, Any]
    counts: dict[str, int]


def read_poll_log(path: Path) -> PollTable:
    """Read the log, without a torn last entry.

    Raises:
        LedgerDamagedError: if the file is damaged.
    """
    columns: list[list[Any]] = [[] for _ in _COLUMNS]
    header: dict[str, Any] = {}
    ends: dict[int, int] = {}
    rebalances: Counter[int] = Counter()
    counts = dict.fromkeys(_COUNTS, 0)
    for number, entry in enumerate(Entries(path)):
        if not number and (entry[0] != HEADER or entry[1].get("version") != VERSION):
            raise LedgerDamagedError(f"{path.name}: does not begin with a header of version 1")
        match entry:
            case [tag, at_us, member, [*partitions], *more] if tag in (POLLED, COMMITTED):
                kind = "polled" if tag == POLLED else "committed"
                if tag == POLLED:
                    _, firsts, lasts = more
                    counts["polled"] += sum(lasts) - sum(firsts) + len(lasts)
                else:
                    counts["commits"] += 1
                filled = more if tag == POLLED else [[0] * len(partitions), *more, *more]
                for partition, *values in zip(partitions, *filled, strict=True):
                    row = (
                        *(2 * number, at_us, member, kind, partition, *values),
                        rebalances[member],
                    )
                    for column, value in zip(columns, row, strict=True):
                        column.append(value)
            case [tag, _, member, partitions, *_] if tag in (ASSIGNED, REVOKED):
                rebalances[member] += 1
                counts["assignments"] += len(partitions) if tag == ASSIGNED else 0
            case [tag, *_] if tag == REFUSED:
                counts["refused"] += 1
            case [tag, values] if tag == HEADER:
                header = values
            case [tag, int(), dict(found)] if tag == END:
                ends = found
            case _:
                pass
    arrays = [
        pa.array(column, kind) for column, kind in zip(columns, _COLUMNS.values(), strict=True)
    ]
    return PollTable(pa.table(arrays, names=list(_COLUMNS)), ends, header, counts)


_COLUMNS = {
    "position": pa.int64(),
    "at_us": pa.int64(),
    "member": pa.int32(),
    "kind": pa.string(),
    "partition": pa.int32(),
    "assignment": pa.int32(),
    "first": pa.int64(),
    "last": pa.int64(),
    "rebalances": pa.int32(),
}
