"""The same odd frames for minikafka and for an Apache Kafka: what each answers.

Each frame goes to both on a connection of its own, followed by an ApiVersions request. What comes
back is the error codes of the answer, "closed" or "waits". Topic ids in a frame are replaced by
those of the cluster that gets it. Where answers differ, missing topics are created and the frame
is sent once more, so that it is not the state of the clusters that differs.
"""

import asyncio
import time
from collections import Counter
from contextlib import closing, suppress
from random import Random

from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.api_keys import APIS, ApiKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.describe_groups import DescribeGroupsRequest
from minikafka.messages.find_coordinator import FindCoordinatorRequest
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.protocol.primitives import MalformedMessage
from minikafka.rpc.envelope import decode_response
from minikafka.serving.registry import BROKER
from minikafka.testing import Cluster
from tests.fuzz.answers import PROBE, decoded, is_unacknowledged, probe, takes_away_a_broker
from tests.fuzz.frames import SERVED, FrameMaker, Learned, is_struct
from tests.fuzz.known_differences import row_of

NAMES = ("t", "u")
GROUPS = ("g", "h")
_OTHERS = ("n1", "n2", "wide", "unknown")
_ANSWER_S = 1.5
_SLOW_ANSWER_S = 6
_PATIENCE_S = 30
_PAUSE_S = 0.05
_LATEST = -1
_GROUPS_OF_ALL_PARTITIONS = 40
_LOADED = (ErrorCode.NONE, ErrorCode.GROUP_ID_NOT_FOUND)
_LANES = 8
_FRAMES_PER_ROUND = 100
_MAX_CODES = 4
_MAX_PARTITIONS = 8
_LONGEST_FRAME = 20_000
_MIN_SESSION_ID = 1 << 16
_ID_LETTERS = 30
CONFIG = {
    "auto.create.topics.enable": "false",
    "group.initial.rebalance.delay.ms": "0",
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "2",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "2",
}


class Server:
    """One of the two clusters."""

    def __init__(self, address):
        self.address = address
        host, port = address.split(":")
        self.host, self.port = host, int(port)
        self.admin = AdminClient({"bootstrap.servers": address, "log_level": 0})

    def create(self, names):
        """Create topics; returns their ids by name."""
        wanted = [NewTopic(name, 2, 1) for name in names]
        for future in self.admin.create_topics(wanted).values():
            # A frame may have created it meanwhile.
            future.exception(_PATIENCE_S)
        with closing(ClusterClient(self.address, client_id="check")) as client:
            asked = MetadataRequest(topics=[MetadataRequestTopic(name=name) for name in names])
            end_s = time.monotonic() + _PATIENCE_S
            while True:
                # A broker lists a topic, and leads its partitions, a little later than it is made.
                found = [topic for topic in client.ask(asked).topics if not topic.error_code]
                if len(found) == len(names) and _all_led(client, found):
                    break
                if time.monotonic() > end_s:
                    break
                time.sleep(_PAUSE_S)
        return {topic.name: topic.topic_id for topic in found}

    def load_groups(self):
        """Return when each partition of the topic of groups has its coordinator."""
        groups = [str(number) for number in range(_GROUPS_OF_ALL_PARTITIONS)]
        with closing(ClusterClient(self.address, client_id="check")) as client:
            while True:
                client.ask(FindCoordinatorRequest(key_type=0, coordinator_keys=groups))
                described = client.ask(DescribeGroupsRequest(groups=groups)).groups
                if all(each.error_code in _LOADED for each in described):
                    return
                time.sleep(_PAUSE_S)

    def delete_topics(self):
        """Delete what frames left."""
        found = self.admin.list_topics(timeout=_PATIENCE_S).topics
        names = [name for name in found if not name.startswith("__")]
        for future in (self.admin.delete_topics(names) if names else {}).values():
            future.exception(_PATIENCE_S)

    def served(self):
        """The versions of each API that it advertises."""
        with closing(ClusterClient(self.address, client_id="check")) as client:
            found = client.ask(ApiVersionsRequest("fuzz", "1")).api_keys
        return {each.api_key: range(each.min_version, each.max_version + 1) for each in found}


class Lane:
    """A client of both with topics and groups of its own: what other lanes do does not show here.

    `theirs` has what the other cluster calls an id or a member of the first.
    """

    def __init__(self, comparison, number):
        self.comparison = comparison
        self.number = number
        self.rng = Random(f"fuzz/versus/{comparison.seed}/{number}")
        self.maker = FrameMaker(self.rng, [])
        self.theirs = {}
        self._names_taken = 0

    async def begin(self):
        """Take new names, and create topics with them."""
        self._names_taken += 1
        suffix = f"x{self.number}x{self._names_taken}"
        self.maker.names = {name: name + suffix for name in (*NAMES, *GROUPS, *_OTHERS)}
        self.maker.learned = Learned()
        self.theirs = {}
        await self._create()

    async def send(self, frames):
        """Send so many frames to both."""
        for count in range(frames):
            if count % 20 == 19:
                await self._create()
            key, version = self.rng.choice(self.comparison.pairs)
            if self.rng.randrange(4):
                frame = self.maker.frame(key, version, changed=not self.rng.randrange(3))
            else:
                frame = self.maker.produce()
            if frame.key not in APIS or takes_away_a_broker(frame) or disturbs(frame):
                continue
            ours, theirs = await self._ask_both(frame, _ANSWER_S)
            if ours != theirs:
                # A topic is gone, or the other one was slow.
                await self._create()
                ours, theirs = await self._ask_both(frame, 2 * _ANSWER_S)
            if (ours == "waits") != (theirs == "waits"):
                # On a busy machine one may be slow.
                ours, theirs = await self._ask_both(frame, _SLOW_ANSWER_S)
            self.comparison.compare(frame, ours, theirs)
            if ours != theirs:
                # What one accepted and the other refused would make more answers differ.
                await self.begin()

    async def _create(self):
        names = [self.maker.names[name] for name in NAMES]
        ours, theirs = await asyncio.gather(
            *(asyncio.to_thread(server.create, names) for server in self.comparison.servers)
        )
        self.maker.topic_ids[:] = ours.values()
        self.theirs.update(
            {bytes(ours[name]): bytes(theirs[name]) for name in ours if name in theirs}
        )

    async def _ask_both(self, frame, patience_s):
        other = frame.data
        for value, theirs in self.theirs.items():
            other = other.replace(value, theirs)
        ours, theirs = self.comparison.servers
        (first, body), (second, other_body) = await asyncio.gather(
            _ask(ours, frame, frame.data, patience_s), _ask(theirs, frame, other, patience_s)
        )
        if body is not None:
            self.maker.learned.read(body)
            if other_body is not None:
                self.theirs.update(_pairs(body, other_body))
        return first, second


class Comparison:
    """Frames for both, and how often they were answered alike.

    `classes` counts (API, answer of minikafka, answer of Kafka), `examples` has a frame of each;
    `known` counts those that a row of the documentation explains.
    """

    def __init__(self, seed, frames, ours, theirs):
        self.seed = seed
        self.wanted = frames
        self.servers = (ours, theirs)
        self.pairs = []
        self.frames = 0
        self.alike = 0
        self.known = Counter()
        self.classes = Counter()
        self.examples = {}

    async def run(self):
        """Send all frames, in rounds with new names: what a frame leaves ends with its round."""
        served = [await asyncio.to_thread(server.served) for server in self.servers]
        self.pairs = [
            (key, version)
            for role, key, version in SERVED
            if role == BROKER and all(version in each.get(key, ()) for each in served)
        ]
        for server in self.servers:
            await asyncio.to_thread(server.load_groups)
        lanes = [Lane(self, number) for number in range(_LANES)]
        while self.frames < self.wanted:
            for server in self.servers:
                await asyncio.to_thread(server.delete_topics)
            for lane in lanes:
                await lane.begin()
            each = min(_FRAMES_PER_ROUND, -(-(self.wanted - self.frames) // _LANES))
            await asyncio.gather(*(lane.send(each) for lane in lanes))

    def compare(self, frame, ours, theirs):
        """Count what both made of a frame."""
        self.frames += 1
        if ours == theirs:
            self.alike += 1
        elif (row := row_of(frame, ours, theirs)) is not None:
            self.known[row] += 1
        else:
            kind = (ApiKey(frame.key).name, ours, theirs)
            self.classes[kind] += 1
            self.examples.setdefault(kind, f"v{frame.version} {frame.data.hex()}")


def _all_led(client, found):
    wanted = [
        ListOffsetsTopic(
            topic.name,
            [
                ListOffsetsPartition(each.partition_index, timestamp=_LATEST)
                for each in topic.partitions
            ],
        )
        for topic in found
    ]
    topics = client.ask(ListOffsetsRequest(replica_id=-1, topics=wanted)).topics
    return not any(each.error_code for topic in topics for each in topic.partitions)


async def _ask(server, frame, data, patience_s):
    """What a server makes of a frame in a few words, and its answer."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        writer.write(data + probe())
        async with asyncio.timeout(patience_s):
            return await _read(reader, frame)
    except TimeoutError:
        return "waits", None
    except (ConnectionError, asyncio.IncompleteReadError):
        return "closed", None
    finally:
        writer.close()
        with suppress(ConnectionError):
            await writer.wait_closed()


async def _read(reader, frame):
    size = await reader.readexactly(4)
    data = await reader.readexactly(int.from_bytes(size, "big"))
    if int.from_bytes(data[:4], "big") == PROBE:
        return ("no answer" if is_unacknowledged(frame) else "skipped"), None
    try:
        body = decode_response(memoryview(data), frame.key, frame.version)[1]
    except (MalformedMessage, ValueError, KeyError) as error:
        return f"unreadable: {error}", None
    codes = sorted(set(error_codes(body)))
    names = [ErrorCode(code).name for code in codes[:_MAX_CODES]]
    return "+".join(names) or "answered", body


def _pairs(ours, theirs):
    """Ids of one answer that have other values in the other."""
    for name in type(ours).__slots__:
        value, other = getattr(ours, name), getattr(theirs, name)
        if type(value) is not type(other):
            continue
        if type(value) is list:
            for each, twin in zip(value, other, strict=False):
                if is_struct(each):
                    yield from _pairs(each, twin)
        elif value == other:
            continue
        elif isinstance(value, Uuid) and any(value) and any(other):
            yield bytes(value), bytes(other)
        elif name == "session_id" and min(value, other) > _MIN_SESSION_ID:
            yield value.to_bytes(4, "big"), other.to_bytes(4, "big")
        elif type(value) is str and len(value) == len(other) >= _ID_LETTERS:
            yield value.encode(), other.encode()


def disturbs(frame):
    """True if answers to other frames would differ because of this one."""
    body = decoded(frame)
    if len(frame.data) > _LONGEST_FRAME:
        return True
    if body is None:
        return False
    if frame.key == ApiKey.DELETE_TOPICS:
        # Both clusters make it again, but not at the same time.
        named = [*(body.topic_names or ()), *(topic.name for topic in body.topics or ())]
        return "__consumer_offsets" in named
    if frame.key == ApiKey.JOIN_GROUP:
        # Kafka counts the protocol twice: then no other member supports it.
        named = [each.name for each in body.protocols]
        return len(set(named)) < len(named)
    # A cluster may be busy with them for minutes.
    if frame.key not in (ApiKey.CREATE_TOPICS, ApiKey.CREATE_PARTITIONS):
        return False
    name = "num_partitions" if frame.key == ApiKey.CREATE_TOPICS else "count"
    return any(getattr(topic, name) > _MAX_PARTITIONS for topic in body.topics)


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
    cluster = Cluster(nodes=1, config=CONFIG, base_port=base_port, kafka_defaults=True)
    with cluster:
        comparison = Comparison(seed, frames, Server(cluster.bootstrap_servers), Server(theirs))
        asyncio.run(comparison.run())
    return comparison


def report(comparison):
    """A line for each class of difference, the most frequent first."""
    different = comparison.classes.total()
    summary = (
        f"{comparison.frames} frames compared, {comparison.alike} answered alike, "
        f"{comparison.known.total()} differ as docs/compatibility.md says, "
        f"{different} otherwise, in {len(comparison.classes)} classes"
    )
    lines = [summary]
    lines += [f"{count:6} known: row {row}" for row, count in comparison.known.most_common()]
    for row, count in comparison.classes.most_common():
        api, ours, theirs = row
        lines.append(f"{count:6} {api}: minikafka {ours}, Kafka {theirs}")
        lines.append(f"       {comparison.examples[row]}")
    return "\n".join(lines)
