"""Options that repeat a run of `verify`: its command from `verdict.json`, its `schedule.json`."""

import argparse
import json
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from minikafka.harness.plan.settings import HarnessError

_SCHEMA = "minikafka.verdict/1"
_VERDICT, _SCHEDULE = "verdict.json", "schedule.json"
_OF_THE_DRAW = ("profile", "seed", "seconds", "minutes", "nodes", "elr", "controllers", "schedule")
"""Options by which faults are drawn: if one is overruled, the faults are drawn again."""
_GROUPS = (("profile", "schedule"), ("client", "client_command", "producers"))
"""Options that belong together: one that is given overrules all of its group."""


def only_given(parser: argparse.ArgumentParser) -> None:
    """Let a parser return only the options that were given, and all defaults as `defaults`."""
    defaults: dict[str, Any] = {}
    for action in parser._actions:  # noqa: SLF001 - argparse has no other way to list options
        if action.default is not argparse.SUPPRESS:
            defaults[action.dest] = action.default
            action.help = (action.help or "").replace("%(default)s", str(action.default))
            action.default = argparse.SUPPRESS
    parser.set_defaults(defaults=defaults)


def completed(
    args: argparse.Namespace, parse: Callable[[list[str]], argparse.Namespace]
) -> tuple[argparse.Namespace, Path | None]:
    """Return all options, and the schedule file of a run that is repeated with its faults.

    Options that were given take precedence over those of the run, and these over the defaults.
    `parse` parses the run's command.

    Raises:
        HarnessError: if the folder of --replay has no run.
    """
    given = vars(args)
    if not given.get("replay"):
        return _merged(args.defaults, {}, given), None
    folder = Path(given["replay"])
    of_the_run = vars(parse(_words(folder)))
    schedule = folder / _SCHEDULE
    if not schedule.is_file():
        raise HarnessError(f"--replay {folder}: the folder has no {_SCHEDULE} of a run.")
    for group in _GROUPS:
        if not given.keys().isdisjoint(group):
            of_the_run = {name: it for name, it in of_the_run.items() if name not in group}
    if of_the_run.get("schedule"):
        of_the_run["schedule"] = schedule
    merged = _merged(args.defaults, of_the_run, given)
    is_drawn_again = bool(merged.schedule) or not given.keys().isdisjoint(_OF_THE_DRAW)
    return merged, None if is_drawn_again else schedule


def _merged(*options: Mapping[str, Any]) -> argparse.Namespace:
    merged: dict[str, Any] = {}
    for each in options:
        merged |= {name: value for name, value in each.items() if name != "defaults"}
    return argparse.Namespace(**merged)


def _words(folder: Path) -> list[str]:
    """Return the options of the command that repeats the run in a folder."""
    path = folder / _VERDICT
    try:
        verdict = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise HarnessError(
            f"--replay {folder}: the folder has no {_VERDICT} of a run: {error.strerror}."
        ) from error
    except ValueError as error:
        raise HarnessError(f"--replay {folder}: {_VERDICT} is not valid JSON: {error}.") from error
    if not isinstance(verdict, dict) or verdict.get("schema") != _SCHEMA:
        raise HarnessError(f"--replay {folder}: {_VERDICT} is not the verdict of a run.")
    try:
        _, _, *words = shlex.split(verdict["run"]["replay"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise HarnessError(
            f"--replay {folder}: {_VERDICT} has no command that repeats the run."
        ) from error
    return words
