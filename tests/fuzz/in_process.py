"""Odd frames for a simulated cluster of three, and what must hold during and after them.

`run(seed, frames)` is deterministic: the same seed gives the same frames and the same cluster.
"""

import traceback
from dataclasses import dataclass, field
from random import Random

# Nodes import these when they are needed; an import within a step would be counted as its work.
import minikafka.group.shard
import minikafka.transaction.shard  # noqa: F401
from minikafka.common.errors import ErrorCode
from minikafka.common.events import RequestFrame
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.registry import BROKER
from minikafka.sim.world.sim_cluster import (
    BROKER_PORT,
    CONTROLLER_PORT,
    INTERNAL_PORT,
    SimCluster,
    host,
)
from minikafka.sim.world.world import World
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
from tests.fuzz.log_lines import is_empty, tracebacks
from tests.fuzz.logs import Logs
from tests.fuzz.memory import Memory
from tests.fuzz.watched_node import WatchedNode
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    leader_client,
    produce,
    registration,
    values_of,
)

BROKERS = 3
TOPICS = ("t", "u")
REPLICAS = [[2, 3, 1], [2, 1, 3]]
WIDE = "wide"
WIDE_PARTITIONS = 60
"""A topic with many partitions: a request that names it often shows costs per partition."""
KEPT = "kept"
"""A topic that no frame names: its records must stay."""
GROUP_SESSION_MS = 30_000
MAX_WAIT_MS = 60_000
"""A request that names no longer time is answered within that."""
_OPEN = 6
_BY_LEADER = (ApiKey.PRODUCE, ApiKey.LIST_OFFSETS, ApiKey.DELETE_RECORDS)
_GROUP_WAITS = (ApiKey.JOIN_GROUP, ApiKey.SYNC_GROUP)
CONFIG = {
    "min.insync.replicas": "2",
    "group.max.session.timeout.ms": str(GROUP_SESSION_MS),
    "auto.create.topics.enable": "false",
}


@dataclass
class Outcome:
    """The outcome of one seed. `fault` is a traceback, `where` a word for it that repeats."""

    seed: int
    frames: int = 0
    answered: int = 0
    closed: int = 0
    accepted_batches: int = 0
    most_kept_bytes: int = 0
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
        self.topic_ids = run.logs.ids_by_name()
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
        self.run.read(frame, data, self.topic_ids)

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

    def __init__(self, seed, frames, pairs, sample=0, guide=None):
        self.guide = guide
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
        create_topic(cluster, WIDE, replicas=[[2]] * WIDE_PARTITIONS)
        self.kept_id = create_topic(cluster, KEPT)
        self.maker = FrameMaker(self.rng, self.topic_ids)
        self.logs = Logs(cluster)
        for node in cluster.nodes.values():
            node.node = WatchedNode(node.node, self.sample, self.guide)
        for name in TOPICS:
            for partition in range(2):
                client = leader_client(cluster, name, partition)
                produce(client, name, b"before", partition=partition)
                client.close()
        self.honest = leader_client(cluster, KEPT)
        self.memory = Memory(cluster)

    def go(self):
        """Send all frames, then check all properties."""
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
                self.logs.read_meanwhile(TOPICS)
            self._create_missing()
        self._answered_in_time()
        for connection in self.open:
            connection.close()
        self._nothing_waits()
        self._write_honestly()
        self._create_missing()
        self.logs.check_at_end((*TOPICS, WIDE))
        self._nothing_honest_is_missing()
        self._all_live()
        self.outcome.most_kept_bytes = self.memory.check(self.outcome.frames)

    def _open_some(self):
        rng = self.rng
        frames = []
        role, key, version = self.pairs[self.connections % len(self.pairs)]
        self.connections += 1
        where = key
        if role == BROKER and rng.randrange(2):
            kept = self._kept(role)
            if kept is not None and kept.key == ApiKey.PRODUCE:
                frames.append(self.maker.changed(kept))
            else:
                frames.append(self.maker.produce())
            where = ApiKey.PRODUCE
        most = rng.choice((1, 2, 3, 4, 6))
        for count in range(most):
            if count:
                often = OFTEN if role == BROKER and rng.randrange(2) else SERVED
                _, key, version = rng.choice([each for each in often if each[0] == role])
            # A changed frame mostly closes its connection, so it comes last.
            changed = count == most - 1 and bool(rng.randrange(2))
            kept = self._kept(role)
            if kept is not None:
                frame = self.maker.changed(kept, changed=changed)
            else:
                frame = self.maker.frame(key, version, changed=changed)
            if not takes_away_a_broker(frame):
                frames.append(frame)
        if any(frame.key == ApiKey.DELETE_TOPICS for frame in frames):
            # A deleted topic cannot be checked at the end.
            self.logs.check_before_deletion(TOPICS)
        if self.guide is not None:
            for frame in frames:
                self.guide.sent(role, frame)
        self.outcome.frames += len(frames)
        self.outcome.recent = [*self.outcome.recent, *(str(frame) for frame in frames)][-8:]
        self.open.append(Connection(self, self._address(role, where), frames))

    def _kept(self, role):
        """A frame to change, for half of all frames."""
        if self.guide is None or not self.rng.randrange(2):
            return None
        return self.guide.choose(self.rng, role)

    def _address(self, role, key):
        if role == BROKER:
            port = INTERNAL_PORT if not self.rng.randrange(4) else BROKER_PORT
            partition = registration(self.cluster, TOPICS[0])
            is_led = partition is not None and partition.leader > 0
            if is_led and (key in _BY_LEADER or self.rng.randrange(2)):
                return host(partition.leader), port
            return host(self.rng.randint(1, BROKERS)), port
        return host(self.cluster.controller_id), CONTROLLER_PORT

    def read(self, frame, data, ids_before):
        """Decode an answer and learn its values, except for what would name the kept topic."""
        body = read_answer(frame, data)
        if frame.key == ApiKey.PRODUCE:
            now = self.logs.ids_by_name()
            same = {name: each for name, each in ids_before.items() if now.get(name) == each}
            self.logs.accepted.note(frame, body, same)
            self.outcome.accepted_batches = self.logs.accepted.count
        self.maker.learned.read(body)
        self.maker.learned.forget(KEPT, self.kept_id)

    def _nothing_honest_is_missing(self):
        client = leader_client(self.cluster, KEPT)
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

    def _all_live(self):
        dead = [node.host for node in self.cluster.nodes.values() if not node.alive]
        if dead:
            raise FaultFoundError(f"{dead} ended")

    def _create_missing(self):
        """Frames delete topics: create them again, and remember their ids."""
        for name in TOPICS:
            if name not in self.logs.ids_by_name():
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
        """A request without a long timeout is answered, or its connection is closed."""
        world = self.cluster.world

        def overdue():
            for connection in self.open:
                frame = None if connection.is_done else connection.waiting_for()
                if frame is not None and not _may_wait(frame):
                    return frame
            return None

        end_ms = world.now_ms + MAX_WAIT_MS + 10_000
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


def _may_wait(frame):
    body = decoded(frame)
    if body is None:
        return False
    return frame.key in _GROUP_WAITS or longest_wait_ms(body) > MAX_WAIT_MS


def _waits(node):
    return node.node.purgatory.waits()


def run(seed, frames, first_pair=0, sample=0, guide=None):
    """Send so many frames; returns the outcome, also where a property did not hold.

    Half of them are changes of those that `guide` kept, if there is one.
    """
    pairs = list(SERVED)
    Random("pairs").shuffle(pairs)
    pairs = pairs[first_pair % len(pairs) :] + pairs[: first_pair % len(pairs)]
    attempt = Run(seed, frames, pairs, sample, guide)
    if guide is not None:
        guide.begin()
    outcome = attempt.outcome
    with tracebacks() as logged:
        try:
            attempt.prepare()
            attempt.go()
            is_empty(logged)
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
    """The last requests of the nodes, and their frames."""
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
