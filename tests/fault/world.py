"""S3: a cluster for fault tests, its topic, and a producer that writes to it."""

import threading
import time
from contextlib import closing, contextmanager

from confluent_kafka import Consumer, Producer, TopicPartition

from minikafka.admin.client import AdminClient, BrokerConnection
from minikafka.admin.configs import Resource, ResourceType, alter_configs
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.clusters.quorum import QuorumClient
from minikafka.harness.faults.kinds import FaultAction, FaultStage
from minikafka.harness.faults.operator_actions import Operator
from minikafka.harness.lines import EventLog
from minikafka.harness.plan.schedule import PlannedFault
from minikafka.harness.plan.settings import RunSettings
from minikafka.harness.watch.watcher import ClusterWatcher
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.messages.produce import PartitionProduceData, ProduceRequest, TopicProduceData
from minikafka.records.builder import NewRecord, build_batch

TOPIC = "t"
POLL_S = 0.05
PATIENCE_S = 20
CONFIG = (
    "broker.session.timeout.ms=1000",
    "broker.heartbeat.interval.ms=200",
    "replica.lag.time.max.ms=1000",
)


class World:
    """Three brokers and one or three controllers that can do these kinds of faults."""

    def __init__(self, folder, network, kinds, controllers="one"):
        settings = RunSettings(network=network, cluster_config=CONFIG, controllers=controllers)
        self.cluster = OwnCluster(settings, folder / "cluster", kinds)
        self.faults = []

    def open(self, folder):
        self.cluster.wait_ready()
        servers = self.cluster.bootstrap_servers
        self.watcher = ClusterWatcher(servers, TOPIC, EventLog(folder / "events.jsonl"))
        self.watcher.create_topic(1, 3, 2)
        operator = Operator(lambda: servers, TOPIC)
        ended = threading.Event()
        self.quorum = QuorumClient(servers)
        self.stage = FaultStage(
            self.cluster, operator, self.watcher, 2, ended.wait, None, self.quorum.ask
        )
        self.producer = Producer(
            {"bootstrap.servers": servers, "acks": "all", "linger.ms": 0, "log_level": 0}
        )

    def begin(self, kind, *targets, **parameters):
        plan = PlannedFault(kind=kind, at_s=0, targets=targets, parameters=parameters)
        fault = FaultAction(self.stage, plan, self.stage.resolve(plan))
        self.faults.append(fault)
        self.did = fault.begin()
        return fault

    def write(self, count=20):
        """Write; the timestamps of what was acknowledged."""
        stamps = []

        def done(error, message):
            assert error is None, error
            stamps.append(message.timestamp()[1])

        for number in range(count):
            self.producer.produce(TOPIC, f"value {number}", on_delivery=done)
        assert self.producer.flush(PATIENCE_S) == 0
        return stamps

    def leader_for_others(self, node):
        """The leader that brokers other than this one report."""
        servers = self.cluster.bootstrap_servers.split(",")
        del servers[node - 1]
        return described_by(servers[0]).leader_id

    @property
    def all_agree(self):
        """Return True if all brokers name the same leader; one that was cut off may be behind."""
        servers = self.cluster.bootstrap_servers.split(",")
        reported = {(it.leader_id, it.leader_epoch) for it in map(described_by, servers)}
        return len(reported) == 1 and min(reported)[0] >= 0

    def read(self, count):
        """The values of the first records."""
        consumer = Consumer({"bootstrap.servers": self.cluster.bootstrap_servers, "group.id": "r"})
        consumer.assign([TopicPartition(TOPIC, 0, 0)])
        found = []
        while len(found) < count:
            messages = consumer.consume(count - len(found), timeout=PATIENCE_S)
            assert messages, f"{len(found)} of {count} records are there"
            found += [message.value() for message in messages if message.error() is None]
        consumer.close()
        return found

    def write_to(self, node):
        """Write one record with acks=all to this node, if it leads or not; return the error code."""
        host, port = self.cluster.bootstrap_servers.split(",")[node - 1].split(":")
        batch = build_batch([NewRecord(0, None, b"to one node")])
        data = [TopicProduceData(TOPIC, partition_data=[PartitionProduceData(0, batch)])]
        with closing(BrokerConnection(host, int(port), "test", PATIENCE_S)) as connection:
            request = ProduceRequest(acks=-1, timeout_ms=500, topic_data=data)
            answer = connection.ask(request, 9)
        return answer.responses[0].partition_responses[0].error_code

    def seconds_to_write(self, count):
        began_s = time.monotonic()
        self.write(count)
        return time.monotonic() - began_s

    @contextmanager
    def topic_config(self, values):
        topic = Resource(ResourceType.TOPIC, TOPIC)
        with AdminClient(self.cluster.bootstrap_servers, client_id="test") as client:
            alter_configs(client, topic, values, ())
            yield
            alter_configs(client, topic, {}, list(values))

    @property
    def leader(self):
        self.until(lambda: self.watcher.leader_of(0) is not None)
        return self.watcher.leader_of(0)

    @property
    def isr(self):
        self.watcher.look()
        self.until(lambda: 0 in self.watcher.partitions)
        return set(self.watcher.partitions[0].isr)

    @property
    def end(self):
        """The high watermark; 0 while no broker reports it."""
        self.watcher.look_at_ends()
        return self.watcher.high_watermarks.get(0, 0)

    def until(self, is_so):
        deadline_s = time.monotonic() + PATIENCE_S
        while not is_so():
            assert time.monotonic() < deadline_s, self.watcher.partitions
            time.sleep(POLL_S)
            self.watcher.look()

    def settle(self):
        """Undo a test's faults: all replicas are in sync again, and writes work."""
        while self.faults:
            self.faults.pop().end()
        self.until(lambda: self.all_agree)
        assert self.watcher.wait_whole(PATIENCE_S)
        self.write()


def described_by(server):
    """The partition as one broker describes it."""
    with AdminClient(server, client_id="test") as client:
        [topic] = client.ask(MetadataRequest([MetadataRequestTopic(name=TOPIC)])).topics
    return topic.partitions[0]


@contextmanager
def opened(world, folder):
    """Start a world, and stop it at the end."""
    try:
        world.open(folder)
        yield world
    finally:
        world.watcher.stop()
        world.quorum.close()
        assert world.cluster.close() == ""
