"""The small text files of a log directory, in Kafka's formats.

Readers return None for a file that is missing or damaged. The usual cause of damage is a power
failure: the files are replaced in one step, but most are not synced. Their content can be rebuilt,
or its loss costs only time. Source: `CheckpointFile`, `PartitionMetadataFile`, `MetaProperties`,
`CleanShutdownFileHandler`.
"""

import json
import logging
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Final, NamedTuple

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.disk import Disk, read_file, write_file

RECOVERY_POINTS: Final = "recovery-point-offset-checkpoint"
HIGH_WATERMARKS: Final = "replication-offset-checkpoint"
LOG_START_OFFSETS: Final = "log-start-offset-checkpoint"
CLEANED_OFFSETS: Final = "cleaner-offset-checkpoint"
LEADER_EPOCHS: Final = "leader-epoch-checkpoint"
PARTITION_METADATA: Final = "partition.metadata"
META_PROPERTIES: Final = "meta.properties"
CLEAN_SHUTDOWN: Final = ".kafka_cleanshutdown"

UNKNOWN_BROKER_EPOCH: Final = -1

_META_KEYS: Final = ("version", "cluster.id", "node.id", "broker.id", "directory.id")
_RESTORE_DIRECTORY_ID: Final = (
    "Restore the file from a backup: the metadata names this directory by its id"
)

_log = logging.getLogger("minikafka.log")


def write_offsets(
    disk: Disk, name: str, offsets: Mapping[TopicPartition, int], *, sync: bool = False
) -> None:
    """Write one of the offset checkpoints."""
    rows = [f"{at.topic} {at.partition} {offset}" for at, offset in offsets.items()]
    write_file(disk, name, _encode(rows), sync=sync)


def read_offsets(disk: Disk, name: str) -> dict[TopicPartition, int] | None:
    """The content of an offset checkpoint, or None if it is missing or damaged."""
    rows = _decode(read_file(disk, name), fields=3)
    if rows is None:
        return None
    try:
        return {
            TopicPartition(topic, int(partition)): int(offset) for topic, partition, offset in rows
        }
    except ValueError:
        return None


def is_empty(disk: Disk, name: str) -> bool:
    """True if a file has no bytes, as Apache Kafka leaves checkpoints without entries."""
    return read_file(disk, name) == b""


def read_or_remove(disk: Disk, name: str) -> dict[TopicPartition, int]:
    """The content of an offset checkpoint, which is empty if it is damaged: then it is removed."""
    offsets = read_offsets(disk, name)
    if offsets is None and disk.exists(name) and not is_empty(disk, name):
        remove_checkpoint(disk, name)
        _log.warning("%s/%s is damaged: using 0 for all its offsets", disk.root, name)
    return offsets or {}


def remove_checkpoint(disk: Disk, name: str) -> None:
    """Remove a damaged checkpoint.

    Logs change after the start. A copy of the file that is restored after the next crash would have
    outdated offsets. Unlike Kafka (row F3).
    """
    disk.remove(name)
    disk.sync_dir("")


def write_epochs(
    disk: Disk, folder: str, epochs: Iterable[tuple[int, int]], *, sync: bool = False
) -> None:
    """Write a log's leader epochs with their start offsets."""
    rows = [f"{epoch} {offset}" for epoch, offset in epochs]
    write_file(disk, f"{folder}/{LEADER_EPOCHS}", _encode(rows), sync=sync)


def read_epochs(disk: Disk, folder: str) -> list[tuple[int, int]] | None:
    """A log's leader epochs, both columns ascending; None if the file is missing or damaged."""
    rows = _decode(read_file(disk, f"{folder}/{LEADER_EPOCHS}"), fields=2)
    if rows is None:
        return None
    try:
        epochs = [(int(epoch), int(offset)) for epoch, offset in rows]
    except ValueError:
        return None
    for earlier, later in pairwise(epochs):
        if later[0] <= earlier[0] or later[1] <= earlier[1]:
            return None
    return epochs


def write_topic_id(disk: Disk, folder: str, topic_id: Uuid) -> None:
    """Write `partition.metadata` of a log that has neither this file nor records.

    A temporary file is not needed: a file that is cut short has no valid topic id, and the log then
    counts as one without a topic id.
    """
    file = disk.open(f"{folder}/{PARTITION_METADATA}", create=True)
    try:
        file.append(f"version: 0\ntopic_id: {topic_id}\n".encode())
    finally:
        file.close()


def read_topic_id(disk: Disk, folder: str) -> Uuid | None:
    """The topic id in `partition.metadata`, or None if it is missing or damaged."""
    content = read_file(disk, f"{folder}/{PARTITION_METADATA}")
    if content is None:
        return None
    pairs: dict[str, str] = {}
    for line in content.decode("utf-8", "replace").splitlines():
        key, _, value = line.partition(":")
        pairs[key.strip()] = value.strip()
    try:
        return Uuid.parse(pairs["topic_id"]) if pairs.get("version") == "0" else None
    except (KeyError, ValueError):
        return None


class MetaProperties(NamedTuple):
    """The owner of a directory. The directory id is None in files of old Kafka versions."""

    cluster_id: str
    node_id: int
    directory_id: Uuid | None


class BadMetaPropertiesError(ValueError):
    """A `meta.properties` that cannot be used. The text names the directory and the problem."""


def write_meta_properties(disk: Disk, properties: MetaProperties) -> None:
    """Write version 1 of the file, durably."""
    lines = [
        "#",
        f"cluster.id={properties.cluster_id}",
        f"node.id={properties.node_id}",
        "version=1",
    ]
    if properties.directory_id is not None:
        lines.append(f"directory.id={properties.directory_id}")
    write_file(disk, META_PROPERTIES, ("\n".join(lines) + "\n").encode(), sync=True)


def read_meta_properties(disk: Disk) -> MetaProperties | None:
    """The directory's identity, or None if it was never formatted.

    Raises:
        BadMetaPropertiesError: the file is incomplete or of another version.
    """
    content = read_file(disk, META_PROPERTIES)
    if content is None:
        return None
    values: dict[str, str] = {}
    unknown = ""
    for line in content.decode("utf-8", "replace").splitlines():
        if line.strip() and line[0] not in "#!":
            key, _, value = line.partition("=")
            values[key.strip()] = value.strip().replace("\\=", "=").replace("\\:", ":")
            unknown = unknown if key.strip() in _META_KEYS else line
    path = f"{disk.root}/{META_PROPERTIES}"
    version = values.get("version")
    if version is not None and version not in ("0", "1"):
        raise BadMetaPropertiesError(f"{path} has version {version}, not 0 or 1")
    node_key = "broker.id" if version == "0" else "node.id"
    missing = [key for key in ("version", "cluster.id", node_key) if not values.get(key)]
    if missing:
        raise BadMetaPropertiesError(
            f"{path} is damaged: it has no {', '.join(missing)}. Restore the file from a backup. "
            "The other log directories of this node have the same cluster.id and node.id, but each "
            "has another directory.id"
        )
    try:
        node_id = int(values[node_key])
    except ValueError:
        raise BadMetaPropertiesError(
            f"{path} is damaged: {node_key} is {values[node_key]!r}, not a number. Restore the "
            "file from a backup; the number is node.id of the configuration"
        ) from None
    if "directory.id" not in values and unknown:
        # Files of old Kafka versions have no directory.id, and no unknown lines.
        raise BadMetaPropertiesError(
            f"{path} is damaged: it has no directory.id, but the unknown line {unknown!r}. "
            f"{_RESTORE_DIRECTORY_ID}"
        )
    return MetaProperties(
        values["cluster.id"], node_id, _directory_id(path, values.get("directory.id"))
    )


def _directory_id(path: str, said: str | None) -> Uuid | None:
    if said is None:
        return None
    try:
        directory_id = Uuid.parse(said)
        reason = "is a reserved id" if directory_id.is_reserved else ""
    except ValueError:
        reason = "is not a UUID in URL-safe base64"
    if reason:
        raise BadMetaPropertiesError(
            f"{path} is damaged: directory.id {said!r} {reason}. {_RESTORE_DIRECTORY_ID}"
        )
    return directory_id


def write_clean_shutdown(disk: Disk, broker_epoch: int) -> None:
    """Write, durably, that everything in this directory was flushed (C1)."""
    write_file(disk, CLEAN_SHUTDOWN, encode_clean_shutdown(broker_epoch), sync=True)


def encode_clean_shutdown(broker_epoch: int) -> bytes:
    """The content of the file that `write_clean_shutdown` writes."""
    content = json.dumps({"version": 0, "brokerEpoch": broker_epoch}, separators=(",", ":"))
    return content.encode()


def read_clean_shutdown(disk: Disk) -> int | None:
    """The broker epoch of a clean shutdown; -1 if the file has none; None without a file."""
    content = read_file(disk, CLEAN_SHUTDOWN)
    return None if content is None else decode_clean_shutdown(content)


def decode_clean_shutdown(content: bytes) -> int:
    """The broker epoch that a clean shutdown file names; -1 if it names none."""
    try:
        said = json.loads(content)
        # The KIP spells the key with a capital letter; released Kafka does not.
        epoch = said.get("brokerEpoch", said.get("BrokerEpoch", UNKNOWN_BROKER_EPOCH))
    except (ValueError, AttributeError):
        return UNKNOWN_BROKER_EPOCH
    return epoch if isinstance(epoch, int) else UNKNOWN_BROKER_EPOCH


def _encode(rows: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in ("0", str(len(rows)), *rows)).encode()


def _decode(content: bytes | None, fields: int) -> list[list[str]] | None:
    # A file that is cut within its last number would read as another number: require the newline.
    if content is None or not content.endswith(b"\n"):
        return None
    try:
        version, count, *lines = content.decode("utf-8").splitlines()
        rows = [line.split() for line in lines]
        sound = int(version) == 0 and int(count) == len(rows)
    except ValueError:
        return None
    return rows if sound and all(len(row) == fields for row in rows) else None
