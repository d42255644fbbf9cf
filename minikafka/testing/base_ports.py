"""Free ports for clusters, such that clusters that start at the same time never choose the same.

A cluster of `minikafka dev` has ports at three distances from its base port. Base ports are
multiples of ten in blocks of 300 ports, so 400 small clusters fit into the usual range. A cluster
claims its tens by locks on files, which the system releases when the process ends. `is_free` finds
ports that other programs use.
"""

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from minikafka.dev import base_ports
from minikafka.dev.base_ports import BROKERS_OFFSET, CONTROLLERS_OFFSET, STRIDE, are_free
from minikafka.server import ports
from minikafka.testing.errors import ClusterError
from minikafka.testing.locks import FileLock, take_lock

_TEN = 10


def free_base_port(nodes: int) -> int:
    """Return a base port for `nodes` nodes such that all ports of the cluster are free.

    Raises:
        ClusterError: no such port was found.
    """
    found = base_ports.free_base_port(nodes)
    if found is None:
        raise _none_free(nodes)
    return found


class PortClaim:
    """A base port that no other cluster for tests uses until the claim is closed."""

    def __init__(self, base_port: int, locks: list[FileLock]) -> None:
        """Hold the locks; `claim_ports` takes them."""
        self.base_port = base_port
        self._locks = locks

    def close(self) -> None:
        """Release the ports. A second call has no effect."""
        while self._locks:
            self._locks.pop().close()


def claim_ports(nodes: int) -> PortClaim:
    """Claim the ports of a cluster of `nodes` nodes.

    Raises:
        ClusterError: no free ports were found.
    """
    folder = _claims_folder()
    candidates = list(_candidates(nodes))
    first = os.getpid() * 7 % max(len(candidates), 1)
    for base_port in candidates[first:] + candidates[:first]:
        locks = _take_tens(folder, base_port, nodes)
        if locks is None:
            continue
        claim = PortClaim(base_port, locks)
        if are_free(base_port, nodes):
            return claim
        claim.close()
    raise _none_free(nodes)


def _none_free(nodes: int) -> ClusterError:
    usable = ports.choice()
    return ClusterError(
        f"no free ports for {nodes} nodes in {usable.start}-{usable.stop}; "
        f"set {ports.VARIABLE}=FIRST-END"
    )


def _candidates(nodes: int) -> Iterator[int]:
    usable = ports.choice()
    for block in range(usable.start, usable.stop - CONTROLLERS_OFFSET - nodes, STRIDE):
        for place in range(0, max(BROKERS_OFFSET - nodes, 1), _TEN):
            base_port = block + place
            if base_port + CONTROLLERS_OFFSET + nodes < usable.stop:
                yield base_port


def _take_tens(folder: Path, base_port: int, nodes: int) -> list[FileLock] | None:
    """Lock each ten ports from the base port on; return None if another process has one."""
    locks: list[FileLock] = []
    for first in range(base_port, base_port + nodes + 1, _TEN):
        lock = take_lock(folder / str(first))
        if lock is None:
            for each in locks:
                each.close()
            return None
        locks.append(lock)
    return locks


def _claims_folder() -> Path:
    """The folder of the locks of this user."""
    folder = Path(tempfile.gettempdir(), f".minikafka-ports-{os.getuid()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    return folder
