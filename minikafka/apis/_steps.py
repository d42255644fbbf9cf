"""How a handler waits: generators that yield what they wait for.

A handler that never waits is a plain function that returns its response. One that must wait is a
generator: `yield from wait_until(…)`, `yield from call(…)`. The node parks it and resumes it inside
a later step. A wait says "settled", not "succeeded": the handler reads the outcome itself.
"""

from collections.abc import Callable, Generator, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.wait_key import WaitKey

T = TypeVar("T")

FOREVER_MS = 1 << 62

CLOSE = object()
"""Returned in place of a response: close the connection, as Kafka does where acks=0 failed."""


@dataclass(slots=True)
class WaitUntil:
    """Resume when `settled()` after a key was notified (True), or at the deadline (False).

    What follows a wait `for_answer_only` does nothing but make the answer, so the deadline is now
    when the connection is gone.
    """

    keys: Sequence[Hashable]
    settled: Callable[[], bool]
    deadline_ms: int
    for_answer_only: bool = False


@dataclass(slots=True)
class Call:
    """Send a request to another node; resume with its response, or with a `CallFailed`."""

    channel: Channel
    request: Any
    version: int
    timeout_ms: int


@dataclass(slots=True)
class Compute:
    """Run `function` as `Environment.work` does; resume with its result, or with its error.

    It is for the answer only: where the connection closes before it begins, the handler ends here.
    """

    function: Callable[[], object]


class CallFailed(Exception):  # noqa: N818 - a failed call is no protocol error
    """No answer came: the connection broke, or time ran out."""


Step = WaitUntil | Call | Compute
Steps = Generator[Step, Any, T]


def wait_until(
    keys: Sequence[Hashable],
    settled: Callable[[], bool],
    deadline_ms: int,
    *,
    for_answer_only: bool = False,
) -> Steps[bool]:
    """Whether `settled()` is true now, or after a notification before the deadline."""
    if settled():
        return True
    return bool((yield WaitUntil(keys, settled, deadline_ms, for_answer_only)))


def next_turn(env: Environment, *, for_answer_only: bool) -> Steps[None]:
    """Go on in a later step, after what came meanwhile."""
    key = WaitKey("turn")
    has_turn = False

    def turn() -> None:
        nonlocal has_turn
        has_turn = True
        env.notify(key)

    env.later(turn)
    yield from wait_until([key], lambda: has_turn, FOREVER_MS, for_answer_only=for_answer_only)


def call(channel: Channel, request: Any, version: int, timeout_ms: int) -> Steps[Any]:
    """The response of another node.

    Raises:
        CallFailed: saying why there is none.
    """
    outcome = yield Call(channel, request, version, timeout_ms)
    if isinstance(outcome, CallFailed):
        raise outcome
    return outcome


def compute(function: Callable[[], T]) -> Steps[T]:
    """What `function` returns, computed away from the node's step.

    Raises:
        Exception: what `function` raised.
    """
    result: T = yield Compute(function)
    return result
