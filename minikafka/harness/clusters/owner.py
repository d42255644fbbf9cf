"""Marks on what a run makes on the machine, so that it can be told whether its owner still lives.

A process that is killed removes nothing. What it made has its mark in the name, and whoever starts
next takes away what nobody owns any more (`leftovers`).
"""

import os
from pathlib import Path

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_WIDTH = 5
"""Of each half: enough for any process id, and for a start time that comes again after a week."""
MARK_LENGTH = 2 * _WIDTH
_STATE, _STARTED = 0, 19
"""Fields of /proc/PID/stat, counted from behind the name."""


def mark() -> str:
    """The mark of this process: its id, and when it began, since ids come again."""
    return _mark_of(os.getpid())


def is_gone(owner: str) -> bool:
    """Whether the process that has this mark has ended; no mark is nobody's."""
    try:
        pid = int(owner[:_WIDTH], 36)
    except ValueError:
        return False
    return len(owner) == MARK_LENGTH and _mark_of(pid) != owner


def _mark_of(pid: int) -> str:
    """Empty if there is no such process."""
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
