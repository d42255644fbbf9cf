"""Damage to synced data: bit rot, lost writes, misdirected writes.

The damage is done while the machine is down, to one replica of a partition at a time, and only if
another member of the ISR is alive, so that one sound copy is left. Damage that no reader can detect
is not done; it is undetectable in Kafka's own files, too: the leader epoch in a batch, digits of
high watermarks, of leader epochs and of topic ids, the first bytes of a batch that land at the
start of another one, a batch that lands at the same position in another partition, and a clean
shutdown file that comes back before the broker has registered again.

A checkpoint describes logs that change as soon as a process has loaded them. Its former content is
outdated then, and no operator restores it; what the process loaded is its content now.

Except after a clean shutdown, recovery points that are too high hide unflushed records from the
recovery. They are damaged only in a directory that the last process has closed. Those of a log that
was truncated or that started over are too high until its next append. A clean shutdown file does
not come back beside them: the node would rightly refuse a log that lacks what was flushed.

Only the recovery points tell damage in a log from a torn tail. So a node does not have damaged
records and damaged recovery points at a time: its next start may be that of the last ISR member.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import (
    CLEAN_SHUTDOWN,
    HIGH_WATERMARKS,
    LEADER_EPOCHS,
    LOG_START_OFFSETS,
    META_PROPERTIES,
    PARTITION_METADATA,
    RECOVERY_POINTS,
    decode_clean_shutdown,
    read_offsets,
)
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.file_names import (
    DELETE_SUFFIX,
    INDEX_SUFFIX,
    LOG_SUFFIX,
    SNAPSHOT_SUFFIX,
    TIME_INDEX_SUFFIX,
    parse_folder,
)
from minikafka.records.batch import MAGIC_OFFSET
from minikafka.sim.drive.faults.rot import batches, bytes_below
from minikafka.sim.world.inode import is_cut_off
from minikafka.sim.world.sim_disk import SimDisk

_EPOCH_BYTES: Final = range(12, 16)
_BASE_OFFSET_BYTES: Final = range(8)
_UNCHECKED: Final = MAGIC_OFFSET + 1
"""The bytes at the start of a batch that no checksum covers; the last one is the magic."""
_HIGH_BIT: Final = 7
"""Flipped in a text, it makes a byte that is not ASCII."""
_LOG_SHARE: Final = 0.7
_SECTORS: Final = (16, 64, 512)
_ANY_BIT: Final = (CLEAN_SHUTDOWN, LOG_START_OFFSETS)
_TEXTS: Final = (
    CLEAN_SHUTDOWN, HIGH_WATERMARKS, LOG_START_OFFSETS, META_PROPERTIES, RECOVERY_POINTS,
)  # fmt: skip
_IN_FOLDERS: Final = (
    INDEX_SUFFIX, TIME_INDEX_SUFFIX, SNAPSHOT_SUFFIX, LEADER_EPOCHS, PARTITION_METADATA,
)  # fmt: skip
_REPLACED: Final = (RECOVERY_POINTS, LOG_START_OFFSETS, HIGH_WATERMARKS, CLEAN_SHUTDOWN)
"""Files that have their former content after a lost write."""
_CHECKPOINTS: Final = (HIGH_WATERMARKS, LEADER_EPOCHS, LOG_START_OFFSETS, RECOVERY_POINTS)
"""Files that a process replaces as a whole, to describe its logs."""


@dataclass(slots=True)
class Patch:
    """Bytes of a file that were changed from `before` to `after`."""

    disk: SimDisk
    path: str
    at: int
    before: bytes
    after: bytes
    content: bytearray = field(init=False)
    _truncations: Sequence[int] = field(init=False)
    """Those of the file, also later ones (`Inode.truncations`)."""
    _known: int = field(init=False)
    """The number made before this change."""
    _loads: int = field(init=False)

    def __post_init__(self) -> None:
        """Change the bytes."""
        self._loads = self.disk.loads
        self.content = self.disk.content(self.path)
        _, self._truncations = next(self.disk.versions(self.path, self.content))
        self._known = len(self._truncations)
        self.content[self.at : self.at + len(self.before)] = self.after

    @property
    def is_there(self) -> bool:
        """True if some of the changed bytes are still in the file."""
        if (
            _is_loaded(self.disk, self.path, self._loads)
            or not self.disk.exists(self.path)
            or self.disk.content(self.path) is not self.content
        ):
            return False
        return self._is_in(self.content, self._truncations)

    @property
    def may_come_back(self) -> bool:
        """True if the change is in the file, or may be again after a power loss."""
        return not _is_loaded(self.disk, self.path, self._loads) and any(
            self._is_in(*each) for each in self.disk.versions(self.path, self.content)
        )

    def continue_from(self, earlier: "Patch | OldContent") -> None:
        """Let `undo` restore the bytes of before `earlier`, which changed them first."""
        if not isinstance(earlier, Patch) or earlier.content is not self.content:
            return
        before = bytearray(self.before)
        for index, now in enumerate(self.before):
            former = self.at + index - earlier.at
            if 0 <= former < len(earlier.after) and earlier.after[former] == now:
                before[index] = earlier.before[former]
        self.before = bytes(before)

    def is_in_log(self, root: str, folder: str) -> bool:
        """True if a log that is, or was, in this folder has some of the changed bytes."""
        disk = self.disk
        if disk.root != root or disk.broken is not None:
            return False
        folders = [x for x in disk.list("") if x == folder or _is_retired(x, folder)]
        contents = [disk.content(f"{x}/{name}") for x in folders for name in disk.list(x)]
        return self._is_in(self.content, self._truncations) and any(
            each is self.content for each in contents
        )

    def _is_in(self, content: bytearray, truncations: Sequence[int]) -> bool:
        if is_cut_off(self.at, truncations[self._known :]):
            return False  # Other bytes that were written since may be the same.
        found = content[self.at : self.at + len(self.after)]
        return bool(found) and bytes(found) == self.after[: len(found)] != self.before[: len(found)]

    def undo(self) -> None:
        """Restore the bytes, if the file was not replaced."""
        if self.is_there:
            end = min(self.at + len(self.after), len(self.content))
            self.content[self.at : end] = self.before[: end - self.at]


@dataclass(slots=True)
class OldContent:
    """A file that has its content of before it was replaced by `newer`."""

    disk: SimDisk
    path: str
    newer: bytes
    content: bytearray = field(init=False)
    _former: bytearray | None = field(init=False)
    """The newer content itself, which earlier damage may have changed."""
    _loads: int = field(init=False)

    def __post_init__(self) -> None:
        """Restore the older content."""
        self._loads = self.disk.loads
        exists = self.disk.exists(self.path)
        self._former = self.disk.content(self.path) if exists else None
        self.disk.bring_back(self.path)
        self.content = self.disk.content(self.path)

    @property
    def is_there(self) -> bool:
        """True if the file was neither replaced nor loaded since."""
        return (
            not _is_loaded(self.disk, self.path, self._loads)
            and self.disk.exists(self.path)
            and self.disk.content(self.path) is self.content
        )

    @property
    def may_come_back(self) -> bool:
        """True if the older content is there, or may be after a power loss."""
        return not _is_loaded(self.disk, self.path, self._loads) and any(
            True for _ in self.disk.versions(self.path, self.content)
        )

    def continue_from(self, earlier: "Patch | OldContent") -> None:
        """Let `undo` restore the newer content without the change of `earlier`."""
        if isinstance(earlier, Patch) and earlier.content is self._former:
            end = earlier.at + len(earlier.before)
            self.newer = self.newer[: earlier.at] + earlier.before + self.newer[end:]

    def is_in_log(self, *_: str) -> bool:
        """False: it is a checkpoint, which is no part of a log."""
        return False

    def undo(self) -> None:
        """Restore the newer content, unless the file was replaced or loaded since."""
        if self.is_there:
            self.disk.replaced[self.path] = self.newer
            self.disk.bring_back(self.path)


@dataclass(slots=True)
class Damage:
    """Damage to the disks of a node, and the replicas whose records are damaged."""

    node_id: int
    what: str
    patches: Sequence[Patch | OldContent]
    replicas: tuple[TopicPartition, ...] = ()

    @property
    def is_there(self) -> bool:
        """True if anything is still damaged."""
        return any(patch.is_there for patch in self.patches)

    @property
    def may_come_back(self) -> bool:
        """True if anything is damaged, or may be after a power loss."""
        return any(patch.may_come_back for patch in self.patches)

    def continue_from(self, earlier: Iterable["Damage"]) -> None:
        """Let `undo` restore what was there before all `earlier` damage, oldest first.

        A bit that is flipped twice is sound.
        """
        for each in earlier:
            for patch in self.patches:
                for former in each.patches:
                    patch.continue_from(former)

    def is_in_log(self, root: str, folder: str) -> bool:
        """True if a log that is, or was, in this folder is damaged."""
        return any(patch.is_in_log(root, folder) for patch in self.patches)

    def undo(self) -> None:
        """Restore the data."""
        for patch in self.patches:
            patch.undo()

    def folders(self) -> Iterator[tuple[SimDisk, str]]:
        """Yield the folders of the damaged replicas."""
        for patch in self.patches:
            folder = patch.path.rpartition("/")[0]
            if patch.is_there and folder:
                yield patch.disk, folder


@dataclass(slots=True)
class Damager:
    """Damages the disks of a node that is down. `may_damage` is True for replicas with a copy.

    `closed` has the log directories that the last process has closed in a clean shutdown.
    """

    node_id: int
    disks: Mapping[str, SimDisk]
    closed: Collection[str]
    may_damage: Callable[[TopicPartition], bool]
    rng: Random
    has_damaged_records: bool = False
    registered_epoch: int | None = None
    """The broker epoch of the last registration, if it is known."""

    def flip(self) -> Damage | None:
        """Flip one bit, often of a segment; the kinds of other files are equally likely."""
        disk = self.rng.choice(list(self.disks.values()))
        found = dict(self._files(disk))
        if not found:
            return None
        kinds = sorted({_kind(path) for path in found})
        is_log = LOG_SUFFIX in kinds and self.rng.random() < _LOG_SHARE
        kind = LOG_SUFFIX if is_log else self.rng.choice(kinds)
        path = self.rng.choice([path for path in found if _kind(path) == kind])
        at, bit = self.rng.randrange(found[path]), self.rng.randrange(8)
        if kind == LOG_SUFFIX:
            at = _beside_unchecked(disk, path, at)
        elif not self._is_any_bit(disk, kind):
            bit = _HIGH_BIT
        before = bytes(disk.content(path)[at : at + 1])
        patch = Patch(disk, path, at, before, bytes([before[0] ^ 1 << bit]))
        return self._damage(f"bit {bit} of byte {at} in {path} is flipped", [patch])

    def lose_write(self) -> Damage | None:
        """Undo a write: replace the bytes by zeros, or a file by its former content."""
        disk = self.rng.choice(list(self.disks.values()))
        old = [
            path for path in _REPLACED
            if path in disk.replaced and self._may_bring_back(disk, path)
        ]  # fmt: skip
        if old and self.rng.random() < 0.5:
            name = self.rng.choice(old)
            what = f"the last write of {name} is lost"
            if name == RECOVERY_POINTS:
                # After a clean shutdown it is trusted: a truncated log may seem to lack its end.
                newer = bytes(disk.content(name)) if disk.exists(name) else b""
                return self._damage(what, [OldContent(disk, name, newer)])
            disk.bring_back(name)
            return self._damage(what, [])
        place = self._place(disk)
        if place is None:
            return None
        path, at, size = place
        before = bytes(disk.content(path)[at : at + size])
        patch = Patch(disk, path, at, before, bytes(len(before)))
        return self._damage(f"the write of {len(before)} bytes at {at} in {path} is lost", [patch])

    def misdirect(self) -> Damage | None:
        """Move the bytes of one place to another one, whose bytes they overwrite."""
        disk = self.rng.choice(list(self.disks.values()))
        one, other = self._place(disk), self._place(disk)
        if one is None or other is None:
            return None
        (path, at, size), (wrong_path, wrong_at, wrong_size) = one, other
        size = min(size, wrong_size)
        if at == wrong_at or (path == wrong_path and abs(at - wrong_at) < size):
            return None
        inside = _place_in_batch(disk, path, at)
        if inside == _place_in_batch(disk, wrong_path, wrong_at) and inside + size <= _UNCHECKED:
            return None
        written = bytes(disk.content(path)[at : at + size])
        lost = Patch(disk, path, at, written, bytes(size))
        hit = bytes(disk.content(wrong_path)[wrong_at : wrong_at + size])
        misplaced = Patch(disk, wrong_path, wrong_at, hit, written)
        what = f"{size} bytes for {path} at {at} are written to {wrong_path} at {wrong_at}"
        return self._damage(what, [lost, misplaced])

    def _may_bring_back(self, disk: SimDisk, path: str) -> bool:
        if path == RECOVERY_POINTS:
            return disk.root in self.closed and not self.has_damaged_records
        if path != CLEAN_SHUTDOWN or disk.root in self.closed:
            return True
        epoch = self.registered_epoch
        return (
            epoch is not None
            and decode_clean_shutdown(disk.replaced[path]) != epoch
            and not _lacks_flushed_records(disk)
        )

    def _damage(self, what: str, patches: Sequence[Patch | OldContent]) -> Damage:
        logs = [
            parse_folder(patch.path.rpartition("/")[0])
            for patch in patches
            if patch.path.endswith(LOG_SUFFIX)
        ]
        return Damage(
            self.node_id, what, patches, tuple(dict.fromkeys(x for x in logs if x is not None))
        )

    def _is_any_bit(self, disk: SimDisk, kind: str) -> bool:
        if kind == RECOVERY_POINTS:
            return disk.root in self.closed
        return kind in _ANY_BIT or kind in (INDEX_SUFFIX, TIME_INDEX_SUFFIX, SNAPSHOT_SUFFIX)

    def _place(self, disk: SimDisk) -> tuple[str, int, int] | None:
        """Draw a sector of a segment or of an index: path, position and size."""
        found = {
            path: size for path, size in self._files(disk)
            if path.endswith((LOG_SUFFIX, INDEX_SUFFIX)) and size >= _SECTORS[0]
        }  # fmt: skip
        if not found:
            return None
        logs = [path for path in found if path.endswith(LOG_SUFFIX)]
        path = self.rng.choice(logs if logs and self.rng.random() < _LOG_SHARE else list(found))
        size = min(self.rng.choice(_SECTORS), found[path])
        return path, self.rng.randrange(found[path] - size + 1), size

    def _files(self, disk: SimDisk) -> Iterator[tuple[str, int]]:
        """Yield the files that may be damaged, and the number of their durable bytes."""
        recovery_points = read_offsets(disk, RECOVERY_POINTS) or {}
        for name in disk.list(""):
            is_kept = name == RECOVERY_POINTS and self.has_damaged_records
            if name in _TEXTS and disk.durable_bytes(name) and not is_kept:
                yield name, disk.durable_bytes(name)
            where = parse_folder(name)
            if where is None or name == METADATA_FOLDER or not self.may_damage(where):
                continue
            for path in (f"{name}/{each}" for each in disk.list(name)):
                size = disk.durable_bytes(path)
                if path.endswith(LOG_SUFFIX):
                    size = min(size, bytes_below(disk, path, recovery_points.get(where, 0)))
                if size and path.endswith((LOG_SUFFIX, *_IN_FOLDERS)):
                    yield path, size


def _lacks_flushed_records(disk: SimDisk) -> bool:
    """True if a log ends below its recovery point."""
    for at, point in (read_offsets(disk, RECOVERY_POINTS) or {}).items():
        segments = [name for name in disk.list(str(at)) if name.endswith(LOG_SUFFIX)]
        if not segments:
            continue
        last = max(segments)
        end = int(last.removesuffix(LOG_SUFFIX))
        for _, header in batches(disk, f"{at}/{last}"):
            end = header.next_offset
        if end < point:
            return True
    return False


def _is_loaded(disk: SimDisk, path: str, loads: int) -> bool:
    """True if a file is a checkpoint that a process has loaded after the first `loads` ones."""
    return disk.loads > loads and path.rpartition("/")[2] in _CHECKPOINTS


def _is_retired(name: str, folder: str) -> bool:
    """True if a log of `folder` has this name until its files are removed."""
    return name.startswith(f"{folder}.") and name.endswith(DELETE_SUFFIX)


def _kind(path: str) -> str:
    name = path.rpartition("/")[2]
    return name[name.rindex(".") :] if name[:1].isdigit() else name


def _place_in_batch(disk: SimDisk, path: str, at: int) -> int:
    """Return how far a position is from the start of its batch."""
    starts = [position for position, _ in batches(disk, path)] if path.endswith(LOG_SUFFIX) else []
    return at - max((position for position in starts if position <= at), default=at - _UNCHECKED)


def _beside_unchecked(disk: SimDisk, path: str, at: int) -> int:
    """Return the byte itself, or one near it if no reader could detect the change.

    The base offset of the last batch may be any higher one.
    """
    content = disk.content(path)
    for position, header in batches(disk, path):
        if at < position + header.size:
            inside = at - position
            is_last = position + header.size == len(content)
            if inside in _EPOCH_BYTES or (is_last and inside in _BASE_OFFSET_BYTES):
                return position + _EPOCH_BYTES.stop
            break
    return at
