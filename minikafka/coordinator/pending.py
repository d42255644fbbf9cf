"""A response that a member waits for."""

from dataclasses import dataclass
from typing import Generic, TypeVar

from minikafka.common.environment import Environment
from minikafka.coordinator.journal import Write

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Pending(Generic[T]):
    """A response that may be set later; the object itself is the key that is then notified.

    Only the first answer counts. If it depends on a write, `write` is that write, and the waiting
    request must wait for its key as well.
    """

    env: Environment
    answer: T | None = None
    write: Write | None = None

    def complete(self, answer: T) -> None:
        """Set the answer."""
        if self.answer is None:
            self.answer = answer
            self.env.notify(self)

    def settled(self) -> bool:
        """True if the answer is set."""
        if self.answer is None and self.write is not None:
            self.write.settled()
        return self.answer is not None
