"""Memory of large requests over real sockets: who waits, who goes on, who is closed."""

import asyncio
import errno
from types import SimpleNamespace

import pytest

from minikafka.common.events import ConnectionClosed, ConnectionOpened, RequestFrame
from minikafka.server.bound_sockets import bind_sockets
from minikafka.server.frame_buffer import PIECE_BYTES, BufferPool
from minikafka.server.listener import Connections
from minikafka.server.request_memory import RequestMemory
from tests.unit.server.conftest import framed

HOST = "127.0.0.1"
LARGE = framed(bytes(1_000_000))
HALF = len(LARGE) // 2
MIB = 1 << 20
HUGE = framed(bytes(5 * MIB))


class World:
    def __init__(self, events):
        self.events = events
        self.connections = Connections(events.step, asyncio.get_running_loop(), events.unreadable)
        self.memory = self.connections.memory
        self.memory.bound_bytes = 1
        self.writers = []

    async def connect(self, listener="CLIENTS"):
        _, writer = await asyncio.open_connection(HOST, self.ports[listener])
        self.writers.append(writer)
        opened = await self.events.next(ConnectionOpened)
        return writer, opened.connection

    async def serve(self):
        self.connections.node_listeners = frozenset(("NODES",))
        self.ports = {}
        for listener in ("CLIENTS", "NODES"):
            bound = await bind_sockets(HOST, 0, 50)
            self.ports[listener] = bound.port
            self.connections.listen(listener, bound)
            self.connections.serve(listener)

    async def ask(self, data):
        """Connect and send; whether memory was taken at the first attempt."""
        writer, number = await self.connect()
        first = asyncio.get_running_loop().create_future()
        take = self.memory.take

        def noted(holder, size):
            buffer = take(holder, size)
            if holder.number == number and not first.done():
                first.set_result(buffer is not None)
            return buffer

        self.memory.take = noted
        writer.write(data)
        async with asyncio.timeout(10):
            return writer, number, await first

    def waits_in_frame(self):
        """A future for when the rest of a frame has to wait; its result is the connection."""
        waits = asyncio.get_running_loop().create_future()
        fill = self.memory.fill

        def noted(holder, count, left):
            goes_on = fill(holder, count, left)
            if not goes_on and not waits.done():
                waits.set_result(holder.number)
            return goes_on

        self.memory.fill = noted
        return waits

    async def half_sent(self):
        """A connection that holds all the memory."""
        writer, number, has_taken = await self.ask(LARGE[:HALF])
        assert has_taken
        return writer, number

    async def waiting(self):
        """A connection that waits for memory."""
        writer, number, has_taken = await self.ask(LARGE)
        assert not has_taken
        return writer, number


@pytest.fixture
async def world(events):
    world = World(events)
    await world.serve()
    yield world
    world.connections.close()
    for writer in world.writers:
        writer.transport.abort()


async def test_large_frames_wait_for_memory_in_order(world):
    holding, first = await world.half_sent()
    _, second = await world.waiting()
    _, third = await world.waiting()
    holding.write(LARGE[HALF:])
    frames = [await world.events.next(RequestFrame) for _ in range(3)]
    assert frames == [(number, LARGE[4:]) for number in (first, second, third)]
    assert (world.memory.used_bytes, world.memory.waiting_count) == (0, 0)


async def test_one_that_comes_later_waits_behind_those_that_wait(world):
    await world.half_sent()
    await world.waiting()
    world.memory.bound_bytes = 1 << 30
    await world.waiting()
    assert world.memory.waiting_count == 2


async def test_small_requests_and_nodes_go_on(world):
    await world.half_sent()
    small, number = await world.connect()
    small.write(framed(b"x" * 60_000))
    assert await world.events.next(RequestFrame) == (number, b"x" * 60_000)
    node, number = await world.connect("NODES")
    node.write(LARGE)
    assert await world.events.next(RequestFrame) == (number, LARGE[4:])


async def test_what_handlers_hold_counts(world):
    world.memory.bound_bytes = 100
    world.memory.held_bytes = lambda: 100
    _, number = await world.waiting()
    world.memory.held_bytes = lambda: 99
    world.memory.freed()
    assert await world.events.next(RequestFrame) == (number, LARGE[4:])


async def test_connection_that_ends_makes_room_and_waits_no_more(world):
    holding, first = await world.half_sent()
    gone, second = await world.waiting()
    _, third = await world.waiting()
    world.connections._by_id[second].transport.abort()
    assert await world.events.next(ConnectionClosed) == (second,)
    assert world.memory.waiting_count == 1
    holding.close()
    gone.close()
    assert await world.events.next(ConnectionClosed) == (first,)
    assert await world.events.next(RequestFrame) == (third, LARGE[4:])


async def test_incomplete_frame_whose_sender_stalls_is_closed(world, caplog):
    world.memory.stalled_s = 0.05
    _, first = await world.half_sent()
    _, second = await world.waiting()
    assert await world.events.next(ConnectionClosed) == (first,)
    assert await world.events.next(RequestFrame) == (second, LARGE[4:])
    assert "a request is incomplete" in caplog.text


async def test_connection_that_waits_for_memory_is_not_closed_as_stalled(world):
    world.memory.held_bytes = lambda: 1
    _, number = await world.waiting()
    world.memory.stalled_s = 0.0
    world.memory._check()
    world.memory.stalled_s = 30.0
    world.memory.held_bytes = lambda: 0
    world.memory.freed()
    assert await world.events.next(RequestFrame) == (number, LARGE[4:])


async def test_a_size_in_front_of_a_frame_holds_no_memory(world):
    """12 senders that announced 90 MB each, and brought a byte a second, held 1 GiB without end."""
    world.memory.bound_bytes = 6 * MIB
    for _ in range(5):
        assert (await world.ask((90_000_000).to_bytes(4, "big") + bytes(100_000)))[2]
    _, number, has_taken = await world.ask(LARGE)
    assert has_taken
    assert await world.events.next(RequestFrame) == (number, LARGE[4:])
    assert world.memory.used_bytes == 5 * MIB


async def test_at_the_bound_the_first_frame_goes_on_and_others_wait(world):
    world.memory.bound_bytes = 4 * MIB
    waits = world.waits_in_frame()
    one, first, _ = await world.ask(HUGE[: 2 * MIB])
    _, second, _ = await world.ask(HUGE)
    assert await waits == second
    assert world.memory.waiting_count == 1
    assert world.memory.used_bytes <= 4 * MIB + 2 * PIECE_BYTES
    one.write(HUGE[2 * MIB :])
    assert await world.events.next(RequestFrame) == (first, HUGE[4:])
    assert await world.events.next(RequestFrame) == (second, HUGE[4:])
    assert (world.memory.used_bytes, world.memory.waiting_count) == (0, 0)


async def test_the_next_frame_goes_on_when_the_first_is_gone_and_memory_is_not_free(world):
    world.memory.bound_bytes = 4 * MIB
    waits = world.waits_in_frame()
    one, first, _ = await world.ask(HUGE[: 2 * MIB])
    _, second, _ = await world.ask(HUGE)
    assert await waits == second
    world.memory.held_bytes = lambda: 4 * MIB
    one.close()
    assert await world.events.next(ConnectionClosed) == (first,)
    assert await world.events.next(RequestFrame) == (second, HUGE[4:])


async def test_slow_sender_is_closed_while_others_wait(world, caplog):
    world.memory.bound_bytes = MIB
    _, first, _ = await world.ask(HUGE[:100_000])
    world.memory._check()
    world.memory._check()
    assert not world.connections._by_id[first].transport.is_closing()
    _, second = await world.waiting()
    world.memory._check()
    assert await world.events.next(ConnectionClosed) == (first,)
    assert await world.events.next(RequestFrame) == (second, LARGE[4:])
    assert "while other requests wait for memory" in caplog.text


async def test_the_frame_in_front_must_come_to_its_end():
    """256 KiB in 10 s are too little of 100 MiB for those that wait behind it."""
    memory = RequestMemory(BufferPool(), asyncio.get_running_loop())
    memory.bound_bytes = MIB
    front, other = Sender(), Sender()
    assert memory.take(front, 100 * MIB) is not None
    assert memory.take(other, 2 * MIB) is None
    for _ in range(3):
        memory.fill(front, MIB, 90 * MIB)
        memory._check()
    memory.close()
    assert len(front.reasons) == 2
    assert "while other requests wait" in front.reasons[0]


async def test_sender_that_brings_enough_goes_on_while_others_wait(world):
    world.memory.bound_bytes = MIB
    waits = world.waits_in_frame()
    writer, first, _ = await world.ask(HUGE[:100_000])
    _, second = await world.waiting()
    world.memory._check()
    writer.write(HUGE[100_000 : 2 * MIB])
    connection = world.connections._by_id[first]
    received = connection.buffer_updated
    enough = asyncio.Event()

    def noted(count):
        received(count)
        if connection._frames._big_filled >= MIB:
            enough.set()

    connection.buffer_updated = noted
    async with asyncio.timeout(10):
        await enough.wait()
    world.memory._check()
    writer.write(HUGE[2 * MIB :])
    assert await world.events.next(RequestFrame) == (first, HUGE[4:])
    assert await world.events.next(RequestFrame) == (second, LARGE[4:])
    assert not waits.done()


async def test_a_frame_for_which_there_are_no_pages_is_refused_and_holds_nothing(world, caplog):
    """As under a limit of address space: its size was counted, and stayed so."""
    world.memory.bound_bytes = 2 * MIB
    pool = world.memory._pool

    def refuse(size):
        raise OSError(errno.ENOMEM, "Cannot allocate memory")

    world.memory._pool = SimpleNamespace(take=refuse, give=pool.give)
    _, first, has_taken = await world.ask(HUGE[:100_000])
    assert not has_taken
    assert await world.events.next(ConnectionClosed) == (first,)
    assert world.memory.used_bytes == world.memory.waiting_count == 0
    assert "no memory is left: Cannot allocate memory" in caplog.text
    world.memory._pool = pool
    _, second, has_taken = await world.ask(HUGE)
    assert has_taken
    assert await world.events.next(RequestFrame) == (second, HUGE[4:])


async def test_a_stalled_sender_is_closed_also_where_answers_to_it_are_left(world):
    _, first = await world.half_sent()
    connection = world.connections._by_id[first]
    connection.transport.write(bytes(50 * MIB))
    connection.close()
    assert world.memory.used_bytes > 0
    connection.stalled("nothing came")
    assert await world.events.next(ConnectionClosed) == (first,)
    assert world.memory.used_bytes == 0


class Sender:
    """A connection as the memory sees it."""

    def __init__(self):
        self.resumed = 0
        self.reasons = []

    def active_since_s(self):
        return asyncio.get_running_loop().time()

    def memory_is_free(self):
        self.resumed += 1

    def stalled(self, reason):
        self.reasons.append(reason)


async def test_very_large_requests_are_received_in_turns():
    """40 of them were read in one turn of the loop: 40 MiB and 0.1 s, and again and again."""
    memory = RequestMemory(BufferPool(), asyncio.get_running_loop())
    senders = [Sender() for _ in range(20)]
    for each in senders:
        memory.take(each, 90 * MIB)
        assert memory.fill(each, 1_000, 90 * MIB)
    assert [memory.fill(each, MIB, 80 * MIB) for each in senders] == [True] * 8 + [False] * 12
    await asyncio.sleep(0)
    assert [each.resumed for each in senders] == [0] * 8 + [1] * 8 + [0] * 4
    memory.forget(senders[16])
    await asyncio.sleep(0)
    assert [each.resumed for each in senders] == [0] * 8 + [1] * 8 + [0] + [1] * 3
    # A request of up to 1 MiB, and the end of any, never waits.
    memory.take(small := Sender(), MIB)
    assert [memory.fill(each, MIB, 80 * MIB) for each in senders[:9]] == [True] * 8 + [False]
    assert memory.fill(small, 100_000, 900_000)
    assert memory.fill(senders[10], MIB, 0)
    memory.close()
