"""Transient errors of a simulated disk: an operation fails once, and a retry succeeds.

A write that fails may have written some of its bytes, and truncating them may fail, too. Bytes that
a sync could not write are lost although the next sync succeeds: the kernel marks them clean, and
drops them from its page cache when the process has ended, at the latest.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Final

from minikafka.common.faults import StorageFault

IO_ERROR: Final = "Input/output error"
NO_SPACE: Final = "No space left on device"
WRITES: Final = ("append", "create", "make", "rename")
"""Operations that a full disk refuses."""
SYNCS: Final = ("sync", "sync folder", "sync all")
_OPERATIONS: Final = (3, 30, 300)


class TornWriteFault(StorageFault):
    """A write or a sync that failed after `share` of its bytes were written."""

    def __init__(self, log_dir: str, reason: str, share: float) -> None:
        """Store the directory, the reason, and the share that was written."""
        super().__init__(log_dir, reason)
        self.share: Final = share


@dataclass(slots=True)
class OneError:
    """The failure of the operation after `operations` others of these kinds; no `kinds`: of any.

    A failing append or sync writes `share` of its bytes. With `tail_stays` the bytes of a failing
    append cannot be truncated. `on_error` gets the kind of operation that failed.
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
    """Draw an error: at a write if `is_full`, otherwise at any operation, often at a sync."""
    kinds = WRITES if is_full else rng.choice(((), SYNCS, ("read",)))
    return OneError(
        NO_SPACE if is_full else IO_ERROR,
        rng.randint(0, rng.choice(_OPERATIONS)),
        kinds,
        share=rng.random(),
        tail_stays=rng.random() < 0.5,
    )
