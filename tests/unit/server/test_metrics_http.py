"""GET /metrics over real sockets: what is served, what is refused, who is cut off."""

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import NamedTuple

import pytest

from minikafka.metrics import catalog
from minikafka.metrics.definition import Sample
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.metrics_http import MetricsServer

SAMPLES = [Sample(catalog.LEADER_COUNT, at) for at in range(2500)]


class Page(NamedTuple):
    content_type: str
    body: bytes


def render(samples, accept):
    return Page("text/x", f"{len(samples)} for {accept or 'anybody'}".encode())


@asynccontextmanager
async def serving(take=lambda: iter(SAMPLES), render=render, **options):
    bound = await bind_sockets("127.0.0.1", 0, 100)
    server = MetricsServer(bound, take, render, **options)
    await server.serve()
    try:
        yield bound.port
    finally:
        server.close()
        await server.wait_closed()


async def talk(port, request):
    """Everything that comes back until the server closes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(request)
    answer = await reader.read()
    await hang_up(writer)
    return answer


async def hang_up(writer):
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()


def split(answer):
    head, _, body = answer.partition(b"\r\n\r\n")
    line, *fields = head.decode().split("\r\n")
    return line, dict(field.split(": ", 1) for field in fields), body


async def test_a_scrape():
    async with serving() as port:
        line, fields, body = split(
            await talk(port, b"GET /metrics HTTP/1.1\r\nHost: x\r\nAccept: text/y\r\n\r\n")
        )
    assert line == "HTTP/1.1 200 OK"
    assert body == b"2500 for text/y"
    assert fields == {
        "Content-Type": "text/x",
        "Content-Length": str(len(body)),
        "Connection": "close",
    }


@pytest.mark.parametrize("target", [b"/metrics?name[]=a", b"/metrics"])
async def test_a_query_changes_nothing_and_http_1_0_will_do(target):
    async with serving() as port:
        line, _, body = split(await talk(port, b"GET %s HTTP/1.0\r\n\r\n" % target))
    assert (line, body) == ("HTTP/1.1 200 OK", b"2500 for anybody")


async def test_head_has_the_length_and_no_body():
    async with serving() as port:
        line, fields, body = split(await talk(port, b"HEAD /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
    assert (line, fields["Content-Length"], body) == ("HTTP/1.1 200 OK", "16", b"")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", 404),
        (b"GET /metricsx HTTP/1.1\r\n\r\n", 404),
        (b"POST /metrics HTTP/1.1\r\n\r\n", 405),
        (b"GET /metrics\r\n\r\n", 400),
        (b"GET  HTTP/1.1\r\n\r\n", 400),
        (b"GET /metrics SPDY/3\r\n\r\n", 400),
        (b"\x16\x03\x01\x00\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nno colon\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nX : 1\r\n\r\n", 400),
        (b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 9000 + b"\r\n\r\n", 431),
    ],
)
async def test_what_is_no_scrape_is_refused(request_bytes, status):
    async with serving() as port:
        line, fields, body = split(await talk(port, request_bytes))
    assert line.startswith(f"HTTP/1.1 {status} ")
    assert fields["Content-Length"] == str(len(body))
    assert fields.get("Allow") == ("GET, HEAD" if status == 405 else None)
    assert b"/metrics" in body


async def test_a_request_that_ends_in_the_midst_is_a_bad_one():
    async with serving() as port:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /metrics HT")
        writer.write_eof()
        assert (await reader.read()).startswith(b"HTTP/1.1 400 ")
        await hang_up(writer)


async def test_who_says_nothing_is_cut_off():
    async with serving(timeout_s=0.01) as port:
        assert await talk(port, b"GET /metr") == b""


async def test_a_fault_is_logged_and_answered(caplog):
    def take():
        yield SAMPLES[0]
        raise ValueError("a gauge that cannot be read")

    async with serving(take) as port:
        with caplog.at_level(logging.ERROR):
            line, _, _ = split(await talk(port, b"GET /metrics HTTP/1.1\r\n\r\n"))
    assert line == "HTTP/1.1 500 Internal Server Error"
    assert "a gauge that cannot be read" in caplog.text


async def test_the_loop_goes_on_between_slices():
    """A request that waits for the node waits for a slice of the values, never for all."""
    turns = []

    def take():
        for at in range(5000):
            if at % 1000 == 1:
                asyncio.get_running_loop().call_soon(turns.append, at)
            if at % 1000 == 0:
                seen.append(len(turns))
            yield SAMPLES[0]

    seen = []
    async with serving(take) as port:
        await talk(port, b"GET /metrics HTTP/1.1\r\n\r\n")
    assert seen == [0, 1, 2, 3, 4]


async def test_too_many_at_once_are_turned_away():
    async with serving() as port:
        held = [await asyncio.open_connection("127.0.0.1", port) for _ in range(16)]
        for _, writer in held:
            writer.write(b"GET /metrics HTTP/1.1\r\n")
        refused = b"?"
        while refused:
            try:
                refused = await talk(port, b"GET /metrics HTTP/1.1\r\n\r\n")
            except ConnectionError:
                refused = b""
        held[0][1].write(b"\r\n")
        assert (await held[0][0].read()).startswith(b"HTTP/1.1 200 ")
        for _, writer in held:
            await hang_up(writer)
