"""How handlers of group APIs wait for what the coordinator decides."""

from collections.abc import Sequence
from typing import TypeVar

from minikafka.apis._steps import FOREVER_MS, Steps, wait_until
from minikafka.group.journal import Write
from minikafka.group.pending import Pending

T = TypeVar("T")


def await_answer(pending: Pending[T]) -> Steps[T]:
    """The answer, however long it takes; a write that it depends on has its own time limit."""
    write = pending.write
    if write is not None:
        yield from wait_until((pending, write.key), pending.settled, write.deadline_ms)
        write.expire()
    yield from wait_until((pending,), pending.settled, FOREVER_MS)
    assert pending.answer is not None
    return pending.answer


def await_writes(writes: Sequence[Write]) -> Steps[None]:
    """Return when each write is decided: committed, failed, or out of time."""
    for write in writes:
        yield from wait_until((write.key,), write.settled, write.deadline_ms)
        write.expire()
