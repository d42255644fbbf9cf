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


def or_undecided(command: str, work: Callable[[], int], *expected: type[Exception]) -> int:
    """Return what `work` returns; where it ends without a verdict print why, and return 2.

    An `expected` error is one sentence, and so is an OSError (a full disk, a folder that is gone).
    Any other is an error of the command, and its traceback is printed.
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
