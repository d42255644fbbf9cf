"""The commands that the options of a run name, checked before anything is started.

A template is a command line with `{node}`, and for a cut also `{other}`. It is divided into words
before the placeholders are replaced.
"""

import shlex
import shutil
import string
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple


class CommandTemplate(NamedTuple):
    """A template by which the nodes of an external cluster are broken or healed.

    `partner` has the names of the templates of which one must be given as well.
    """

    meaning: str
    partner: tuple[str, ...]
    placeholders: tuple[str, ...] = ("node",)


_PAIR = ("node", "other")
TEMPLATES: Mapping[str, CommandTemplate] = {
    "kill": CommandTemplate("kills node {node} with SIGKILL", ("start",)),
    "stop": CommandTemplate("shuts node {node} down in a controlled way", ("start",)),
    "start": CommandTemplate("starts node {node} again", ("kill", "stop")),
    "restart": CommandTemplate("shuts node {node} down and starts it again", ()),
    "pause": CommandTemplate("pauses node {node} with SIGSTOP", ("resume",)),
    "resume": CommandTemplate("resumes node {node} with SIGCONT", ("pause",)),
    "cut": CommandTemplate("drops what node {node} sends to node {other}", ("heal",), _PAIR),
    "heal": CommandTemplate("lets node {other} receive again what {node} sends", ("cut",), _PAIR),
}
"""Every template by its name, which its option `--NAME-command` has."""

NEEDED: Mapping[str, Sequence[tuple[str, ...]]] = {
    "kill": (("kill", "start"),),
    "restart": (("stop", "start"), ("restart",)),
    "rolling-restart": (("stop", "start"), ("restart",)),
    "pause": (("pause", "resume"),),
    "cut": (("cut", "heal"),),
    "isolate": (("cut", "heal"),),
}
"""Kind of fault → the sets of templates of which one makes it possible in an external cluster."""

ANYWHERE = ("min-isr", "elr-off", "elect", "stream-restart", "stream-kill")
"""Kinds of faults that need no command."""


def command_option(name: str) -> str:
    """Return the option of a template."""
    return f"--{name}-command"


def command_problem(option: str, command: str) -> str:
    """Return the reason why a command of an option cannot be run; empty if it can."""
    try:
        words = shlex.split(command)
    except ValueError as error:
        return f"{option} {command!r} is not a command line: {error}."
    if not words:
        return f"{option} is empty: give a command."
    if "{" not in words[0] and shutil.which(words[0]) is None:
        return f"{option} {command!r}: there is no program {words[0]!r}, or it cannot be executed."
    return ""


def command_name(command: str) -> str:
    """Return the name of the program that a command line runs, without its folder."""
    return Path(shlex.split(command)[0]).name


def template_problems(given: Mapping[str, str]) -> list[str]:
    """Return one sentence for each invalid template and each without its partner.

    `given` has the templates by name, without those that were not given.
    """
    found = []
    for name, template in given.items():
        rule = TEMPLATES[name]
        found.append(
            command_problem(command_option(name), template) or _placeholder_problem(name, template)
        )
        if rule.partner and not any(partner in given for partner in rule.partner):
            partners = " or ".join(map(command_option, rule.partner))
            found.append(f"{command_option(name)} needs {partners}.")
    return [problem for problem in found if problem]


def _placeholder_problem(name: str, template: str) -> str:
    expected = TEMPLATES[name].placeholders
    given = f"{command_option(name)} {template!r}"
    known = " and ".join(f"{{{word}}}" for word in expected)
    try:
        parts = list(string.Formatter().parse(template))
    except ValueError as error:
        return f"{given} is not a template: {error}; write {{{{ for a brace."
    fields = [
        (field, form, conversion) for _, field, form, conversion in parts if field is not None
    ]
    for field, form, conversion in fields:
        if field not in expected or form or conversion:
            return (
                f"{given} has an unknown placeholder {{{field}}}: it may have"
                f" {known}; write {{{{ for a brace."
            )
    if missing := [word for word in expected if word not in {field for field, _, _ in fields}]:
        return f"{given} has no {{{missing[0]}}}: it needs {known}."
    return ""


def filled(template: str, **nodes: int) -> list[str]:
    """Return the words of a template for these nodes."""
    return [word.format(**nodes) for word in shlex.split(template)]
