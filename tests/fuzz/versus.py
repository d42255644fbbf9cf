"""The same odd frames for minikafka and for an Apache Kafka: what each answers.

Each frame goes to both on a connection of its own, followed by an ApiVersions request. What comes
back is the error codes of the answer, "closed" or "waits". Topic ids in a frame are replaced by
those of the cluster that gets it. Where answers differ, missing topics are created and the frame
is sent once more, so that it is not the state of the clusters that differs.
"""

import asyncio
from collections import Counter
from contextlib import closing, suppress
from random import Random

from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.apis._registry import BROKER
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID
from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import decode_response
from minikafka.testing.cluster import Cluster
from tests.fuzz.answers import PROBE, decoded, is_unacknowledged, probe, takes_away_a_broker
from tests.fuzz.frames import SERVED, FrameMaker, is_struct

TOPICS = ("t", "u")
_ANSWER_S = 1.5
_PATIENCE_S = 30
_LANES = 4
_FRAMES_UNTIL_TOPICS_ARE_CREATED = 200
_MOST_CODES = 4
_MOST_PARTITIONS = 8
_LONGEST_FRAME = 20_000
CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
}


class Server:
    """One of the two clusters."""

    def __init__(self, address):
        self.address = address
        host, port = address.split(":")
        self.host, self.port = host, int(port)
        self.ids = {}

    def create_missing(self):
        """Create the topics that are not there; remember their ids."""
        admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        known = admin.list_topics(timeout=_PATIENCE_S).topics
        wanted = [NewTopic(name, 2, 1) for name in TOPICS if name not in known]
        for future in (admin.create_topics(wanted) if wanted else {}).values():
            # A frame may have created it meanwhile.
            future.exception(_PATIENCE_S)
        with closing(ClusterClient(self.address, client_id="check")) as client:
            wanted = [MetadataRequestTopic(name=name) for name in TOPICS]
            for topic in client.ask(MetadataRequest(topics=wanted)).topics:
                if topic.topic_id != ZERO_UUID:
                    self.ids[topic.name] = topic.topic_id

    def served(self):
        """The versions of each API that it advertises."""
        with closing(ClusterClient(self.address, client_id="check")) as client:
            found = client.ask(ApiVersionsRequest("fuzz", "1")).api_keys
        return {each.api_key: range(each.min_version, each.max_version + 1) for each in found}


class Comparison:
    """Frames for both, and how often they were answered alike.

    `classes` counts (API, answer of minikafka, answer of Kafka), `examples` has a frame of each.
    """

    def __init__(self, seed, frames, ours, theirs):
        self.rng = Random(f"fuzz/versus/{seed}")
        self.wanted = frames
        self.servers = (ours, theirs)
        self.frames = 0
        self.compared = 0
        self.alike = 0
        self.classes = Counter()
        self.examples = {}
        self.topic_ids = []
        self.maker = FrameMaker(self.rng, self.topic_ids)

    async def run(self):
        """Send all frames."""
        served = [await asyncio.to_thread(server.served) for server in self.servers]
        self.pairs = [
            (key, version)
            for role, key, version in SERVED
            if role == BROKER and all(version in each.get(key, ()) for each in served)
        ]
        self.rng.shuffle(self.pairs)
        await asyncio.gather(*(self._lane() for _ in range(_LANES)))

    async def _lane(self):
        while self.frames < self.wanted:
            if self.frames % _FRAMES_UNTIL_TOPICS_ARE_CREATED == 0:
                await self._create_missing()
            key, version = self.pairs[self.frames % len(self.pairs)]
            self.frames += 1
            if self.rng.randrange(4):
                frame = self.maker.frame(key, version, changed=not self.rng.randrange(3))
            else:
                frame = self.maker.produce()
            if takes_away_a_broker(frame) or frame.key not in APIS or creates_many(frame):
                continue
            ours, theirs = await self._ask_both(frame)
            if ours != theirs:
                await self._create_missing()
                ours, theirs = await self._ask_both(frame)
            self._compare(frame, ours, theirs)

    async def _ask_both(self, frame):
        return await asyncio.gather(*(self._ask(server, frame) for server in self.servers))

    async def _create_missing(self):
        for server in self.servers:
            await asyncio.to_thread(server.create_missing)
        self.topic_ids[:] = self.servers[0].ids.values()

    def _compare(self, frame, ours, theirs):
        self.compared += 1
        if ours == theirs:
            self.alike += 1
            return
        row = (ApiKey(frame.key).name, ours, theirs)
        self.classes[row] += 1
        self.examples.setdefault(row, f"v{frame.version} {frame.data.hex()}")

    async def _ask(self, server, frame):
        """What a server makes of a frame, in a few words."""
        data = frame.data
        if server is not self.servers[0]:
            for name, topic_id in self.servers[0].ids.items():
                data = data.replace(bytes(topic_id), bytes(server.ids.get(name, topic_id)))
        reader, writer = await asyncio.open_connection(server.host, server.port)
        try:
            writer.write(data + probe())
            async with asyncio.timeout(_ANSWER_S):
                return await self._read(reader, frame, learns=server is self.servers[0])
        except TimeoutError:
            return "waits"
        except (ConnectionError, asyncio.IncompleteReadError):
            return "closed"
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def _read(self, reader, frame, *, learns):
        size = await reader.readexactly(4)
        data = await reader.readexactly(int.from_bytes(size, "big"))
        if int.from_bytes(data[:4], "big") == PROBE:
            return "no answer" if is_unacknowledged(frame) else "skipped"
        try:
            body = decode_response(memoryview(data), frame.key, frame.version)[1]
        except (MalformedMessage, ValueError, KeyError) as error:
            return f"unreadable: {error}"
        if learns:
            self.maker.learned.read(body)
        codes = sorted(set(error_codes(body)))
        names = [ErrorCode(code).name for code in codes[:_MOST_CODES]]
        return "+".join(names) or "answered"


def creates_many(frame):
    """True if a frame may keep a cluster busy for minutes: that says nothing about its answer."""
    body = decoded(frame)
    if len(frame.data) > _LONGEST_FRAME:
        return True
    if frame.key not in (ApiKey.CREATE_TOPICS, ApiKey.CREATE_PARTITIONS) or body is None:
        return False
    name = "num_partitions" if frame.key == ApiKey.CREATE_TOPICS else "count"
    return any(getattr(topic, name) > _MOST_PARTITIONS for topic in body.topics)


def error_codes(message):
    """All error codes of a response."""
    for name in type(message).__slots__:
        value = getattr(message, name)
        if name.endswith("error_code"):
            yield value
        elif type(value) is list:
            for each in value:
                if is_struct(each):
                    yield from error_codes(each)


def compare(seed, frames, theirs, base_port=0):
    """Send frames to a node of ours and to the cluster at `theirs` (HOST:PORT)."""
    cluster = Cluster(nodes=1, config=CONFIG)
    cluster.base_port = base_port
    with cluster:
        comparison = Comparison(seed, frames, Server(cluster.bootstrap_servers), Server(theirs))
        asyncio.run(comparison.run())
    return comparison


def report(comparison):
    """A line for each class of difference, the most frequent first."""
    counts = f"{comparison.compared} frames compared, {comparison.alike} answered alike"
    lines = [f"{counts}, {len(comparison.classes)} classes of difference"]
    for row, count in comparison.classes.most_common():
        api, ours, theirs = row
        lines.append(f"{count:6} {api}: minikafka {ours}, Kafka {theirs}")
        lines.append(f"       {comparison.examples[row]}")
    return "\n".join(lines)
