"""A terminal that is drawn as a whole, and whose keys are read one by one."""

import os
import select
import shutil
import sys
import termios
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from minikafka.commands.watch_screen import ScreenLine

_KEYS = {
    b"\x1b[A": "up",
    b"\x1b[B": "down",
    b"\x1b[5~": "page up",
    b"\x1b[6~": "page down",
    b"\x1b": "escape",
    b"\r": "enter",
    b"\n": "enter",
    b"\x7f": "backspace",
    b"\x08": "backspace",
}
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


def key(timeout_s: float) -> str | None:
    """Return the next key, or None after `timeout_s`."""
    if not sys.stdin.isatty():
        time.sleep(timeout_s)
        return None
    if not select.select([sys.stdin], [], [], timeout_s)[0]:
        return None
    data = os.read(sys.stdin.fileno(), 16)
    return _KEYS.get(data, data.decode(errors="replace"))
