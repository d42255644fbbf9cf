"""The loop around a node: effects carried out in order, one step at a time, faults end it."""

import asyncio
import logging
import threading
import traceback
import weakref

import pytest

from minikafka.common.effects import Channel, CloseChannel, Flush, Halt, Reply, Send, Started, Work
from minikafka.common.events import (
    ChannelDown,
    FlushDone,
    ReadFailed,
    ShutdownRequested,
    Tick,
    WorkDone,
)
from minikafka.common.faults import (
    InvariantViolation,
    OutOfFilesError,
    RecordsGoneError,
    StorageFault,
)
from minikafka.common.file_slice import FileSlice
from minikafka.server.driver import Driver, read_clock

CHANNEL = Channel("127.0.0.1", 1, "p")


class ScriptedNode:
    """Answers events with effects that the test gives by their kind."""

    def __init__(self):
        self.reactions = {}
        self.seen = []
        self.waiters = {}
        self.deadline_ms = None
        self.depth = 0
        self.deepest = 0

    def start(self, now):
        return self.reactions.get("start", list)()

    def step(self, event, now):
        self.depth += 1
        self.deepest = max(self.deepest, self.depth)
        self.seen.append(event)
        waiter = self.waiters.pop(type(event), None)
        if waiter is not None:
            waiter.set_result(event)
        try:
            return self.reactions.get(type(event), list)()
        finally:
            self.depth -= 1

    def next_deadline_ms(self):
        return self.deadline_ms

    async def await_event(self, kind):
        waiter = self.waiters[kind] = asyncio.get_running_loop().create_future()
        async with asyncio.timeout(10):
            return await waiter


class Target:
    def __init__(self, error=None):
        self.error = error
        self.runs = 0

    def run(self):
        self.runs += 1
        if self.error is not None:
            raise self.error


class World:
    def __init__(self):
        self.node = ScriptedNode()
        self.started = []
        self.driver = Driver(
            self.node, asyncio.get_running_loop(), lambda: self.started.append(True)
        )

    async def halted(self):
        async with asyncio.timeout(10):
            return await self.driver.halted


@pytest.fixture
async def world():
    world = World()
    yield world
    world.driver.close()


def raising(error):
    def react():
        raise error

    return react


async def test_started_node_is_announced(world):
    world.node.reactions["start"] = lambda: [Started()]
    world.driver.start()
    assert world.started == [True]


async def test_halt_ends_with_the_node_s_exit_code(world):
    world.node.reactions[ShutdownRequested] = lambda: [Halt(3, "asked to")]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.halted() == 3


async def test_halted_node_is_not_stepped_again(world):
    world.node.reactions[ShutdownRequested] = lambda: [Halt(0, "done")]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    world.driver.step(Tick())
    assert world.node.seen == [ShutdownRequested()]


@pytest.mark.parametrize(
    "fault", [InvariantViolation("x"), StorageFault("d", "x"), ZeroDivisionError()]
)
@pytest.mark.parametrize("when", ["start", ShutdownRequested])
async def test_fault_stops_the_node(world, fault, when):
    world.node.reactions[when] = raising(fault)
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.halted() == 1


@pytest.mark.parametrize(
    ("fault", "has_stack"),
    [
        (StorageFault("d", "x"), False), (OutOfFilesError("d", "x"), False),
        (InvariantViolation("x"), True),
    ],
)  # fmt: skip
async def test_a_fault_of_the_disk_is_one_sentence(world, caplog, fault, has_stack):
    world.node.reactions["start"] = raising(fault)
    world.driver.start()
    assert await world.halted() == 1
    (record,) = caplog.records
    assert record.getMessage() == f"the node cannot continue: {fault}"
    assert bool(record.exc_info) is has_stack


async def test_step_is_never_entered_from_within_itself(world):
    def react():
        world.driver.step(Tick())
        assert world.node.seen == [ShutdownRequested()]
        return []

    world.node.reactions[ShutdownRequested] = react
    world.driver.start()
    ticked = asyncio.ensure_future(world.node.await_event(Tick))
    await asyncio.sleep(0)
    world.driver.step(ShutdownRequested())
    await ticked
    assert world.node.seen == [ShutdownRequested(), Tick()]
    assert world.node.deepest == 1


async def test_deadline_brings_a_tick(world):
    def react():
        world.node.deadline_ms = None
        return []

    world.node.reactions[Tick] = react
    world.node.deadline_ms = read_clock().monotonic_ms
    world.driver.start()
    assert await world.node.await_event(Tick) == Tick()


async def test_earlier_deadline_replaces_a_later_one(world):
    world.node.deadline_ms = read_clock().monotonic_ms + 3_600_000
    world.driver.start()

    def sooner():
        world.node.deadline_ms = read_clock().monotonic_ms
        return []

    def done():
        world.node.deadline_ms = None
        return []

    world.node.reactions[ShutdownRequested] = sooner
    world.node.reactions[Tick] = done
    world.driver.step(ShutdownRequested())
    assert await world.node.await_event(Tick) == Tick()


@pytest.mark.parametrize(
    ("error", "level", "has_stack"),
    [(RecordsGoneError("closed"), logging.INFO, False), (ZeroDivisionError(), logging.ERROR, True)],
)
async def test_records_that_were_deleted_before_they_are_sent_are_no_error(
    world, caplog, error, level, has_stack
):
    class Source:
        def read_at(self, position, length):
            raise error

    caplog.set_level(logging.INFO, "minikafka")
    world.node.reactions[ShutdownRequested] = lambda: [Send(CHANNEL, (FileSlice(Source(), 0, 1),))]
    world.driver.start()
    down = asyncio.ensure_future(world.node.await_event(ChannelDown))
    await asyncio.sleep(0)
    world.driver.step(ShutdownRequested())
    await down
    (record,) = [each for each in caplog.records if "closing its connection" in each.getMessage()]
    assert (record.levelno, bool(record.exc_info)) == (level, has_stack)


async def test_flush_is_done_elsewhere_and_reported(world):
    target = Target()
    world.node.reactions[ShutdownRequested] = lambda: [Flush(7, (target, target))]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.node.await_event(FlushDone) == FlushDone(7, None)
    assert target.runs == 2


async def test_flush_that_fails_is_reported_with_its_fault(world):
    fault = StorageFault("d", "x")
    last = Target()
    world.node.reactions[ShutdownRequested] = lambda: [Flush(7, (Target(fault), last))]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.node.await_event(FlushDone) == FlushDone(7, fault)
    assert last.runs == 0


async def test_flush_that_fails_in_no_known_way_stops_the_node(world):
    world.node.reactions[ShutdownRequested] = lambda: [Flush(7, (Target(ZeroDivisionError()),))]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.halted() == 1


async def test_work_is_done_in_another_thread_and_its_result_is_reported(world):
    world.node.reactions[ShutdownRequested] = lambda: [Work(7, threading.get_ident)]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    done = await world.node.await_event(WorkDone)
    assert (done.token, done.error) == (7, None)
    assert done.result != threading.get_ident()


async def test_work_that_raises_is_reported_with_its_error(world):
    error = ZeroDivisionError()
    world.node.reactions[ShutdownRequested] = lambda: [Work(7, Target(error).run)]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert await world.node.await_event(WorkDone) == WorkDone(7, None, error)
    assert not world.driver.halted.done()


class Held:
    """What a function that fails has made."""


async def test_work_that_raises_lets_go_of_what_it_held(world):
    """An error in a cycle kept 64 MB of opened records until a collection, which is rare."""
    made = []

    def fail():
        held = Held()
        made.append(weakref.ref(held))
        try:
            _ = len(made) / 0
        except ZeroDivisionError:
            also_held = Held()
            made.append(weakref.ref(also_held))
            raise ValueError from None

    world.node.reactions[ShutdownRequested] = lambda: [Work(7, fail)]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    error = (await world.node.await_event(WorkDone)).error
    assert "raise ValueError" in "".join(traceback.format_exception(error))
    assert [each() for each in made] == [None, None]


async def test_channel_that_cannot_be_opened_is_an_event(world):
    world.node.reactions[ShutdownRequested] = lambda: [Send(CHANNEL, [b"x"])]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    assert (await world.node.await_event(ChannelDown)).channel == CHANNEL


async def test_channel_that_is_closed_is_none(world):
    world.node.reactions[ShutdownRequested] = lambda: [
        Send(CHANNEL, [b"x"]),
        CloseChannel(CHANNEL),
        Flush(1, ()),
    ]
    world.driver.start()
    world.driver.step(ShutdownRequested())
    await world.node.await_event(FlushDone)
    assert world.node.seen == [ShutdownRequested(), FlushDone(1, None)]


class Unreadable:
    def __init__(self, error):
        self.error = error

    def read_at(self, position, length):
        raise self.error


class FakeConnection:
    """Stands where a client's connection does."""

    def __init__(self):
        self.closed = False
        self.draining = self.is_sending = False
        self.number = 1
        self.transport = self
        self.written = []

    def write(self, data):
        self.written.append(data)

    def write_gathered(self):
        pass

    def close(self):
        self.closed = True


@pytest.mark.parametrize("error", [StorageFault("/data", "read failed"), ValueError("closed")])
async def test_records_that_cannot_be_read_end_a_connection_and_not_the_node(world, error):
    slow, other = FakeConnection(), FakeConnection()
    world.driver.connections._by_id.update({1: slow, 2: other})
    part = FileSlice(Unreadable(error), 0, 10)
    world.node.reactions[ShutdownRequested] = lambda: [Reply(1, (b"head", part))]
    world.node.reactions[Tick] = lambda: [Reply(2, (b"answer",))]
    world.driver.start()
    told = asyncio.ensure_future(world.node.await_event(ReadFailed))
    await asyncio.sleep(0)
    world.driver.step(ShutdownRequested())
    world.driver.step(Tick())
    assert slow.closed
    assert slow.written == []
    assert other.written == [b"answer"]
    assert not world.driver.halted.done()
    if isinstance(error, StorageFault):
        assert (await told).fault is error
    else:
        told.cancel()
    world.driver.connections._by_id.clear()


async def test_request_that_cannot_be_read_is_a_channel_that_is_down(world):
    part = FileSlice(Unreadable(ValueError("closed")), 0, 10)
    world.node.reactions[ShutdownRequested] = lambda: [Send(CHANNEL, (part,))]
    world.driver.start()
    told = asyncio.ensure_future(world.node.await_event(ChannelDown))
    await asyncio.sleep(0)
    world.driver.step(ShutdownRequested())
    assert (await told).channel == CHANNEL


async def test_what_is_due_at_once_takes_turns_with_what_comes_from_elsewhere(world):
    order, done = [], asyncio.Event()

    def react():
        order.append("tick")
        if len(order) < 6:
            asyncio.get_running_loop().call_soon(order.append, "other")
        else:
            world.node.deadline_ms = None
            done.set()
        return []

    world.node.reactions[Tick] = react
    world.node.deadline_ms = 0
    world.driver.start()
    await done.wait()
    assert order == ["tick", "other"] * 3 + ["tick"]
