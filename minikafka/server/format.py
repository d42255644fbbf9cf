"""Formatting a node's log directories; `StorageTool` and `Formatter`."""

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from minikafka.common.ids import Uuid
from minikafka.config.node_config import NodeConfig
from minikafka.log.checkpoints import read_meta_properties
from minikafka.metadata.serde import MetadataRecord
from minikafka.raft.storage import format_directory, format_metadata_directory
from minikafka.raft.voter_set import VoterSet
from minikafka.server.os_disk import OsDisk


class FormatError(Exception):
    """Nothing was formatted; the message has the reason."""


def random_uuid() -> Uuid:
    """An id that nothing else has."""
    return Uuid.draw(Random(secrets.randbits(128)))


def format_node(
    config: NodeConfig,
    cluster_id: str,
    levels: dict[str, int],
    voters: VoterSet | None,
    *,
    ignore_formatted: bool,
    disk_of: Callable[[str], OsDisk] = OsDisk,
    others: Sequence[MetadataRecord] = (),
) -> list[str]:
    """Format every directory of a node that is not formatted; returns their paths.

    `disk_of` returns the disk of a path; `others` are the first records of the cluster besides the
    feature `levels`.

    Raises:
        FormatError: a directory is formatted already, or cannot be made.
        StorageFault: a directory cannot be written.
    """
    fresh = []
    for path in config.all_log_dirs:
        try:
            Path(path).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FormatError(f"{path}: cannot be made: {error.strerror}") from None
        disk = disk_of(path)
        found = read_meta_properties(disk)
        if found is None:
            fresh.append((path, disk))
        elif not ignore_formatted:
            raise FormatError(
                f"{path} is formatted already (--ignore-formatted leaves it as it is)"
            )
        elif (found.cluster_id, found.node_id) != (cluster_id, config.node_id):
            raise FormatError(
                f"{path} belongs to node {found.node_id} of cluster {found.cluster_id}, "
                f"not to node {config.node_id} of cluster {cluster_id}"
            )
    own = None if voters is None else voters.voters.get(config.node_id)
    for path, disk in fresh:
        is_metadata = path == config.metadata_log_dir
        directory_id = own.directory_id if is_metadata and own is not None else None
        if is_metadata and config.is_controller:
            format_metadata_directory(
                disk,
                levels=levels,
                voters=voters,
                now_ms=time.time_ns() // 1_000_000,
                others=others,
            )
        # The identity comes last: a directory that has it is formatted completely.
        format_directory(
            disk,
            cluster_id=cluster_id,
            node_id=config.node_id,
            directory_id=directory_id or random_uuid(),
        )
    return [path for path, _ in fresh]
