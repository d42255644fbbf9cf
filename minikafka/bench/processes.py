"""What Linux tells of processes: who listens on a port, processor time, resident memory.

Source: proc(5). Where /proc has no answer (another user's process, another system), there is none.
"""

import os
from collections.abc import Iterable
from pathlib import Path

_LISTEN = "0A"
_PROC = Path("/proc")


def listeners(ports: Iterable[int]) -> dict[int, int]:
    """The process that listens on each port of this machine, as far as it can be seen."""
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
    """User and system time that a process has used so far; resolution is one tick (10 ms)."""
    try:
        text = (_PROC / str(pid) / "stat").read_text()
    except OSError:
        return None
    # The command's name stands in parentheses and may hold anything.
    fields = text.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_mib(pid: int) -> float | None:
    """Resident memory of a process."""
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
