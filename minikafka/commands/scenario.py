"""Play one scenario (`minikafka sim --scenario`), and compare it with what the file expects.

Names are those of the files in `minikafka/sim/scenario/files`; `--list` prints them.
"""

import difflib
import logging
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import IO

from minikafka.commands.options import ToolError
from minikafka.commands.sim_trace import build
from minikafka.sim import scenario as scenarios
from minikafka.sim.scenario.scenario import ScenarioError, parse, play, without_times
from minikafka.sim.scenario.scenario_runner import ScenarioRunner

NAMED = Path(scenarios.__file__).parent / "files"
"""The folder of the scenarios that have names."""


def run(wanted: str, trace: IO[str] | None = None) -> int:
    """Play a scenario and print it; write it to `trace` too, after a line with the command.

    Return the exit status: 0 if the result is as expected or the file expects nothing, 1 if it
    differs or a rule was broken.

    Raises:
        ToolError: there is no such scenario, or it cannot be played.
    """
    logging.disable(logging.CRITICAL)
    try:
        path = _find(wanted)
        text = path.read_text(encoding="utf-8")
        scenario = parse(text, str(path), ScenarioRunner.CARRY_OUT)
        runner = ScenarioRunner()
        found = scenario.text(play(scenario, runner.carry_out))
    except ScenarioError as error:
        raise ToolError(str(error)) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ToolError(f"--scenario {wanted}: {error}") from None
    finally:
        logging.disable(logging.NOTSET)
    print(found, end="")
    if trace is not None:
        trace.write(f"{build()} sim --scenario {wanted}\n{found}")
    written, now = without_times(scenario.text(scenario.traces)), without_times(found)
    if any(scenario.traces) and written != now:
        print("\nThe result differs from the file:")
        lines = difflib.unified_diff(written.splitlines(), now.splitlines(), "file", "now", "", "")
        print("\n".join(lines))
        return 1
    return 1 if runner.broken else 0


def lines_of_list() -> Iterator[str]:
    """Yield a line for each scenario that has a name, with its first comment."""
    named = _named()
    width = max(map(len, named), default=0)
    for name, path in named.items():
        comment = path.read_text(encoding="utf-8").partition("\n")[0].removeprefix("#").strip()
        yield f"{name:{width}}  {comment}"


def _named() -> dict[str, Path]:
    return {path.stem: path for path in sorted(NAMED.rglob("*.txt"))}


def _find(wanted: str) -> Path:
    """Return the path of a scenario's file.

    Raises:
        ScenarioError: if there is no such file.
    """
    if Path(wanted).is_file():
        return Path(wanted)
    there = _named()
    if wanted not in there:
        close = get_close_matches(wanted, there, n=1)
        meant = f" ({close[0]}?)" if close else ""
        raise ScenarioError(
            f"--scenario {wanted}: no such file or name{meant}; --list prints the names"
        )
    return there[wanted]
