"""Removal of the namespaces, links and volumes that killed runs left on the machine."""

import contextlib
import fcntl
import re
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from minikafka.harness.clusters.disk_faults import VOLUME, unmount
from minikafka.harness.clusters.namespaces import TAG
from minikafka.harness.clusters.owner import MARK_LENGTH, is_gone

_NAMESPACES = Path("/run/netns")
_LINKS = Path("/sys/class/net")
_MOUNTS = Path("/proc/mounts")
_LOCK = Path(tempfile.gettempdir(), "minikafka-leftovers.lock")
_TIMEOUT_S = 20


def remove() -> list[str]:
    """Remove what belongs to runs whose process is gone; return what was removed.

    Runs that start at the same time do this one after the other. What cannot be removed stays and
    does no harm, since names and addresses are unique to a run.
    """
    with _alone():
        return _remove()


def _remove() -> list[str]:
    removed = []
    for source, folder in _volumes():
        unmount(folder, folder.with_name(f"{folder.name}-volume"))
        removed.append(f"{source} at {folder}")
    # Links first: the kernel would delete them with their namespace, but only some time later.
    for folder, words in ((_LINKS, ("ip", "link", "del")), (_NAMESPACES, ("ip", "netns", "del"))):
        for name in _orphans(folder):
            with contextlib.suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run([*words, name], capture_output=True, timeout=_TIMEOUT_S, check=False)
                removed.append(name)
    return removed


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Hold a lock file, so that one run at a time removes; go on if the file cannot be opened."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(OSError):
            lock = held.enter_context(_LOCK.open("w"))
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _orphans(folder: Path) -> list[str]:
    try:
        names = sorted(path.name for path in folder.iterdir())
    except OSError:
        return []
    return [name for name in names if _is_orphan(name, TAG)]


def _volumes() -> Iterator[tuple[str, Path]]:
    try:
        lines = _MOUNTS.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        source, folder, *_ = line.split()
        if _is_orphan(source, VOLUME):
            yield source, Path(_OCTAL.sub(lambda found: chr(int(found[1], 8)), folder))


_OCTAL = re.compile(r"\\([0-7]{3})")


def _is_orphan(name: str, prefix: str) -> bool:
    owner = name.removeprefix(prefix)
    return owner != name and is_gone(owner[:MARK_LENGTH])
