"""A Unix socket in the folder of `debug_hooks`, on which a node takes commands about its faults.

A line is a command of `server.fault_control`, and has a line as its answer. Only the owner of the
process can connect. The length of a line and the number of connections are limited: one more closes
the oldest one.
"""

import asyncio
import json
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

NAME: Final = "faults.sock"
MAX_LINE_BYTES: Final = 1024 * 1024
MAX_CONNECTIONS: Final = 16
_BACKLOG: Final = 128
_MODE_MASK: Final = 0o177
_MAX_PATH_BYTES: Final = 100
"""Below the limit of all systems for the address of a Unix socket."""


class Answering(Protocol):
    """Carries out commands: `fault_control.FaultControl`."""

    def answer(self, line: bytes) -> bytes:
        """Carry out the command in a line; return the line of the answer."""


class FaultSocket:
    """The socket of one node."""

    def __init__(self, folder: Path, control: Answering) -> None:
        """Create the socket, in place of one that a former process has left.

        Raises:
            OSError: it cannot be created.
        """
        self._path = folder / NAME
        self._control = control
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._server: asyncio.Server | None = None
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._path.unlink(missing_ok=True)
            before = os.umask(_MODE_MASK)
            try:
                with address_of(self._path) as address:
                    self._socket.bind(address)
            finally:
                os.umask(before)
            # Commands that come before `serve` wait.
            self._socket.listen(_BACKLOG)
        except OSError:
            self._socket.close()
            raise

    async def serve(self) -> None:
        """Start to answer."""
        self._server = await asyncio.start_unix_server(
            self._connected, sock=self._socket, limit=MAX_LINE_BYTES, backlog=_BACKLOG
        )

    def close(self) -> None:
        """Remove the socket, and close its connections."""
        self._path.unlink(missing_ok=True)
        if self._server is not None:
            self._server.close()
        self._socket.close()
        for writer in self._open:
            writer.transport.abort()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= MAX_CONNECTIONS:
            oldest = next(iter(self._open))
            del self._open[oldest]
            oldest.transport.abort()
        self._open[writer] = asyncio.current_task()
        try:
            await self._converse(reader, writer)
        except (OSError, asyncio.CancelledError):
            # The other side, or the node, has ended.
            pass
        finally:
            self._open.pop(writer, None)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                line = await reader.readuntil()
            except asyncio.IncompleteReadError:
                return
            except asyncio.LimitOverrunError:
                text = f'{{"error": "a line is longer than {MAX_LINE_BYTES} bytes"}}\n'
                writer.write(text.encode())
                await writer.drain()
                return
            writer.write(self._control.answer(line))
            await writer.drain()


@contextmanager
def address_of(path: Path) -> Iterator[str]:
    """Yield an address for a Unix socket that is short enough, however long the path is.

    Raises:
        OSError: the folder does not exist, or its path is too long for this system.
    """
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"
    finally:
        os.close(folder)


def command(folder: Path, name: str, argument: Any = None, timeout_s: float = 10.0) -> Any:
    """Send a command to the node that runs with a folder; return the answer's value.

    Raises:
        FaultError: the node refuses the command.
        OSError: no node runs with the folder, or it does not answer in time.
    """
    # A node imports it only for its first command.
    from minikafka.faults.vocabulary import FaultError  # noqa: PLC0415

    line = json.dumps({name: argument}).encode() + b"\n"
    with socket.socket(socket.AF_UNIX) as sock, address_of(folder / NAME) as address:
        sock.settimeout(timeout_s)
        sock.connect(address)
        sock.sendall(line)
        with sock.makefile("rb") as lines:
            answer = json.loads(lines.readline() or b'{"error": "no answer: the node has ended"}')
    if "error" in answer:
        raise FaultError(answer["error"])
    return answer[name]
