"""Facts about Linux processes: listening ports, processor time, resident memory.

Source: proc(5). Without an entry in /proc (another user's process, another system) a value is None.
"""

import os
from collections.abc import Iterable
from pathlib import Path

_LISTEN = "0A"
_PROC = Path("/proc")


def listeners(ports: Iterable[int]) -> dict[int, int]:
    """Return the process that listens on each port of this machine, if it can be seen."""
    inodes = _listening_inodes(set(ports))
    found: dict[int, int] = {}
    if not inodes:
        return found
    for process in _PROC.iterdir():
        if process.name.isdigit():
            for inode in _sockets_of(process):
                if inode in inodes:
                    found[inodes[inode]] = int(process.name)
    return found


def cpu_seconds(pid: int) -> float | None:
    """Return the user and system time of a process in seconds; the resolution is 10 ms."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The command's name is in parentheses and may have any characters.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float | None:
    """Return the resident memory of a process in MiB."""
    try:
        pages = int((_PROC / str(pid) / "statm").read_text().split()[1])
    except OSError:
        return None
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _listening_inodes(ports: set[int]) -> dict[str, int]:
    inodes: dict[str, int] = {}
    for name in ("tcp", "tcp6"):
        try:
            lines = (_PROC / "net" / name).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            fields = line.split()
            port = int(fields[1].rpartition(":")[2], 16)
            if fields[3] == _LISTEN and port in ports:
                inodes[fields[9]] = port
    return inodes


def _sockets_of(process: Path) -> list[str]:
    sockets: list[str] = []
    try:
        descriptors = list((process / "fd").iterdir())
    except OSError:
        return sockets
    for descriptor in descriptors:
        try:
            target = str(descriptor.readlink())
        except OSError:
            continue
        if target.startswith("socket:["):
            sockets.append(target[8:-1])
    return sockets
