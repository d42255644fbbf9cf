"""`GET /metrics`: a minimal HTTP/1.1 server for metric scrapers, on the node's event loop.

It serves one request per connection. Large requests are rejected, and slow connections are closed.
The values are read inside the loop, a slice at a time, since a node is not thread-safe; they are
formatted in a thread.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from http import HTTPStatus
from typing import Protocol

from minikafka.metrics.definition import Sample
from minikafka.server.bound_sockets import BoundSockets

_log = logging.getLogger("minikafka.server")
_PATH = "/metrics"
_HEAD_BYTES = 8192
_TIMEOUT_S = 10.0
_MAX_CONNECTIONS = 16
_SLICE = 1000


class Rendered(Protocol):
    """A response body and its type."""

    @property
    def content_type(self) -> str:
        """The Content-Type header."""

    @property
    def body(self) -> bytes:
        """The bytes of the body."""


class _Rejected(Exception):  # noqa: N818 - a response, not a fault
    def __init__(self, status: HTTPStatus) -> None:
        super().__init__(status.phrase)
        self.status = status


class MetricsServer:
    """Serves the samples of `take`, formatted by `render` for the request's Accept header."""

    def __init__(
        self,
        bound: BoundSockets,
        take: Callable[[], Iterable[Sample]],
        render: Callable[[Sequence[Sample], str], Rendered],
        *,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """Prepare; the server listens after `serve`."""
        self._bound = bound
        self._take = take
        self._render = render
        self._timeout_s = timeout_s
        self._open: dict[asyncio.StreamWriter, asyncio.Task[None] | None] = {}
        self._servers: list[asyncio.Server] = []

    async def serve(self) -> None:
        """Start to accept connections.

        Raises:
            OSError: another process listens on an address since it was bound.
        """
        for each in self._bound.sockets:
            each.listen(self._bound.backlog)  # uvloop does not report an error of its own call
            server = await asyncio.start_server(
                self._connected, sock=each, limit=_HEAD_BYTES, backlog=self._bound.backlog
            )
            self._servers.append(server)

    def close(self) -> None:
        """Stop accepting connections, and close the open ones."""
        for server in self._servers:
            server.close()
        for writer in self._open:
            writer.transport.abort()

    async def wait_closed(self) -> None:
        """Wait until the last connection is closed."""
        tasks = [task for task in self._open.values() if task is not None]
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._open) >= _MAX_CONNECTIONS:
            writer.transport.abort()
            return
        self._open[writer] = asyncio.current_task()
        try:
            async with asyncio.timeout(self._timeout_s):
                writer.write(await self._answer(reader))
                await writer.drain()
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError):
            writer.transport.abort()
        finally:
            del self._open[writer]

    async def _answer(self, reader: asyncio.StreamReader) -> bytes:
        try:
            method, accept = await self._request(reader)
            samples = await self._samples()
            # Formatting many samples takes long, and needs only the samples, not the node.
            rendered = await asyncio.to_thread(self._render, samples, accept)
        except _Rejected as rejected:
            return _refusal(rejected.status)
        except asyncio.IncompleteReadError as error:
            return _refusal(HTTPStatus.BAD_REQUEST) if error.partial else b""
        except (OSError, TimeoutError):
            raise
        except Exception:  # noqa: BLE001 - a scrape must not stop the node
            _log.exception("metrics could not be read")
            return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR)
        head = _head(HTTPStatus.OK, rendered.content_type, len(rendered.body))
        return head if method == "HEAD" else head + rendered.body

    async def _request(self, reader: asyncio.StreamReader) -> tuple[str, str]:
        """Read a request; return its method and Accept header.

        Raises:
            _Rejected: the request is invalid or not supported.
        """
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.LimitOverrunError:
            raise _Rejected(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE) from None
        line, *fields = head.decode("latin-1").split("\r\n")[:-2]
        words = line.split(" ")
        if len(words) != 3 or not all(words) or not words[2].startswith("HTTP/1."):
            raise _Rejected(HTTPStatus.BAD_REQUEST)
        headers = {}
        for field in fields:
            name, separator, value = field.partition(":")
            if not separator or not name or name != name.strip():
                raise _Rejected(HTTPStatus.BAD_REQUEST)
            headers[name.lower()] = value.strip()
        if words[1].partition("?")[0] != _PATH:
            raise _Rejected(HTTPStatus.NOT_FOUND)
        if words[0] not in ("GET", "HEAD"):
            raise _Rejected(HTTPStatus.METHOD_NOT_ALLOWED)
        return words[0], headers.get("accept", "")

    async def _samples(self) -> list[Sample]:
        samples: list[Sample] = []
        for sample in self._take():
            samples.append(sample)
            if len(samples) % _SLICE == 0:
                # So that clients of the node wait for one slice only.
                await asyncio.sleep(0)
        return samples


def _head(status: HTTPStatus, content_type: str, length: int) -> bytes:
    lines = [
        f"HTTP/1.1 {status.value} {status.phrase}",
        f"Content-Type: {content_type}",
        f"Content-Length: {length}",
        "Connection: close",
    ]
    if status is HTTPStatus.METHOD_NOT_ALLOWED:
        lines.append("Allow: GET, HEAD")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _refusal(status: HTTPStatus) -> bytes:
    body = f"{status.phrase}; metrics are at {_PATH}\n".encode()
    return _head(status, "text/plain; charset=utf-8", len(body)) + body
