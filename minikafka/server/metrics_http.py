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
from minikafka.server.http_head import HEAD_BYTES, RejectedRequestError, read_head, response_head

_log = logging.getLogger("minikafka.server")
_PATH = "/metrics"
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
                self._connected, sock=each, limit=HEAD_BYTES, backlog=self._bound.backlog
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
        except RejectedRequestError as rejected:
            return _refusal(rejected.status)
        except asyncio.IncompleteReadError as error:
            return _refusal(HTTPStatus.BAD_REQUEST) if error.partial else b""
        except (OSError, TimeoutError):
            raise
        except Exception:  # noqa: BLE001 - a scrape must not stop the node
            _log.exception("metrics could not be read")
            return _refusal(HTTPStatus.INTERNAL_SERVER_ERROR)
        head = response_head(HTTPStatus.OK, rendered.content_type, len(rendered.body))
        return head if method == "HEAD" else head + rendered.body

    async def _request(self, reader: asyncio.StreamReader) -> tuple[str, str]:
        """Read a request; return its method and Accept header.

        Raises:
            RejectedRequestError: the request is invalid or not supported.
        """
        head = await read_head(reader)
        if head.path != _PATH:
            raise RejectedRequestError(HTTPStatus.NOT_FOUND)
        if head.method not in ("GET", "HEAD"):
            raise RejectedRequestError(HTTPStatus.METHOD_NOT_ALLOWED)
        return head.method, head.headers.get("accept", "")

    async def _samples(self) -> list[Sample]:
        samples: list[Sample] = []
        for sample in self._take():
            samples.append(sample)
            if len(samples) % _SLICE == 0:
                # So that clients of the node wait for one slice only.
                await asyncio.sleep(0)
        return samples


def _refusal(status: HTTPStatus) -> bytes:
    body = f"{status.phrase}; metrics are at {_PATH}\n".encode()
    headers = {"Allow": "GET, HEAD"} if status is HTTPStatus.METHOD_NOT_ALLOWED else None
    return response_head(status, "text/plain; charset=utf-8", len(body), headers) + body
