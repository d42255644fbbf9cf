"""An error that a simulated disk reports once: the same operation works when it is tried again.

A write that fails may have written some of its bytes, and they may resist being cut off. What a
sync could not write is lost although the next sync succeeds: the system has forgotten that it was
not written, and drops it from its memory when the process has ended, at the latest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

IO_ERROR: Final = "Input/output error"
NO_SPACE: Final = "No space left on device"
WRITES: Final = ("append", "create", "make", "rename")
"""Operations that a full disk refuses."""
SYNCS: Final = ("sync", "sync folder", "sync all")
_OPERATIONS: Final = (3, 30, 300)


@dataclass(slots=True)
class OneError:
    """The operation after `operations` others of these kinds fails; without `kinds` any does.

    Of what a failing append or sync should have written, `share` is written. With `tail_stays` the
    bytes of a failing append are not cut off. `on_error` gets the kind of operation that failed.
    """

    reason: str
    operations: int
    kinds: tuple[str, ...] = ()
    share: float = 0.0
    tail_stays: bool = False
    on_error: Callable[[str], None] = lambda _: None

    def is_due(self, operation: str) -> bool:
        """Count an operation; return True if it is the one that fails."""
        if self.kinds and operation not in self.kinds:
            return False
        self.operations -= 1
        return self.operations < 0


def draw_error(rng: Random, *, is_full: bool) -> OneError:
    """Draw an error: of a full disk at a write, or else at any operation, often at a sync."""
    kinds = WRITES if is_full else rng.choice(((), SYNCS, ("read",)))
    return OneError(
        NO_SPACE if is_full else IO_ERROR,
        rng.randint(0, rng.choice(_OPERATIONS)),
        kinds,
        share=rng.random(),
        tail_stays=rng.random() < 0.5,
    )
