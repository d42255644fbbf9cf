"""Volumes that can be filled: a small tmpfs for each broker, if the machine allows a mount.

Each has its owner's mark, so that `leftovers` recognizes the volumes of killed runs.
"""

import contextlib
import errno
import shutil
import subprocess
from pathlib import Path

from minikafka.harness.clusters.owner import mark
from minikafka.harness.plan.settings import RunSettings

VOLUME = "minikafka-verify-"
"""The prefix of the owner's mark in the mount's source name."""

_MEBIBYTE = 1 << 20
_LARGEST_MIB = 1_024
_AROUND_BYTES = 260
"""A generous estimate of the size of a record without its payload."""
_BALLAST = "ballast"


def volume_mib(settings: RunSettings) -> int:
    """The size of a broker's volume for a run; 0 if it would take too much memory."""
    each_bytes = settings.workload.size_max_bytes + _AROUND_BYTES
    expected = settings.rate * settings.seconds * each_bytes / _MEBIBYTE
    needed = 64 + int(expected)
    return needed if needed <= _LARGEST_MIB else 0


class Volumes:
    """The file systems that were mounted for a run."""

    def __init__(self) -> None:
        """Start without volumes."""
        self._mounted: dict[int, Path] = {}

    def mount(self, node: int, folder: Path, mib: int) -> bool:
        """Create a folder and mount a tmpfs on it; False if the machine does not allow it."""
        folder.mkdir(parents=True, exist_ok=True)
        mount = shutil.which("mount")
        if mount is None:
            return False
        command = [mount, "-t", "tmpfs", "-o", f"size={mib}m", VOLUME + mark(), str(folder)]
        if subprocess.run(command, capture_output=True, timeout=30, check=False).returncode:
            return False
        self._mounted[node] = folder
        return True

    def has(self, node: int) -> bool:
        """True if the node has a volume."""
        return node in self._mounted

    def fill(self, node: int) -> int:
        """Fill a node's volume to the last byte; return the number of bytes written."""
        path = self._mounted[node] / _BALLAST
        written = 0
        with path.open("ab", buffering=0) as ballast:
            for size in (_MEBIBYTE, 4_096, 1):
                block = b"\0" * size
                while True:
                    try:
                        written += ballast.write(block)
                    except OSError as error:
                        if error.errno != errno.ENOSPC:
                            raise
                        break
        return written

    def free(self, node: int) -> None:
        """Remove the ballast."""
        (self._mounted[node] / _BALLAST).unlink(missing_ok=True)

    def unmount(self, keep: Path) -> None:
        """Unmount every volume and keep its files in the folder; `keep` holds temporary copies."""
        for node, folder in self._mounted.items():
            unmount(folder, keep / f"volume-{node}")
        self._mounted.clear()


def unmount(folder: Path, copy: Path) -> None:
    """Unmount a volume and keep its files in the folder; `copy` holds a temporary copy."""
    umount = shutil.which("umount") or "umount"
    with contextlib.suppress(OSError, shutil.Error):
        (folder / _BALLAST).unlink(missing_ok=True)
        shutil.copytree(folder, copy)
    subprocess.run([umount, "-l", str(folder)], capture_output=True, timeout=30, check=False)
    if copy.exists():
        shutil.copytree(copy, folder, dirs_exist_ok=True)
        shutil.rmtree(copy, ignore_errors=True)
