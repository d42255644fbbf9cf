"""Bit rot: one durable bit in the metadata directory of a machine changes.

The node must stop and name the file, or serve correct data. The repair by an operator is done here,
too: a broker fetches its metadata log again, a controller gets its file back.

No checksum covers the leader epoch of a batch (as in Kafka), so it is not changed. In the log of
the only controller only records below the recovery point change: no node can distinguish other
damage from a tail that a power failure tore.

`quorum-state` has no checksum (as in Kafka). The only voter does not need it; one of several voters
that forgot its epoch or its vote would be another node than the one that the others know.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.segment.scan import scan_headers
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.raft.metadata_storage import RECOVERY_POINT, read_recovery_point
from minikafka.raft.snapshots import BOOTSTRAP, SUFFIX
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode

_LOG = ".log"
_EPOCH_BYTES = (12, 16)
"""Position of the leader epoch in a batch."""


@dataclass(slots=True)
class Rot:
    """A flipped bit. Call `repair` when the node has stopped because of it."""

    node: SimNode
    what: str
    _undo: Callable[[], None]

    def repair(self) -> bool:
        """Repair the file as the node's error message asks; return False if the disk is broken."""
        disk = _metadata_disk(self.node)
        if disk.broken is not None:
            return False
        if self.node.config.is_controller:
            self._undo()
        else:
            disk.remove(METADATA_FOLDER)
            # An operator's `sync`: a power failure must not bring the damage back.
            disk.sync_names()
        return True


def rot(node: SimNode, rng: Random) -> Rot | None:
    """Flip a bit in a file of the metadata log; the node must not run.

    Return None if there is no such file, or the disk is broken.
    """
    disk = _metadata_disk(node)
    if disk.broken is not None:
        return None
    files = dict(_ranges(disk, is_controller=node.config.is_controller))
    controllers = node.config.voters or node.config.bootstrap_servers
    if len(controllers) > 1:
        files.pop(f"{METADATA_FOLDER}/{QUORUM_STATE}", None)
    if not files:
        return None
    # All kinds are equally likely, although there are many segments and one quorum-state.
    kind = rng.choice(sorted({_kind(path) for path in files}))
    path = rng.choice([path for path in files if _kind(path) == kind])
    at = rng.randrange(files[path])
    if kind == _LOG:
        at = _beside_epoch(disk, path, at)
    bit = rng.randrange(8)
    return Rot(node, f"bit {bit} of byte {at} in {path} is flipped", disk.flip(path, at, bit))


def _metadata_disk(node: SimNode) -> SimDisk:
    return node.disks[node.config.metadata_log_dir]


def _kind(path: str) -> str:
    return path[path.rindex(".") :] if "." in path else path


def _ranges(disk: SimDisk, *, is_controller: bool) -> Iterator[tuple[str, int]]:
    """Yield the files that may change, and the number of their first bytes that may."""
    recovery_point = _durable_recovery_point(disk)
    names = [f"{METADATA_FOLDER}/{name}" for name in disk.list(METADATA_FOLDER)]
    for path in (*names, BOOTSTRAP):
        size = disk.durable_bytes(path)
        if path.endswith(_LOG) and is_controller:
            size = min(size, bytes_below(disk, path, recovery_point))
        if size and path.endswith((_LOG, SUFFIX, QUORUM_STATE)):
            yield path, size


def _durable_recovery_point(disk: SimDisk) -> int:
    """Return the recovery point, or 0 if a power failure could undo it."""
    return read_recovery_point(disk) if disk.durable_bytes(RECOVERY_POINT) else 0


def bytes_below(disk: SimDisk, path: str, offset: int) -> int:
    """Return the size of the part of a segment that holds records below `offset`."""
    end = 0
    for position, header in batches(disk, path):
        if header.next_offset > offset:
            break
        end = position + header.size
    return end


def batches(disk: SimDisk, path: str) -> Iterator[tuple[int, BatchHeader]]:
    """Yield positions and headers of batches, up to a torn tail."""
    with suppress(CorruptRecordsError):
        yield from scan_headers(disk.open(path))


def _beside_epoch(disk: SimDisk, path: str, at: int) -> int:
    for position, header in batches(disk, path):
        if position + _EPOCH_BYTES[0] <= at < position + _EPOCH_BYTES[1]:
            return position + _EPOCH_BYTES[1]
        if at < position + header.size:
            break
    return at
