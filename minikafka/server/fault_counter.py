"""A counter of calls and hits in a file, for a fault that is set in several nodes of one machine.

The file has two numbers: calls and hits. It is locked for each call, and outlives the nodes.
"""

import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from minikafka.faults.matching import CallCounter, NodeCounter
from minikafka.faults.vocabulary import AnswerFault, FaultError
from minikafka.server.open_files import OPEN_FILES

_MAX_BYTES: Final = 100


class FileCounter:
    """The counts of all nodes that use a file."""

    def __init__(self, path: Path) -> None:
        """Create the file if it does not exist.

        Raises:
            OSError: it cannot be created.
            ValueError: it has something else.
        """
        self._path = path
        with self._locked(os.O_CREAT) as file:
            _numbers(file)

    def count(self, decide: Callable[[int, int], bool]) -> bool:
        """Count a call; see `CallCounter`. Without the file, whose test is over, nothing is hit."""
        try:
            with self._locked() as file:
                calls, hits = _numbers(file)
                calls += 1
                is_hit = decide(calls, hits)
                os.pwrite(file, f"{calls:12} {hits + is_hit:12}\n".encode(), 0)
        except FileNotFoundError:
            return False
        return is_hit

    @contextmanager
    def _locked(self, flags: int = 0) -> Iterator[int]:
        file = OPEN_FILES.attempt(
            lambda: os.open(self._path, os.O_RDWR | os.O_CLOEXEC | flags, 0o600)
        )
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
        finally:
            os.close(file)


def counter_of(fault: AnswerFault) -> CallCounter:
    """Return a new counter for a fault.

    Raises:
        FaultError: its file cannot be used.
    """
    if not fault.counter_file:
        return NodeCounter()
    path = Path(fault.counter_file)
    if not path.is_absolute():
        raise FaultError(f"counter_file: {path} is not an absolute path")
    try:
        return FileCounter(path)
    except (OSError, ValueError) as error:
        raise FaultError(f"counter_file: {path}: {error}") from None


def counts(path: Path) -> tuple[int, int]:
    """Return the calls and hits in a file.

    Raises:
        OSError: it cannot be read.
        ValueError: it has something else.
    """
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(file, fcntl.LOCK_SH)
        return _numbers(file)
    finally:
        os.close(file)


def _numbers(file: int) -> tuple[int, int]:
    data = os.pread(file, _MAX_BYTES, 0)
    if not data:
        return 0, 0
    try:
        calls, hits = map(int, data.split())
    except ValueError:
        raise ValueError("the file is no counter") from None
    return calls, hits
