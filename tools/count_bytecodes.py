"""Count the bytecodes that small requests and a start execute, and compare with the last counts.

    python -m tools.count_bytecodes           compare with tools/bytecodes.json
    python -m tools.count_bytecodes --write   replace the counts of this Python version

Times depend on the machine and its load; these counts do not. They say how much Python code runs,
not how long it takes: `tools/compare_steps.py` measures that.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parent.parent
COUNTS: Final = Path(__file__).with_suffix("").with_name("bytecodes.json")
REQUESTS: Final = ("ack1", "ackall", "idempotent", "fetch", "fetch-id", "heartbeat")
START: Final = "start"
"""The import of everything that a node imports before it serves."""
TOLERANCE: Final = 0.03
_MODULES: Final = ("minikafka.server.process", "minikafka.node.assembly")
_ROUND: Final = 64


class Counter:
    """Counts the bytecodes of frames whose code is in a file that `counts` accepts."""

    def __init__(self, counts: Callable[[str], bool] = lambda _: True) -> None:
        """Start at 0."""
        self.count = 0
        self._counts = counts
        # Python 3.12.1 reports bytecodes only after a frame has asked for them before.
        self.run(lambda: None)

    def run(self, function: Callable[[], object]) -> int:
        """Call a function; return how many bytecodes it has executed."""
        self.count = 0
        sys.settrace(self._enter)
        try:
            function()
        finally:
            sys.settrace(None)
        return self.count

    def _enter(self, frame: FrameType, event: str, _: Any) -> Any:
        if event != "call" or not self._counts(frame.f_code.co_filename):
            return None
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        return self._step

    def _step(self, _: FrameType, event: str, __: Any) -> Any:
        if event == "opcode":
            self.count += 1
        return self._step


def count_requests() -> dict[str, int]:
    """The bytecodes of one request of each kind, on the average of a round."""
    # Here, since the process that counts a start must not have imported a node before.
    from tools.compare_steps import Bench  # noqa: PLC0415

    found = {}
    with tempfile.TemporaryDirectory(prefix="minikafka-bytecodes-") as folder:
        bench = Bench(Path(folder))
        for case in REQUESTS:
            bench.run(case, _ROUND)
            found[case] = round(bench.count(case, _ROUND, Counter().run) / _ROUND)
    return found


def count_start() -> int:
    """The bytecodes of the import of a node, in a new process."""
    command = [sys.executable, "-m", "tools.count_bytecodes", "--count-start"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    return int(done.stdout)


def _import_node() -> None:
    for name in _MODULES:
        __import__(name)


def python_version() -> str:
    """The version whose bytecodes are counted, such as 3.11."""
    return ".".join(map(str, sys.version_info[:2]))


def known() -> dict[str, dict[str, int]]:
    """The counts in the tree, by Python version."""
    counts: dict[str, dict[str, int]] = json.loads(COUNTS.read_text())
    return counts


def differences(found: dict[str, int], expected: dict[str, int]) -> list[str]:
    """Return the counts that changed by more than the tolerance."""
    return [
        f"{name}: {count}, was {expected[name]} ({count / expected[name] - 1:+.1%})"
        for name, count in found.items()
        if abs(count - expected[name]) > TOLERANCE * expected[name]
    ]


def main(words: Sequence[str] | None = None) -> int:
    """Count, and compare or write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="replace the counts of this Python")
    parser.add_argument("--count-start", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args(words)
    if args.count_start:
        print(Counter(lambda path: not path.startswith("<frozen")).run(_import_node))
        return 0
    found = {**count_requests(), START: count_start()}
    counts = known() if COUNTS.exists() else {}
    for name, count in found.items():
        print(f"{name:12} {count:8}")
    if args.write:
        counts[python_version()] = found
        COUNTS.write_text(json.dumps(dict(sorted(counts.items())), indent=2) + "\n")
        return 0
    if python_version() not in counts:
        print(f"no counts for Python {python_version()}")
        return 1
    changed = differences(found, counts[python_version()])
    print("\n".join(changed) or "as before")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
