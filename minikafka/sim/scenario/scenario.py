"""Scenarios as text: commands for a simulated cluster, and the expected result below each.

    # A comment.
    cluster brokers=3 min.isr=2
    topic t replicas=1,2,3
            1.0s  t        leader 1 epoch 0 ISR 1,2,3
    kill 2

A command begins in the first column; the indented lines below it are its expected result.
`ScenarioRunner` runs commands; `play` replaces expected by actual results, so that a file that is
up to date does not change.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s)")
_TIME = re.compile(r"^ +\d+\.\ds +", re.MULTILINE)
_INDENT = "    "
_MS_PER_S = 1000


class ScenarioError(ValueError):
    """A scenario cannot be played. The message is one line: file, line, what is wrong."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a scenario."""

    file: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """The first word."""
        return self.text.split()[0]

    def wrong(self, what: str) -> ScenarioError:
        """Return an error of this command."""
        return ScenarioError(f"{self.file}:{self.line}: {what}")

    def words(self) -> "CommandArguments":
        """Parse the words after the name."""
        plain, options = [], {}
        for word in self.text.split()[1:]:
            key, equals, value = word.partition("=")
            if not equals:
                plain.append(word)
            elif key in options:
                raise self.wrong(f"{key}= is given twice")
            else:
                options[key] = value
        return CommandArguments(self, plain, options)


@dataclass(slots=True)
class CommandArguments:
    """The words of a command; each is taken once, and `finish` rejects the rest.

    Raises:
        ScenarioError: from every method, for a wrong word.
    """

    command: Command
    plain: list[str]
    options: dict[str, str]

    def option(self, name: str, default: str = "") -> str:
        """Take the value of `name=`."""
        return self.options.pop(name, default)

    def switch(self, name: str, *, default: bool) -> bool:
        """Take the value of `name=on` or `name=off`."""
        return self.one_of(name, {"on": True, "off": False}, "on" if default else "off")

    def one_of(self, name: str, values: Mapping[str, bool], default: str) -> bool:
        """Take an option and map its value."""
        given = self.option(name, default)
        if given not in values:
            raise self.command.wrong(f"{name}={given}: it is {' or '.join(values)}")
        return values[given]

    def number(self, name: str, default: int) -> int:
        """Take the value of `name=`, a number."""
        return self.to_number(self.option(name, str(default)), f"{name}=")

    def numbers(self, text: str) -> list[int]:
        """Parse numbers separated by commas."""
        return [self.to_number(each) for each in text.split(",")]

    def to_number(self, text: str, before: str = "") -> int:
        """Parse a number."""
        if not text.isdecimal():
            raise self.command.wrong(f"{before}{text}: it is a number")
        return int(text)

    def next(self, what: str) -> str:
        """Take the next word without an equals sign."""
        if not self.plain:
            raise self.command.wrong(f"{self.command.name} needs {what}")
        return self.plain.pop(0)

    def rest(self, what: str) -> list[str]:
        """Take all words without an equals sign; there must be one."""
        first = self.next(what)
        rest, self.plain = [first, *self.plain], []
        return rest

    def duration_ms(self, text: str) -> int:
        """Parse a duration, as 300ms or 1.5s."""
        match = _DURATION.fullmatch(text)
        if match is None:
            raise self.command.wrong(f"{text}: it is a time, as 300ms or 1.5s")
        return round(float(match[1]) * (1 if match[2] == "ms" else _MS_PER_S))

    def finish(self) -> None:
        """Check that no word is left."""
        for word in (*self.plain, *(f"{key}=" for key in self.options)):
            raise self.command.wrong(f"{self.command.name} knows no {word}")


@dataclass(slots=True)
class Scenario:
    """A scenario file: commands, comments and expected results."""

    commands: list[Command] = field(default_factory=list)
    traces: list[list[str]] = field(default_factory=list)
    """The expected result of each command."""
    _lines: list[str | Command] = field(default_factory=list)

    def text(self, traces: list[list[str]]) -> str:
        """Return the file with these results below its commands."""
        found = []
        trace = iter(traces)
        for line in self._lines:
            if isinstance(line, Command):
                found += [line.text, *(f"{_INDENT}{each}" for each in next(trace, ()))]
            else:
                found.append(line)
        return "\n".join(found) + "\n"

    def take(self, line: str | Command) -> None:
        """Add a line that is not an expected result."""
        self._lines.append(line)
        if isinstance(line, Command):
            self.commands.append(line)
            self.traces.append([])


def parse(text: str, file: str, known: Mapping[str, object]) -> Scenario:
    """Parse the text of a scenario; `known` are the names of commands.

    Raises:
        ScenarioError: an unknown command, or an expected result before any command.
    """
    scenario = Scenario()
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            scenario.take(line.rstrip())
        elif not line[0].isspace():
            command = Command(file, number, line.rstrip())
            if command.name not in known:
                raise command.wrong(f"no command {command.name}; there is {', '.join(known)}")
            scenario.take(command)
        elif scenario.traces:
            scenario.traces[-1].append(line.strip())
        else:
            raise ScenarioError(f"{file}:{number}: an expectation before any command")
    return scenario


def play(scenario: Scenario, carry_out: Callable[[Command], list[str]]) -> list[list[str]]:
    """Run all commands; return the result of each.

    Raises:
        ScenarioError: a command cannot be run; the rest is not run.
    """
    return [carry_out(command) for command in scenario.commands]


def without_times(text: str) -> str:
    """Return the text of a scenario without times, for comparisons."""
    return _TIME.sub(_INDENT, text)


def spans(numbers: list[int], prefix: str = "") -> str:
    """Format rising numbers with ranges: r1-r3 r5."""
    found: list[list[int]] = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(
        f"{prefix}{first}" if first == last else f"{prefix}{first}-{prefix}{last}"
        for first, last in found
    )
