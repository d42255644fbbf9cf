"""Odd frames for real nodes, with an honest idempotent producer beside them.

The frames of a seed are the same in each run as long as the nodes answer in the same order; only
the in-process fuzzer is deterministic.
"""

import asyncio
import threading
from collections import Counter
from contextlib import suppress
from pathlib import Path
from random import Random

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.apis._registry import BROKER
from minikafka.common.ids import ZERO_UUID
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing.cluster import Cluster
from tests.fuzz.answers import (
    PROBE,
    FaultFoundError,
    is_unacknowledged,
    probe,
    read_answer,
    takes_away_a_broker,
)
from tests.fuzz.frames import OFTEN, SERVED, FrameMaker

NODES = 3
TOPICS = ("t", "u")
KEPT = "kept"
HOST = "127.0.0.1"
CONTROLLER_PORT_OFFSET = 100
PATIENCE_S = 60
_ANSWER_S = 3
_FRAMES_UNTIL_TOPICS_ARE_CREATED = 1_000
_BAD_SIZES = (b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\1", b"\x80\0\0\0")
_CONFIG = {
    "auto.create.topics.enable": "false",
    "group.max.session.timeout.ms": "30000",
    "min.insync.replicas": "2",
}


class HonestProducer:
    """Writes numbered values to a topic until it is told to end."""

    def __init__(self, servers):
        self.producer = Producer(
            {
                "bootstrap.servers": servers,
                "enable.idempotence": True,
                "linger.ms": 0,
                "log_level": 0,
                "message.timeout.ms": PATIENCE_S * 1000,
            }
        )
        self.acknowledged = []
        self.failed = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def start(self):
        self._thread.start()

    def _run(self):
        number = 0
        while not self._ended.wait(0.01):
            value = b"%d" % number
            self.producer.produce(KEPT, value, on_delivery=self._delivered)
            self.producer.poll(0)
            number += 1

    def _delivered(self, error, message):
        (self.failed if error else self.acknowledged).append(message.value())

    def end(self):
        """Stop; returns when each value has its answer."""
        self._ended.set()
        self._thread.join()
        self.producer.flush(PATIENCE_S)


class Attack:
    """Connections that send `frames` odd frames to the nodes of a cluster."""

    def __init__(self, seed, frames, cluster):
        self.rng = Random(f"fuzz/processes/{seed}")
        self.wanted = frames
        self.cluster = cluster
        self.counts = Counter()
        self.pairs = list(SERVED)
        self.rng.shuffle(self.pairs)
        self.topic_ids = []
        self.kept_id = None
        self.maker = FrameMaker(self.rng, self.topic_ids)

    async def run(self, connections):
        """Send all frames, `connections` at a time."""
        await asyncio.gather(*(self._go_on() for _ in range(connections)))

    async def _go_on(self):
        while self.counts["frames"] < self.wanted:
            if self.counts["frames"] >= self.counts["next check"]:
                self.counts["next check"] += _FRAMES_UNTIL_TOPICS_ARE_CREATED
                await asyncio.to_thread(self.create_missing)
            await self._connection(*self._next())

    def _next(self):
        """Where the next connection goes, and its frames."""
        rng = self.rng
        role, key, version = self.pairs[self.counts["connections"] % len(self.pairs)]
        self.counts["connections"] += 1
        frames = []
        most = rng.choice((1, 2, 4, 8, 16))
        for count in range(most):
            if count:
                often = OFTEN if role == BROKER and rng.randrange(2) else SERVED
                _, key, version = rng.choice([each for each in often if each[0] == role])
            changed = count == most - 1 and bool(rng.randrange(2))
            frame = self.maker.frame(key, version, changed=changed)
            if not takes_away_a_broker(frame):
                frames.append(frame)
        self.counts["frames"] += len(frames)
        port = self.cluster.port(rng.randint(1, NODES))
        if role != BROKER:
            port = self.cluster.port(1) + CONTROLLER_PORT_OFFSET
        return port, frames

    async def _connection(self, port, frames):
        reader, writer = await asyncio.open_connection(HOST, port)
        try:
            writer.write(b"".join(frame.data for frame in frames))
            if not self.rng.randrange(30):
                writer.write(self.rng.choice(_BAD_SIZES) + bytes(4))
            writer.write(probe())
            async with asyncio.timeout(_ANSWER_S):
                await self._read(reader, frames)
        except TimeoutError:
            self.counts["left waiting"] += 1
        except (ConnectionError, asyncio.IncompleteReadError):
            self.counts["closed"] += 1
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _read(self, reader, frames):
        by_number = {frame.number: frame for frame in frames}
        while True:
            size = await reader.readexactly(4)
            data = size + await reader.readexactly(int.from_bytes(size, "big"))
            number = int.from_bytes(data[4:8], "big")
            if number == PROBE:
                left = [frame for frame in by_number.values() if not is_unacknowledged(frame)]
                if left:
                    raise FaultFoundError(f"no answer, and the connection goes on: {left[0]}")
                return
            if number not in by_number:
                raise FaultFoundError(f"answer {number} to no request")
            self.counts["answered"] += 1
            self.maker.learned.read(read_answer(by_number.pop(number), data))
            self.maker.learned.forget(KEPT, self.kept_id)

    def create_missing(self):
        """Create the topics that are not there; remember their ids."""
        admin = AdminClient({"bootstrap.servers": self.cluster.bootstrap_servers, "log_level": 0})
        known = admin.list_topics(timeout=PATIENCE_S).topics
        wanted = [NewTopic(name, 2, NODES) for name in (*TOPICS, KEPT) if name not in known]
        for future in (admin.create_topics(wanted) if wanted else {}).values():
            # A frame may have created it meanwhile.
            future.exception(PATIENCE_S)
        with ClusterClient(self.cluster.bootstrap_servers, client_id="check") as client:
            wanted = [MetadataRequestTopic(name=name) for name in (*TOPICS, KEPT)]
            for topic in client.ask(MetadataRequest(topics=wanted)).topics:
                if topic.name == KEPT:
                    self.kept_id = topic.topic_id
                elif topic.topic_id != ZERO_UUID:
                    self.topic_ids.append(topic.topic_id)


def attack(seed, frames, connections, base_port=0, directory=None):
    """Send so many frames to three nodes; returns counts.

    Raises:
        FaultFoundError: a property does not hold.
    """
    cluster = Cluster(nodes=NODES, config=_CONFIG, directory=directory)
    cluster.base_port = base_port
    with cluster:
        pids = [cluster.pid(node) for node in range(1, NODES + 1)]
        running = Attack(seed, frames, cluster)
        running.create_missing()
        before_kib = [resident_kib(pid) for pid in pids]
        producer = HonestProducer(cluster.bootstrap_servers)
        producer.start()
        try:
            asyncio.run(running.run(connections))
        finally:
            producer.end()
        counts = running.counts
        counts["acknowledged records"] = len(producer.acknowledged)
        counts["failed records"] = len(producer.failed)
        for node, pid in enumerate(pids, 1):
            if cluster.pid(node) != pid or not Path(f"/proc/{pid}").exists():
                raise FaultFoundError(f"node {node} ended: {cluster.log_text(node)[-3000:]}")
            counts[f"MiB more on node {node}"] = (resident_kib(pid) - before_kib[node - 1]) >> 10
        _has_kept(cluster, producer)
        for node in range(1, NODES + 1):
            text = cluster.log_text(node)
            if "Traceback" in text or " ERROR " in text:
                at = max(text.find("Traceback"), text.find(" ERROR "))
                raise FaultFoundError(f"node {node} logged: {text[max(at - 500, 0) : at + 4000]}")
    del counts["next check"]
    return counts


def resident_kib(pid):
    """The resident memory of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


def _has_kept(cluster, producer):
    """Each acknowledged record is there, once."""
    found = Counter(_consumed(cluster.bootstrap_servers))
    lost = [value for value in producer.acknowledged if not found[value]]
    twice = [value for value, count in found.items() if count > 1]
    if lost or twice or not producer.acknowledged:
        raise FaultFoundError(
            f"of {len(producer.acknowledged)} acknowledged records {len(lost)} are lost, "
            f"{len(twice)} are there twice: {lost[:3]} {twice[:3]}"
        )


def _consumed(servers):
    consumer = Consumer(
        {
            "bootstrap.servers": servers, "group.id": "check", "enable.auto.commit": False,
            "enable.partition.eof": True, "auto.offset.reset": "earliest", "log_level": 0,
        }
    )  # fmt: skip
    consumer.assign([TopicPartition(KEPT, partition, 0) for partition in range(2)])
    open_partitions = {0, 1}
    while open_partitions:
        messages = consumer.consume(10_000, timeout=PATIENCE_S)
        if not messages:
            raise FaultFoundError(f"no end of {open_partitions} after {PATIENCE_S} s")
        for message in messages:
            if message.error() is None:
                yield message.value()
            else:
                open_partitions.discard(message.partition())
    consumer.close()
