"""Play one scenario (`minikafka sim --scenario`), and compare it with what the file expects.

Names are those of the files in `tests/scenario` of a source tree.
"""

import difflib
import logging
from pathlib import Path
from typing import IO

import minikafka
from minikafka.commands.options import ToolError
from minikafka.commands.sim_trace import build
from minikafka.sim.scenario.scenario import ScenarioError, parse, play, without_times
from minikafka.sim.scenario.scenario_runner import ScenarioRunner

_NAMED = Path(minikafka.__file__).parents[1] / "tests" / "scenario"


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


def _find(wanted: str) -> Path:
    """Return the path of a scenario's file.

    Raises:
        ScenarioError: if there is no such file.
    """
    if Path(wanted).is_file():
        return Path(wanted)
    there = {path.stem: path for path in sorted(_NAMED.rglob("*.txt"))}
    if wanted not in there:
        names = f"the names are {', '.join(there)}" if there else "names need a source tree"
        raise ScenarioError(f"--scenario {wanted}: no such file or name; {names}")
    return there[wanted]
