"""Scenarios as text: what is done to a simulated cluster, and below each command what came of it.

    # A comment.
    cluster brokers=3 min.isr=2
    topic t replicas=1,2,3
            1.0s  t        leader 1 epoch 0 ISR 1,2,3
    kill 2

A command begins in the first column; what is indented is what its command is expected to bring
about. `ScenarioRunner` runs commands; `play` puts what happened in the place of what was
expected, so that a file that is up to date plays into itself.
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
    """One line of what is done."""

    file: str
    line: int
    text: str

    @property
    def name(self) -> str:
        """Its first word."""
        return self.text.split()[0]

    def wrong(self, what: str) -> ScenarioError:
        """Why it cannot be carried out."""
        return ScenarioError(f"{self.file}:{self.line}: {what}")

    def words(self) -> "CommandArguments":
        """What stands behind its name."""
        plain, options = [], {}
        for word in self.text.split()[1:]:
            key, equals, value = word.partition("=")
            if not equals:
                plain.append(word)
            elif key in options:
                raise self.wrong(f"{key}= is there twice")
            else:
                options[key] = value
        return CommandArguments(self, plain, options)


@dataclass(slots=True)
class CommandArguments:
    """The words of a command; each is taken once, and `finish` says what nobody has taken.

    Raises:
        ScenarioError: from every method, where a word is not what it must be.
    """

    command: Command
    plain: list[str]
    options: dict[str, str]

    def option(self, name: str, default: str = "") -> str:
        """The value of `name=`."""
        return self.options.pop(name, default)

    def switch(self, name: str, *, default: bool) -> bool:
        """The value of `name=on` or `name=off`."""
        return self.one_of(name, {"on": True, "off": False}, "on" if default else "off")

    def one_of(self, name: str, values: Mapping[str, bool], default: str) -> bool:
        """What a value of an option stands for."""
        given = self.option(name, default)
        if given not in values:
            raise self.command.wrong(f"{name}={given}: it is {' or '.join(values)}")
        return values[given]

    def number(self, name: str, default: int) -> int:
        """The value of `name=`, which is a number."""
        return self.to_number(self.option(name, str(default)), f"{name}=")

    def numbers(self, text: str) -> list[int]:
        """Numbers with commas between them."""
        return [self.to_number(each) for each in text.split(",")]

    def to_number(self, text: str, before: str = "") -> int:
        """A word that is a number."""
        if not text.isdecimal():
            raise self.command.wrong(f"{before}{text}: it is a number")
        return int(text)

    def next(self, what: str) -> str:
        """The next word without an equals sign."""
        if not self.plain:
            raise self.command.wrong(f"{self.command.name} needs {what}")
        return self.plain.pop(0)

    def rest(self, what: str) -> list[str]:
        """All words without an equals sign; there must be one."""
        first = self.next(what)
        rest, self.plain = [first, *self.plain], []
        return rest

    def duration_ms(self, text: str) -> int:
        """A time as in 300ms or 1.5s."""
        match = _DURATION.fullmatch(text)
        if match is None:
            raise self.command.wrong(f"{text}: it is a time, as 300ms or 1.5s")
        return round(float(match[1]) * (1 if match[2] == "ms" else _MS_PER_S))

    def finish(self) -> None:
        """Nothing is left."""
        for word in (*self.plain, *(f"{key}=" for key in self.options)):
            raise self.command.wrong(f"{self.command.name} knows no {word}")


@dataclass(slots=True)
class Scenario:
    """A file: commands, and the lines among which they stand."""

    commands: list[Command] = field(default_factory=list)
    traces: list[list[str]] = field(default_factory=list)
    """What each command is expected to bring about."""
    _lines: list[str | Command] = field(default_factory=list)

    def text(self, traces: list[list[str]]) -> str:
        """The file with these traces below its commands."""
        found = []
        trace = iter(traces)
        for line in self._lines:
            if isinstance(line, Command):
                found += [line.text, *(f"{_INDENT}{each}" for each in next(trace, ()))]
            else:
                found.append(line)
        return "\n".join(found) + "\n"

    def take(self, line: str | Command) -> None:
        """The next line that is no expectation."""
        self._lines.append(line)
        if isinstance(line, Command):
            self.commands.append(line)
            self.traces.append([])


def parse(text: str, file: str, known: Mapping[str, object]) -> Scenario:
    """A scenario from its text; `known` are the names of commands.

    Raises:
        ScenarioError: a line that is no command, or an expectation of nothing.
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
    """What each command brought about. It ends with the first one that raises.

    Raises:
        ScenarioError: a command cannot be carried out.
    """
    return [carry_out(command) for command in scenario.commands]


def without_times(text: str) -> str:
    """A scenario's text to compare: what happens, and in which order, but not when."""
    return _TIME.sub(_INDENT, text)


def spans(numbers: list[int], prefix: str = "") -> str:
    """Numbers in rising order with runs drawn together: r1-r3 r5."""
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
