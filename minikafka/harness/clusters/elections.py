"""The times at which leader, ISR and ELR changed, read from the metadata log of a controller.

The watcher sees changes late: it polls twice a second, a broker learns of a change after the
controller has made it, and a dead or paused broker delays the watcher. The metadata log has each
change with the time at which the controller wrote it. Read it only while the controller is stopped.
The format is Kafka's, so the metadata log of Apache Kafka can be read as well.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

from minikafka.harness.lines import RunEvent
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.file_names import LOG_SUFFIX
from minikafka.log.segment.scan import scan_batches, scan_headers
from minikafka.metadata.image import MetadataImage, TopicImage
from minikafka.metadata.loader import MetadataLoader
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.serde import decode_record
from minikafka.protocol.primitives import MalformedMessage
from minikafka.raft.snapshots import read_snapshot, snapshot_ids
from minikafka.records.batch import CONTROL
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.reader import read_batch
from minikafka.records.scan import check_crc
from minikafka.server.os_disk import OsDisk

CHANGE = "partition_changed"
"""The event's name. Fields: `at_ms` (when the controller wrote the change), partition, leader, isr,
elr, last_known_elr."""


ELECTED_FROM = ("from_isr", "from_elr", "unclean")


class UnreadableError(Exception):
    """The metadata log cannot be read; the message has no full stop."""


class LogEnd(NamedTuple):
    """The last epoch and the end offset of a log; the greater one is of the more recent log."""

    epoch: int
    offset: int


def metadata_end(log_dir: Path) -> LogEnd:
    """Return the end of the metadata log in a directory; (-1, 0) if there is none."""
    end = LogEnd(-1, 0)
    disk = OsDisk(str(log_dir))
    if not (log_dir / METADATA_FOLDER).is_dir():
        return end
    for name in disk.list(METADATA_FOLDER):
        if not name.endswith(LOG_SUFFIX):
            continue
        end = LogEnd(end.epoch, max(end.offset, int(name.removesuffix(LOG_SUFFIX))))
        file = disk.open(f"{METADATA_FOLDER}/{name}")
        # A kill may have interrupted the last write.
        with closing(file), suppress(CorruptRecordsError):
            for _, header in scan_headers(file):
                end = LogEnd(header.leader_epoch, header.next_offset)
    return end


def most_recent(log_dirs: Iterable[Path]) -> Path | None:
    """Return the directory of the controller whose metadata log is the most recent one."""
    return max(log_dirs, key=metadata_end, default=None)


def read_changes(log_dir: Path, topics: Sequence[str], width: int) -> list[RunEvent]:
    """Return each change of the topics' partitions in order.

    Partitions are numbered through all topics, `width` per topic. If the start of the log was
    deleted after a snapshot, the first changes are the snapshot's content, with the time of the
    log's first batch.

    Raises:
        UnreadableError: the log, or the snapshot before its start, is missing or damaged.
    """
    changes: list[RunEvent] = []
    before = MetadataImage()
    try:
        for at_ms, image in _images(OsDisk(str(log_dir))):
            for index, name in enumerate(topics):
                now = image.topic(name)
                if now is not None and now is not before.topic(name):
                    changes += _changed(before.topic(name), now, index * width, at_ms)
            before = image
    except (OSError, ValueError, CorruptRecordsError, MalformedMessage) as error:
        raise UnreadableError(f"the metadata log in {log_dir} cannot be read: {error}") from error
    return changes


def count_elections(changes: Iterable[RunEvent]) -> dict[str, int]:
    """Count the leaders that were elected from the ISR, from the ELR, and from neither.

    `changes` are events of `read_changes`; ISR and ELR are those immediately before the election.
    """
    counts = dict.fromkeys(ELECTED_FROM, 0)
    known: dict[int, RunEvent] = {}
    for change in changes:
        if change["event"] != CHANGE:
            continue
        before = known.get(change["partition"])
        known[change["partition"]] = change
        leader = change["leader"]
        if before is None or leader is None or leader == before["leader"]:
            continue
        if leader in before["isr"]:
            counts["from_isr"] += 1
        elif leader in before["elr"]:
            counts["from_elr"] += 1
        else:
            counts["unclean"] += 1
    return counts


def _images(disk: OsDisk) -> Iterator[tuple[int, MetadataImage]]:
    """Yield the metadata after each batch, with the time at which the batch was written."""
    loader = MetadataLoader()
    names = [name for name in disk.list(METADATA_FOLDER) if name.endswith(LOG_SUFFIX)]
    if not names:
        raise ValueError("it has no segment")
    start = int(names[0].removesuffix(LOG_SUFFIX))
    if start:
        _restore(disk, loader, start)
    for name in names:
        file = disk.open(f"{METADATA_FOLDER}/{name}")
        try:
            for _, header, batch in scan_batches(file):
                if header.last_offset <= loader.image.offset:
                    continue
                check_crc(batch, 0, header)
                rows = [] if header.attributes & CONTROL else list(read_batch(batch, 0, header))
                records = [(row.offset, decode_record(row.value)) for row in rows]
                image = loader.load_batch(
                    records, last_offset=header.last_offset, epoch=header.leader_epoch
                )
                yield header.max_timestamp, image
        finally:
            file.close()


def _restore(disk: OsDisk, loader: MetadataLoader, start: int) -> None:
    usable = [each for each in snapshot_ids(disk, METADATA_FOLDER) if each.end_offset >= start]
    if not usable:
        raise ValueError(f"it begins at offset {start}, and no snapshot covers what came before")
    oldest = usable[0]
    snapshot = read_snapshot(disk, f"{METADATA_FOLDER}/{oldest.file_name}")
    assert snapshot is not None
    loader.load_snapshot(snapshot.records, last_offset=oldest.end_offset - 1, epoch=oldest.epoch)


def _changed(
    before: TopicImage | None, now: TopicImage, first: int, at_ms: int
) -> Iterator[RunEvent]:
    for index, registration in sorted(now.partitions.items()):
        former = None if before is None else before.partitions.get(index)
        if former is None or _shown(former) != _shown(registration):
            shown = _shown(registration)
            yield {"at_ms": at_ms, "event": CHANGE, "partition": first + index, **shown}


def _shown(registration: PartitionRegistration) -> dict[str, object]:
    leader = registration.leader
    return {
        "leader": None if leader == NO_LEADER else leader,
        "isr": sorted(registration.isr),
        "elr": sorted(registration.elr),
        "last_known_elr": sorted(registration.last_known_elr),
    }
