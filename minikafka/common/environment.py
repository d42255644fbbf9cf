"""What every state machine of a node is given: time, timers, effects, entropy, wake-ups."""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from minikafka.common.budget import STEP_UNITS, Budget
from minikafka.common.clock import Clock
from minikafka.common.effects import Effect, Flush, SyncTarget, Work
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.timers import Timer, Timers

FlushCallback = Callable[[StorageFault | None], None]
WorkCallback = Callable[[Any, Exception | None], None]

_log = logging.getLogger("minikafka.node")
_MOST_WORKS: Final = 4
"""Functions that the shell has at a time: each of its two workers has one, and the next one."""


def _log_contained(what: str, error: Exception) -> None:
    _log.error("%s failed; the node goes on", what, exc_info=error)


def _cannot_contain(fault: StorageFault) -> None:
    raise fault


@dataclass(slots=True)
class Environment:
    """The surroundings of state machines inside one node.

    `effects` collects what the running step wants done. `notified` collects keys whose parked
    handlers are to be looked at again before the step ends.

    `contain` is the barrier between what one request or one answer causes and the node: every place
    that runs code on behalf of a client or of another node's answer passes unexpected errors to it.
    """

    rng: Random
    clock: Clock = field(default_factory=Clock)
    timers: Timers = field(default_factory=Timers)
    effects: list[Effect] = field(default_factory=list)
    notified: list[Hashable] = field(default_factory=list)
    units_per_step: int = STEP_UNITS
    budget: Budget = field(default_factory=lambda: Budget(STEP_UNITS))
    """What the running step may still compute."""
    queued_bytes: int = 0
    """Bytes of records that were copied since their validation takes longer than a step."""
    client: Hashable = None
    """On whose behalf the running step computes: a connection, or None."""
    on_contained: Callable[[str, Exception], None] = _log_contained
    on_storage_fault: Callable[[StorageFault], None] = _cannot_contain
    """Takes a log directory offline; raises where the node cannot go on without it."""
    _later: deque[Callable[[], None]] = field(default_factory=deque)
    _flushes: dict[int, FlushCallback] = field(default_factory=dict)
    _flush_count: int = 0
    _works: dict[int, WorkCallback] = field(default_factory=dict)
    _work_count: int = 0
    _works_begun: int = 0
    """Works that the shell has."""
    _waiting_works: dict[Hashable, deque[Work]] = field(default_factory=dict)
    """Works that wait for others to end, by client, in the order in which clients have a turn."""

    def after(self, delay_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back once, `delay_ms` from now."""
        return self.timers.at(self.clock.monotonic_ms + delay_ms, callback)

    def later(self, work: Callable[[], None]) -> None:
        """Run one slice of a long piece of work in a step of its own, after what else is due.

        A timer of 0 ms does not do that: it fires before its own step ends. Slices take turns; work
        that has more to do asks for the next one. Between two slices the shell delivers what came.
        """
        self._later.append(work)

    def next_deadline_ms(self) -> int | None:
        """When something is to be done next, or None; now, where a slice waits for its step."""
        return self.clock.monotonic_ms if self._later else self.timers.next_deadline_ms()

    def take_later(self) -> Callable[[], None] | None:
        """The next slice, if there is one."""
        return self._later.popleft() if self._later else None

    def end(self) -> None:
        """Drop what is due, deferred or notified; the node has ended."""
        self.timers.clear()
        self._later.clear()
        self._works.clear()
        self._waiting_works.clear()
        self.notified.clear()

    def notify(self, key: Hashable) -> None:
        """Something that waiters for `key` may be waiting for has changed."""
        self.notified.append(key)

    def flush(self, targets: Sequence[SyncTarget], on_done: FlushCallback) -> None:
        """Make `targets` durable away from this step; call back with a fault, or None."""
        self._flush_count += 1
        self._flushes[self._flush_count] = on_done
        self.effects.append(Flush(self._flush_count, targets))

    def flush_done(self, token: int, fault: StorageFault | None) -> None:
        """The shell is done with a flush."""
        self._flushes.pop(token)(fault)

    def work(self, function: Callable[[], object], on_done: WorkCallback) -> int:
        """Run `function` away from this step; call back in a later one with its result or error.

        Returns the token by which `drop_work` knows it.

        For what computes longer than a step may take and needs none of the node's state. Functions
        may run at the same time, and end in any order. A few are begun at a time; clients whose
        functions wait take turns, so that none waits for all that another one asked for.
        """
        self._work_count += 1
        self._works[self._work_count] = on_done
        work = Work(self._work_count, function)
        if self._works_begun < _MOST_WORKS:
            self._works_begun += 1
            self.effects.append(work)
        else:
            self._waiting_works.setdefault(self.client, deque()).append(work)
        return work.token

    def drop_work(self, client: Hashable, token: int) -> bool:
        """Forget a work of `client` that was not begun; False if it was. Nothing is called back."""
        queue = self._waiting_works.get(client)
        if queue is None or all(each.token != token for each in queue):
            return False
        queue = deque(each for each in queue if each.token != token)
        self._waiting_works[client] = queue
        if not queue:
            del self._waiting_works[client]
        del self._works[token]
        return True

    def work_done(self, token: int, result: object, error: Exception | None) -> None:
        """A function has returned or raised; nothing is called back after the node's end."""
        on_done = self._works.pop(token, None)
        if on_done is None:
            return
        self._begin_next_work()
        try:
            on_done(result, error)
        except Exception as unexpected:  # noqa: BLE001 - the barrier judges it
            self.contain("the end of a computation", unexpected)

    def _begin_next_work(self) -> None:
        """One work has ended: the client that is first has the turn, and is last then."""
        client = next(iter(self._waiting_works), None)
        queue = self._waiting_works.pop(client, None)
        if queue is None:
            self._works_begun -= 1
            return
        self.effects.append(queue.popleft())
        if queue:
            self._waiting_works[client] = queue

    def contain(self, what: str, error: Exception) -> None:
        """Keep an error within the request, call or timer that met it, which `what` names.

        A bug that one request reveals must not take the node away from all other clients: the
        error is logged with its stack, and the caller answers UNKNOWN_SERVER_ERROR, or closes the
        connection or channel. A `StorageFault` takes its log directory offline. Three kinds of
        errors do end the node: those outside of any request (the node's own periodic work, a
        flush), since no client would notice that the work has stopped; those below.

        Raises:
            InvariantViolation: a rule of storage or of the quorum does not hold; what the node
                would do next could lose records.
            StorageFault: of the directory of the metadata log, or of the last one.
        """
        if isinstance(error, InvariantViolation):
            raise error
        if isinstance(error, StorageFault):
            self.on_storage_fault(error)
        else:
            self.on_contained(what, error)

    def guarded(self, what: str, callback: Callable[[], None]) -> Callable[[], None]:
        """`callback` for a timer that serves clients: its errors are contained."""

        def run() -> None:
            try:
                callback()
            except Exception as error:  # noqa: BLE001 - the barrier judges it
                self.contain(what, error)

        return run
