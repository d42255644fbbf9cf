"""The names on a simulated disk, and the changes of names that are not durable yet.

As in a file system, a name belongs to a folder, and a folder keeps its names when it is renamed:
`a/x` may be durable while a rename of `a` to `b` is not, and a power loss leaves the file in `a`.

The cost of an operation does not depend on the number of names: tests have thousands of logs.
"""

from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, TypeVar

F = TypeVar("F")


def parent(path: str) -> str:
    """Return the folder of a path; "" is the root."""
    return path.rpartition("/")[0]


def moved(path: str, old: str, new: str) -> str:
    """Return a path after a rename of `old`, which may be a folder above it, to `new`."""
    return new + path[len(old) :] if path == old or path.startswith(old + "/") else path


class Folder(Generic[F]):
    """A folder, whatever its name is."""

    __slots__ = ("durable",)

    def __init__(self) -> None:
        """Create a folder without durable names."""
        self.durable: Final[dict[str, F | Folder[F]]] = {}
        """The files that a power loss leaves in this folder, by name."""

    def link(self, name: str, entry: "F | Folder[F] | None") -> None:
        """Make a name durable, or the removal of a name (None)."""
        if entry is None:
            self.durable.pop(name, None)
        else:
            self.durable[name] = entry

    def find(self, path: str) -> "F | Folder[F] | None":
        """Return what is durable under a path in this folder, or None."""
        entry: F | Folder[F] | None = self
        for name in path.split("/"):
            entry = entry.durable.get(name) if isinstance(entry, Folder) else None
        return entry

    def table(self) -> "NameTable[F]":
        """Return all durable names in and below this folder, the root."""
        names: NameTable[F] = NameTable(self)
        folders = [("", self)]
        for prefix, folder in folders:
            for name, entry in folder.durable.items():
                path = prefix + name
                if isinstance(entry, Folder):
                    names.make(path, entry)
                    folders.append((path + "/", entry))
                else:
                    names.put(path, entry)
        return names


class NameTable(Generic[F]):
    """Files and folders by path. The folder of a file need not exist."""

    def __init__(self, root: Folder[F]) -> None:
        """Start with the root only."""
        self.files: Final[dict[str, F]] = {}
        self.folders: Final[dict[str, Folder[F]]] = {"": root}
        self._inside: Final[dict[str, dict[str, None]]] = {}
        """The direct children of each folder, also those that only have entries below them."""

    def __contains__(self, path: str) -> bool:
        return path in self.files or path in self.folders

    def put(self, path: str, file: F) -> None:
        """Add or replace a file."""
        self.files[path] = file
        self._came(path)

    def make(self, path: str, folder: Folder[F]) -> None:
        """Add or replace a folder."""
        self.folders[path] = folder
        self._came(path)

    def drop_file(self, path: str) -> F | None:
        """Remove a file, if it exists."""
        file = self.files.pop(path, None)
        self._left(path)
        return file

    def drop_folder(self, path: str) -> None:
        """Remove a folder, if it exists. Its entries stay."""
        self.folders.pop(path, None)
        self._left(path)

    def _came(self, path: str) -> None:
        while path:
            names = self._inside.setdefault(parent(path), {})
            if path in names:
                return
            names[path] = None
            path = parent(path)

    def _left(self, path: str) -> None:
        while path and path not in self and path not in self._inside:
            names = self._inside.get(parent(path), {})
            names.pop(path, None)
            if not names:
                self._inside.pop(parent(path), None)
            path = parent(path)

    def inside(self, folder: str) -> list[str]:
        """Return the direct children of a folder, in the order of their creation."""
        return [path for path in self._inside.get(folder, ()) if path in self]

    def below(self, path: str) -> Iterator[str]:
        """Yield a path and all paths below it."""
        yield path
        for name in self._inside.get(path, ()):
            yield from self.below(name)

    def move(self, old: str, new: str) -> None:
        """Rename a folder with everything below it."""
        for path in list(self.below(old)):
            if path in self.files and path != old:
                file = self.files.pop(path)
                self._left(path)
                self.put(moved(path, old, new), file)
            if path in self.folders:
                folder = self.folders[path]
                self.drop_folder(path)
                self.make(moved(path, old, new), folder)


class Change(NamedTuple, Generic[F]):
    """Names that change together."""

    folder: Folder[F]
    """The folder whose sync makes them durable."""
    names: tuple[tuple[Folder[F], str, F | Folder[F] | None], ...]
    """Each name with its folder and what it names from now on (None: it is removed)."""

    def make_durable(self) -> None:
        """Let a power loss keep the change."""
        for folder, name, entry in self.names:
            folder.link(name, entry)


class NameJournal(Generic[F]):
    """Changes of names that are not durable yet, in the order in which they were made."""

    def __init__(self) -> None:
        """Start with everything durable."""
        self._changes: dict[int, Change[F]] = {}
        self._count = 0
        self._in_folder: dict[Folder[F], list[int]] = {}

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, change: Change[F]) -> None:
        """Append a change."""
        self._count += 1
        self._changes[self._count] = change
        self._in_folder.setdefault(change.folder, []).append(self._count)

    def drop(self, entry: "F | Folder[F]") -> None:
        """Remove what is not durable of the names of a file or folder."""
        for number, change in self._changes.items():
            kept = tuple(each for each in change.names if each[2] is not entry)
            self._changes[number] = change._replace(names=kept)

    def take(self, folder: Folder[F]) -> list[Change[F]]:
        """Remove and return the changes in a folder, which become durable."""
        return [self._changes.pop(number) for number in self._in_folder.pop(folder, ())]

    def take_all(self) -> list[Change[F]]:
        """Remove and return all changes."""
        changes = list(self._changes.values())
        self._changes.clear()
        self._in_folder.clear()
        return changes
