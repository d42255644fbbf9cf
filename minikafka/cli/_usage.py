"""The exit statuses of commands with a verdict: 1 broken promise, 2 no verdict, 3 wrong usage.

An unexpected error must not end with Python's status 1, which would be a verdict.
"""

import argparse
import sys
import traceback
from collections.abc import Callable
from typing import NoReturn

UNDECIDED = 2
USAGE = 3
TOOL_USAGE = 2
"""The status of commands without a verdict, as argparse has it."""


def usage_error(parser: argparse.ArgumentParser, status: int = USAGE) -> Callable[[str], NoReturn]:
    """Return an `error` method for argparse that prints one line instead of all options."""

    def error(message: str) -> NoReturn:
        parser.exit(status, f"{parser.prog}: error: {message}; see {parser.prog} --help\n")

    return error


def or_undecided(command: str, work: Callable[[], int], *expected: type[Exception]) -> int:
    """Return the result of `work`; if it ends without a verdict, print the reason and return 2.

    An `expected` error or an OSError (a full disk, a missing folder) is printed as one sentence.
    Any other error is a bug of the command, and its traceback is printed.
    """
    try:
        return work()
    except expected as error:
        why = str(error)
    except KeyboardInterrupt:
        why = "aborted."
    except OSError as error:
        why = f"ended without a verdict: {error}."
    except Exception as error:  # noqa: BLE001 - the status of an uncaught one says broken
        traceback.print_exception(error)
        why = f"ended without a verdict: {type(error).__name__}: {error}."
    print(f"minikafka {command}: {why}", file=sys.stderr)
    return UNDECIDED
