"""The names on a simulated disk, and the changes of names that are not durable yet.

The cost of an operation does not depend on the number of names: tests have thousands of logs.
"""

from collections.abc import Iterator
from typing import Final, Generic, TypeVar

F = TypeVar("F")


def parent(path: str) -> str:
    """Return the folder of a path; "" is the root."""
    return path.rpartition("/")[0]


def moved(path: str, old: str, new: str) -> str:
    """Return a path after a rename of `old`, which may be a folder above it, to `new`."""
    return new + path[len(old) :] if path == old or path.startswith(old + "/") else path


class NameTable(Generic[F]):
    """Files and folders by path. The folder of a file need not exist."""

    def __init__(self) -> None:
        """Start with the root only."""
        self.files: Final[dict[str, F]] = {}
        self.folders: Final[dict[str, None]] = {"": None}
        self._inside: Final[dict[str, dict[str, None]]] = {}
        """The direct children of each folder, also those that only have entries below them."""

    def __contains__(self, path: str) -> bool:
        return path in self.files or path in self.folders

    def put(self, path: str, file: F) -> None:
        """Add or replace a file."""
        self.files[path] = file
        self._came(path)

    def make(self, path: str) -> None:
        """Add a folder, if it does not exist."""
        self.folders[path] = None
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
                self.drop_folder(path)
                self.make(moved(path, old, new))


Change = tuple[str, tuple[tuple[str, F | None], ...]]
"""Names that change together: their folder, and each path with its file (None: removed).
The path of a folder ends in "/"."""


class NameJournal(Generic[F]):
    """Changes of names that are not durable yet, in the order in which they were made."""

    def __init__(self) -> None:
        """Start with everything durable."""
        self._changes: dict[int, Change[F]] = {}
        self._count = 0
        self._in_folder: dict[str, dict[int, None]] = {}
        self._touching: dict[str, dict[int, None]] = {}
        """Change numbers by path: of each named path and each folder above it, except the root."""

    def __len__(self) -> int:
        return len(self._changes)

    def add(self, change: Change[F]) -> None:
        """Append a change."""
        self._count += 1
        self._put(self._count, change)

    def take(self, folder: str) -> list[Change[F]]:
        """Remove and return the changes in a folder, which become durable."""
        return [self._pop(number) for number in sorted(self._in_folder.get(folder, ()))]

    def take_all(self) -> list[Change[F]]:
        """Remove and return all changes."""
        return [self._pop(number) for number in sorted(self._changes)]

    def rename(self, old: str, new: str) -> None:
        """Rename a folder in the paths of all changes in it."""
        for number in sorted(self._touching.get(old, ())):
            folder, names = self._pop(number)
            self._put(
                number,
                (moved(folder, old, new), tuple((moved(at, old, new), file) for at, file in names)),
            )

    def _put(self, number: int, change: Change[F]) -> None:
        self._changes[number] = change
        self._in_folder.setdefault(change[0], {})[number] = None
        for path in _touched(change):
            self._touching.setdefault(path, {})[number] = None

    def _pop(self, number: int) -> Change[F]:
        change = self._changes.pop(number)
        _forget(self._in_folder, change[0], number)
        for path in _touched(change):
            _forget(self._touching, path, number)
        return change


def _touched(change: Change[F]) -> dict[str, None]:
    folder, names = change
    found: dict[str, None] = {}
    for path in (folder, *(name.rstrip("/") for name, _ in names)):
        at = path
        while at:
            found[at] = None
            at = parent(at)
    return found


def _forget(index: dict[str, dict[int, None]], key: str, number: int) -> None:
    numbers = index.get(key, {})
    numbers.pop(number, None)
    if not numbers:
        index.pop(key, None)
