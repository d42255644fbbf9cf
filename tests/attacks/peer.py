"""The sender's side of an attack: sockets, frames, and the broker that they are for."""

import contextlib
import socket
import time
from dataclasses import dataclass, field

from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.rpc.envelope import decode_response, encode_request

PATIENCE_S = 60
VERSIONS = {
    ApiKey.PRODUCE: 9, ApiKey.FETCH: 12, ApiKey.LIST_OFFSETS: 6, ApiKey.METADATA: 12,
    ApiKey.OFFSET_COMMIT: 8, ApiKey.FIND_COORDINATOR: 4, ApiKey.JOIN_GROUP: 7,
    ApiKey.DELETE_GROUPS: 2,
}  # fmt: skip
"""Apache Kafka 4.3 has them, too; topics are named, not numbered."""


def frame(request, correlation_id=0):
    """A whole request."""
    parts = encode_request(correlation_id, "attack", request, VERSIONS[request.API_KEY])
    return b"".join(bytes(part) for part in parts)


def produce(topic, batches, acks=-1):
    """A Produce of one batch for each of some partitions."""
    rows = [PartitionProduceData(partition, batch) for partition, batch in batches.items()]
    return ProduceRequest(None, acks, 30_000, [TopicProduceData(topic, partition_data=rows)])


class Peer:
    """One connection. A frame is sent as a whole; answers are read only on request."""

    def __init__(self, address):
        self.socket = socket.create_connection(address, timeout=PATIENCE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def send(self, data):
        """Send bytes; False if the broker has closed the connection."""
        try:
            self.socket.sendall(data)
        except OSError:
            return False
        return True

    def answer(self):
        """Read one response; None if the connection ends before."""
        size = self._read(4)
        return None if size is None else self._read(int.from_bytes(size, "big"))

    def ask(self, request):
        """Send a request, return its decoded answer."""
        self.send(frame(request))
        answer = self.answer()
        if answer is None:
            raise ConnectionError(f"{type(request).__name__}: the connection was closed")
        api_key = request.API_KEY
        return decode_response(memoryview(answer), api_key, VERSIONS[api_key])[1]

    def _read(self, count):
        data = bytearray(count)
        view = memoryview(data)
        while view:
            try:
                got = self.socket.recv_into(view)
            except OSError:
                return None
            if not got:
                return None
            view = view[got:]
        return bytes(data)

    def close(self):
        with contextlib.suppress(OSError):
            self.socket.close()


@dataclass
class Target:
    """The broker that is attacked."""

    host: str
    port: int
    scale: float = 1.0
    """The share of an attack that is sent."""
    sent: list[str] = field(default_factory=list)
    """A description of the requests that were sent."""
    created: list[str] = field(default_factory=list)
    """Topics that are to be deleted after the attack."""

    def __post_init__(self):
        self.servers = f"{self.host}:{self.port}"
        self.admin = AdminClient({"bootstrap.servers": self.servers, "log_level": 0})

    def count(self, full):
        """How many of something to send."""
        return max(1, round(full * self.scale))

    def note(self, text):
        """Record a description of the requests that were sent."""
        self.sent.append(text)

    def peer(self):
        """A connection to the broker."""
        return Peer((self.host, self.port))

    @property
    def broker_id(self):
        """The id of the broker."""
        brokers = self.admin.list_topics(timeout=PATIENCE_S).brokers
        (found,) = [each.id for each in brokers.values() if each.port == self.port]
        return found

    def create(self, name, partitions=1, config=None):
        """Create a topic whose partitions are all on this broker, and wait until it leads them."""
        topic = NewTopic(
            name,
            partitions,
            replica_assignment=[[self.broker_id]] * partitions,
            config=config or {},
        )
        self.admin.create_topics([topic])[name].result(PATIENCE_S)
        self.created.append(name)
        while True:
            found = self.admin.list_topics(name, timeout=PATIENCE_S).topics[name]
            if len(found.partitions) == partitions and all(
                each.leader >= 0 for each in found.partitions.values()
            ):
                return
            time.sleep(0.05)

    def clean_up(self):
        """Delete the topics of the attack."""
        if self.created:
            for future in self.admin.delete_topics(self.created).values():
                future.result(PATIENCE_S)
            self.created.clear()
