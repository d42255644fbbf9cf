"""The services for all state machines of a node: time, timers, effects, randomness, wake-ups."""

import logging
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final

from minikafka.common.budget import STEP_BUDGET_US, STEP_UNITS, Budget
from minikafka.common.clock import Clock
from minikafka.common.effects import Effect, Flush, SyncTarget, Work
from minikafka.common.faults import InvariantViolation, OutOfFilesError, StorageFault
from minikafka.common.timers import Timer, Timers

FlushCallback = Callable[[StorageFault | None], None]
WorkCallback = Callable[[Any, Exception | None], None]

_log = logging.getLogger("minikafka.node")
RETRY_MS: Final = 1_000
"""The pause before work is repeated for which there was no file descriptor."""
_LOG_AGAIN_MS: Final = 60_000
_MAX_WORKS: Final = 4
"""Functions that the shell has at a time: each of its two workers has one and the next one."""


def _log_contained(what: str, error: Exception) -> None:
    _log.error("%s failed; the node keeps running", what, exc_info=error)


@dataclass(slots=True, eq=False, repr=False)
class EndlessWorkLog:
    """Warns, once a minute, that work of this node starts itself again and again."""

    clock: Clock
    _logged_ms: int | None = None

    def __call__(self, what: str) -> None:
        """Log `what`."""
        now_ms = self.clock.monotonic_ms
        if self._logged_ms is None or now_ms >= self._logged_ms + _LOG_AGAIN_MS:
            self._logged_ms = now_ms
            _log.warning(
                "%s start again and again without any delay; the node serves its clients, but uses "
                "a whole CPU. This is a bug in minikafka: please report it with this line.",
                what,
            )


def _cannot_contain(fault: StorageFault) -> None:
    raise fault


@dataclass(slots=True, eq=False, repr=False)
class Environment:
    """The environment of the state machines in one node.

    `effects` collects the effects of the running step. `notified` collects keys whose waiting
    handlers must be checked again before the step ends.

    `contain` is the barrier between one request or response and the node: all code that runs for a
    client, or for the response of another node, passes unexpected errors to it.
    """

    rng: Random
    clock: Clock = field(default_factory=Clock)
    timers: Timers = field(default_factory=Timers)
    effects: list[Effect] = field(default_factory=list)
    notified: list[Hashable] = field(default_factory=list)
    units_per_step: int = STEP_UNITS
    budget: Budget = field(default_factory=lambda: Budget(STEP_UNITS))
    """The budget that is left in the running step."""
    spent_us: float = 0
    """The cost of the long work in the running step; see `spend`."""
    queued_bytes: int = 0
    """Bytes of records that were copied because their validation takes longer than a step."""
    client: Hashable = None
    """The connection for which the running step computes, or None."""
    on_contained: Callable[[str, Exception], None] = _log_contained
    on_endless_work: Callable[[str], None] = field(init=False)
    """Gets the name of timers or requests that start one another again and again within an instant,
    more often than any request needs."""
    on_storage_fault: Callable[[StorageFault], None] = _cannot_contain
    """Takes a log directory offline; raises if the node cannot run without it, as a node without
    the broker role does for each. The broker's replicas hold this object, so a node with that role
    replaces the default after they are made."""
    draw_secret: Callable[[int], bytes] = field(init=False)
    """Returns unpredictable bytes, for values that protect a login. A process sets it to the
    system's source: the numbers of `rng` can be predicted from earlier ones."""
    _later: deque[Callable[[], None]] = field(default_factory=deque)
    _flushes: dict[int, tuple[Sequence[SyncTarget], FlushCallback]] = field(default_factory=dict)
    _flush_count: int = 0
    _works: dict[int, WorkCallback] = field(default_factory=dict)
    _work_count: int = 0
    _works_begun: int = 0
    """The number of works that the shell has."""
    _waiting_works: dict[Hashable, deque[Work]] = field(default_factory=dict)
    """Works that wait for others to end, by client, in the order of the clients' turns."""

    def __post_init__(self) -> None:
        """Log endless work, unless a simulator replaces `on_endless_work`."""
        self.draw_secret = self.rng.randbytes
        self.on_endless_work = EndlessWorkLog(self.clock)
        self.timers.on_long_chain = lambda name: self.on_endless_work(f"the timers of: {name}")

    def renew_budget(self) -> None:
        """Let the running step spend as much as at its beginning."""
        self.budget.units = self.units_per_step

    def after(self, delay_ms: int, callback: Callable[[], None]) -> Timer:
        """Call back once, `delay_ms` from now."""
        return self.timers.at(self.clock.monotonic_ms + delay_ms, callback)

    def later(self, work: Callable[[], None]) -> None:
        """Run one slice of a long task in a separate step, after everything else that is due.

        Slices take turns; a task with more slices must call this for each. Between two slices the
        shell delivers events. A timer of 0 ms fires at the end of the same step, or in the next
        step if a timer or a slice schedules it.
        """
        self._later.append(work)

    def spend(self, cost_us: float) -> bool:
        """Count long work of the running step; True if the rest must wait for a later step."""
        self.spent_us += cost_us
        return self.spent_us >= STEP_BUDGET_US

    def spread(self, costs_us: Iterator[float]) -> None:
        """Run an iterator to its end, in as many steps as it takes.

        Each item is the cost of what the iterator has done for it. All long work shares the budget
        of a step: if that is spent already, the first slice runs in a later step as well. Other
        work runs between the slices, and may change any state.
        """

        def run() -> None:
            for cost_us in costs_us:
                if self.spend(cost_us):
                    self.later(run)
                    return

        if self.spend(0):
            self.later(run)
        else:
            run()

    def attempt(self, work: Callable[[], None]) -> None:
        """Call `work`, again every `RETRY_MS` for as long as no file descriptor is left.

        `work` is called from its beginning: it must check that it is still wanted.
        """
        try:
            work()
        except OutOfFilesError:
            self.after(RETRY_MS, partial(self.attempt, work))

    def next_deadline_ms(self) -> int | None:
        """The time at which the next step is due, or None; now, if a slice is waiting."""
        return self.clock.monotonic_ms if self._later else self.timers.next_deadline_ms()

    def take_later(self) -> Callable[[], None] | None:
        """Remove and return the next slice, or None."""
        return self._later.popleft() if self._later else None

    def end(self) -> None:
        """Drop everything that is scheduled, deferred or notified, because the node has ended."""
        self.timers.clear()
        self._later.clear()
        self._works.clear()
        self._waiting_works.clear()
        self.notified.clear()

    def notify(self, key: Hashable) -> None:
        """Wake the handlers that wait for `key`."""
        self.notified.append(key)

    def flush(self, targets: Sequence[SyncTarget], on_done: FlushCallback) -> None:
        """Make `targets` durable outside of this step; call back with a fault, or None.

        A flush that runs out of file descriptors is repeated, as by `attempt`.
        """
        self._flush_count += 1
        self._flushes[self._flush_count] = (targets, on_done)
        self.effects.append(Flush(self._flush_count, targets))

    def flush_done(self, token: int, error: StorageFault | OutOfFilesError | None) -> None:
        """Handle the end of a flush in the shell."""
        targets, on_done = self._flushes.pop(token)
        if isinstance(error, OutOfFilesError):
            self.after(RETRY_MS, lambda: self.flush(targets, on_done))
        else:
            on_done(error)

    def work(self, function: Callable[[], object], on_done: WorkCallback) -> int:
        """Run `function` outside of this step; call back in a later one with its result or error.

        Return the token for `drop_work`.

        For computations that are too long for a step and do not need the node's state. Functions
        may run at the same time and end in any order. A few are started at a time. Clients whose
        functions wait take turns, so that no client has to wait for all functions of another one.
        """
        self._work_count += 1
        self._works[self._work_count] = on_done
        work = Work(self._work_count, function)
        if self._works_begun < _MAX_WORKS:
            self._works_begun += 1
            self.effects.append(work)
        else:
            self._waiting_works.setdefault(self.client, deque()).append(work)
        return work.token

    def drop_work(self, client: Hashable, token: int) -> bool:
        """Drop a work of `client`, without a call back; False if it was started already."""
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
        """Handle the result or error of a function; no call back after the node's end."""
        on_done = self._works.pop(token, None)
        if on_done is None:
            return
        self._begin_next_work()
        try:
            on_done(result, error)
        except Exception as unexpected:  # noqa: BLE001 - `contain` handles it
            self.contain("the end of a computation", unexpected)

    def _begin_next_work(self) -> None:
        """Start the next work: the first client has its turn and moves to the end."""
        client = next(iter(self._waiting_works), None)
        queue = self._waiting_works.pop(client, None)
        if queue is None:
            self._works_begun -= 1
            return
        self.effects.append(queue.popleft())
        if queue:
            self._waiting_works[client] = queue

    def contain(self, what: str, error: Exception) -> None:
        """Contain an error within the request, call or timer that `what` names.

        A bug in the handling of one request must not stop the node for all other clients: the error
        is logged with its stack, and the caller responds UNKNOWN_SERVER_ERROR, or closes the
        connection or channel. A `StorageFault` takes its log directory offline; a lack of file
        descriptors was logged already and has changed nothing. Three kinds of
        errors do stop the node: errors outside of any request (periodic work, a flush), since no
        client would notice that this work has stopped, and those below.

        Raises:
            InvariantViolation: a rule of storage or of the quorum is violated; the node could lose
                records if it kept running.
            StorageFault: the directory of the metadata log, or the last one, has failed.
        """
        if isinstance(error, InvariantViolation):
            raise error
        if isinstance(error, StorageFault):
            self.on_storage_fault(error)
        elif not isinstance(error, OutOfFilesError):
            self.on_contained(what, error)

    def guarded(self, what: str, callback: Callable[[], None]) -> Callable[[], None]:
        """Wrap the callback of a timer that serves clients, so that its errors are contained."""
        return _Guarded(self, what, callback)


@dataclass(slots=True, eq=False)
class _Guarded:
    """A callback whose errors are contained."""

    env: Environment
    what: str
    callback: Callable[[], None]

    def __str__(self) -> str:
        return self.what

    def __call__(self) -> None:
        try:
            self.callback()
        except Exception as error:  # noqa: BLE001 - `contain` handles it
            self.env.contain(self.what, error)
