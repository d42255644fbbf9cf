"""An answer that a member waits for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from minikafka.common.environment import Environment
from minikafka.group.journal import Write

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Pending(Generic[T]):
    """Notified, as its own key, when `answer` is there; the first answer stays.

    Where the answer depends on a write, `write` names it: whoever waits has to look at it as well.
    """

    env: Environment
    answer: T | None = None
    write: Write | None = None

    def complete(self, answer: T) -> None:
        """Give the answer."""
        if self.answer is None:
            self.answer = answer
            self.env.notify(self)

    def settled(self) -> bool:
        """Whether the answer is there."""
        if self.answer is None and self.write is not None:
            self.write.settled()
        return self.answer is not None
