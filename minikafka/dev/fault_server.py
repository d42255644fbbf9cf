"""The HTTP server of the fault interface, in a thread of the owner of a cluster.

It serves one request per connection. Heads and bodies are limited, and a request must arrive in
time, so no client holds it. Web pages in a browser are refused by the headers Host and Origin.
"""

import asyncio
import ipaddress
import json
import logging
import socket
import threading
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from http import HTTPStatus
from typing import Any, Final

from minikafka.common.addresses import server_text
from minikafka.dev.fault_resources import JsonAnswer
from minikafka.server.http_head import (
    HEAD_BYTES,
    RejectedRequestError,
    RequestHead,
    read_head,
    response_head,
)

MAX_BODY_BYTES: Final = 64 * 1024
MAX_CONNECTIONS: Final = 64
READ_TIMEOUT_S: Final = 10.0
_WRITE_TIMEOUT_S: Final = 10.0
_LINGER_S: Final = 1.0
_LAST_ITERATIONS: Final = 5
_BACKLOG: Final = 128
_MAX_CHUNK_LINE_BYTES: Final = 100
_log = logging.getLogger("minikafka.dev")

Answering = Callable[[str, str, bytes], JsonAnswer]
"""Method, path and body of a request; it may block."""


class FaultServer:
    """Serves one address."""

    def __init__(
        self,
        host: str,
        port: int,
        names: Collection[str] = (),
        *,
        timeout_s: float = READ_TIMEOUT_S,
    ) -> None:
        """Bind the address; 0 is a free port. `names` are further names of this host in requests.

        Raises:
            OSError: the address cannot be bound.
        """
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.create_server((host, port), family=family, backlog=_BACKLOG)
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://{server_text(host, self.port)}"
        self._names = {"localhost", host.lower(), *map(str.lower, names)}
        self._is_public = not ipaddress.ip_address(host).is_loopback if _is_ip(host) else True
        self._timeout_s = timeout_s
        self._loop: asyncio.AbstractEventLoop
        self._reading: dict[asyncio.Task[Any], None] = {}
        """Connections whose request has not arrived, the oldest first."""
        self._count = 0
        self._thread: threading.Thread | None = None
        self._answer: Answering = lambda *_: JsonAnswer(HTTPStatus.SERVICE_UNAVAILABLE, {})

    def serve(self, answer: Answering) -> None:
        """Serve from now on, in another thread."""
        self._answer = answer
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="faults", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End all connections; do not wait for what their requests have begun."""
        if self._thread is not None:
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(_LINGER_S)
        self._socket.close()

    def _run(self) -> None:
        loop = self._loop
        asyncio.set_event_loop(loop)
        starting = asyncio.start_server(
            self._connected, sock=self._socket, limit=HEAD_BYTES, backlog=_BACKLOG
        )
        # Not awaited: `close` may stop the loop at any time.
        started = loop.create_task(starting)
        loop.run_forever()
        loop.run_until_complete(_end(started))
        loop.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._count += 1
        task = asyncio.current_task()
        assert task is not None
        self._reading[task] = None
        if self._count > MAX_CONNECTIONS:
            next(iter(self._reading)).cancel()
        try:
            data = await self._respond(reader, writer, task)
            async with asyncio.timeout(_WRITE_TIMEOUT_S):
                writer.write(data)
                await writer.drain()
            await self._finish(reader, writer)
        except (OSError, TimeoutError, asyncio.CancelledError, asyncio.IncompleteReadError):
            pass
        finally:
            self._count -= 1
            self._reading.pop(task, None)
            writer.transport.abort()

    async def _finish(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Close; read what was sent of a refused request, since a reset would lose the answer."""
        writer.write_eof()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LINGER_S):
                while await reader.read(HEAD_BYTES):
                    pass
        writer.close()

    async def _respond(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, task: asyncio.Task[Any]
    ) -> bytes:
        head = None
        try:
            async with asyncio.timeout(self._timeout_s):
                head = await read_head(reader)
                self._check(head)
                if head.headers.get("expect", "").lower() == "100-continue":
                    writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                body = await read_body(reader, head.headers)
        except TimeoutError:
            return _encoded(_refusal(HTTPStatus.REQUEST_TIMEOUT, "the request is incomplete"))
        except RejectedRequestError as error:
            return _encoded(_refusal(error.status, str(error)))
        del self._reading[task]
        answer = await self._in_thread(head.method, head.path, body)
        data = _encoded(answer)
        return data[: data.index(b"\r\n\r\n") + 4] if head.method == "HEAD" else data

    async def _in_thread(self, method: str, path: str, body: bytes) -> JsonAnswer:
        """JsonAnswer in a daemon thread: the end of this process must not wait for a node."""
        done: asyncio.Future[JsonAnswer] = self._loop.create_future()

        def work() -> None:
            try:
                answer = self._answer(method, path, body)
            except Exception:  # noqa: BLE001 - a request must not end the server
                _log.exception("%s %s", method, path)
                answer = _refusal(HTTPStatus.INTERNAL_SERVER_ERROR, "this is a bug of minikafka")
            with suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(_set_result, done, answer)

        threading.Thread(target=work, daemon=True).start()
        return await done

    def _check(self, head: RequestHead) -> None:
        """Refuse what a web page may send: it is from elsewhere, or to a name that is not ours.

        Raises:
            RejectedRequestError: with the reason.
        """
        host = head.headers.get("host", "")
        if not self._is_own(host):
            raise RejectedRequestError(
                HTTPStatus.FORBIDDEN,
                f"the header Host has {host[:100]!r}, which is not a name of this interface",
            )
        origin = head.headers.get("origin")
        if origin is not None and origin != f"http://{host}":
            raise RejectedRequestError(
                HTTPStatus.FORBIDDEN, "requests of web pages are refused (header Origin)"
            )

    def _is_own(self, header: str) -> bool:
        name, separator, port = header.rpartition(":")
        if not separator or not port.isdigit():
            name = header
        name = name.removeprefix("[").removesuffix("]").lower()
        if not _is_ip(name):
            return name in self._names
        # A page reaches this by a name that leads to it; an address is no such name.
        return self._is_public or ipaddress.ip_address(name).is_loopback


async def _end(started: "asyncio.Task[asyncio.Server]") -> None:
    """End the server, if it was started, and every connection."""
    if started.done() and not started.exception():
        started.result().close()
    own = asyncio.current_task()
    # A connection that was just accepted has another task in the next iteration.
    for _ in range(_LAST_ITERATIONS):
        tasks = [task for task in asyncio.all_tasks() if task is not own]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.sleep(0)


async def read_body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> bytes:
    """Read the body of a request.

    Raises:
        RejectedRequestError: it is too large, or its length is not given.
        asyncio.IncompleteReadError: the connection has ended.
    """
    encoding = headers.get("transfer-encoding")
    length = headers.get("content-length")
    if encoding is not None:
        if encoding.lower() != "chunked" or length is not None:
            raise RejectedRequestError(HTTPStatus.NOT_IMPLEMENTED, "only chunked is supported")
        return await _chunks(reader)
    if length is None:
        return b""
    if not (length.isascii() and length.isdigit() and len(length) < 20):
        raise RejectedRequestError(HTTPStatus.BAD_REQUEST, "Content-Length is not a number")
    _check_size(int(length))
    return await reader.readexactly(int(length))


async def _chunks(reader: asyncio.StreamReader) -> bytes:
    parts: list[bytes] = []
    total = 0
    while True:
        line = await _chunk_line(reader)
        digits = line.partition(b";")[0].strip()
        try:
            size = int(digits, 16) if digits.isalnum() and len(digits) <= 8 else -1
        except ValueError:
            size = -1
        if size < 0:
            raise RejectedRequestError(HTTPStatus.BAD_REQUEST, "a chunk has no length")
        if size == 0:
            while await _chunk_line(reader):
                pass
            return b"".join(parts)
        total += size
        _check_size(total)
        parts.append(await reader.readexactly(size))
        if await reader.readexactly(2) != b"\r\n":
            raise RejectedRequestError(HTTPStatus.BAD_REQUEST, "a chunk is longer than its length")


async def _chunk_line(reader: asyncio.StreamReader) -> bytes:
    try:
        line = await reader.readuntil(b"\r\n")
    except asyncio.LimitOverrunError:
        line = b"x" * (_MAX_CHUNK_LINE_BYTES + 1)
    if len(line) > _MAX_CHUNK_LINE_BYTES:
        raise RejectedRequestError(HTTPStatus.BAD_REQUEST, "a line between chunks is too long")
    return line[:-2]


def _check_size(size: int) -> None:
    if size > MAX_BODY_BYTES:
        raise RejectedRequestError(
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"a body has at most {MAX_BODY_BYTES} bytes"
        )


def _refusal(status: HTTPStatus, message: str) -> JsonAnswer:
    return JsonAnswer(status, {"error": message})


def _encoded(answer: JsonAnswer) -> bytes:
    body = json.dumps(answer.value).encode() + b"\n"
    return response_head(answer.status, "application/json", len(body), answer.headers) + body


def _set_result(future: "asyncio.Future[JsonAnswer]", answer: JsonAnswer) -> None:
    if not future.done():
        future.set_result(answer)


def _is_ip(name: str) -> bool:
    with suppress(ValueError):
        ipaddress.ip_address(name)
        return True
    return False
