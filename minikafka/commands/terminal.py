"""A terminal that is drawn as a whole, and whose keys are read one by one."""

import os
import re
import select
import shutil
import sys
import termios
import time
import tty
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from minikafka.commands.watch_screen import ScreenLine

_KEYS = {
    "\x1b[A": "up",
    "\x1b[B": "down",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x08": "backspace",
}
_KEY = re.compile(r"\x1b\[[0-9;]*[A-Za-z~]|.", re.DOTALL)
_read: deque[str] = deque()
"""Keys that were typed while the program was busy, or pasted."""
_STYLES = {"bold": "1", "dim": "2", "red": "31", "yellow": "33", "cyan": "36"}
_ENTER, _LEAVE = "\x1b[?1049h\x1b[?25l", "\x1b[?25h\x1b[?1049l"


@contextmanager
def full_screen() -> Iterator[None]:
    """Draw on the alternate screen, and read keys without Enter; afterwards all is as before."""
    has_keys = sys.stdin.isatty()
    usual = termios.tcgetattr(sys.stdin) if has_keys else None
    if has_keys:
        tty.setcbreak(sys.stdin)
    print(_ENTER, end="", flush=True)
    try:
        yield
    finally:
        print(_LEAVE, end="", flush=True)
        if usual is not None:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, usual)


def size() -> tuple[int, int]:
    """Return the columns and lines of the terminal."""
    return shutil.get_terminal_size()


def draw(lines: Sequence[ScreenLine]) -> None:
    """Replace what is on the screen."""
    rows = "\r\n".join(f"{_styled(line)}\x1b[K" for line in lines)
    print(f"\x1b[H{rows}\x1b[J", end="", flush=True)


def _styled(line: ScreenLine) -> str:
    style = "" if "NO_COLOR" in os.environ else _STYLES.get(line.style, "")
    return f"\x1b[{style}m{line.text}\x1b[0m" if style else line.text


def keys_of(data: bytes) -> list[str]:
    """Return the keys that a terminal sent together: characters, and names of other keys."""
    return [_KEYS.get(each, each) for each in _KEY.findall(data.decode(errors="replace"))]


def key(timeout_s: float) -> str | None:
    """Return the next key, or None after `timeout_s`."""
    if _read:
        return _read.popleft()
    if not sys.stdin.isatty():
        time.sleep(timeout_s)
        return None
    if not select.select([sys.stdin], [], [], timeout_s)[0]:
        return None
    _read.extend(keys_of(os.read(sys.stdin.fileno(), 1024)))
    return _read.popleft() if _read else None
