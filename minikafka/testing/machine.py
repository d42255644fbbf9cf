"""Checks of a machine before a cluster for tests creates anything on it."""

import os
import socket

from minikafka.dev.base_ports import HOST
from minikafka.server.fork_server import ForkServerError, own_fork_server
from minikafka.testing.errors import ClusterError

_DESCRIPTORS = 20
"""The files that this process opens for a cluster, or while it removes its folder."""
_DESCRIPTORS_OF_NODE = 3
"""Those of each node: its log, both ends of a pipe, later a connection."""


def prepare_machine(nodes: int) -> None:
    """Check the machine, and start the fork server of this process.

    Raises:
        ClusterError: a cluster of `nodes` nodes cannot start here.
    """
    _check_descriptors(nodes)
    try:
        # It imports a node while this process writes configurations and formats.
        own_fork_server()
    except (ForkServerError, OSError) as error:
        raise ClusterError(f"no process can be started: {error}") from None
    _check_loopback()


def _check_descriptors(nodes: int) -> None:
    """Find out at once if this process may open too few files to start and remove a cluster.

    Raises:
        ClusterError: it may.
    """
    needed = _DESCRIPTORS + nodes * _DESCRIPTORS_OF_NODE
    taken: list[int] = []
    try:
        while len(taken) < needed:
            taken.append(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        raise ClusterError(
            f"this process can open {len(taken)} more files, a cluster needs {needed}: "
            f"{error.strerror}; see ulimit -n"
        ) from None
    finally:
        for each in taken:
            os.close(each)


def error_of(error: OSError) -> ClusterError:
    """Return the error of a start that the system did not let finish."""
    where = f"{error.filename}: " if error.filename else ""
    return ClusterError(f"the cluster cannot be started: {where}{error.strerror or error}")


def _check_loopback() -> None:
    """Find out at once if processes of this machine cannot reach one another.

    Raises:
        ClusterError: the loopback interface does not work.
    """
    try:
        with socket.create_server((HOST, 0)) as server:
            socket.create_connection(server.getsockname(), timeout=5).close()
    except OSError as error:
        raise ClusterError(f"{HOST} cannot be reached: {error.strerror or error}") from None
