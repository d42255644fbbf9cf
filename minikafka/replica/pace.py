"""Work on many items, a few in each step, so that no step takes long."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from itertools import islice
from typing import Generic, TypeVar

from minikafka.common.environment import RETRY_MS, Environment

K = TypeVar("K")
V = TypeVar("V")


@dataclass(slots=True, eq=False, repr=False)
class Pace(Generic[K, V]):
    """A queue of items for `work`, in order of arrival; one step handles at most `most` of them.

    `before` is called before each step, with the values of its items, and `after` at its end.
    """

    env: Environment
    most: int
    work: Callable[[K, V], None]
    before: Callable[[Collection[V]], None] = lambda _: None
    after: Callable[[], None] = lambda: None
    _waiting: dict[K, V] = field(default_factory=dict)
    _postponed: dict[K, V] = field(default_factory=dict)
    _is_scheduled: bool = False
    _resumes: bool = False

    def __bool__(self) -> bool:
        return bool(self._waiting or self._postponed)

    def put(self, key: K, value: V) -> None:
        """Add an item; `begin` must follow. A later value replaces an earlier one."""
        self._postponed.pop(key, None)
        self._waiting[key] = value

    def postpone(self, key: K, value: V) -> None:
        """Add an item in `RETRY_MS`, unless `put` is called with a later value before."""
        self._waiting.pop(key, None)
        self._postponed[key] = value
        if not self._resumes:
            self._resumes = True
            self.env.after(RETRY_MS, self._resume)

    def _resume(self) -> None:
        self._resumes = False
        postponed, self._postponed = self._postponed, {}
        self._waiting = postponed | self._waiting
        if self._waiting:
            self.begin()

    def drop(self, key: K) -> None:
        """Remove the item of a key, if there is one."""
        self._waiting.pop(key, None)
        self._postponed.pop(key, None)

    def clear(self) -> None:
        """Remove all items."""
        self._waiting.clear()
        self._postponed.clear()

    def begin(self) -> None:
        """Work on a few items now, unless a step is scheduled, and on the others in later steps."""
        if not self._is_scheduled:
            self._step()

    def _step(self) -> None:
        self._is_scheduled = False
        keys = list(islice(self._waiting, self.most))
        self.before([self._waiting[key] for key in keys])
        for key in keys:
            if key in self._waiting:
                self.work(key, self._waiting.pop(key))
        if self._waiting:
            self._is_scheduled = True
            self.env.later(self._step)
        self.after()
