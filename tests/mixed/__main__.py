"""minikafka and Apache Kafka in one cluster, in every role, while clients use it and nodes fail.

    python -m tests.mixed [--tools FOLDER] [--minutes N] [NAME …]

A developer's check: it needs Java, and MINIKAFKA_ORACLE or --tools, which name a folder with
`kafka-run-class` of an Apache Kafka. It prints a line for each arrangement. In each of them every
acknowledged record is read once, in order and at its offset, transactions are read whole, and
replicas have equal bytes. Exit status 1 if something else was seen, or if the minutes are over.
"""

import argparse
import os
import signal
import sys
import time
import traceback
from pathlib import Path

from tests.mixed.arrangements import ARRANGEMENTS
from tests.mixed.nodes import MixedError


def main():
    parser = argparse.ArgumentParser(
        prog="python -m tests.mixed", description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("names", nargs="*", metavar="NAME", choices=[*ARRANGEMENTS, []])
    parser.add_argument("--tools", type=Path, default=os.environ.get("MINIKAFKA_ORACLE"))
    parser.add_argument("--minutes", type=float, default=15, help="for all arrangements together")
    options = parser.parse_args()
    if not options.tools or not (Path(options.tools) / "kafka-run-class").exists():
        parser.error("--tools or MINIKAFKA_ORACLE must name a folder with kafka-run-class")
    signal.signal(signal.SIGALRM, time_is_over)
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    signal.setitimer(signal.ITIMER_REAL, options.minutes * 60)
    failed = [name for name in options.names or ARRANGEMENTS if not play(name, Path(options.tools))]
    return int(bool(failed))


def time_is_over(*_):
    raise MixedError("the time for all arrangements is over (--minutes)")


def play(name, tools):
    """Play one arrangement, and print its line; return True if every promise was kept."""
    start_s = time.monotonic()
    try:
        facts = ARRANGEMENTS[name](tools)
    except Exception as error:
        print(f"{name}: FAILED after {time.monotonic() - start_s:.0f} s: {error}", flush=True)
        if not isinstance(error, MixedError):
            traceback.print_exc()
        return False
    print(f"{name}: ok, {time.monotonic() - start_s:.0f} s; {'; '.join(facts)}", flush=True)
    return True


if __name__ == "__main__":
    sys.exit(main())
