"""The comparison of a partition's replicas, byte for byte, below their high watermarks.

A client cannot check this, since it reads from one replica. So the log directories are read, while
the brokers are stopped or write no more. The files are in Kafka's formats, so the directories of
Apache Kafka can be compared as well.

A replica that ends early or begins late is not wrong: it may be behind, or have deleted more. The
offsets that two replicas both have must be in the same batches, with the same bytes. Only the log
of an ISR member must reach the high watermark and begin at the same offset as that of every other
ISR member: a comparison with a shorter log would prove nothing.
"""

import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import HIGH_WATERMARKS, read_offsets
from minikafka.log.file_names import LOG_SUFFIX, parse_folder
from minikafka.log.segment.scan import scan_batches
from minikafka.records.errors import CorruptRecordsError
from minikafka.server.os_disk import OsDisk


class ReplicaBatch(NamedTuple):
    """One batch of a replica; `crc` covers all of its bytes, including header and leader epoch."""

    base_offset: int
    last_offset: int
    leader_epoch: int
    size: int
    crc: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """Two replicas that differ, and the first differing batch of each; None if one lacks it."""

    partition: TopicPartition
    nodes: tuple[int, int]
    batches: tuple[ReplicaBatch | None, ReplicaBatch | None]

    def __str__(self) -> str:
        first, second = self.nodes
        return f"{self.partition}: nodes {first} and {second} differ, {_at(self.batches)}"

    @property
    def offset(self) -> int:
        """The first offset at which they differ."""
        return _offset(self.batches)


@dataclass(frozen=True, slots=True, kw_only=True)
class Unreadable:
    """A replica with bytes that are not a batch, below the high watermark or above it."""

    partition: TopicPartition
    node: int
    problem: str

    def __str__(self) -> str:
        return f"{self.partition}: node {self.node} cannot be read, {self.problem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Incomplete:
    """An ISR member whose log ends before the high watermark; `node` is 0 if no ISR is known."""

    partition: TopicPartition
    node: int
    end_offset: int
    high_watermark: int

    def __str__(self) -> str:
        if not self.node:
            return f"{self.partition}: its ISR is unknown"
        ends = f"ends at offset {self.end_offset}" if self.end_offset else "is empty"
        return (
            f"{self.partition}: the log of node {self.node} {ends}, but the node is in the ISR and"
            f" the high watermark is {self.high_watermark}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LateBegin:
    """An ISR member whose log begins at a greater offset than that of another member."""

    partition: TopicPartition
    node: int
    begin_offset: int
    earliest_offset: int

    def __str__(self) -> str:
        return (
            f"{self.partition}: the log of node {self.node} begins at offset {self.begin_offset},"
            f" but that of another ISR member begins at offset {self.earliest_offset}"
        )


def _offset(batches: tuple[ReplicaBatch | None, ReplicaBatch | None]) -> int:
    return min(batch.base_offset for batch in batches if batch is not None)


def _at(batches: tuple[ReplicaBatch | None, ReplicaBatch | None]) -> str:
    shown = " against ".join(
        f"epoch {batch.leader_epoch} and {batch.size} bytes" if batch else "nothing"
        for batch in batches
    )
    return f"starting at offset {_offset(batches)}: {shown}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The result of a comparison: numbers of partitions and batches, and the differences."""

    partitions: int
    batches: int
    differences: list[Difference]
    unreadable: list[Unreadable] = field(default_factory=list)
    incomplete: list[Incomplete | LateBegin] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Return the verdict's `replicas` object."""
        rows: list[dict[str, object]] = [
            {
                "message": str(it),
                "topic": it.partition.topic,
                "partition": it.partition.partition,
                "nodes": list(it.nodes),
                "offset": it.offset,
            }
            for it in self.differences
        ]
        rows += [
            {
                "message": str(it),
                "topic": it.partition.topic,
                "partition": it.partition.partition,
                "nodes": [it.node],
                "offset": -1,
            }
            for it in self.unreadable
        ]
        return {
            "compared": True,
            "partitions": self.partitions,
            "batches": self.batches,
            "differing": len(rows),
            "differences": rows,
            "incomplete": [
                {
                    "message": str(it),
                    "topic": it.partition.topic,
                    "partition": it.partition.partition,
                    "nodes": [it.node] if it.node else [],
                    "offset": it.begin_offset if isinstance(it, LateBegin) else it.end_offset,
                }
                for it in self.incomplete
            ],
            "why_not": "",
        }


def not_compared(why: str) -> dict[str, object]:
    """Return the verdict's `replicas` object for replicas that could not be compared."""
    return {
        "compared": False,
        "partitions": 0,
        "batches": 0,
        "differing": 0,
        "differences": [],
        "incomplete": [],
        "why_not": why,
    }


def find_replicas(path: Path, topic: str | None) -> Iterator[Path]:
    """Yield the folder of each replica in the log directories below `path`.

    `topic` None means all topics.
    """
    for properties in sorted(path.rglob("meta.properties")):
        for folder in sorted(properties.parent.iterdir()):
            at = parse_folder(folder.name) if folder.is_dir() else None
            if at is not None and topic in (None, at.topic):
                yield folder


def read_replica(folder: Path) -> Iterator[tuple[Any, ...]]:
    """Yield log directory, topic, partition, high watermark and `ReplicaBatch` of each batch."""
    at = parse_folder(folder.name)
    if at is None:
        return
    log_dir = folder.parent
    marks = read_offsets(OsDisk(str(log_dir)), HIGH_WATERMARKS) or {}
    for batch in read_batches(log_dir, folder.name):
        yield (str(log_dir), at.topic, at.partition, marks.get(at), *batch)


def read_batches(log_dir: Path, folder: str) -> Iterator[ReplicaBatch]:
    """Yield the batches of one replica in order, without a torn batch at the end.

    Raises:
        CorruptRecordsError: if bytes within a segment are not a batch.
    """
    disk = OsDisk(str(log_dir))
    for path in sorted((log_dir / folder).glob(f"*{LOG_SUFFIX}")):
        with closing(disk.open(str(path.relative_to(log_dir)))) as file:
            for _, header, data in scan_batches(file):
                yield ReplicaBatch(
                    header.base_offset,
                    header.last_offset,
                    header.leader_epoch,
                    len(data),
                    zlib.crc32(data),
                )


class Expected(NamedTuple):
    """A partition's ISR and high watermark, as clients saw them last."""

    isr: Sequence[int]
    high_watermark: int


def compare_stopped(
    log_dirs: Mapping[int, Sequence[Path]],
    topics: Sequence[str],
    expected: Mapping[TopicPartition, Expected],
) -> dict[str, object]:
    """Compare the replicas of a stopped cluster; return the verdict's `replicas` object."""
    if not log_dirs:
        return not_compared("The run did not start the cluster and cannot read its logs.")
    if not topics:
        return not_compared("There was no topic.")
    try:
        return compare_replicas(log_dirs, *topics, expected=expected).as_json()
    except OSError as error:
        return not_compared(f"The logs cannot be read: {error}.")


def compare_replicas(
    log_dirs: Mapping[int, Sequence[Path]],
    *topics: str,
    expected: Mapping[TopicPartition, Expected] | None = None,
) -> Comparison:
    """Compare every pair of replicas of each of the topics' partitions; `log_dirs` is by node.

    The logs of ISR members must reach the highest high watermark that a replica or a client knows,
    begin at the same offset, and agree below it.

    Any other replica is read up to the high watermark in its own checkpoint. Another replica's high
    watermark does not apply to the end of a replica that left the ISR and never returned: its log
    may end in records that the next leader does not have (H7 is about members of the ISR).
    """
    replicas: dict[TopicPartition, dict[int, Path]] = {}
    marks: dict[tuple[TopicPartition, int], int] = {}
    for node, folders in sorted(log_dirs.items()):
        for log_dir in folders:
            for partition, mark in (
                read_offsets(OsDisk(str(log_dir)), HIGH_WATERMARKS) or {}
            ).items():
                # The checkpoint of a directory without the log may name it, too.
                marks[partition, node] = max(mark, marks.get((partition, node), 0))
            for path in sorted(log_dir.iterdir()):
                at = parse_folder(path.name) if path.is_dir() else None
                if at is not None and at.topic in topics:
                    replicas.setdefault(at, {})[node] = path
    count = 0
    differences: list[Difference] = []
    unreadable: list[Unreadable] = []
    incomplete: list[Incomplete | LateBegin] = []
    for at in sorted({*replicas, *(expected or {})}):
        paths = replicas.get(at, {})
        wanted = (expected or {}).get(at, Expected((), 0))
        known = max((marks.get((at, node), 0) for node in paths), default=0)
        high_watermark = max(known, wanted.high_watermark)
        read = {}
        ends = {}
        for node, path in paths.items():
            mark = high_watermark if node in wanted.isr else marks.get((at, node), 0)
            try:
                batches = list(read_batches(path.parent, path.name))
                read[node] = _below(batches, mark)
                ends[node] = batches[-1].last_offset + 1 if batches else 0
            except CorruptRecordsError as error:
                unreadable.append(Unreadable(partition=at, node=node, problem=str(error)))
        if expected is not None:
            unread = {it.node for it in unreadable if it.partition == at}
            incomplete += _incomplete(at, wanted.isr, ends, high_watermark, unread)
            begins = {node: min(read[node]) for node in wanted.isr if read.get(node)}
            incomplete += _late_begins(at, begins)
        count += sum(map(len, read.values()))
        for nodes in combinations(sorted(read), 2):
            found = _first_difference(read[nodes[0]], read[nodes[1]])
            if found is not None:
                differences.append(Difference(partition=at, nodes=nodes, batches=found))
    return Comparison(len(replicas), count, differences, unreadable, incomplete)


def _incomplete(
    at: TopicPartition,
    isr: Sequence[int],
    ends: Mapping[int, int],
    high_watermark: int,
    unread: Collection[int],
) -> Iterator[Incomplete]:
    """Yield the ISR members whose logs end before the high watermark; `ends` is by node."""
    if not isr:
        yield Incomplete(partition=at, node=0, end_offset=0, high_watermark=high_watermark)
        return
    for node in isr:
        end = ends.get(node, 0)
        if end < high_watermark and node not in unread:
            yield Incomplete(partition=at, node=node, end_offset=end, high_watermark=high_watermark)


def _late_begins(at: TopicPartition, begins: Mapping[int, int]) -> Iterator[LateBegin]:
    """Yield the ISR members whose logs begin after the earliest one; `begins` is by node."""
    earliest = min(begins.values(), default=0)
    for node, begin in begins.items():
        if begin > earliest:
            yield LateBegin(partition=at, node=node, begin_offset=begin, earliest_offset=earliest)


def _below(batches: Iterable[ReplicaBatch], high_watermark: int) -> dict[int, ReplicaBatch]:
    return {batch.base_offset: batch for batch in batches if batch.last_offset < high_watermark}


def _first_difference(
    one: Mapping[int, ReplicaBatch], other: Mapping[int, ReplicaBatch]
) -> tuple[ReplicaBatch | None, ReplicaBatch | None] | None:
    """Return the first batches that differ within the offsets that both logs cover, or None."""
    if not one or not other:
        return None
    start = max(min(one), min(other))
    end = min(max(one), max(other))
    for base in sorted({*one, *other}):
        if start <= base <= end and one.get(base) != other.get(base):
            return one.get(base), other.get(base)
    return None
