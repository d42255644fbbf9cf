"""Odd frames for a simulated cluster of three, and what must hold during and after them.

`run(seed, frames)` is deterministic: the same seed gives the same frames and the same cluster.
"""

import logging
import traceback
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from minikafka.apis._registry import BROKER
from minikafka.common.errors import ErrorCode
from minikafka.common.events import RequestFrame
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.fetch import FetchResponse
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsResponse,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataResponse
from minikafka.records.reader import read_records
from minikafka.sim.sim_cluster import BROKER_PORT, CONTROLLER_PORT, INTERNAL_PORT, SimCluster, host
from minikafka.sim.world import World
from tests.fuzz.answers import (
    PEER,
    PROBE,
    FaultFoundError,
    decoded,
    is_unacknowledged,
    longest_wait_ms,
    probe,
    read_answer,
    takes_away_a_broker,
)
from tests.fuzz.frames import OFTEN, SERVED, Frame, FrameMaker
from tests.fuzz.watched_node import WatchedNode
from tests.sim_world import (
    BY_NAME,
    create_topic,
    fetch,
    fetch_request,
    leader_client,
    produce,
    registration,
    values_of,
)

BROKERS = 3
TOPICS = ("t", "u")
REPLICAS = [[2, 3, 1], [2, 1, 3]]
KEPT = "kept"
"""A topic that no frame names: its records must stay."""
GROUP_SESSION_MS = 30_000
MOST_WAIT_MS = 60_000
"""A request that names no longer time is answered within that."""
_OPEN = 6
_BY_LEADER = (ApiKey.PRODUCE, ApiKey.LIST_OFFSETS, ApiKey.DELETE_RECORDS)
_MOVING = (
    ErrorCode.NOT_LEADER_OR_FOLLOWER, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION,
    ErrorCode.OFFSET_OUT_OF_RANGE,
)  # fmt: skip
"""What a partition may answer while frames change its leader, its log start, or delete it."""
_GROUP_WAITS = (ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP)
EARLIEST = -2
CONFIG = {
    "min.insync.replicas": "2",
    "group.max.session.timeout.ms": str(GROUP_SESSION_MS),
    "auto.create.topics.enable": "false",
}


@dataclass
class Outcome:
    """What one seed came to. `fault` is a traceback, `where` a word for it that repeats."""

    seed: int
    frames: int = 0
    answered: int = 0
    closed: int = 0
    accepted_batches: int = 0
    most_calls: int = 0
    most_calls_frame: str = ""
    where: str = ""
    fault: str = ""
    recent: list = field(default_factory=list)


class Connection:
    """One connection that carries a few odd frames, and an ApiVersions request as the last."""

    def __init__(self, run, address, frames):
        self.run = run
        self.address = address
        self.frames = frames
        self.answers = []
        self.is_done = False
        self.stream = run.cluster.network.connect(PEER, address, self)
        for frame in frames:
            run.cluster.network.send(self.stream, 0, frame.data)
        run.cluster.network.send(self.stream, 0, probe())

    def arrived(self, data):
        number = int.from_bytes(data[4:8], "big")
        if number == PROBE:
            self._all_answered()
            self.is_done = True
            self.close()
            return
        if self.answers and number <= self.answers[-1]:
            raise FaultFoundError(f"answer {number} after answer {self.answers[-1]}")
        self.answers.append(number)
        self.run.outcome.answered += 1
        frame = next((each for each in self.frames if each.number == number), None)
        if frame is None:
            raise FaultFoundError(f"answer {number} to no request")
        self.run.read(frame, data)

    def ended(self, reason):
        del reason
        self.stream = None
        if not self.is_done:
            self.run.outcome.closed += 1
        self.is_done = True

    def close(self):
        if self.stream is not None:
            self.run.cluster.network.close(self.stream, 0)
            self.stream = None

    def waiting_for(self):
        """The first frame without an answer, if that could need one."""
        for frame in self.frames:
            if frame.number not in self.answers and not is_unacknowledged(frame):
                return frame
        return None

    def _all_answered(self):
        frame = self.waiting_for()
        if frame is not None:
            raise FaultFoundError(f"no answer, and the connection goes on: {frame}")


class Run:
    """One seed: a cluster, its odd clients, and an honest one."""

    def __init__(self, seed, frames, pairs, sample=0):
        self.rng = Random(f"fuzz/{seed}")
        self.outcome = Outcome(seed)
        self.wanted = frames
        self.pairs = pairs
        self.sample = sample
        self.connections = 0
        self.open = []
        self.written = []

    def prepare(self):
        world = World(self.outcome.seed)
        self.cluster = cluster = SimCluster(
            world=world, brokers=BROKERS, given=CONFIG,
            separate_controller=bool(self.rng.randrange(2)),
        )  # fmt: skip
        cluster.start()
        self.topic_ids = [create_topic(cluster, name, replicas=REPLICAS) for name in TOPICS]
        self.kept_id = create_topic(cluster, KEPT)
        self.maker = FrameMaker(self.rng, self.topic_ids)
        for node in cluster.nodes.values():
            node.node = WatchedNode(node.node, self.sample)
        for name in TOPICS:
            for partition in range(2):
                client = leader_client(cluster, name, partition)
                produce(client, name, b"before", partition=partition)
                client.close()
        self.honest = leader_client(cluster, KEPT)

    def go(self):
        """All frames, then everything that must hold."""
        while self.outcome.frames < self.wanted:
            self._open_some()
            self.cluster.world.run(self.rng.choice((1, 5, 20, 200)))
            self.open = [each for each in self.open if not each.is_done]
            while len(self.open) > _OPEN:
                # A client that goes away while its request waits.
                self.open.pop(self.rng.randrange(len(self.open))).close()
            self._all_live()
            if not self.rng.randrange(10):
                self._write_honestly()
                self._read_meanwhile()
            self._create_missing()
        self._answered_in_time()
        for connection in self.open:
            connection.close()
        self._nothing_waits()
        self._write_honestly()
        self._create_missing()
        self._readable()
        self._all_live()

    def _open_some(self):
        rng = self.rng
        frames = []
        role, key, version = self.pairs[self.connections % len(self.pairs)]
        self.connections += 1
        where = key
        if role == BROKER and rng.randrange(2):
            frames.append(self.maker.produce())
            where = ApiKey.PRODUCE
        most = rng.choice((1, 2, 3, 4, 6))
        for count in range(most):
            if count:
                often = OFTEN if role == BROKER and rng.randrange(2) else SERVED
                _, key, version = rng.choice([each for each in often if each[0] == role])
            # A changed frame mostly closes its connection, so it comes last.
            changed = count == most - 1 and bool(rng.randrange(2))
            frame = self.maker.frame(key, version, changed=changed)
            if not takes_away_a_broker(frame):
                frames.append(frame)
        self.outcome.frames += len(frames)
        self.outcome.recent = [*self.outcome.recent, *(str(frame) for frame in frames)][-8:]
        self.open.append(Connection(self, self._address(role, where), frames))

    def _address(self, role, key):
        if role == BROKER:
            port = INTERNAL_PORT if not self.rng.randrange(4) else BROKER_PORT
            partition = registration(self.cluster, TOPICS[0])
            is_led = partition is not None and partition.leader > 0
            if is_led and (key in _BY_LEADER or self.rng.randrange(2)):
                return host(partition.leader), port
            return host(self.rng.randint(1, BROKERS)), port
        return host(self.cluster.controller_id), CONTROLLER_PORT

    def read(self, frame, data):
        """Decode an answer and learn its values, except for what would name the kept topic."""
        body = read_answer(frame, data)
        if frame.key == ApiKey.PRODUCE:
            for topic in body.responses:
                for each in topic.partition_responses:
                    self.outcome.accepted_batches += each.error_code == ErrorCode.NONE
        self.maker.learned.read(body)
        self.maker.learned.forget(KEPT, self.kept_id)

    def _all_live(self):
        dead = [node.host for node in self.cluster.nodes.values() if not node.alive]
        if dead:
            raise FaultFoundError(f"{dead} ended")

    def _create_missing(self):
        """Frames delete topics: create them again, and remember their ids."""
        image = self.cluster.nodes[self.cluster.controller_id].node.loader.image
        for name in TOPICS:
            if name not in image.topic_ids:
                self.topic_ids.append(create_topic(self.cluster, name, replicas=REPLICAS))

    def _write_honestly(self):
        value = b"kept %d" % len(self.written)
        for _ in range(20):
            self.honest.close()
            self.honest = leader_client(self.cluster, KEPT)
            answer = produce(self.honest, KEPT, value)
            if answer.error_code == ErrorCode.NONE:
                self.written.append(value)
                return
            self.cluster.world.run(2_000)
        raise FaultFoundError(f"no write for 40 s: {ErrorCode(answer.error_code).name}")

    def _answered_in_time(self):
        """What names no long time is answered or closed."""
        world = self.cluster.world

        def overdue():
            for connection in self.open:
                frame = None if connection.is_done else connection.waiting_for()
                if frame is not None and not _may_wait(frame):
                    return frame
            return None

        end_ms = world.now_ms + MOST_WAIT_MS + 10_000
        while overdue() is not None and world.now_ms < end_ms:
            world.run(500)
        if (frame := overdue()) is not None:
            raise FaultFoundError(f"neither answered nor closed: {frame}")

    def _nothing_waits(self):
        """All connections are closed: within a group's session everything is as before."""
        world = self.cluster.world
        world.run(2 * GROUP_SESSION_MS)
        before = {node_id: _waits(node) for node_id, node in self.cluster.nodes.items()}
        world.run(10_000)
        for node_id, node in self.cluster.nodes.items():
            stuck = [each for each in _waits(node) if each in before[node_id]]
            if stuck:
                names = [ApiKey(each.owner.key).name for each in stuck]
                raise FaultFoundError(f"n{node_id}: {names} wait, although their clients are gone")
            env = node.node.env
            peers = [c.peer_host for c in node.node.dispatcher.connections.values()]
            if PEER in peers:
                raise FaultFoundError(f"n{node_id}: a connection of a client that is gone")
            left = {"queued bytes": env.queued_bytes, "works": len(env._works)}
            if any(left.values()):
                raise FaultFoundError(f"n{node_id}: left after all clients are gone: {left}")

    def _readable(self):
        """Every log can be read to its end, and nothing honest is missing."""
        cluster = self.cluster
        client = cluster.client()
        found = client.ask(MetadataRequest(topics=None), MetadataResponse, version=12)
        client.close()
        for topic in found.topics:
            if topic.name in (*TOPICS, KEPT):
                for partition in topic.partitions:
                    self._read(topic.name, partition.partition_index)
        client = leader_client(cluster, KEPT)
        kept = []
        while True:
            found = values_of(fetch(client, KEPT, len(kept)))
            if not found:
                break
            kept += found
        client.close()
        if kept != self.written:
            missing = [value for value in self.written if value not in kept]
            raise FaultFoundError(f"{len(missing)} acknowledged records are missing: {missing[:5]}")

    def _read_meanwhile(self):
        """What is read now may be deleted before the end."""
        for topic in TOPICS:
            for partition in range(len(REPLICAS)):
                found = registration(self.cluster, topic, partition)
                if found is not None and found.leader > 0:
                    self._read(topic, partition, is_end=False)

    def _read(self, topic, partition, *, is_end=True):
        client = leader_client(self.cluster, topic, partition)
        offset = None
        while True:
            request = fetch_request(topic, offset or 0, partition)
            response = client.ask(request, FetchResponse, version=BY_NAME)
            (answer,) = response.responses[0].partitions
            if answer.error_code == ErrorCode.OFFSET_OUT_OF_RANGE and offset is None:
                offset = self._log_start(topic, partition)
                continue
            if answer.error_code != ErrorCode.NONE:
                if not is_end and answer.error_code in _MOVING:
                    break
                name = ErrorCode(answer.error_code).name
                raise FaultFoundError(f"{topic}-{partition} at {offset}: {name}")
            records = list(read_records(bytes(answer.records or b"")))
            if not records:
                if answer.high_watermark > (offset or 0):
                    raise FaultFoundError(
                        f"{topic}-{partition}: nothing at {offset}, "
                        f"although the high watermark is {answer.high_watermark}"
                    )
                break
            offset = records[-1].offset + 1
        client.close()

    def _log_start(self, topic, partition):
        client = leader_client(self.cluster, topic, partition)
        wanted = ListOffsetsTopic(topic, [ListOffsetsPartition(partition, timestamp=EARLIEST)])
        request = ListOffsetsRequest(replica_id=-1, topics=[wanted])
        answer = client.ask(request, ListOffsetsResponse, version=7)
        client.close()
        return answer.topics[0].partitions[0].offset


def _may_wait(frame):
    body = decoded(frame)
    if body is None:
        return False
    return frame.key in _GROUP_WAITS or longest_wait_ms(body) > MOST_WAIT_MS


def _waits(node):
    return node.node.purgatory.waits()


class _Tracebacks(logging.Handler):
    """Collects tracebacks in the log, and lines that a client has broken in two."""

    def __init__(self):
        super().__init__(logging.DEBUG)
        self.found = []

    def emit(self, record):
        text = record.getMessage()
        if record.exc_info or record.levelno >= logging.ERROR:
            self.found.append(text)
        elif "\n" in text or "\r" in text:
            self.found.append(f"a log line of two: {text!r}")


@contextmanager
def tracebacks():
    """What the nodes log as errors."""
    handler = _Tracebacks()
    log = logging.getLogger("minikafka")
    log.addHandler(handler)
    propagates, log.propagate = log.propagate, False
    try:
        yield handler.found
    finally:
        log.removeHandler(handler)
        log.propagate = propagates


def _is_empty(logged):
    if logged:
        raise FaultFoundError(f"an error in the log: {logged[:3]}")


def run(seed, frames, first_pair=0, sample=0):
    """Send so many frames; returns what came of it, also where a property did not hold."""
    pairs = list(SERVED)
    Random("pairs").shuffle(pairs)
    pairs = pairs[first_pair % len(pairs) :] + pairs[: first_pair % len(pairs)]
    attempt = Run(seed, frames, pairs, sample)
    outcome = attempt.outcome
    with tracebacks() as logged:
        try:
            attempt.prepare()
            attempt.go()
            _is_empty(logged)
        except Exception as error:
            outcome.where = _where(error)
            outcome.fault = traceback.format_exc() + _frame_of(attempt)
    for node in attempt.cluster.nodes.values():
        if node.node is not None and node.node.most_calls > outcome.most_calls:
            outcome.most_calls = node.node.most_calls
            outcome.most_calls_frame = _event(node.node.most_calls_event)
    return outcome


def _where(error):
    last = traceback.extract_tb(error.__traceback__)[-1]
    text = str(error).split(":")[0][:60]
    return (
        f"{type(error).__name__} {last.filename.rsplit('minikafka/', 1)[-1]}:{last.lineno} {text}"
    )


def _frame_of(attempt):
    """What the nodes were last asked, and by which frames."""
    lines = [
        f"{node.host}: {_event(node.node.event)}"
        for node in attempt.cluster.nodes.values()
        if node.node is not None
    ]
    return "\n".join(["", *lines, "the last frames:", *attempt.outcome.recent])


def _event(event):
    if type(event) is RequestFrame:
        frame = Frame(
            int.from_bytes(event.frame[:2], "big"), int.from_bytes(event.frame[2:4], "big"), 0,
            event.frame,
        )  # fmt: skip
        return f"request {frame}"
    return repr(event)[:200]
