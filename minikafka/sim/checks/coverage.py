"""The coverage of a run: evaluated rules, events that rules are about, excuses used.

A rule that is never evaluated proves nothing, and neither does a fault without effect. The counts
of a set of seeds are compared with minimums (`tests/simulation/floors.py`).
"""

from collections import Counter
from dataclasses import dataclass, field


@dataclass(slots=True)
class Coverage:
    """Counts by name. `faults` counts only faults that had an effect."""

    rules: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    excuses: Counter[str] = field(default_factory=Counter)

    @property
    def checks(self) -> int:
        """Number of evaluations of all rules."""
        return sum(self.rules.values())

    def add(self, other: "Coverage") -> None:
        """Add the counts of another run."""
        self.rules.update(other.rules)
        self.events.update(other.events)
        self.faults.update(other.faults)
        self.excuses.update(other.excuses)
