"""The commands that the options of a run name, checked before anything is started."""

import shlex
import shutil
from pathlib import Path


def command_problem(option: str, command: str) -> str:
    """Return the reason why a command of an option cannot be run; empty if it can."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"{option} {command!r} is not a command line: {error}."
    if not words:
        return f"{option} is empty: give a command."
    if shutil.which(words[0]) is None:
        return f"{option} {command!r}: there is no program {words[0]!r}, or it cannot be executed."
    return ""


def command_name(command: str) -> str:
    """Return the name of the program that a command line runs, without its folder."""
    return Path(shlex.split(command)[0]).name
