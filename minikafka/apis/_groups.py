"""Waits of group API handlers for the results of the coordinator."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from minikafka.common.errors import ErrorCode
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


def await_writes(writes: Sequence[Write]) -> Steps[list[ErrorCode]]:
    """Wait until each write is committed, has failed, or has timed out; return the results."""
    for write in writes:
        yield from wait_until((write.key,), write.settled, write.deadline_ms)
        write.expire()
    return _results(writes)


def when_settled(writes: Sequence[Write], respond: Callable[[list[ErrorCode]], T]) -> T | Steps[T]:
    """Return `respond` of the results of the writes: at once if there are all, or after a wait."""
    if all(write.settled() for write in writes):
        return respond(_results(writes))
    return _respond_later(writes, respond)


def _respond_later(writes: Sequence[Write], respond: Callable[[list[ErrorCode]], T]) -> Steps[T]:
    return respond((yield from await_writes(writes)))


def _results(writes: Sequence[Write]) -> list[ErrorCode]:
    return [write.code or ErrorCode.NONE for write in writes]
