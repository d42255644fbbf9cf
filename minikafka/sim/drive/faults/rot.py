"""Bit rot: one bit of what was durable in a machine's metadata directory changes.

The node must stop and name the file, or go on as if nothing had happened. What an operator does
then is done here: a broker fetches its metadata log again, a controller gets its file back.

No checksum covers the leader epoch of a batch (as in Kafka), so that is left alone. Of the only
controller's log nothing rots that is not known to be flushed: no node can tell that from a tail
which a power failure tore.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.log.scan import scan_headers
from minikafka.raft.metadata_storage import RECOVERY_POINT, read_recovery_point
from minikafka.raft.quorum_state import QUORUM_STATE
from minikafka.raft.snapshots import BOOTSTRAP, SUFFIX
from minikafka.records.batch import BatchHeader
from minikafka.records.errors import CorruptRecordsError
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode

_LOG = ".log"
_EPOCH_BYTES = (12, 16)
"""Where the leader epoch stands in a batch."""


@dataclass(slots=True)
class Rot:
    """A flipped bit. `repair` is for when the node has stopped because of it."""

    node: SimNode
    what: str
    _undo: Callable[[], None]

    def repair(self) -> bool:
        """Do what the node's last words ask for; False while the disk refuses."""
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
    """Flip a bit in a file of the metadata log, which must not be open.

    None if there is no such file, or the disk fails anyway.
    """
    disk = _metadata_disk(node)
    if disk.broken is not None:
        return None
    files = dict(_ranges(disk, is_controller=node.config.is_controller))
    if not files:
        return None
    # One kind as likely as another: there are many segments and one quorum-state.
    kind = rng.choice(sorted({_kind(path) for path in files}))
    path = rng.choice([path for path in files if _kind(path) == kind])
    at = rng.randrange(files[path])
    if kind == _LOG:
        at = _beside_epoch(disk, path, at)
    bit = rng.randrange(8)
    return Rot(node, f"bit {bit} of byte {at} in {path}", disk.flip(path, at, bit))


def _metadata_disk(node: SimNode) -> SimDisk:
    return node.disks[node.config.metadata_log_dir]


def _kind(path: str) -> str:
    return path[path.rindex(".") :] if "." in path else path


def _ranges(disk: SimDisk, *, is_controller: bool) -> Iterator[tuple[str, int]]:
    """The files that may rot, and how many of their first bytes."""
    recovery_point = _durable_recovery_point(disk)
    names = [f"{METADATA_FOLDER}/{name}" for name in disk.list(METADATA_FOLDER)]
    for path in (*names, BOOTSTRAP):
        size = disk.durable_bytes(path)
        if path.endswith(_LOG) and is_controller:
            size = min(size, bytes_below(disk, path, recovery_point))
        if size and path.endswith((_LOG, SUFFIX, QUORUM_STATE)):
            yield path, size


def _durable_recovery_point(disk: SimDisk) -> int:
    """The recovery point, if a power failure that follows cannot take it back."""
    return read_recovery_point(disk) if disk.durable_bytes(RECOVERY_POINT) else 0


def bytes_below(disk: SimDisk, path: str, offset: int) -> int:
    """How many of a segment's first bytes hold records below `offset`."""
    end = 0
    for position, header in batches(disk, path):
        if header.next_offset > offset:
            break
        end = position + header.size
    return end


def batches(disk: SimDisk, path: str) -> Iterator[tuple[int, BatchHeader]]:
    """The batches up to the tail that a power failure may have torn."""
    with suppress(CorruptRecordsError):
        yield from scan_headers(disk.open(path))


def _beside_epoch(disk: SimDisk, path: str, at: int) -> int:
    for position, header in batches(disk, path):
        if position + _EPOCH_BYTES[0] <= at < position + _EPOCH_BYTES[1]:
            return position + _EPOCH_BYTES[1]
        if at < position + header.size:
            break
    return at
