"""The event loop of a node: passes events in, carries out effects, with one timer and threads.

This module connects a node to the clock, its sockets and threads. `step` is never reentered: events
that arise while effects are carried out are scheduled for later.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from traceback import clear_frames
from typing import Protocol

from minikafka.common import effects as fx
from minikafka.common.clock import Now
from minikafka.common.events import ChannelDown, Event, FlushDone, ReadFailed, Tick, WorkDone
from minikafka.common.faults import (
    DISK_ERRORS,
    InvariantViolation,
    OutOfFilesError,
    RecordsCutError,
    RecordsGoneError,
    StorageFault,
)
from minikafka.common.file_slice import FileSlice
from minikafka.server.listener import Connections
from minikafka.server.outbound import Outbound

_log = logging.getLogger("minikafka.server")
# Codecs run in parallel with the node's thread; Python code shares the interpreter with it.
_WORKERS = 2
# The `__new__` of a named tuple is Python code; each event has a time.
_new_now: Callable[[tuple[int, int]], Now] = partial(tuple.__new__, Now)


class SteppingNode(Protocol):
    """The methods of a node that the driver calls."""

    def start(self, now: Now) -> Sequence[fx.Effect]:
        """Start; return the effects to carry out, in order."""

    def step(self, event: Event, now: Now) -> Sequence[fx.Effect]:
        """Handle an event; return the effects to carry out, in order."""

    def next_deadline_ms(self) -> int | None:
        """Return the monotonic time of the next Tick, or None."""


def read_clock() -> Now:
    """Return the current time."""
    return _new_now((time.monotonic_ns() // 1_000_000, time.time_ns() // 1_000_000))


def seconds_until(deadline_ms: int) -> float:
    """Return in how many seconds the monotonic clock shows a time."""
    return deadline_ms / 1000 - time.monotonic()


class Driver:
    """Runs one node on an asyncio loop; `halted` gets its exit code when it stops."""

    def __init__(
        self,
        node: SteppingNode,
        loop: asyncio.AbstractEventLoop,
        on_started: Callable[[], None],
        clock: Callable[[], Now] = read_clock,
        *,
        follow_limits: Callable[[], None] = lambda: None,
        held_bytes: Callable[[], int] = lambda: 0,
    ) -> None:
        """Create the parts, and connections with the last two; nothing runs before `start`."""
        self._node = node
        self.clock = clock
        self.delay_s = seconds_until
        """In how many seconds the clock shows a monotonic time."""
        self.loop = loop
        self._on_started = on_started
        self._timer: asyncio.Handle | None = None
        self._timer_at_ms = -1
        self._stepping = False
        self._flusher = ThreadPoolExecutor(max_workers=1, thread_name_prefix="flush")
        self._workers = ThreadPoolExecutor(_WORKERS, thread_name_prefix="work")
        self.halted: asyncio.Future[int] = loop.create_future()
        self.connections = Connections(self.step, loop, self._unreadable, follow_limits, held_bytes)
        self.outbound = Outbound(self.step, loop)

    def start(self) -> None:
        """Start the node."""
        self._guarded(lambda _, now: self._node.start(now), Tick())

    def step(self, event: Event) -> None:
        """Pass an event to the node and carry out its effects."""
        if self.halted.done():
            return
        if self._stepping:
            # The memory of a frame is not valid later, so no event with a frame may arrive here;
            # see `Connections.unmute`.
            self.loop.call_soon(self.step, event)
            return
        self._guarded(self._node.step, event)

    def _guarded(self, work: Callable[[Event, Now], Sequence[fx.Effect]], event: Event) -> None:
        self._stepping = True
        try:
            self._carry_out(work(event, self.clock()))
        except DISK_ERRORS as fault:
            # Without a traceback: the error is on the disk, and the message names the directory.
            _log.critical("the node cannot continue: %s", fault)
            self._halt(1)
        except InvariantViolation as fault:
            _log.critical("the node cannot continue: %s", fault, exc_info=True)
            self._halt(1)
        except Exception:  # noqa: BLE001 - the driver is where faults end
            _log.critical("unexpected error; the node stops", exc_info=True)
            self._halt(1)
        finally:
            self._stepping = False
        self._set_timer()

    def close(self) -> None:
        """Close the sockets, and stop the timer and the threads."""
        if self._timer is not None:
            self._timer.cancel()
        self.connections.close()
        self.outbound.close()
        self._flusher.shutdown(wait=True)
        self._workers.shutdown(wait=True, cancel_futures=True)

    def _carry_out(self, effects: Sequence[fx.Effect]) -> None:
        connections = self.connections
        if len(effects) <= 1:
            for effect in effects:
                self._carry_out_one(effect)
            return
        connections.gather()
        try:
            for effect in effects:
                self._carry_out_one(effect)
        finally:
            connections.release()

    def _carry_out_one(self, effect: fx.Effect) -> None:
        kind = type(effect)
        if kind is fx.Reply:
            self.connections.reply(effect.connection, effect.parts)  # type: ignore[union-attr]
        else:
            self._HANDLERS[kind](self, effect)

    def _send(self, effect: fx.Send) -> None:
        try:
            parts = [resolve(part) for part in effect.parts]
        except Exception as error:  # noqa: BLE001 - one request must not stop the node
            self._unreadable(f"a request to {effect.channel.host}:{effect.channel.port}", error)
            self.outbound.close_channel(effect.channel)
            self.step(ChannelDown(effect.channel, "the content of a request could not be read"))
            return
        self.outbound.send(effect.channel, parts)

    def _unreadable(self, what: str, error: Exception) -> None:
        """Report that records to send cannot be read: a fault, or a deleted or truncated log."""
        if isinstance(error, StorageFault):
            self.step(ReadFailed(error))
        elif isinstance(error, OutOfFilesError):
            _log.info("%s cannot be sent; closing its connection", what)
        elif isinstance(error, RecordsGoneError):
            # INFO for a topic that was deleted while its records waited to be sent; WARNING for
            # the rare case of a truncated log.
            level = logging.WARNING if isinstance(error, RecordsCutError) else logging.INFO
            _log.log(level, "%s cannot be sent; closing its connection: %s", what, error)
        else:
            _log.error("%s cannot be sent; closing its connection", what, exc_info=error)

    def _flush(self, effect: fx.Flush) -> None:
        future = self.loop.run_in_executor(self._flusher, _sync_all, effect.targets)
        future.add_done_callback(lambda done: self._flushed(effect.token, done))

    def _flushed(
        self, token: int, done: asyncio.Future[StorageFault | OutOfFilesError | None]
    ) -> None:
        error = done.exception()
        if error is None:
            self.step(FlushDone(token, done.result()))
        else:
            _log.critical("unexpected error in a flush; the node stops", exc_info=error)
            self._halt(1)

    def _work(self, effect: fx.Work) -> None:
        future = self.loop.run_in_executor(self._workers, effect.function)
        future.add_done_callback(lambda done: self._worked(effect.token, done))

    def _worked(self, token: int, done: asyncio.Future[object]) -> None:
        if done.cancelled():
            return
        error = done.exception()
        # A handler may have released its request.
        self.connections.memory.freed()
        if error is None:
            self.step(WorkDone(token, done.result(), None))
        elif isinstance(error, Exception):
            _drop_locals(error)
            self.step(WorkDone(token, None, error))
        else:
            _log.critical("unexpected error in a worker; the node stops", exc_info=error)
            self._halt(1)

    def _started(self, _: fx.Started) -> None:
        self._on_started()

    def _halted(self, effect: fx.Halt) -> None:
        level = logging.INFO if effect.exit_code == 0 else logging.CRITICAL
        _log.log(level, "stopping: %s", effect.reason)
        self._halt(effect.exit_code)

    def _halt(self, exit_code: int) -> None:
        if not self.halted.done():
            self.halted.set_result(exit_code)

    def _set_timer(self) -> None:
        deadline_ms = self._node.next_deadline_ms()
        if deadline_ms is None:
            return
        if self._timer is not None and self._timer_at_ms <= deadline_ms:
            return
        if self.halted.done():
            return
        if self._timer is not None:
            self._timer.cancel()
        delay_s = self.delay_s(deadline_ms)
        self._timer_at_ms = deadline_ms
        # A due Tick runs in the next turn of the loop, so that sockets are served as well.
        self._timer = (
            self.loop.call_later(delay_s, self._tick)
            if delay_s > 0
            else self.loop.call_soon(self._tick)
        )

    def clock_changed(self) -> None:
        """Set the timer again: the clock now shows another time, or runs at another rate."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.step(Tick())

    def _tick(self) -> None:
        self._timer = None
        self.step(Tick())

    _HANDLERS: dict[type, Callable[["Driver", "fx.Effect"], None]] = {  # noqa: RUF012
        fx.Mute: lambda self, e: self.connections.mute(e.connection),  # type: ignore[union-attr]
        fx.Unmute: lambda self, e: self.connections.unmute(e.connection),  # type: ignore[union-attr]
        fx.Disconnect: lambda self, e: self.connections.disconnect(e.connection),  # type: ignore[union-attr]
        fx.Reset: lambda self, e: self.connections.reset(e.connection),  # type: ignore[union-attr]
        fx.LoggedIn: lambda self, e: self.connections.logged_in(e.connection),  # type: ignore[union-attr]
        fx.Send: _send,  # type: ignore[dict-item]
        fx.CloseChannel: lambda self, e: self.outbound.close_channel(e.channel),  # type: ignore[union-attr]
        fx.Flush: _flush,  # type: ignore[dict-item]
        fx.Work: _work,  # type: ignore[dict-item]
        fx.Started: _started,  # type: ignore[dict-item]
        fx.Halt: _halted,  # type: ignore[dict-item]
    }


def resolve(part: fx.Part) -> bytes | bytearray | memoryview:
    """Return the bytes of a part of a request; a file slice is read here."""
    return part.read() if type(part) is FileSlice else part  # type: ignore[return-value]


def _drop_locals(error: BaseException) -> None:
    """Clear the local variables, such as records, in an error's traceback; keep its lines.

    The error may live until the garbage collector finds its reference cycle.
    """
    each: BaseException | None = error
    while each is not None:
        clear_frames(each.__traceback__)
        each = each.__context__


def _sync_all(targets: Sequence[fx.SyncTarget]) -> StorageFault | OutOfFilesError | None:
    try:
        for target in targets:
            target.run()
    except DISK_ERRORS as error:
        return error
    return None
