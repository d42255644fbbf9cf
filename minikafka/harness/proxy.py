"""A TCP proxy before each node, through which clients, brokers and the controller reach it.

Each node is told to others by the proxy's address. Who it is that connects is found out by the
process that has the other end of the connection (`/proc`), so that any node and client can be told
apart without its help; where that cannot be known it is taken for a client.

A cut holds back what is sent, ends of connections included, and lets it go when the cut is healed,
as retransmission would. Differences from a cut cable: a connection that is made meanwhile is
accepted and stays silent instead of getting no answer, and nothing is ever lost, only late; "loss"
makes one in so many pieces late by the shortest time after which TCP sends again.
"""

import asyncio
import contextlib
import random
import socket
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from minikafka.harness.network import OUTSIDE
from minikafka.harness.settings import HarnessError
from minikafka.testing.nodes import Placement

_HOST = "127.0.0.1"
_PIECE_BYTES = 65_536
_PIECES_WAITING = 64
_RETRANSMISSION_S = 0.2
_START_TIMEOUT_S = 10.0
_BACKLOG = 128

Pids = Callable[[], Mapping[int, int]]


@dataclass(slots=True)
class Rules:
    """What is wrong with the network just now; belongs to the loop's thread."""

    cuts: Counter[tuple[int, int]] = field(default_factory=Counter)
    latency_s: dict[int, float] = field(default_factory=dict)
    loss: dict[int, float] = field(default_factory=dict)
    bits_per_s: dict[int, float] = field(default_factory=dict)
    busy_until: dict[int, float] = field(default_factory=dict)
    rng: random.Random = field(default_factory=lambda: random.Random(0))

    def due(self, link: tuple[int, int], now: float, size: int) -> float:
        """When a piece that is sent now arrives."""
        due = now + sum(self.latency_s.get(node, 0.0) for node in link)
        if any(self.rng.random() < self.loss.get(node, 0.0) for node in link):
            due += _RETRANSMISSION_S
        for node in link:
            if rate := self.bits_per_s.get(node):
                begins = max(now, self.busy_until.get(node, 0.0))
                self.busy_until[node] = begins + size * 8 / rate
                due = max(due, self.busy_until[node])
        return due


class ProxyPlacement(Placement):
    """Nodes on loopback that are told to others by the proxy's addresses."""

    def __init__(self) -> None:
        """Ports are known later."""
        self.ports: dict[int, int] = {}

    def advertised(self, node: int, port: int) -> tuple[str, int]:
        """The proxy's address."""
        return _HOST, self.ports.get(node, port)


class ProxyNetwork:
    """The proxies of a cluster, in a thread with a loop of its own."""

    way = "a TCP proxy before each node"

    def __init__(self, pids: Pids, seed: int = 0) -> None:
        """`pids` says which process each node is just now."""
        self._pids = pids
        self._placement = ProxyPlacement()
        self._rules = Rules(rng=random.Random(seed))
        self._loop: asyncio.AbstractEventLoop
        self._changed = asyncio.Event()
        self._tasks: dict[asyncio.Task[None], None] = {}
        self._listeners: list[socket.socket] = []
        self._accepted: dict[socket.socket, None] = {}
        self._writers: dict[asyncio.StreamWriter, None] = {}
        self._thread = threading.Thread(target=self._run, name="proxy", daemon=True)

    @property
    def placement(self) -> Placement:
        """Where the nodes are to be started."""
        return self._placement

    @property
    def cannot(self) -> Mapping[str, str]:
        """Nothing: what a proxy cannot do it makes look alike."""
        return {}

    def open(self, nodes: Mapping[int, int], controller: int) -> None:  # noqa: ARG002
        """Listen for each node, on a port that is free."""
        self._loop = asyncio.new_event_loop()
        self._thread.start()
        starting = asyncio.run_coroutine_threadsafe(self._listen(nodes), self._loop)
        try:
            self._placement.ports = starting.result(_START_TIMEOUT_S)
        except OSError as error:
            raise HarnessError(f"the proxy cannot listen: {error.strerror}.") from error

    def cut(self, source: int, target: int) -> None:
        """Hold back what is sent from one to the other."""
        self._change(lambda: self._rules.cuts.update([(source, target)]))

    def join(self, source: int, target: int) -> None:
        """Undo one cut."""
        self._change(lambda: self._rules.cuts.subtract([(source, target)]))

    def shape(self, node: int, kind: str, value: int) -> None:
        """Begin or end latency, loss or bandwidth."""
        rules = self._rules
        table, factor = {
            "latency": (rules.latency_s, 0.001),
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

    async def _listen(self, nodes: Mapping[int, int]) -> dict[int, int]:
        ports = {}
        for node, port in nodes.items():
            listener = socket.create_server((_HOST, 0), backlog=_BACKLOG)
            listener.setblocking(False)
            self._listeners.append(listener)
            self._loop.add_reader(listener, self._accept, listener, node, port)
            ports[node] = listener.getsockname()[1]
        return ports

    async def _close(self) -> None:
        for listener in self._listeners:
            self._loop.remove_reader(listener)
            listener.close()
        # Nobody reads any more: what is still to be sent would keep a connection open.
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
        """Change the rules in the loop's thread, and return when it is done."""
        done = threading.Event()

        def apply() -> None:
            change()
            self._changed.set()
            self._changed = asyncio.Event()
            done.set()

        self._loop.call_soon_threadsafe(apply)
        done.wait(_START_TIMEOUT_S)

    def _accept(self, listener: socket.socket, node: int, port: int) -> None:
        # Here and not by `asyncio.start_server`, which has connections between accept and handler
        # that nobody closes when the server is closed.
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # whoever it was has gone again
        connection.setblocking(False)
        self._accepted[connection] = None
        task = self._loop.create_task(self._serve(node, port, connection))
        self._tasks[task] = None
        task.add_done_callback(lambda done: self._tasks.pop(done, None))

    async def _serve(self, node: int, port: int, connection: socket.socket) -> None:
        """One connection, from its accept to its end."""
        try:
            await self._serve_until_end(node, port, connection)
        except OSError:
            return  # on this side or on the other: the end of one is the end of both
        finally:
            connection.close()
            self._accepted.pop(connection, None)

    async def _serve_until_end(self, node: int, port: int, connection: socket.socket) -> None:
        peer, ours = connection.getpeername()[1], connection.getsockname()[1]
        source = source_of(self._pids(), peer, ours)
        # Both directions: without answers there is no connection.
        await self._passable((source, node))
        await self._passable((node, source))
        onward_reader, onward = await self._stream(host=_HOST, port=port)
        try:
            reader, writer = await self._stream(sock=connection)
            try:
                await asyncio.gather(
                    self._carry((source, node), reader, onward),
                    self._carry((node, source), onward_reader, writer),
                )
            finally:
                await self._end(writer)
        finally:
            await self._end(onward)

    async def _stream(self, **where: Any) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(**where)
        self._writers[writer] = None
        return reader, writer

    async def _end(self, writer: asyncio.StreamWriter) -> None:
        _close(writer)
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        self._writers.pop(writer, None)

    async def _passable(self, link: tuple[int, int]) -> None:
        while self._rules.cuts[link] > 0:
            await self._changed.wait()

    async def _carry(
        self, link: tuple[int, int], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        """Carry bytes in one direction until its end has arrived."""
        pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue(_PIECES_WAITING)
        delivering = asyncio.ensure_future(self._deliver(link, pieces, writer))
        try:
            data = b"-"
            while data:
                try:
                    data = await reader.read(_PIECE_BYTES)
                except OSError:
                    data = b""
                await pieces.put((self._rules.due(link, self._loop.time(), len(data)), data))
            await delivering
        finally:
            delivering.cancel()

    async def _deliver(
        self,
        link: tuple[int, int],
        pieces: asyncio.Queue[tuple[float, bytes]],
        writer: asyncio.StreamWriter,
    ) -> None:
        broken = False
        while True:
            due, data = await pieces.get()
            if (early := due - self._loop.time()) > 0:
                await asyncio.sleep(early)
            await self._passable(link)
            if not data:
                _close(writer)
                return
            if not broken:
                try:
                    writer.write(data)
                    await writer.drain()
                except OSError:
                    broken = True  # its own end is on the way, in the other direction


def _close(writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError, RuntimeError):
        writer.close()


def source_of(pids: Mapping[int, int], peer_port: int, our_port: int) -> int:
    """The node whose process has the connection from `peer_port` to `our_port`; else OUTSIDE."""
    inode = _inode(peer_port, our_port)
    if inode:
        link = f"socket:[{inode}]"
        for node, pid in pids.items():
            if _has(pid, link):
                return node
    return OUTSIDE


def _inode(local_port: int, remote_port: int) -> str:
    local, remote = f":{local_port:04X}", f":{remote_port:04X}"
    for table in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            for line in Path("/proc/net", table).read_text().splitlines()[1:]:
                fields = line.split()
                if fields[1].endswith(local) and fields[2].endswith(remote):
                    return fields[9]
    return ""


def _has(pid: int, link: str) -> bool:
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                if str(entry.readlink()) == link:
                    return True
    return False
