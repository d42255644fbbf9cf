"""Exit statuses of commands that give a verdict, where 1 says that a promise was broken.

3 is for a command line that cannot be understood, 2 for a run that ended without a verdict: an
error must not end with Python's status 1.
"""

import argparse
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

UNDECIDED = 2
USAGE = 3


def usage_error(parser: argparse.ArgumentParser) -> Callable[[str], NoReturn]:
    """Argparse's own `error`, with our status."""

    def error(message: str) -> NoReturn:
        parser.print_usage(sys.stderr)
        parser.exit(USAGE, f"{parser.prog}: error: {message}\n")

    return error


def without_verdict(command: str, error: Exception) -> int:
    """Print why a command ended without a verdict, and return its status.

    An OSError (a full disk, a folder that is gone) is one sentence. Any other is an error of the
    command, and its traceback is printed.
    """
    said = str(error)
    if not isinstance(error, OSError):
        traceback.print_exception(error)
        said = f"{type(error).__name__}: {error}"
    print(f"minikafka {command}: ended without a verdict: {said}.", file=sys.stderr)
    return UNDECIDED
