"""Faults and nodes of `AsyncCluster`."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Generator
from contextlib import suppress
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from minikafka.testing.fault_handles import FaultHandle
from minikafka.testing.node_handle import NodeHandle

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster

_P = ParamSpec("_P")
_T = TypeVar("_T")


class Threads(Protocol):
    """Runs what blocks in threads."""

    @property
    def sync(self) -> "Cluster":
        """The cluster whose methods block."""

    def in_thread(self, work: Callable[[], _T]) -> Coroutine[Any, Any, _T]:
        """Run `work` in a thread, and wait for it."""


class AsyncFault:
    """A fault, to be awaited or as `async with`: active from then on."""

    def __init__(self, threads: Threads, make: Callable[[], FaultHandle]) -> None:
        """Prepare it; Python warns about one that is never awaited."""
        self._threads = threads
        self._fault: FaultHandle | None = None

        def inject() -> None:
            self._fault = make()

        self._making = threads.in_thread(inject)

    def __await__(self) -> Generator[Any, Any, Self]:
        return self._made().__await__()

    async def _made(self) -> Self:
        if self._fault is None:
            try:
                await self._making
            except asyncio.CancelledError:
                with suppress(asyncio.CancelledError):
                    await self.remove()
                raise
        return self

    async def __aenter__(self) -> Self:
        return await self

    async def __aexit__(self, *error: object) -> None:
        if self._fault is not None:
            leave = partial(self._fault.__exit__, *(error or (None,)))
            await self._threads.in_thread(leave)

    def __repr__(self) -> str:
        return repr(self._fault) if self._fault is not None else "<a fault that is not awaited>"

    @property
    def hits(self) -> int:
        """The number of answers that it has changed; 0 for faults that are not about answers."""
        return getattr(self._fault, "hits", 0)

    async def remove(self) -> None:
        """End it."""
        if self._fault is not None:
            await self._threads.in_thread(self._fault.remove)


def async_fault(
    method: Callable[Concatenate["Cluster", _P], FaultHandle],
) -> Callable[Concatenate[Threads, _P], AsyncFault]:
    """Make a method of `AsyncCluster` from one of `Cluster` that injects a fault."""

    @wraps(method)
    def call(self: Threads, /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncFault:
        return AsyncFault(self, lambda: method(self.sync, *args, **kwargs))

    return call


def _awaited(
    method: Callable[Concatenate[NodeHandle, _P], _T],
) -> "Callable[Concatenate[AsyncNodeHandle, _P], Awaitable[_T]]":
    @wraps(method)
    def call(self: "AsyncNodeHandle", /, *args: _P.args, **kwargs: _P.kwargs) -> Awaitable[_T]:
        return self.threads.in_thread(lambda: method(self.sync, *args, **kwargs))

    return call


def _fault(
    method: Callable[Concatenate[NodeHandle, _P], FaultHandle],
) -> "Callable[Concatenate[AsyncNodeHandle, _P], AsyncFault]":
    @wraps(method)
    def call(self: "AsyncNodeHandle", /, *args: _P.args, **kwargs: _P.kwargs) -> AsyncFault:
        return AsyncFault(self.threads, lambda: method(self.sync, *args, **kwargs))

    return call


class AsyncNodeHandle:
    """One node, with the verbs of `NodeHandle` to be awaited."""

    def __init__(self, threads: Threads, node_id: int) -> None:
        """Name a node; it need not run."""
        self.threads = threads
        self.sync = threads.sync.node(node_id)
        """The same node, with verbs that block."""
        self.node_id = node_id

    def __repr__(self) -> str:
        return repr(self.sync)

    @property
    def port(self) -> int:
        """The port on which it serves clients."""
        return self.sync.port

    @property
    def pid(self) -> int:
        """Its process id while it runs."""
        return self.sync.pid

    @property
    def log_text(self) -> str:
        """Its log output."""
        return self.sync.log_text

    @property
    def log_dir(self) -> Path:
        """Its log directory."""
        return self.sync.log_dir

    kill = _awaited(NodeHandle.kill)
    stop = _awaited(NodeHandle.stop)
    start = _awaited(NodeHandle.start)
    pause = _awaited(NodeHandle.pause)
    resume = _awaited(NodeHandle.resume)
    lose_power = _awaited(NodeHandle.lose_power)
    free_disk = _awaited(NodeHandle.free_disk)
    fault = _fault(NodeHandle.fault)
    isolate = _fault(NodeHandle.isolate)
    slow = _fault(NodeHandle.slow)
    clock = _fault(NodeHandle.clock)
    fill_disk = _fault(NodeHandle.fill_disk)
    slow_disk = _fault(NodeHandle.slow_disk)
