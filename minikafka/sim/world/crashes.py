"""Crashes of a process or its machine at a disk operation, within a step."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


class CrashWithinStep(BaseException):
    """A crash of the process or its machine at a disk operation, within a step.

    An append that it interrupts has written `share` of its bytes.
    """

    def __init__(self, share: float = 0.0) -> None:
        """Crash at the beginning of an operation, or within it."""
        super().__init__(share)
        self.share: Final = share


@dataclass(slots=True)
class Crash:
    """A crash at the disk operation that comes after `operations` others.

    The machine loses power (`power`), or only the process is killed. An append that the crash
    interrupts has written `share` of its bytes. `on_crash` is called after the crash.
    """

    operations: int
    power: bool
    share: float = 0.0
    on_crash: Callable[[], None] = lambda: None


@dataclass(slots=True)
class PlannedCrashes:
    """The crashes that are planned for the present process of a machine.

    `next` comes at one of its next disk operations. `in_closing` replaces it when the process
    closes its logs.
    """

    next: Crash | None = None
    in_closing: Crash | None = None
    is_closing: bool = False
    """The process closes its logs in this step."""
    closing_operations: int = 0
    """Number of disk operations with which the last process closed its logs."""

    def process_starts(self, crash: Crash | None) -> None:
        """Plan a crash of a new process; None: no crash."""
        self.next = crash
        self.closing_operations = 0

    def process_ended(self) -> None:
        """Drop the crashes of the process."""
        self.is_closing = False
        self.next = self.in_closing = None

    def begins_to_close(self) -> None:
        """Count the disk operations from now as those that close the logs."""
        self.is_closing = True
        if self.in_closing is not None:
            self.next = self.in_closing

    def before_operation(self) -> None:
        """Count a disk operation.

        Raises:
            CrashWithinStep: the crash comes at this operation.
        """
        crash = self.next
        if crash is not None:
            if crash.operations <= 0:
                share, crash.share = crash.share, 0.0
                raise CrashWithinStep(share)
            crash.operations -= 1
        if self.is_closing:
            self.closing_operations += 1
