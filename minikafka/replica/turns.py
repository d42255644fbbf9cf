"""Work on many items, a few in each step, so that no step takes long."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, Generic, TypeVar

from minikafka.common.environment import Environment

POSTPONED_MS: Final = 1_000

K = TypeVar("K")
V = TypeVar("V")


def _nothing() -> None:
    """The default for `Turns.after`: do nothing."""


def _nothing_with(_: object) -> None:
    """The default for `Turns.before`: do nothing."""


@dataclass(slots=True, eq=False, repr=False)
class Turns(Generic[K, V]):
    """A queue of items for `work`, in order of arrival; one step handles at most `most` of them."""

    env: Environment
    most: int
    work: Callable[[K, V], None]
    after: Callable[[], None] = _nothing
    """Called at the end of every turn, and of `finish`."""
    before: Callable[[Collection[V]], None] = _nothing_with
    """Called before every turn, with the values of its items."""
    _waiting: dict[K, V] = field(default_factory=dict)
    _postponed: dict[K, V] = field(default_factory=dict)
    _is_scheduled: bool = False
    _resumes: bool = False

    def __contains__(self, key: K) -> bool:
        return key in self._waiting or key in self._postponed

    def __bool__(self) -> bool:
        return bool(self._waiting or self._postponed)

    def put(self, key: K, value: V) -> None:
        """Add an item; `begin` must follow. A later value replaces an earlier one."""
        self._postponed.pop(key, None)
        self._waiting[key] = value

    def postpone(self, key: K, value: V) -> None:
        """Add an item in `POSTPONED_MS`, unless `put` is called with a later value before."""
        self._waiting.pop(key, None)
        self._postponed[key] = value
        if not self._resumes:
            self._resumes = True
            self.env.after(POSTPONED_MS, self._resume)

    def _resume(self) -> None:
        self._resumes = False
        postponed, self._postponed = self._postponed, {}
        self._waiting = postponed | self._waiting
        if self._waiting:
            self.begin()

    def drop(self, key: K) -> bool:
        """Remove the item of a key; False if there is none."""
        known = key in self
        self._waiting.pop(key, None)
        self._postponed.pop(key, None)
        return known

    def clear(self) -> None:
        """Remove all items."""
        self._waiting.clear()
        self._postponed.clear()

    def begin(self) -> None:
        """Work on a few items now, unless a turn is scheduled, and on the others in later steps."""
        if not self._is_scheduled:
            self._turn()

    def finish(self) -> None:
        """Work on all items in this step."""
        self._waiting = self._postponed | self._waiting
        self._postponed = {}
        for key in list(self._waiting):
            if key in self._waiting:
                self.work(key, self._waiting.pop(key))
        self.after()

    def _turn(self) -> None:
        self._is_scheduled = False
        keys = list(islice(self._waiting, self.most))
        self.before([self._waiting[key] for key in keys])
        for key in keys:
            if key in self._waiting:
                self.work(key, self._waiting.pop(key))
        if self._waiting:
            self._is_scheduled = True
            self.env.later(self._turn)
        self.after()
