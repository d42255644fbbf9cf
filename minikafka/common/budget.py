"""What one step may compute before the rest has to be done elsewhere."""

from dataclasses import dataclass
from typing import Final

STEP_UNITS: Final = 4096
"""Units of work in one step where a unit takes interpreted code: some 3 ms."""


@dataclass(slots=True)
class Budget:
    """Units of work that are left. A unit is what the check of one record costs.

    `None` is no bound: for what does not run inside of a step.
    """

    units: int | None = None

    def has(self, units: int) -> bool:
        """True if so many units are left."""
        return self.units is None or units <= self.units

    def spend(self, units: int) -> None:
        """Note work that was done; more of it than expected leaves nothing."""
        if self.units is not None:
            self.units = max(self.units - units, 0)


class OverBudgetError(Exception):
    """This would take longer than the rest of the step; nothing was done or changed."""
