"""The evidence of consume-transform-produce loops: what each loop did, and what was read of it.

Both files have the frames of the ledger (`ledger.FrameWriter`). A loop log has these entries:

    [HEADER, {version, run, loop, client, transactional_id}]
    [BEGUN, time µs, number, [partition], [first offset], [last offset]]   the inputs of a
                                                   transaction, one output for each
    [ENDED, time µs, number, outcome]              the outcome is one of `OUTCOMES`
    [RENEWED, time µs, error]                      another client instance takes over
    [END, time µs]                                 the loop ended on its own

BEGUN is written and synced before the client gets the first output, so an output in the log that no
BEGUN announces was never sent. A transaction without ENDED has an unknown outcome. A loop numbers
its transactions through all client instances.

An output log has the outputs that were read at read_committed:

    [HEADER, {version, run}]
    [READ, pass, partition, [offset], [value]]
    [END, pass, {partition: end}]                  the ends that the pass read to; {} if it did not

Partitions are numbered through all topics of the run; an output has the partition of its input.
"""

import struct
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.harness.clients.ledger import Entries, FrameWriter, LedgerDamagedError

VERSION = 1
HEADER, BEGUN, ENDED, RENEWED, END, READ = range(6)

COMMITTED, ABORTED, UNKNOWN = "committed", "aborted", "unknown"
OUTCOMES = (COMMITTED, ABORTED, UNKNOWN)

LIVE, AFRESH = 1, 2
"""The passes over the outputs: while the loops run, and once more at the end."""

_VALUE = struct.Struct(">IQIQI")


class Output(NamedTuple):
    """The content of an output: its input, the input's digest, and its transaction."""

    partition: int
    offset: int
    loop: int
    number: int
    crc: int

    def pack(self) -> bytes:
        """Return the value of the output's record."""
        return _VALUE.pack(*self)


def unpack(value: bytes) -> Output | None:
    """Return the content of a record's value; None if no loop wrote it."""
    return Output(*_VALUE.unpack(value)) if len(value) == _VALUE.size else None


class InputRun(NamedTuple):
    """Inputs of one partition with consecutive offsets."""

    partition: int
    first: int
    last: int


def input_runs(places: Sequence[tuple[int, int]]) -> list[InputRun]:
    """Group (partition, offset) in the order of reading into runs."""
    found: list[InputRun] = []
    open_at: dict[int, int] = {}
    for partition, offset in places:
        index = open_at.get(partition, -1)
        if index >= 0 and found[index].last == offset - 1:
            found[index] = found[index]._replace(last=offset)
        else:
            open_at[partition] = len(found)
            found.append(InputRun(partition, offset, offset))
    return found


@dataclass(slots=True)
class LoopLog:
    """The writer of one loop's log."""

    frames: FrameWriter

    def header(self, **values: object) -> None:
        """Write the header, which must be the first entry."""
        self.frames.append([HEADER, {"version": VERSION, **values}])

    def begun(self, number: int, runs: Sequence[InputRun]) -> None:
        """Note the inputs of a transaction, before its client gets an output."""
        columns = [list(column) for column in zip(*runs, strict=True)]
        self.frames.append([BEGUN, _now_us(), number, *columns])
        self.frames.sync()

    def ended(self, number: int, outcome: str) -> None:
        """Note the outcome of a transaction."""
        self.frames.append([ENDED, _now_us(), number, outcome])
        self.frames.sync()

    def renewed(self, error: str) -> None:
        """Note that the client failed and that another instance takes over."""
        self.frames.append([RENEWED, _now_us(), error])

    def end(self) -> None:
        """Note that the loop ended on its own."""
        self.frames.append([END, _now_us()])
        self.frames.sync()


@dataclass(slots=True)
class LoopTransaction:
    """A transaction of a loop: its inputs, and its outcome."""

    runs: list[InputRun]
    outcome: str = UNKNOWN

    @property
    def input_count(self) -> int:
        """The number of inputs, and of outputs."""
        return sum(run.last - run.first + 1 for run in self.runs)


@dataclass(slots=True)
class LoopRecord:
    """A loop's log that was read."""

    header: Mapping[str, Any]
    transactions: dict[int, LoopTransaction] = field(default_factory=dict)
    renewals: int = 0
    ended: bool = False

    @property
    def loop(self) -> int:
        """The number of the loop."""
        return int(self.header["loop"])

    def counts(self) -> dict[str, int]:
        """Count the transactions by outcome."""
        counts = dict.fromkeys(OUTCOMES, 0)
        for transaction in self.transactions.values():
            counts[transaction.outcome] += 1
        return counts


def read_loop_log(path: Path) -> LoopRecord:
    """Read the log of a loop, without a torn last entry.

    Raises:
        LedgerDamagedError: if the file is damaged.
    """
    entries = _entries(path)
    record = LoopRecord(next(entries)[1])
    for entry in entries:
        match entry:
            case [tag, _, number, [*partitions], firsts, lasts] if tag == BEGUN:
                runs = zip(partitions, firsts, lasts, strict=True)
                record.transactions[number] = LoopTransaction([InputRun(*run) for run in runs])
            case [tag, _, number, outcome] if tag == ENDED:
                if number not in record.transactions or outcome not in OUTCOMES:
                    raise LedgerDamagedError(
                        f"{path.name}: transaction {number} ended as {outcome!r} without a begin"
                    )
                record.transactions[number].outcome = outcome
            case [tag, *_] if tag == RENEWED:
                record.renewals += 1
            case [tag, *_] if tag == END:
                record.ended = True
            case _:
                raise LedgerDamagedError(f"{path.name}: has an unknown entry {entry[0]!r}")
    return record


@dataclass(slots=True)
class OutputPass:
    """The outputs that a pass read: partition → (offset, content) in the order of reading.

    `ends` are the ends that it read to, empty if it did not reach them.
    """

    outputs: dict[int, list[tuple[int, Output | None]]] = field(default_factory=dict)
    ends: dict[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        """The number of outputs."""
        return sum(map(len, self.outputs.values()))


def read_output_log(path: Path) -> dict[int, OutputPass]:
    """Read the outputs of each pass, without a torn last entry.

    Raises:
        LedgerDamagedError: if the file is damaged.
    """
    passes = {LIVE: OutputPass(), AFRESH: OutputPass()}
    entries = _entries(path)
    next(entries)
    for entry in entries:
        match entry:
            case [tag, number, partition, [*offsets], values] if tag == READ:
                rows = zip(offsets, map(unpack, values), strict=True)
                passes[number].outputs.setdefault(partition, []).extend(rows)
            case [tag, number, dict(ends)] if tag == END:
                passes[number].ends = ends
            case _:
                raise LedgerDamagedError(f"{path.name}: has an unknown entry {entry[0]!r}")
    return passes


def _entries(path: Path) -> Iterator[list[Any]]:
    """Yield the entries; the first is always a header of this version."""
    number = -1
    for number, entry in enumerate(Entries(path)):
        if not number and (entry[0] != HEADER or entry[1].get("version") != VERSION):
            break
        yield entry
    else:
        if number >= 0:
            return
    raise LedgerDamagedError(f"{path.name}: does not begin with a header of version {VERSION}")


def _now_us() -> int:
    return time.time_ns() // 1000
