"""The legal transitions of a state machine, as one table that code and readers share."""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Generic, TypeVar

from minikafka.common.faults import InvariantViolation

S = TypeVar("S", bound=Enum)


class StateTable(Generic[S]):
    """A table of the states that may follow each state."""

    __slots__ = ("_next", "_what")

    def __init__(self, what: str, following: Mapping[S, tuple[S, ...]]) -> None:
        """Make the table of the machine `what`, as messages name it."""
        self._what = what
        self._next = dict(following)

    def __iter__(self) -> Iterator[tuple[S, S]]:
        """The legal transitions, as pairs of states."""
        return ((before, after) for before, states in self._next.items() for after in states)

    def require(self, before: S, after: S, who: object = "") -> None:
        """Accept the transition of `who`, the instance.

        Raises:
            InvariantViolation: the table has no such transition.
        """
        if after not in self._next[before]:
            name = f"{self._what} {who}".rstrip()
            raise InvariantViolation(f"{name}: {before.name} -> {after.name} is not legal")
