"""Exit status 3 for a command line that cannot be understood, where 1 and 2 say something else."""

import argparse
import sys
from collections.abc import Callable
from typing import NoReturn

USAGE = 3


def usage_error(parser: argparse.ArgumentParser) -> Callable[[str], NoReturn]:
    """Argparse's own `error`, with our status."""

    def error(message: str) -> NoReturn:
        parser.print_usage(sys.stderr)
        parser.exit(USAGE, f"{parser.prog}: error: {message}\n")

    return error
