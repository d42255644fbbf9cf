"""Owner marks in the names of what a run creates on the machine: namespaces, links and volumes.

A killed process removes nothing. The mark shows whether the process still lives, and the next run
that starts removes everything whose owner is gone (`leftovers`).
"""

import os
from pathlib import Path

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WIDTH = 5
"""Base-36 digits of each half: enough for any process id; the start time wraps after a week."""
MARK_LENGTH = 2 * _WIDTH
_STATE, _STARTED = 0, 19
"""Indexes of fields of /proc/PID/stat, counted after the command name."""


def mark() -> str:
    """The mark of this process: its id and its start time, since process ids are reused."""
    return _mark_of(os.getpid())


def is_gone(owner: str) -> bool:
    """True if the process with this mark has ended; False if `owner` is not a mark."""
    try:
        pid = int(owner[:_WIDTH], 36)
    except ValueError:
        return False
    return len(owner) == MARK_LENGTH and _mark_of(pid) != owner


def _mark_of(pid: int) -> str:
    """The mark of a process; empty if there is no such process."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    if fields[_STATE] in "ZX":
        return ""
    return _digits(pid) + _digits(int(fields[_STARTED]))


def _digits(number: int) -> str:
    found = ""
    for _ in range(_WIDTH):
        number, digit = divmod(number, 36)
        found = _DIGITS[digit] + found
    return found
