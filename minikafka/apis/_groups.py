"""Waits of group API handlers for the results of the coordinator."""

from collections.abc import Sequence
from typing import TypeVar

from minikafka.coordinator.journal import Write
from minikafka.coordinator.pending import Pending
from minikafka.serving.steps import FOREVER_MS, Steps, wait_until

T = TypeVar("T")


def await_answer(pending: Pending[T]) -> Steps[T]:
    """Return the answer, without a deadline; a write that it depends on has its own deadline."""
    write = pending.write
    if write is not None:
        yield from wait_until((pending, write.key), pending.settled, write.deadline_ms)
        write.expire()
    yield from wait_until((pending,), pending.settled, FOREVER_MS)
    assert pending.answer is not None
    return pending.answer


def await_writes(writes: Sequence[Write]) -> Steps[None]:
    """Wait until each write is committed, has failed, or has timed out."""
    for write in writes:
        yield from wait_until((write.key,), write.settled, write.deadline_ms)
        write.expire()
