"""The limits for the work of one step: longer work runs elsewhere, or in slices."""

from dataclasses import dataclass
from typing import Final

STEP_BUDGET_US: Final = 3_000
"""The time that long work may take in one step, by the costs that are measured for its items."""
STEP_UNITS: Final = 4096
"""Records that Python code checks in that time, at 0.7 us each."""


@dataclass(slots=True, eq=False, repr=False)
class Budget:
    """Units of work that are left in a step. A unit is the cost of checking one record.

    `None` means unlimited, for work outside of a step.
    """

    units: int | None = None

    def has(self, units: int) -> bool:
        """True if so many units are left."""
        return self.units is None or units <= self.units

    def spend(self, units: int) -> None:
        """Subtract work that was done; the result is at least 0."""
        if self.units is not None:
            self.units = max(self.units - units, 0)


class OverBudgetError(Exception):
    """The work would take longer than the rest of the step; nothing was done or changed."""
