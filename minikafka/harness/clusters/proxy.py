"""A TCP proxy before each port of a node, through which clients and other nodes reach it.

Each node advertises the address of its proxy. The proxy identifies the source of a connection by
the process that holds the other end (`/proc`), so nodes and clients need not cooperate; an unknown
source counts as a client. The source is looked up only while a network fault is active, and for
many connections in one batch: a lookup takes milliseconds, and the clients of dead brokers connect
hundreds of times a second.

A cut holds back everything that is sent, including the close of a connection, and releases it when
the cut is healed, as TCP retransmission would. Differences from a cut cable: a connection that is
opened during the cut is accepted and stays silent, and no data is lost, only delayed. "loss" delays
a random share of the pieces by TCP's minimum retransmission timeout.
"""

import asyncio
import contextlib
import random
import socket
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.clusters.network import OUTSIDE
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

_HOST = "127.0.0.1"
_PIECE_BYTES = 65_536
_PIECES_WAITING = 64
_RETRANSMISSION_S = 0.2
_START_TIMEOUT_S = 10.0
_BACKLOG = 128

Pids = Callable[[], Mapping[int, int]]


@dataclass(slots=True)
class ProxyRules:
    """The network faults that are active now; used only by the event loop's thread."""

    cuts: Counter[tuple[int, int]] = field(default_factory=Counter)
    latency_s: dict[int, float] = field(default_factory=dict)
    loss: dict[int, float] = field(default_factory=dict)
    bits_per_s: dict[int, float] = field(default_factory=dict)
    busy_until: dict[int, float] = field(default_factory=dict)
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    @property
    def nothing_is_wrong(self) -> bool:
        """True if no fault delays or blocks any link."""
        cuts = any(count > 0 for count in self.cuts.values())
        return not (cuts or self.latency_s or self.loss or self.bits_per_s)

    def due(self, link: tuple[int, int], now: float, size: int) -> float:
        """The arrival time of a piece of `size` bytes that is sent at `now`, in loop seconds."""
        due = now + sum(self.latency_s.get(node, 0.0) for node in link)
        if any(self.rng.random() < self.loss.get(node, 0.0) for node in link):
            due += _RETRANSMISSION_S
        for node in link:
            if rate := self.bits_per_s.get(node):
                begins = max(now, self.busy_until.get(node, 0.0))
                self.busy_until[node] = begins + size * 8 / rate
                due = max(due, self.busy_until[node])
        return due


@dataclass(slots=True)
class ProxiedConnection:
    """A connection to a node's proxy. `source` is the node that opened it; None until looked up."""

    node: int
    peer_port: int
    our_port: int
    source: int | None = None


class ProxyPlacement(Placement):
    """Nodes on loopback that advertise the addresses of their proxies."""

    def __init__(self) -> None:
        """Create a placement without ports; `ProxyNetwork.open` sets them.

        `ports` maps a node's port to that of its proxy.
        """
        self.ports: dict[int, int] = {}

    def advertised(self, node: int, port: int) -> tuple[str, int]:  # noqa: ARG002
        """The proxy's address."""
        return _HOST, self.ports.get(port, port)


class ProxyNetwork:
    """The proxies of a cluster, in one thread with its own event loop."""

    way = "a TCP proxy before each node"

    def __init__(self, pids: Pids, seed: int = 0) -> None:
        """`pids` returns the current process id of each node."""
        self._pids = pids
        self._placement = ProxyPlacement()
        self._rules = ProxyRules(rng=random.Random(seed))
        self._loop: asyncio.AbstractEventLoop
        self._changed = asyncio.Event()
        self._is_whole = True
        self._unknown: list[tuple[ProxiedConnection, asyncio.Future[None]]] = []
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._listeners: list[socket.socket] = []
        self._accepted: dict[socket.socket, None] = {}
        self._writers: dict[asyncio.StreamWriter, None] = {}
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    @property
    def placement(self) -> Placement:
        """The placement with which the nodes must be started."""
        return self._placement

    @property
    def cannot(self) -> Mapping[str, str]:
        """Empty: proxies emulate every kind of network fault."""
        return {}

    def open(self, nodes: Mapping[int, Sequence[int]]) -> None:
        """Listen on a free port for each port of each node."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(self._listen(nodes), self._loop)
        try:
            self._placement.ports = starting.result(_START_TIMEOUT_S)
        except OSError as error:
            raise HarnessError(f"the proxy cannot listen: {error.strerror}.") from error

    def cut(self, source: int, target: int) -> None:
        """Hold back what `source` sends to `target`."""
        self._change(lambda: self._rules.cuts.update([(source, target)]))

    def join(self, source: int, target: int) -> None:
        """Undo one cut."""
        self._change(lambda: self._rules.cuts.subtract([(source, target)]))

    def shape(self, node: int, kind: str, value: int) -> None:
        """Begin or end latency, loss or bandwidth."""
        rules = self._rules
        table, factor = {
            "slow-node": (rules.latency_s, 0.001),
            "loss": (rules.loss, 0.01),
            "bandwidth": (rules.bits_per_s, 1000.0),
        }[kind]
        self._change(
            lambda: table.update({node: value * factor}) if value else table.pop(node, None)
        )

    def close(self) -> None:
        """Close every connection and end the thread."""
        if not self._thread.is_alive():
            return
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(_START_TIMEOUT_S)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _listen(self, nodes: Mapping[int, Sequence[int]]) -> dict[int, int]:
        ports = {}
        for node, port in ((node, port) for node, every in nodes.items() for port in every):
            listener = socket.create_server((_HOST, 0), backlog=_BACKLOG)
            listener.setblocking(False)
            self._listeners.append(listener)
            self._loop.add_reader(listener, self._accept, listener, node, port)
            ports[port] = listener.getsockname()[1]
        return ports

    async def _close(self) -> None:
        for listener in self._listeners:
            self._loop.remove_reader(listener)
            listener.close()
        # abort, not close: the peers read no more, so unsent data would keep a connection open.
        writers = list(self._writers)
        for writer in writers:
            writer.transport.abort()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        closed = [writer.wait_closed() for writer in writers]
        await asyncio.gather(*closed, return_exceptions=True)
        # A task that is cancelled before its first step closes nothing.
        for connection in list(self._accepted):
            connection.close()

    def _change(self, change: Callable[[], object]) -> None:
        """Change the rules in the loop's thread; return when the change is applied."""
        done = threading.Event()

        def apply() -> None:
            change()
            self._is_whole = self._rules.nothing_is_wrong
            self._changed.set()
            self._changed = asyncio.Event()
            done.set()

        self._loop.call_soon_threadsafe(apply)
        done.wait(_START_TIMEOUT_S)

    def _accept(self, listener: socket.socket, node: int, port: int) -> None:
        # Not `asyncio.start_server`: when that is closed, it leaks connections that were accepted
        # and have no handler yet.
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # the peer has already closed the connection
        connection.setblocking(False)
        self._accepted[connection] = None
        task = self._loop.create_task(self._serve(node, port, connection))
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _serve(self, node: int, port: int, connection: socket.socket) -> None:
        """Serve one connection until it is closed."""
        try:
            await self._serve_until_end(node, port, connection)
        except OSError:
            return  # one of the two connections failed: close both
        finally:
            connection.close()
            self._accepted.pop(connection, None)

    async def _serve_until_end(self, node: int, port: int, connection: socket.socket) -> None:
        made = ProxiedConnection(node, connection.getpeername()[1], connection.getsockname()[1])
        # Wait for both directions: without answers there is no connection.
        await self._passable(made, inward=True)
        await self._passable(made, inward=False)
        onward_reader, onward = await self._stream(host=_HOST, port=port)
        try:
            reader, writer = await self._stream(sock=connection)
            try:
                await asyncio.gather(
                    self._carry(made, reader, onward, inward=True),
                    self._carry(made, onward_reader, writer, inward=False),
                )
            finally:
                await self._end(writer)
        finally:
            await self._end(onward)

    async def _link(self, made: ProxiedConnection, *, inward: bool) -> tuple[int, int]:
        """The (source, target) of one direction of a connection."""
        if made.source is None:
            known = self._loop.create_future()
            self._unknown.append((made, known))
            if len(self._unknown) == 1:
                task = self._loop.create_task(self._identify())
                self._tasks[task] = None
                task.add_done_callback(lambda done: self._tasks.pop(done, None))
            await known
        assert made.source is not None
        return (made.source, made.node) if inward else (made.node, made.source)

    async def _identify(self) -> None:
        """Look up the sources of the waiting connections, in batches."""
        while self._unknown:
            waiting = list(self._unknown)
            ports = [(made.peer_port, made.our_port) for made, _ in waiting]
            found = await asyncio.to_thread(sources_of, dict(self._pids()), ports)
            for (made, known), source in zip(waiting, found, strict=True):
                made.source = source
                if not known.done():
                    known.set_result(None)
            del self._unknown[: len(waiting)]

    async def _stream(self, **where: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(**where)
        self._writers[writer] = None
        return reader, writer

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        _close(writer)
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        self._writers.pop(writer, None)

    async def _passable(self, made: ProxiedConnection, *, inward: bool) -> None:
        while not self._is_whole:
            if self._rules.cuts[await self._link(made, inward=inward)] <= 0:
                return
            await self._changed.wait()

    async def _due(self, made: ProxiedConnection, size: int, *, inward: bool) -> float:
        now = self._loop.time()
        if self._is_whole:
            return now
        return self._rules.due(await self._link(made, inward=inward), now, size)

    async def _carry(
        self,
        made: ProxiedConnection,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        *,
        inward: bool,
    ) -> None:
        """Carry bytes in one direction until the end of the stream is delivered."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_PIECES_WAITING)
        delivering = asyncio.ensure_future(self._deliver(made, pieces, writer, inward=inward))
        try:
            data = b"-"
            while data:
                try:
                    data = await reader.read(_PIECE_BYTES)
                except OSError:
                    data = b""
                await pieces.put((await self._due(made, len(data), inward=inward), data))
            await delivering
        finally:
            delivering.cancel()

    async def _deliver(
        self,
        made: ProxiedConnection,
        pieces: asyncio.Queue[tuple[float, bytes]],
        writer: asyncio.StreamWriter,
        *,
        inward: bool,
    ) -> None:
        broken = False
        while True:
            due, data = await pieces.get()
            if (early := due - self._loop.time()) > 0:
                await asyncio.sleep(early)
            await self._passable(made, inward=inward)
            if not data:
                _close(writer)
                return
            if not broken:
                try:
                    writer.write(data)
                    await writer.drain()
                except OSError:
                    broken = True  # the other direction will see the end of this connection


def _close(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()


def sources_of(pids: Mapping[int, int], ports: Sequence[tuple[int, int]]) -> list[int]:
    """The nodes whose processes opened these connections, given as (peer's port, our port).

    A connection that no node opened has OUTSIDE. The system's tables are read once for all.
    """
    inodes = _inodes(ports)
    wanted = {f"socket:[{inode}]": at for at, inode in inodes.items()}
    found: dict[tuple[int, int], int] = {}
    for node, pid in pids.items():
        for link in _open_files(pid):
            if link in wanted:
                found[wanted[link]] = node
    return [found.get(at, OUTSIDE) for at in ports]


def _inodes(ports: Sequence[tuple[int, int]]) -> dict[tuple[int, int], str]:
    wanted = {(f"{peer:04X}", f"{ours:04X}"): (peer, ours) for peer, ours in ports}
    found = {}
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                at = wanted.get((fields[1].rpartition(":")[2], fields[2].rpartition(":")[2]))
                if at is not None:
                    found[at] = fields[9]
    return found


def _open_files(pid: int) -> Iterator[str]:
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                yield str(entry.readlink())
