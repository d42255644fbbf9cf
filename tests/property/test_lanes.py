"""Any sequence of requests has the same answers, and leaves the same disks, with lanes or without."""

from contextlib import nullcontext
from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.fetch import FetchPartition, FetchRequest, FetchTopic
from minikafka.messages.incremental_alter_configs import (
    AlterableConfig,
    AlterConfigsResource,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
)
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from minikafka.rpc.envelope import decode_response, encode_request
from minikafka.sim.world.disk_errors import IO_ERROR, OneError
from minikafka.sim.world.machine_clock import EPOCH_MS
from minikafka.sim.world.sim_cluster import BROKER_PORT, host
from tests.simulation.lanes import without_lanes
from tests.worlds.sim_world import create_topic, started_cluster

TOPICS = ("t", "other", "__consumer_offsets", "absent")
BY_ID_FROM = 13
SESSIONS_FROM = 7


@dataclass
class RawClient:
    """A connection that sends any bytes and keeps what comes back."""

    cluster: object
    name: str
    received: list = field(default_factory=list)
    stream: object = None

    def send(self, frame):
        network = self.cluster.network
        if self.stream is None:
            self.stream = network.connect(self.name, (host(1), BROKER_PORT), self)
        network.send(self.stream, 0, len(frame).to_bytes(4, "big") + frame)

    def arrived(self, data):
        self.received.append(bytes(data))

    def ended(self, reason):
        self.received.append(b"closed")
        self.stream = None


records = st.builds(
    lambda count, size, codec, options, timestamp: bytes(
        build_batch(
            [NewRecord(EPOCH_MS + timestamp, None, b"v" * size)] * count,
            BatchOptions(codec=codec, **options),
        )
    ),
    st.integers(1, 3),
    st.sampled_from((0, 1, 60, 100, 300, 20_000)),
    st.sampled_from((Codec.NONE, Codec.NONE, Codec.NONE, Codec.GZIP)),
    st.one_of(
        st.just({}),
        st.builds(
            lambda sequence, epoch, is_transactional: {
                "producer_id": 5, "producer_epoch": epoch, "base_sequence": sequence,
                "is_transactional": is_transactional,
            },
            st.integers(0, 4), st.integers(0, 1), st.booleans(),
        ),
    ),
    st.sampled_from((0, 0, 0, 10**12)),
)  # fmt: skip

spoils = st.one_of(
    st.just(lambda batch: batch),
    st.just(lambda batch: batch),
    st.sampled_from((
        lambda batch: batch[:-1], lambda batch: batch[:40], lambda batch: b"", lambda batch: None,
        lambda batch: batch + b"x", lambda batch: batch + batch, lambda batch: batch[:16] + b"\1" + batch[17:],
    )),
    st.builds(
        lambda at, bit: lambda batch: (
            batch[: at % len(batch)]
            + bytes((batch[at % len(batch)] ^ bit,))
            + batch[at % len(batch) + 1 :]
        ),
        st.integers(0, 400), st.sampled_from((1, 16, 128)),
    ),
)  # fmt: skip

produces = st.builds(
    lambda *values: ("produce", *values),
    st.integers(0, 1), st.sampled_from((7, 8, 9, 12, 12, 13, 13, 3)), st.sampled_from((1, 1, -1, -1, 0, 2)),
    st.sampled_from(TOPICS[:2] * 3 + TOPICS), st.sampled_from((0, 0, 0, 1, 7)),
    st.sampled_from((None, "c", "c")), records, spoils,
    st.sampled_from((0, 0, 0, 0, 1, 2, 3)), st.integers(1, 5),
)  # fmt: skip

fetches = st.builds(
    lambda *values: ("fetch", *values),
    st.sampled_from((4, 11, 12, 12, 13, 15, 16, 17, 18)),
    st.lists(
        st.tuples(
            st.sampled_from(TOPICS[:2] * 3 + TOPICS), st.sampled_from((0, 0, 0, 1, 7)),
            st.integers(-1, 6), st.sampled_from((-1, -1, 0, 5)),
        ),
        max_size=3,
    ),
    st.sampled_from((0, 0, 1)), st.sampled_from(("none", "new", "same", "same", "same", "wrong")),
    st.sampled_from((0, 0, 1)), st.sampled_from((0, 70, 1 << 20)), st.integers(1, 5),
)  # fmt: skip

changes = st.one_of(
    st.builds(lambda topic: ("delete", topic), st.sampled_from(TOPICS[:2])),
    st.builds(
        lambda topic, change: ("alter", topic, *change),
        st.sampled_from(TOPICS[:2]),
        st.sampled_from((
            ("max.message.bytes", "300"), ("max.message.bytes", "1000000"),
            ("min.insync.replicas", "2"), ("min.insync.replicas", "1"),
            ("compression.type", "gzip"), ("compression.type", "producer"),
            ("flush.messages", "1"), ("message.timestamp.type", "LogAppendTime"),
            ("segment.bytes", "1048576"),
        )),
    ),
    st.just(("fail once",)),
)  # fmt: skip

PLAIN = bytes(build_batch([NewRecord(EPOCH_MS, None, b"v")]))


class Player:
    """Plays actions on one node."""

    def __init__(self, units):
        self.cluster = started_cluster(1, separate_controller=True)
        if units is not None:
            self.cluster.nodes[1].node.env.units_per_step = units
        self.ids = {}
        for name in TOPICS[:2]:
            self.create(name)
        self.clients = [RawClient(self.cluster, f"raw{number}") for number in range(3)]
        self.session = 0, 0
        self.sent = 0

    def create(self, name):
        self.ids[name] = create_topic(self.cluster, name, partitions=2)

    def play(self, action):
        match action:
            case ("produce", *values):
                self.produce(*values)
            case ("fetch", *values):
                self.fetch(*values)
            case ("delete", topic):
                client = self.cluster.client()
                request = DeleteTopicsRequest(topic_names=[topic], timeout_ms=5_000)
                client.ask(request, DeleteTopicsResponse, version=5)
                self.cluster.world.run(50)
                self.create(topic)
            case ("alter", topic, key, value):
                resource = AlterConfigsResource(2, topic, [AlterableConfig(key, 0, value)])
                request = IncrementalAlterConfigsRequest(resources=[resource])
                self.cluster.client().ask(request, IncrementalAlterConfigsResponse)
                self.cluster.world.run(50)
            case ("fail once",):
                for disk in self.cluster.nodes[1].disks.values():
                    disk.error = OneError(IO_ERROR, 0, ("append",))
                for topic in TOPICS[:2]:
                    self.produce(0, 12, 1, topic, 0, "c", PLAIN, lambda batch: batch, 0, 1)
        self.cluster.world.run(20)

    def produce(
        self, client, version, acks, topic, index, client_id, batch, spoil, twist, repeats
    ):  # fmt: skip
        """Send a request several times; `twist` makes it unusual, or a byte too short."""
        data = PartitionProduceData(index, spoil(batch))
        name, topic_id = topic, ZERO_UUID
        if version >= BY_ID_FROM:
            name, topic_id = "", self.ids.get(topic, Uuid.of(7, 7))
        topics = [TopicProduceData(name, topic_id, [data] * (1 + (twist == 1)))]
        request = ProduceRequest(None, acks, 1_000, topics * (1 + (twist == 2)))
        for _ in range(repeats):
            self.sent += 1
            frame = b"".join(encode_request(self.sent, client_id, request, version))
            self.clients[client].send(frame[4 : len(frame) - (twist == 3)])
            self.cluster.world.run(2)

    def fetch(self, version, wanted, isolation, session, max_wait_ms, max_bytes, repeats):  # fmt: skip
        """Fetch several times, each time further on in the session if it is the same."""
        for number in range(repeats):
            topics = {}
            for topic, index, offset, epoch in wanted:
                name, topic_id = topic, ZERO_UUID
                if version >= BY_ID_FROM:
                    name, topic_id = "", self.ids.get(topic, Uuid.of(7, 7))
                topics.setdefault((name, topic_id), []).append(
                    FetchPartition(index, epoch, offset + number, -1, -1, max_bytes)
                )
            session_id, session_epoch = {
                "none": (0, -1), "new": (0, 0), "same": self.session,
                "wrong": (self.session[0], 99),
            }[session]  # fmt: skip
            if version < SESSIONS_FROM:
                session_id, session_epoch = 0, -1
            request = FetchRequest(
                max_wait_ms=max_wait_ms, min_bytes=1, max_bytes=1 << 20, isolation_level=isolation,
                session_id=session_id, session_epoch=session_epoch,
                topics=[FetchTopic(*key, each) for key, each in topics.items()],
            )  # fmt: skip
            self.sent += 1
            frame = b"".join(encode_request(self.sent, "reader", request, version))
            reader = self.clients[2]
            before = len(reader.received)
            reader.send(frame[4:])
            self.cluster.world.run(10)
            (received,) = reader.received[before:]
            if received == b"closed":
                return
            _, response = decode_response(memoryview(received)[4:], 1, version)
            if session == "new":
                self.session = response.session_id, 1
                session = "same"
            elif session == "same" and not response.error_code and response.session_id:
                self.session = response.session_id, self.session[1] + 1

    def result(self):
        self.cluster.world.run(2_000)
        return [each.received for each in self.clients], self.cluster.world.digest


@settings(max_examples=100, deadline=None)
@given(
    st.sampled_from((None, 3, 5)),
    st.lists(st.one_of(produces, produces, fetches, fetches, changes), min_size=1, max_size=12),
)
def test_lanes_change_no_answer_and_no_disk(units, actions):
    """`units`: the budget of a step, above which a batch is validated elsewhere."""
    results = []
    for context in (nullcontext(), without_lanes()):
        with context:
            player = Player(units)
            for action in actions:
                if player.cluster.nodes[1].started:
                    player.play(action)
            results.append(player.result())
    assert results[0] == results[1]
