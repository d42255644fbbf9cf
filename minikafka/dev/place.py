"""The directories of `minikafka dev`: the usual one, temporary ones, and their removal."""

import fcntl
import os
import re
import resource
import shutil
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from minikafka.dev.base_ports import HOST
from minikafka.dev.layout import CLUSTER, CONTROL, FAULTS, LayoutError, is_owned, read_cluster
from minikafka.server.descriptors import most_connections

_EPHEMERAL = "ephemeral-"
_LOCK = "owner.lock"
_FIRST_PORT = re.compile(r"^listeners=\w+://[^,]*:(\d+)(?:,|$)", re.MULTILINE)
_OWN_FILES = ("cluster.json*", "cluster.log", "node-*.log", "node-*.pid", CONTROL, _LOCK)


def state_folder() -> Path:
    """Return the folder for the state of programs of this user, as the XDG directories define."""
    named = Path(os.environ.get("XDG_STATE_HOME", ""))
    # A relative path is invalid, and is ignored.
    return (named if named.is_absolute() else Path.home() / ".local" / "state") / "minikafka"


def usual_directory() -> Path:
    """Return the directory of the cluster if none is named."""
    return state_folder() / "dev"


def running_directory() -> Path:
    """Return the directory of the cluster that runs, if none is named: the usual one, or else a
    temporary one.

    Raises:
        LayoutError: several temporary clusters run.
    """  # noqa: D205 - one sentence
    usual = usual_directory()
    if is_owned(usual):
        return usual
    running = [each for each in _ephemeral() if is_owned(each)]
    if len(running) > 1:
        raise LayoutError(f"several clusters run: add --dir with one of {_named(running)}")
    return running[0] if running else usual


@contextmanager
def ephemeral_directory() -> Iterator[Path]:
    """Make a directory that is removed at the end, and remove those that others left behind."""
    folder = state_folder()
    folder.mkdir(parents=True, exist_ok=True)
    for each in _ephemeral():
        _remove_if_left(each)
    directory = Path(mkdtemp(prefix=_EPHEMERAL, dir=folder))
    with (directory / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield directory / "cluster"
        finally:
            shutil.rmtree(directory, ignore_errors=True)


def _ephemeral() -> list[Path]:
    return sorted(each / "cluster" for each in state_folder().glob(f"{_EPHEMERAL}*"))


def _remove_if_left(cluster: Path) -> None:
    """Remove a temporary directory whose owner has ended."""
    with suppress(OSError), (cluster.parent / _LOCK).open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(cluster.parent, ignore_errors=True)


class FormerOptions(NamedTuple):
    """The options with which the cluster of a directory was made."""

    nodes: int
    voters: int
    base_port: int | None


def former_options(directory: Path) -> FormerOptions | None:
    """Return the options of the cluster in a directory; None if there is none.

    Raises:
        LayoutError: the file of the cluster cannot be read.
    """
    if not (directory / CLUSTER).is_file():
        return None
    cluster = read_cluster(directory / CLUSTER)
    found = None
    with suppress(OSError, UnicodeDecodeError):
        properties = (directory / "node-1" / "server.properties").read_text()
        found = _FIRST_PORT.search(properties)
    return FormerOptions(cluster.nodes, cluster.voters_option, int(found[1]) if found else None)


def reset(directory: Path) -> None:
    """Remove the cluster in a directory; files of others stay.

    Raises:
        LayoutError: there is no cluster, or it runs.
    """
    if not list(directory.glob("cluster.json*")):
        raise LayoutError(f"there is no cluster in {directory}")
    if is_owned(directory):
        raise LayoutError(f"the cluster in {directory} is running; stop it first (Ctrl-C)")
    for node in directory.glob("node-*"):
        if node.is_dir() and node.name.removeprefix("node-").isdigit():
            shutil.rmtree(node)
    shutil.rmtree(directory / FAULTS, ignore_errors=True)
    for pattern in _OWN_FILES:
        for file in directory.glob(pattern):
            file.unlink()
    with suppress(OSError):  # it has other files
        directory.rmdir()


def check_machine(nodes: int) -> None:
    """Check what no node can start without.

    Raises:
        LayoutError: nodes cannot reach each other on loopback, or too few files may be open.
    """
    try:
        with socket.create_server((HOST, 0)) as server:
            socket.create_connection(server.getsockname(), timeout=1).close()
    except OSError as error:
        reason = error.strerror or str(error)
        raise LayoutError(f"{HOST}: {reason}; is the loopback interface up?") from None
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if most_connections(limit) < 2 * nodes:
        raise LayoutError(
            f"a node may open {limit} files, too few for the connections of {nodes} nodes; "
            "see ulimit -n"
        )


def _named(paths: Sequence[Path]) -> str:
    return ", ".join(map(str, paths))
