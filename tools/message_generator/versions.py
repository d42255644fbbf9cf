"""Version ranges as Kafka's schema language writes them: `3`, `2-5`, `1+`, `none`."""

from typing import NamedTuple

MAX_VERSION = 32767


class Versions(NamedTuple):
    """The versions `low` to `high`, both included; empty when `low > high`."""

    low: int
    high: int

    @classmethod
    def parse(cls, text: str) -> "Versions":
        """The range that `text` spells.

        Raises:
            ValueError: naming the text.
        """
        if text == "none":
            return NO_VERSIONS
        low, dash, high = text.partition("-")
        try:
            if text.endswith("+"):
                return cls(int(text[:-1]), MAX_VERSION)
            return cls(int(low), int(high if dash else low))
        except ValueError:
            raise ValueError(f"{text!r} is not a version range") from None

    def __contains__(self, version: object) -> bool:
        return isinstance(version, int) and self.low <= version <= self.high

    @property
    def is_empty(self) -> bool:
        """True if no version is in it."""
        return self.low > self.high

    def intersect(self, other: "Versions") -> "Versions":
        """The versions in both."""
        both = Versions(max(self.low, other.low), min(self.high, other.high))
        return NO_VERSIONS if both.is_empty else both

    def covers(self, other: "Versions") -> bool:
        """True if every version of `other` is in this range."""
        return other.is_empty or (self.low <= other.low and other.high <= self.high)

    def condition(self, within: "Versions") -> str | None:
        """The Python test for this range, given that `version` is `within`; None if always true.

        Only for ranges that overlap `within`.
        """
        below, above = self.low <= within.low, self.high >= within.high
        if below and above:
            return None
        if below:
            return f"version <= {self.high}"
        if above:
            return f"version >= {self.low}"
        return f"{self.low} <= version <= {self.high}"

    def __str__(self) -> str:
        if self.is_empty:
            return "none"
        if self.high == MAX_VERSION:
            return f"{self.low}+"
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


NO_VERSIONS = Versions(0, -1)
