"""The options of Kafka's command line tools as parsed, and the errors of the tools.

As in Kafka's tools, an option that takes one value and was given twice is an error.
"""

from collections.abc import Iterable, Mapping

from minikafka.common.whole_numbers import INT32_MAX, INT32_MIN, is_whole_number, whole_number

FAILED = 1
"""The exit status of a tool that failed."""


class ToolError(Exception):
    """A tool cannot do its work; the message says why."""


class UsageError(ToolError):
    """Options conflict or are missing; a hint to --help is printed with the message."""


class Options:
    """The options of one command line."""

    def __init__(self, given: Mapping[str, list[str] | bool | None]) -> None:
        """Keep the parsed options: a list of values, or True for a flag."""
        self._given = given

    def has(self, name: str) -> bool:
        """True if the option was given."""
        return bool(self._given.get(name))

    def values(self, name: str) -> list[str]:
        """Return every value of an option, in the order given."""
        found = self._given.get(name)
        return list(found) if isinstance(found, list) else []

    def value(self, name: str) -> str | None:
        """Return the value of an option; None if it is missing.

        Raises:
            ToolError: if there are several values.
        """
        found = self.values(name)
        if len(found) > 1:
            raise ToolError(
                f"Found multiple arguments for option {name}, but you asked for only one"
            )
        return found[0] if found else None

    def integer(self, name: str) -> int | None:
        """Return the value of an option as a number of 32 bits; None if it is missing.

        Raises:
            ToolError: if it is not such a number.
        """
        text = self.value(name)
        if text is None:
            return None
        try:
            return whole_number(text, INT32_MIN, INT32_MAX)
        except ValueError as error:
            why = f": {error}" if is_whole_number(text) else ""
            raise ToolError(f"Cannot parse argument '{text}' of option {name}{why}") from None

    def refuse(self, name: str, others: Iterable[str]) -> None:
        """Raise a UsageError if `name` was given together with one of `others`."""
        for other in others:
            if self.has(name) and self.has(other):
                raise UsageError(f'Option "[{name}]" can\'t be used with option "[{other}]"')

    def require(self, name: str) -> None:
        """Raise a UsageError if `name` is missing."""
        if not self.has(name):
            raise UsageError(f'Missing required argument "[{name}]"')
