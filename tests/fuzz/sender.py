"""A process that sends odd frames to real nodes over many connections.

Its parent tells it where leaders and coordinators are, and gets its counts.
"""

import asyncio
import multiprocessing
import os
import signal
import traceback
from collections import Counter
from contextlib import suppress
from random import Random
from typing import NamedTuple

import uvloop

from minikafka.messages.api_keys import ApiKey
from minikafka.serving.registry import BROKER
from tests.fuzz.answers import (
    PROBE,
    FaultFoundError,
    decoded,
    is_unacknowledged,
    longest_wait_ms,
    probe,
    read_answer,
    takes_away_a_broker,
)
from tests.fuzz.frames import OFTEN, SERVED, FrameMaker
from tests.fuzz.honest_producer import TOPIC as KEPT

HOST = "127.0.0.1"
PATIENCE_S = 300
"""On a busy machine the computations of a thousand requests that wait take minutes."""
MAX_PARKED = 300
_TURN_S = 0.25
"""How long a connection is waited for before another one takes its place beside it."""
_LEAVE_AFTER_S = (0.1, 0.5, 1, 3, 10)
_LONG_MS = 20_000
_REPORT_EVERY_S = 0.5
_FRAMES_PER_DELETION = 4_000
"""State comes of topics that live: one frame in so many may delete those that frames name."""
_RARITY = 8
_BAD_SIZES = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\1", b"\x80\0\0\0")
_BY_LEADER = (
    ApiKey.PRODUCE, ApiKey.FETCH, ApiKey.LIST_OFFSETS, ApiKey.DELETE_RECORDS,
    ApiKey.OFFSET_FOR_LEADER_EPOCH,
)  # fmt: skip
_BY_COORDINATOR = (
    ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP, ApiKey.HEARTBEAT, ApiKey.LEAVE_GROUP,
    ApiKey.OFFSET_COMMIT, ApiKey.OFFSET_FETCH, ApiKey.OFFSET_DELETE, ApiKey.DESCRIBE_GROUPS,
    ApiKey.DELETE_GROUPS,
)  # fmt: skip
_GROUP_WAITS = (ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP)


class Places(NamedTuple):
    """A sender's view of the cluster. Ports are of brokers; `controller` is a port as well."""

    brokers: tuple
    controller: int
    leaders: tuple = ()
    coordinators: tuple = ()
    topics: tuple = ()
    topic_ids: tuple = ()
    kept_id: bytes | None = None


class Plan(NamedTuple):
    """The frames and connections of one sender."""

    name: str
    frames: int
    connections: int
    places: Places


class Connection(asyncio.Protocol):
    """Carries some frames, and an ApiVersions request as the last.

    `done` becomes "answered" or "closed"; `left` has the frames without an answer, in order.
    """

    def __init__(self, sender, frames, tail):
        self.sender = sender
        self.left = {frame.number: frame for frame in frames}
        self.done = asyncio.get_running_loop().create_future()
        self.transport = None
        self._tail = tail
        self._received = bytearray()

    def connection_made(self, transport):
        self.transport = transport
        transport.write(b"".join([*(frame.data for frame in self.left.values()), self._tail]))

    def data_received(self, data):
        received = self._received
        received += data
        at = 0
        while len(received) - at >= 8:
            end = at + 4 + int.from_bytes(received[at : at + 4], "big")
            if len(received) < end:
                break
            self._answered(bytes(received[at:end]))
            at = end
        del received[:at]

    def connection_lost(self, error):
        self._end("closed")

    def _answered(self, data):
        if self.done.done():
            return
        number = int.from_bytes(data[4:8], "big")
        try:
            self._check(number, data)
        except Exception as error:
            self.sender.failed(error)
            self._end("failed")
        if number == PROBE:
            self._end("answered")

    def _check(self, number, data):
        # Answers keep their order: what stands before this one has none.
        for earlier in list(self.left):
            if earlier == number:
                break
            frame = self.left.pop(earlier)
            if not is_unacknowledged(frame):
                raise FaultFoundError(f"no answer, and the connection goes on: {frame}")
        if number == PROBE:
            return
        frame = self.left.pop(number, None)
        if frame is None:
            raise FaultFoundError(f"answer {number} to no request")
        self.sender.read(frame, data)

    def _end(self, how):
        if not self.done.done():
            self.done.set_result(how)


class Sender:
    """Opens connections until all frames are sent."""

    def __init__(self, plan, pipe):
        self.plan = plan
        self.pipe = pipe
        self.rng = Random(plan.name)
        self.counts = Counter()
        self.places = plan.places
        self.pairs = list(SERVED)
        self.rng.shuffle(self.pairs)
        self.topic_ids = []
        self.maker = FrameMaker(self.rng, self.topic_ids, _RARITY)
        self.error = None
        self._opened = 0
        self._next_deletion = _FRAMES_PER_DELETION
        self._parked = set()
        self._free = asyncio.Semaphore(MAX_PARKED)

    async def run(self):
        """Send all frames; returns when each connection has ended."""
        loop = asyncio.get_running_loop()
        loop.add_reader(self.pipe.fileno(), self._update_places)
        reporting = asyncio.create_task(self._report())
        await asyncio.gather(*(self._lane() for _ in range(self.plan.connections)))
        while self._parked and self.error is None:
            await asyncio.wait(self._parked, return_when=asyncio.FIRST_COMPLETED)
        reporting.cancel()
        loop.remove_reader(self.pipe.fileno())

    def read(self, frame, data):
        """Decode an answer and learn its values, except for what would name the kept topic."""
        self.counts["answered"] += 1
        body = read_answer(frame, data)
        if frame.key == ApiKey.PRODUCE:
            self.counts["accepted batches"] += sum(
                not each.error_code
                for topic in body.responses
                for each in topic.partition_responses
            )
        learned = self.maker.learned
        learned.read(body)
        learned.forget(KEPT, self.places.kept_id)

    def failed(self, error):
        """Note the first fault: it ends the run."""
        if self.error is None:
            self.error = "".join(traceback.format_exception(error))

    def _update_places(self):
        try:
            while self.pipe.poll():
                self.places = self.pipe.recv()
        except EOFError:
            raise SystemExit from None
        self.topic_ids[:] = self.places.topic_ids

    async def _report(self):
        while True:
            self.pipe.send((dict(self.counts), None))
            await asyncio.sleep(_REPORT_EVERY_S)

    async def _lane(self):
        while self.counts["frames"] < self.plan.frames and self.error is None:
            port, frames = self._next()
            tail = probe()
            if not self.rng.randrange(30):
                tail = self.rng.choice(_BAD_SIZES) + bytes(4) + tail
            try:
                _, connection = await asyncio.get_running_loop().create_connection(
                    lambda made=frames, end=tail: Connection(self, made, end), HOST, port
                )
            except ConnectionError:
                self.counts["refused"] += 1
                # A broker that short of descriptors refuses is asked again, not in a loop.
                await asyncio.sleep(_TURN_S)
                continue
            await asyncio.wait({connection.done}, timeout=_TURN_S)
            if connection.done.done():
                self._close(connection)
            else:
                self.counts["waited"] += 1
                await self._free.acquire()
                task = asyncio.create_task(self._leave(connection))
                self._parked.add(task)
                task.add_done_callback(self._left)

    def _left(self, task):
        self._parked.discard(task)
        self._free.release()

    def _next(self):
        """Where the next connection goes, and its frames."""
        rng = self.rng
        role, key, version = self.pairs[self._opened % len(self.pairs)]
        self._opened += 1
        self.counts["connections"] += 1
        frames = []
        where = key
        if role == BROKER and rng.randrange(2):
            frames.append(self.maker.produce())
            where = ApiKey.PRODUCE
        most = rng.choice((1, 2, 4, 8, 16))
        for count in range(most):
            if count:
                often = OFTEN if role == BROKER and rng.randrange(2) else SERVED
                _, key, version = rng.choice([each for each in often if each[0] == role])
            # A changed frame mostly closes its connection, so it comes last.
            changed = count == most - 1 and bool(rng.randrange(2))
            frame = self.maker.frame(key, version, changed=changed)
            if not takes_away_a_broker(frame) and not self._is_early_deletion(frame):
                frames.append(frame)
        self.counts["frames"] += len(frames)
        return self._port(role, where), frames

    def _is_early_deletion(self, frame):
        """True for a frame that may delete the topics that frames name, and comes too soon."""
        body = decoded(frame) if frame.key == ApiKey.DELETE_TOPICS else None
        if body is None:
            return False
        names = {*(body.topic_names or ()), *(each.name for each in body.topics or ())}
        ids = {each.topic_id for each in body.topics or ()}
        if names.isdisjoint(self.places.topics) and ids.isdisjoint(self.topic_ids):
            return False
        if self.counts["frames"] < self._next_deletion:
            return True
        self._next_deletion += _FRAMES_PER_DELETION
        return False

    def _port(self, role, key):
        if role != BROKER:
            return self.places.controller
        known = ()
        if self.rng.randrange(8):
            if key in _BY_LEADER:
                known = self.places.leaders
            elif key in _BY_COORDINATOR:
                known = self.places.coordinators
        return self.rng.choice(known or self.places.brokers)

    async def _leave(self, connection):
        """Wait for a connection that takes long; leave it if its requests may wait for long."""
        left = list(connection.left.values())
        wait_s = sum(map(_wait_ms, left)) / 1000
        if wait_s > _LONG_MS / 1000:
            wait_s = self.rng.choice(_LEAVE_AFTER_S)
            await asyncio.wait({connection.done}, timeout=wait_s)
            if not connection.done.done():
                self.counts["left waiting"] += 1
        else:
            await asyncio.wait({connection.done}, timeout=wait_s + PATIENCE_S)
            if not connection.done.done():
                unanswered = next(iter(connection.left.values()), "the last request")
                self.failed(FaultFoundError(f"neither answered nor closed: {unanswered}"))
        self._close(connection)

    def _close(self, connection):
        if connection.done.done() and connection.done.result() == "closed":
            self.counts["closed"] += 1
        # Some clients close, others reset.
        if self.rng.randrange(2):
            connection.transport.close()
        else:
            connection.transport.abort()


def _wait_ms(frame):
    """The time that a frame may wait: more than any bound if that is not known."""
    body = decoded(frame)
    if body is None:
        return 0
    if frame.key in _GROUP_WAITS:
        return _LONG_MS + 1
    return max(longest_wait_ms(body), 0)


class SenderProcess:
    """The parent's side of a sender."""

    def __init__(self, plan):
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_send, args=(plan, theirs), daemon=True)
        self._process.start()
        theirs.close()
        self.counts = {}
        self.has_ended = False

    def tell(self, places):
        """Say where leaders are now."""
        if not self.has_ended:
            try:
                self._pipe.send(places)
            except ConnectionError:
                # It ended meanwhile: `read` finds how.
                return

    def read(self):
        """Take the reports that came.

        Raises:
            FaultFoundError: the sender found a fault, or ended.
        """
        while not self.has_ended and self._pipe.poll():
            try:
                self.counts, error = self._pipe.recv()
            except (EOFError, ConnectionError):
                raise FaultFoundError(f"a sender ended: {self._process.exitcode}") from None
            if error == "":
                self.has_ended = True
            elif error:
                raise FaultFoundError(error)

    def end(self):
        """Return when the process is gone."""
        self._pipe.close()
        if not self.has_ended:
            self._process.terminate()
        self._process.join()


def _send(plan, pipe):
    # A terminal's interrupt goes to the whole group; the parent ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    async def send():
        sender = Sender(plan, pipe)
        await sender.run()
        return sender

    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        sender = runner.run(send())
    pipe.send((dict(sender.counts), sender.error or ""))
    # What the parent still sends is read, so that closing the pipe does not discard the report.
    os.set_blocking(pipe.fileno(), True)
    with suppress(EOFError, ConnectionError):
        while True:
            pipe.recv()
