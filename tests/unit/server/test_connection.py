"""Responses that become ready together: written together, in order, and none of them late."""

import asyncio

import pytest

from minikafka.common.events import ConnectionOpened, RequestFrame
from minikafka.server.connection import Connection
from minikafka.server.listener import Connections
from tests.unit.server.conftest import framed


class FakeTransport:
    """Keeps each write for itself, as a socket's system calls would."""

    def __init__(self):
        self.writes = []
        self.is_closed = False
        self.is_reading = True

    def pause_reading(self):
        self.is_reading = False

    def resume_reading(self):
        self.is_reading = True

    def get_extra_info(self, name):
        return ("127.0.0.1", 1) if name == "peername" else None

    def set_write_buffer_limits(self, high):
        assert high > 0

    def is_closing(self):
        return self.is_closed

    def write(self, data):
        assert not self.is_closed
        self.writes.append(bytes(data))

    def writelines(self, chunks):
        self.write(b"".join(chunks))

    def close(self):
        self.is_closed = True

    abort = close


class Wire:
    """One connection that is fed by hand."""

    def __init__(self, connections, listener="PLAINTEXT"):
        self.transport = FakeTransport()
        self.connection = Connection(connections, listener)
        self.connection.connection_made(self.transport)

    def feed(self, data):
        self.connection.get_buffer(-1)[: len(data)] = data
        self.connection.buffer_updated(len(data))


@pytest.fixture
async def connections(events):
    connections = Connections(events.step, asyncio.get_running_loop(), events.unreadable)
    yield connections
    connections.close()


@pytest.fixture
async def wire(connections, events):
    wire = Wire(connections)
    wire.number = (await events.next(ConnectionOpened)).connection
    return wire


def answer(events, connections, parts):
    """Answer each request at once, with what `parts` makes of it."""

    def react(event):
        if isinstance(event, RequestFrame):
            connections.reply(event.connection, parts(event.frame))

    events.on_event = react


async def test_answers_to_pipelined_requests_leave_in_one_write(wire, connections, events):
    answer(events, connections, lambda frame: [frame])
    wire.feed(framed(b"a") + framed(b"b") + framed(b"c"))
    assert wire.transport.writes == [b"abc"]
    wire.feed(framed(b"d"))
    assert wire.transport.writes == [b"abc", b"d"]


async def test_first_answer_waits_for_few_requests_only(wire, connections, events):
    answer(events, connections, lambda frame: [frame])
    wire.feed(framed(b"x") * 20)
    assert wire.transport.writes == [b"x" * 8, b"x" * 8, b"x" * 4]


async def test_answer_with_records_takes_along_what_was_kept_before_it(wire, connections, events):
    answer(events, connections, lambda frame: [frame, b"+"] if frame == b"b" else [frame])
    wire.feed(framed(b"a") + framed(b"b") + framed(b"c"))
    assert wire.transport.writes == [b"ab+", b"c"]


async def test_answers_of_one_step_leave_in_one_write_by_connection(wire, connections, events):
    other = Wire(connections)
    number = (await events.next(ConnectionOpened)).connection
    connections.gather()
    connections.reply(wire.number, [b"1"])
    connections.reply(number, [b"2"])
    connections.reply(wire.number, [b"3"])
    assert wire.transport.writes == []
    connections.release()
    assert wire.transport.writes == [b"13"]
    assert other.transport.writes == [b"2"]
    connections.reply(number, [b"4"])
    assert other.transport.writes == [b"2", b"4"]


async def test_connection_is_closed_after_what_was_gathered_for_it(wire, connections):
    connections.gather()
    connections.reply(wire.number, [b"last"])
    connections.disconnect(wire.number)
    connections.release()
    assert wire.transport.writes == [b"last"]
    assert wire.transport.is_closed


async def test_answers_before_a_frame_over_the_limit_are_written(wire, connections, events):
    answer(events, connections, lambda frame: [frame])
    wire.feed(framed(b"a") + framed(b"b") + b"\xff\xff\xff\xff")
    assert wire.transport.writes == [b"ab"]
    assert wire.transport.is_closed
