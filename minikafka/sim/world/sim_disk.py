"""A log directory in memory that can lose unsynced data.

A byte has three states: written (a process crash keeps it), synced (a power loss keeps it), gone.
The same holds for names: a created, renamed or removed name is durable once its folder was synced.
A power loss keeps a random prefix of the changes that were not durable, in their order, as a
journaling file system does. The last page kept may be torn, and bits that were never synced may be
flipped, if a checksum covers them.
"""

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import NoReturn

from minikafka.common.faults import (
    DirectoryInUseFault,
    MissingPathFault,
    OutOfFilesError,
    RecordsGoneError,
    StorageFault,
)
from minikafka.log.disk import Space
from minikafka.sim.world.crashes import CrashWithinStep
from minikafka.sim.world.disk_errors import OneError, TornWriteFault
from minikafka.sim.world.disk_names import Change, Folder, NameJournal, NameTable, parent
from minikafka.sim.world.inode import Inode

Buffer = bytes | bytearray | memoryview
BeforeChange = Callable[[str, Buffer], None]
"""Called with the name of an operation that changes the disk, and the bytes that it writes."""


class SimFile:
    """An open file of a `SimDisk`. It stays usable when its name changes or is removed."""

    __slots__ = ("_disk", "_inode", "_is_open")

    def __init__(self, disk: "SimDisk", inode: Inode) -> None:
        """Open `inode`."""
        self._disk = disk
        self._inode = inode
        self._is_open = True

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return len(self._inode.data)

    @property
    def durable_size(self) -> int:
        """Number of bytes that a power loss keeps."""
        return self._inode.synced

    @property
    def may_grow_back(self) -> bool:
        """True if a power loss may undo a truncation."""
        return bool(self._inode.cut)

    def append(self, data: Buffer) -> None:
        """Write all of `data`, or none of it if the disk is full or broken."""
        self._check_open()
        try:
            self._disk.begin("append", data)
        except CrashWithinStep as crash:
            self._inode.data += data[: int(len(data) * crash.share)]
            raise
        except TornWriteFault as fault:
            self._inode.data += data[: int(len(data) * fault.share)]
            raise
        self._disk.spend(len(data))
        self._inode.data += data

    def read_at(self, position: int, length: int) -> bytes:
        """Return up to `length` bytes from `position`."""
        if not self._is_open:
            raise RecordsGoneError("the file was closed before it was read")
        self._disk.begin_reading("read")
        return bytes(self._inode.data[position : position + length])

    def truncate(self, size: int) -> None:
        """Cut the file to `size` bytes."""
        self._check_open()
        self._disk.begin("truncate", b"%d" % size)
        self._disk.give_back(len(self._inode.data) - size)
        self._inode.truncate(size)

    def sync(self) -> None:
        """Make the content durable; no effect on a closed file."""
        if self._is_open:
            try:
                self._disk.begin("sync")
            except TornWriteFault as fault:
                self._inode.fail_to_sync(fault.share)
                raise
            self._inode.sync()

    def close(self) -> None:
        """Close the file."""
        if self._is_open:
            self._is_open = False
            self._disk.gives_back_descriptor()

    def _check_open(self) -> None:
        if not self._is_open:
            raise StorageFault(self._disk.root, "the file is closed: Bad file descriptor")


_UNLIMITED_BYTES = 1 << 50
_RESERVED = 5
"""One more than an operation opens at the same time."""
_REFUSED_SHARE = 0.5
_METADATA_FOLDER = "__cluster_metadata-0/"
"""The folder of the metadata log, which may use the last descriptors."""
_LONGEST_NAME_BYTES = 255
_CHECKED_SUFFIX = ".log"
"""Files with checksums. As in Kafka, checkpoints and the epoch file have none, and are replaced by
a rename when they change; indexes are rebuilt after an unclean shutdown."""


class SimDisk:
    """A log directory in memory. It refuses what an operating system would refuse."""

    def __init__(self, root: str = "disk", capacity: int | None = None) -> None:
        """Create an empty directory `root` with `capacity` bytes (None: unlimited)."""
        self.root = root
        self.broken: str | None = None
        self.has_refused = False
        """An operation failed because the disk was full, or broken on purpose."""
        self.refusals = 0
        """Number of such operations."""
        self.few_files: Random | None = None
        """Draws the opens that fail for lack of descriptors; None: none fails."""
        self.files_refused = 0
        self.error: OneError | None = None
        """The transient error that is due."""
        self.replaced: dict[str, bytes] = {}
        """The former contents of files that were replaced or removed."""
        self._reserved, self._in_step = 0, False
        self.syncs = 0
        self.folders_changed = 0
        """Number of folders that were created, renamed or removed."""
        self.before_change: BeforeChange = lambda *_: None
        self._capacity, self._used, self._locked = capacity, 0, False
        self.loads = 0
        """Number of processes that have loaded the logs on this disk."""
        self._root: Folder[Inode] = Folder()
        self._names: NameTable[Inode] = NameTable(self._root)
        self._pending: NameJournal[Inode] = NameJournal()

    def open(self, path: str, *, create: bool = False) -> SimFile:
        """Open a file."""
        self.begin_reading("open")
        if path in self._names.folders:
            raise StorageFault(self.root, f"cannot open {path}: Is a directory")
        if not path.startswith(_METADATA_FOLDER):
            self._take_descriptor(f"cannot open {path}")
        inode = self._names.files.get(path)
        if inode is None:
            if not create or parent(path) not in self._names.folders:
                raise self._missing("open", path)
            self._check_name("open", path)
            self.begin("create", path.encode())
            inode = Inode()
            self._set(path, inode)
        return SimFile(self, inode)

    def reserve_files(self) -> None:
        """Reserve descriptors for the next operation, until `step_begins`."""
        if not self._reserved:
            self._take_descriptor("no descriptor is left")
        self._reserved = _RESERVED

    def step_begins(self) -> None:
        """Drop the reservations of an earlier step."""
        self._reserved = 0
        self._in_step = True

    def step_ends(self) -> None:
        """Stop injecting errors: checkers read the disk between steps."""
        self._in_step = False

    def gives_back_descriptor(self) -> None:
        """Return the descriptor of a closed file."""
        if self._reserved:
            self._reserved = min(self._reserved + 1, _RESERVED)

    def _take_descriptor(self, what: str) -> None:
        if self._reserved > 1:
            self._reserved -= 1
        elif self._in_step and self._draws_refusal():
            self.files_refused += 1
            raise OutOfFilesError(self.root, f"{what}: Too many open files")

    def _draws_refusal(self) -> bool:
        return self.few_files is not None and self.few_files.random() < _REFUSED_SHARE

    def exists(self, path: str) -> bool:
        """Return True if there is a file or folder."""
        return path in self._names

    def list(self, path: str) -> list[str]:
        """Return the names in a folder, sorted."""
        self.begin_reading("list")
        return sorted(name.rpartition("/")[2] for name in self._names.inside(path))

    def sizes(self, folder: str) -> dict[str, int]:
        """Return the bytes of each file in a folder; also if the disk is broken."""
        files = self._names.files
        return {path: len(files[path].data) for path in self._names.inside(folder) if path in files}

    def make_dir(self, path: str) -> None:
        """Create a folder, if it does not exist."""
        self.check()
        if path in self._names.files:
            raise StorageFault(self.root, f"cannot create {path}: File exists")
        if path not in self._names.folders:
            if parent(path):
                self.make_dir(parent(path))
            self._check_name("create", path)
            self.begin("make", path.encode())
            folder: Folder[Inode] = Folder()
            self._names.make(path, folder)
            self.folders_changed += 1
            self._changes((path, folder))

    def rename(self, old: str, new: str) -> None:
        """Move a file or folder."""
        self.check()
        self._check_rename(old, new)
        self.begin("rename", f"{old} {new}".encode())
        if old in self._names.files:
            if new in self._names.files and new != old:
                self.give_back(len(self._names.files[new].data))
                if "/" not in new:
                    self.replaced[new] = bytes(self._names.files[new].data)
            inode = self._names.files[old]
            self._names.drop_file(old)
            self._names.put(new, inode)
            self._changes((old, None), (new, inode))
            return
        self.folders_changed += 1
        self._names.move(old, new)
        self._changes((old, None), (new, self._names.folders[new]))

    def _check_rename(self, old: str, new: str) -> None:
        what = f"rename {old} to {new}"
        if old not in self._names.files and old not in self._names.folders:
            raise self._missing("rename", old)
        if parent(new) not in self._names.folders:
            raise self._missing("rename", f"{old} to {new}")
        self._check_name("rename", new)
        if old in self._names.files and new in self._names.folders:
            raise StorageFault(self.root, f"cannot {what}: Is a directory")
        if old in self._names.folders and new in self._names.files:
            raise StorageFault(self.root, f"cannot {what}: Not a directory")
        if old in self._names.folders and new != old and self.list(new):
            raise StorageFault(self.root, f"cannot {what}: Directory not empty")

    def remove(self, path: str) -> None:
        """Delete a file or a folder with its content."""
        self.check()
        below = list(self._names.below(path))
        for name in [name for name in below if name in self._names.files]:
            self.begin("remove", name.encode())
            self.give_back(len(self._names.files[name].data))
            if "/" not in name:
                self.replaced[name] = bytes(self._names.files[name].data)
            self._set(name, None)
        for name in [name for name in reversed(below) if name in self._names.folders]:
            self.begin("remove", name.encode())
            self._names.drop_folder(name)
            self.folders_changed += 1
            self._changes((name, None))

    def remove_empty(self, path: str) -> bool:
        """Delete a folder; return False if it is not empty or does not exist."""
        if path not in self._names.folders or self.list(path):
            return False
        self.remove(path)
        return True

    def space(self) -> Space:
        """Return the capacity and the free bytes."""
        self.check()
        total = _UNLIMITED_BYTES if self._capacity is None else self._capacity
        return Space(total, max(total - self._used, 0))

    def sync_dir(self, path: str) -> None:
        """Make the names in a folder durable."""
        self.begin("sync folder", path.encode())
        if path not in self._names.folders:
            raise self._missing("sync", path)
        self.syncs += 1
        for change in self._pending.take(self._names.folders[path]):
            change.make_durable()

    def sync_all(self) -> bool:
        """Make everything durable."""
        try:
            self.begin("sync all")
        except TornWriteFault as fault:
            for inode in self._names.files.values():
                inode.fail_to_sync(fault.share)
            raise
        self.syncs += 1
        self.sync_names()
        for inode in self._names.files.values():
            inode.sync()
        return True

    def lock(self) -> None:
        """Lock the directory."""
        self.check()
        if self._locked:
            raise DirectoryInUseFault(self.root, "another process holds its lock")
        self._locked = True

    def unlock(self) -> None:
        """Release the lock."""
        self._locked = False

    def crash(self) -> None:
        """End the process: written bytes stay, the lock is released.

        Bytes that could not be synced have left the page cache by the next start.
        """
        self._locked = False
        for inode in self._names.files.values():
            inode.drop_unwritten()

    @property
    def has_unwritten(self) -> bool:
        """True if a sync failed to write bytes that still read as written."""
        return any(inode.unwritten != (0, 0) for inode in self._names.files.values())

    def lose_power(self, rng: Random, *, flips: bool = False) -> None:
        """Cut the power: keep only a random prefix of the changes that were not durable.

        With `flips`, flip a bit in the kept part of some files.
        """
        self._locked = False
        kept = rng.randint(0, len(self._pending))
        for change in self._pending.take_all()[:kept]:
            change.make_durable()
        self._names = self._root.table()
        for path in sorted(self._names.files):
            wrong = flips and path.endswith(_CHECKED_SUFFIX) and rng.random() < 0.5
            self._names.files[path].lose_power(rng, flips=wrong)
        self._used = sum(len(inode.data) for inode in self._names.files.values())

    def sync_names(self) -> None:
        """Make every created, renamed and removed name durable."""
        for change in self._pending.take_all():
            change.make_durable()

    def sync_files(self, suffix: str) -> None:
        """Make the files with this suffix durable, as background writeback does."""
        for path, inode in self._names.files.items():
            if path.endswith(suffix):
                inode.sync()
                self._link(path, inode)

    def durable_bytes(self, path: str) -> int:
        """Return how many bytes of a file a power loss would keep; 0 if the file may be lost."""
        inode = self._names.files.get(path)
        return 0 if inode is None or self._root.find(path) is not inode else inode.synced

    def flip(self, path: str, at: int, bit: int) -> Callable[[], None]:
        """Flip a bit of a file; return an action that flips it back, if the file still exists.

        It may have another name then: a start finishes the swap of a cleaned segment.
        """
        inode = self._names.files[path]
        flip_back = inode.flip(at, bit)

        def undo() -> None:
            if any(each is inode for each in self._names.files.values()):
                flip_back()

        return undo

    def bring_back(self, path: str) -> None:
        """Restore, durably, the content of a file before it was replaced or removed last."""
        inode = Inode(bytearray(self.replaced.pop(path)))
        inode.sync()
        former = self._names.files.get(path)
        self._used += len(inode.data) - (0 if former is None else len(former.data))
        self._names.put(path, inode)
        self._root.link(path, inode)

    def content(self, path: str) -> bytearray:
        """Return the bytes of a file, which may be changed in place."""
        return self._names.files[path].data

    def versions(self, path: str, content: bytearray) -> Iterator[tuple[bytearray, Sequence[int]]]:
        """Yield its bytes now and after a power loss, each with the truncations that led to it."""
        for inode in (self._names.files.get(path), self._root.find(path)):
            if isinstance(inode, Inode) and inode.data is content:
                yield inode.data, inode.truncations
                yield inode.after_power_loss()

    def copy(self) -> "SimDisk":
        """Return a backup of this disk, all of it durable."""
        other = SimDisk(self.root)
        for path in sorted(self._names.folders):
            other.make_dir(path)
        other.folders_changed = 0
        for path, inode in self._names.files.items():
            other._set(path, Inode(bytearray(inode.data), len(inode.data)))
        other.sync_names()
        other._used = self._used
        return other

    def repair(self) -> None:
        """Remove all faults, and the limit of the capacity."""
        self.broken = self._capacity = self.few_files = self.error = None

    def fill(self, room: int = 0) -> None:
        """Leave only `room` bytes free."""
        self._capacity = self._used + room

    def spend(self, size: int) -> None:
        """Account for `size` new bytes; raise StorageFault if they do not fit."""
        if self._capacity is not None and self._used + size > self._capacity:
            self._refuse("write failed: No space left on device")
        self._used += size

    def give_back(self, size: int) -> None:
        """Account for `size` removed bytes."""
        self._used -= size

    def begin(self, operation: str, data: Buffer = b"") -> None:
        """Begin an operation that changes the disk; `before_change` may end the process.

        Raises:
            TornWriteFault: only a part of the bytes was written or synced.
        """
        self.before_change(operation, data)
        self.check()
        if self.error is not None and self._in_step:
            self._fail_once(operation)

    def begin_reading(self, operation: str) -> None:
        """Begin an operation that changes nothing."""
        self.check()
        if self.error is not None and self._in_step:
            self._fail_once(operation)

    def _fail_once(self, operation: str) -> None:
        error = self.error
        assert error is not None
        if not error.is_due(operation):
            return
        self.error = None
        self.has_refused = True
        self.refusals += 1
        error.on_error(operation)
        reason = f"{operation} failed: {error.reason}"
        if operation in ("sync", "sync all") or (operation == "append" and error.tail_stays):
            raise TornWriteFault(self.root, reason, error.share)
        raise StorageFault(self.root, reason)

    def check(self) -> None:
        """Raise StorageFault if the disk was broken on purpose (`broken` says how)."""
        if self.broken is not None:
            self._refuse(self.broken)

    def _refuse(self, reason: str) -> NoReturn:
        self.has_refused = True
        self.refusals += 1
        raise StorageFault(self.root, reason)

    def _missing(self, action: str, path: str) -> MissingPathFault:
        return MissingPathFault(self.root, f"cannot {action} {path}: no such file or directory")

    def _check_name(self, action: str, path: str) -> None:
        if len(path.rpartition("/")[2].encode()) > _LONGEST_NAME_BYTES:
            raise StorageFault(self.root, f"cannot {action} {path}: File name too long")

    def _set(self, path: str, inode: Inode | None) -> None:
        if inode is None:
            self._names.drop_file(path)
        else:
            self._names.put(path, inode)
        self._changes((path, inode))

    def _changes(self, *entries: tuple[str, Inode | Folder[Inode] | None]) -> None:
        """Note that paths name something else now (None: nothing).

        The sync of the last one's folder makes all of them durable.
        """
        folders = self._names.folders
        names = tuple((folders[parent(at)], at.rpartition("/")[2], entry) for at, entry in entries)
        self._pending.add(Change(names[-1][0], names))

    def _link(self, path: str, entry: Inode | Folder[Inode]) -> None:
        """Make a name and the names of the folders above it durable."""
        above = self._names.folders[parent(path)]
        self._pending.drop(entry)
        for name in [name for name, other in above.durable.items() if other is entry]:
            above.link(name, None)
        above.link(path.rpartition("/")[2], entry)
        if parent(path):
            self._link(parent(path), above)
