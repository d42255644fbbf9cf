"""The waits of handlers: generators that yield what they wait for.

A handler that never waits is a plain function that returns its response. A handler that waits is a
generator: `yield from wait_until(…)`, `yield from compute(…)`. The node parks it and resumes it in
a later step. A wait returns "settled", not "succeeded": the handler reads the result itself.
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from minikafka.common.environment import Environment
from minikafka.common.wait_key import WaitKey

T = TypeVar("T")

FOREVER_MS = 1 << 62

CLOSE = object()
"""Returned instead of a response: close the connection, as Kafka does if acks=0 failed."""


@dataclass(slots=True, eq=False, repr=False)
class WaitUntil:
    """Resume when `settled()` after a key was notified (True), or at the deadline (False).

    After a wait `for_answer_only` the handler only builds its response, so the wait ends when the
    connection closes.
    """

    keys: Sequence[Hashable]
    settled: Callable[[], bool]
    deadline_ms: int
    for_answer_only: bool = False


@dataclass(slots=True, eq=False, repr=False)
class Compute:
    """Run `function` as `Environment.work` does; resume with its result, or with its error.

    If the connection closes before the computation starts, the handler ends here.
    """

    function: Callable[[], object]


Step = WaitUntil | Compute
Steps = Generator[Step, Any, T]


def wait_until(
    keys: Sequence[Hashable],
    settled: Callable[[], bool],
    deadline_ms: int,
    *,
    for_answer_only: bool = False,
) -> Steps[bool]:
    """Wait until `settled()` is true; return False if the deadline passes first."""
    if settled():
        return True
    return bool((yield WaitUntil(keys, settled, deadline_ms, for_answer_only)))


def next_turn(env: Environment, *, for_answer_only: bool) -> Steps[None]:
    """Continue in a later step, after the work that is queued already; see `Environment.spend`."""
    key = WaitKey("turn")
    has_turn = False

    def turn() -> None:
        nonlocal has_turn
        has_turn = True
        env.notify(key)

    env.later(turn)
    yield from wait_until([key], lambda: has_turn, FOREVER_MS, for_answer_only=for_answer_only)


def compute(function: Callable[[], T]) -> Steps[T]:
    """Return the result of `function`, computed outside the node's step.

    Raises:
        Exception: the error that `function` raised.
    """
    result: T = yield Compute(function)
    return result
