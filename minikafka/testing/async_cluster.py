"""`Cluster` for asynchronous tests: its verbs run in threads, so that the event loop goes on.

    async with AsyncCluster(nodes=3) as cluster:
        await cluster.create_topic("orders")
        await cluster.kill_leader("orders")

It needs a loop of asyncio, by itself or below pytest-asyncio or anyio.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from minikafka.testing.async_faults import AsyncNodeHandle, async_fault
from minikafka.testing.cluster import Cluster
from minikafka.testing.values import Deadline, KafkaRecord

if TYPE_CHECKING:
    from minikafka.admin.client_login import ClientLogin

_P = ParamSpec("_P")
_T = TypeVar("_T")
_LOOK_EVERY_S = 0.01


def _in_thread(
    method: Callable[Concatenate[Cluster, _P], _T],
) -> "Callable[Concatenate[AsyncCluster, _P], Coroutine[Any, Any, _T]]":
    @wraps(method)
    async def call(self: "AsyncCluster", /, *args: _P.args, **kwargs: _P.kwargs) -> _T:
        return await _finished(asyncio.to_thread(method, self.sync, *args, **kwargs), self.sync)

    return call


async def _finished(work: Awaitable[_T], cluster: Cluster) -> _T:
    """Wait for a thread; if this task is cancelled, until the thread has ended, which is soon.

    Nothing changes the cluster after the task that asked for it has ended.
    """
    running = asyncio.ensure_future(work)
    try:
        return await asyncio.shield(running)
    except asyncio.CancelledError:
        cluster.give_up()
        while not running.done():
            # Scopes of anyio cancel at every await.
            with suppress(asyncio.CancelledError):
                await asyncio.wait([running])
        if not running.cancelled():
            running.exception()
        raise


class AsyncCluster:
    """A cluster whose methods are those of `Cluster`, to be awaited."""

    def __init__(self, nodes: int = 1, **options: Any) -> None:
        """Describe a cluster; the options are those of `Cluster`.

        Raises:
            ClusterError: an argument has no meaning.
        """
        self.sync = Cluster(nodes, **options)
        """The same cluster, with methods that block."""

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except asyncio.CancelledError:
            # The start may have succeeded before it was told to end.
            await _finished(asyncio.to_thread(self.sync.close), self.sync)
            raise
        return self

    async def __aexit__(self, *error: object) -> None:
        work = asyncio.to_thread(self.sync.__exit__, *(error or (None,)))
        await _finished(work, self.sync)

    @property
    def bootstrap_servers(self) -> str:
        """The addresses of all nodes, separated by commas."""
        return self.sync.bootstrap_servers

    @property
    def directory(self) -> Path:
        """The directory of the nodes' files."""
        return self.sync.directory

    @property
    def running(self) -> list[int]:
        """The nodes whose processes run, including paused ones."""
        return self.sync.running

    @property
    def is_open(self) -> bool:
        """True between `open` and `close`."""
        return self.sync.is_open

    @property
    def is_secured(self) -> bool:
        """True if clients need a `login`."""
        return self.sync.is_secured

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.sync.nodes

    @property
    def base_port(self) -> int:
        """The port of node 1 for clients; 0 for free ports while the cluster is not open."""
        return self.sync.base_port

    @property
    def node_ids(self) -> range:
        """The ids of the nodes."""
        return self.sync.node_ids

    @property
    def voters(self) -> range:
        """The nodes that are controllers."""
        return self.sync.voters

    @property
    def crashes(self) -> Sequence[str]:
        """A sentence for each node that has ended by itself."""
        return self.sync.crashes

    def login(self, user: str = "admin") -> "ClientLogin":
        """Return what a client needs to be a user of a cluster with `tls` or `sasl`."""
        return self.sync.login(user)

    def log_dir(self, node: int) -> Path:
        """Return the log directory of a node."""
        return self.sync.log_dir(node)

    def port(self, node: int) -> int:
        """Return the port on which a node serves clients."""
        return self.sync.port(node)

    def pid(self, node: int) -> int:
        """Return the process id of a running node."""
        return self.sync.pid(node)

    def log_text(self, node: int) -> str:
        """Return the log output of a node."""
        return self.sync.log_text(node)

    def node(self, node: int) -> AsyncNodeHandle:
        """Return a handle on one node, whose verbs are coroutines, too."""
        return AsyncNodeHandle(self, node)

    def in_thread(self, work: Callable[[], _T]) -> Coroutine[Any, Any, _T]:
        """Run something that blocks in a thread."""
        return _finished(asyncio.to_thread(work), self.sync)

    fault = async_fault(Cluster.fault)
    cut = async_fault(Cluster.cut)
    isolate = async_fault(Cluster.isolate)
    slow = async_fault(Cluster.slow)
    clock = async_fault(Cluster.clock)
    fill_disk = async_fault(Cluster.fill_disk)
    slow_disk = async_fault(Cluster.slow_disk)
    free_disk = _in_thread(Cluster.free_disk)
    lose_power = _in_thread(Cluster.lose_power)
    open = _in_thread(Cluster.open)
    close = _in_thread(Cluster.close)
    shut_down = _in_thread(Cluster.shut_down)
    kill = _in_thread(Cluster.kill)
    stop = _in_thread(Cluster.stop)
    start = _in_thread(Cluster.start)
    pause = _in_thread(Cluster.pause)
    resume = _in_thread(Cluster.resume)
    fence = _in_thread(Cluster.fence)
    shrink_isr = _in_thread(Cluster.shrink_isr)
    heal = _in_thread(Cluster.heal)
    brokers = _in_thread(Cluster.brokers)
    kill_leader = _in_thread(Cluster.kill_leader)
    state_text = _in_thread(Cluster.state_text)
    create_topic = _in_thread(Cluster.create_topic)
    delete_topics = _in_thread(Cluster.delete_topics)
    topics = _in_thread(Cluster.topics)
    groups = _in_thread(Cluster.groups)
    delete_groups = _in_thread(Cluster.delete_groups)
    leader = _in_thread(Cluster.leader)
    isr = _in_thread(Cluster.isr)
    elr = _in_thread(Cluster.elr)
    wait_until_in_sync = _in_thread(Cluster.wait_until_in_sync)
    elect = _in_thread(Cluster.elect)
    move_leader = _in_thread(Cluster.move_leader)
    produce = _in_thread(Cluster.produce)
    records = _in_thread(Cluster.records)
    committed = _in_thread(Cluster.committed)
    seed = _in_thread(Cluster.seed)

    @asynccontextmanager
    async def assert_produces(
        self, topic: str, count: int | None = None, *, timeout_s: float = 10.0
    ) -> AsyncIterator[list[KafkaRecord]]:
        """As `Cluster.assert_produces`."""
        checking = self.sync.assert_produces(topic, count, timeout_s=timeout_s)
        records = await _finished(asyncio.to_thread(checking.__enter__), self.sync)
        yield records
        # After an error of the block nothing is left to check.
        leave = asyncio.to_thread(checking.__exit__, None, None, None)
        await _finished(leave, self.sync)

    async def wait_for(
        self,
        condition: Callable[[], Awaitable[_T] | _T],
        timeout_s: float = 10.0,
        *,
        what: str = "",
    ) -> _T:
        """As `Cluster.wait_for`; the condition may be a coroutine function."""
        deadline = Deadline(timeout_s)
        while True:
            found = condition()
            if inspect.isawaitable(found):
                found = await found
            if found:
                return found
            if deadline.is_over:
                raise AssertionError(await asyncio.to_thread(self.sync.late_text, what, timeout_s))
            await asyncio.sleep(_LOOK_EVERY_S)
