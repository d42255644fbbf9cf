"""Replicas hold the same bytes, leaders move, and nothing that was acknowledged is lost."""

import time

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.messages.metadata import MetadataRequest, MetadataRequestTopic
from minikafka.testing import Cluster

FAST = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500"}


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3, config=FAST) as running:
        yield running


@pytest.fixture
def admin(cluster):
    return AdminClient({"bootstrap.servers": cluster.bootstrap_servers})


def create(cluster, admin, name, partitions=1, min_isr=2, replicas=None):
    config = {"min.insync.replicas": str(min_isr)}
    if replicas is None:
        topic = NewTopic(name, partitions, 3, config=config)
    else:
        topic = NewTopic(name, len(replicas), replica_assignment=replicas, config=config)
    admin.create_topics([topic])[name].result(20)
    # The controller answers; node 1 as a broker may apply the topic a little later.
    count = partitions if replicas is None else len(replicas)
    wait_for(lambda: len(partitions_of(cluster, name)) == count)


def produce(cluster, topic, count, acks="all", start=0, timeout_ms=30_000):
    outcomes = []
    producer = Producer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "acks": acks,
            "message.timeout.ms": timeout_ms,
            "enable.idempotence": acks == "all",
        }
    )
    for number in range(start, start + count):
        producer.produce(
            topic,
            b"%d" % number,
            on_delivery=lambda error, message: outcomes.append((error, message)),
        )
    producer.flush(60)
    return [message.offset() for error, message in outcomes if error is None], [
        error for error, _ in outcomes if error is not None
    ]


def consume(cluster, topic, count, timeout_s=30):
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            "group.id": "none",
            "session.timeout.ms": 6000,
        }
    )
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    deadline = time.monotonic() + timeout_s
    while len(found) < count and time.monotonic() < deadline:
        found += [m for m in consumer.consume(1000, timeout=1) if m.error() is None]
    consumer.close()
    return [int(message.value()) for message in found]


def partition_of(cluster, topic, index=0):
    """Leader and ISR as node 1 has them: it is the controller, and no test takes it away."""
    return partitions_of(cluster, topic)[index]


def partitions_of(cluster, topic):
    with ClusterClient(f"127.0.0.1:{cluster.port(1)}", client_id="test") as client:
        request = MetadataRequest(
            topics=[MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False
        )
        partitions = client.ask(request).topics[0].partitions
    return sorted(partitions, key=lambda partition: partition.partition_index)


def unfenced(cluster):
    """The brokers that clients may use."""
    with ClusterClient(f"127.0.0.1:{cluster.port(1)}", client_id="test") as client:
        return {broker.node_id for broker in client.ask(MetadataRequest(topics=[])).brokers}


def wait_for(condition, timeout_s=30):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.05)


def test_killed_leader_loses_nothing_that_was_acknowledged(cluster, admin):
    create(cluster, admin, "killed", replicas=[[2, 3, 1]])
    offsets, failed = produce(cluster, "killed", 1000)
    assert (sorted(offsets), failed) == (list(range(1000)), [])
    leader = partition_of(cluster, "killed").leader_id
    cluster.kill(leader)
    wait_for(lambda: partition_of(cluster, "killed").leader_id not in (leader, -1))
    offsets, failed = produce(cluster, "killed", 1000, start=1000)
    assert (sorted(offsets), failed) == (list(range(1000, 2000)), [])
    cluster.start(leader)
    wait_for(lambda: len(partition_of(cluster, "killed").isr_nodes) == 3)
    assert consume(cluster, "killed", 2000) == list(range(2000))
    assert_replicas_agree(cluster, "killed-0")


def assert_replicas_agree(cluster, folder):
    """Byte for byte: every replica's segments, after all of them caught up."""

    def contents():
        return [
            b"".join(f.read_bytes() for f in sorted((cluster.log_dir(n) / folder).glob("*.log")))
            for n in range(1, cluster.nodes + 1)
        ]

    wait_for(lambda: len(set(contents())) == 1)
    assert contents()[0]


@pytest.fixture
def one_voter():
    with Cluster(nodes=3, config=FAST, voters=1) as running:
        yield running


def test_two_of_three_replicas_gone(one_voter):
    """H4, H5: acks=all is refused, acks=1 is taken and shown when the ISR is back."""
    # Node 1 is the only controller: it stays.
    cluster = one_voter
    admin = AdminClient({"bootstrap.servers": cluster.bootstrap_servers})
    create(cluster, admin, "thin", replicas=[[1, 2, 3]])
    produce(cluster, "thin", 10)
    leader, others = 1, [2, 3]
    for node in others:
        cluster.kill(node)
    wait_for(lambda: partition_of(cluster, "thin").isr_nodes == [leader])
    _, failed = produce(cluster, "thin", 1, start=900, timeout_ms=3000)
    assert len(failed) == 1
    offsets, failed = produce(cluster, "thin", 5, acks="1", start=10)
    assert failed == []
    assert consume(cluster, "thin", 11, timeout_s=3) == list(range(10))
    for node in others:
        cluster.start(node)
    wait_for(lambda: len(partition_of(cluster, "thin").isr_nodes) == 3)
    assert consume(cluster, "thin", 15) == list(range(15))


def test_controlled_shutdown_hands_leaderships_over(cluster, admin):
    """C1: the stopped node leaves the ISR before it goes, and comes back without recovery."""
    create(cluster, admin, "handed", partitions=6)
    wait_for(lambda: all(p.leader_id > 0 for p in partitions_of(cluster, "handed")))
    cluster.stop(3)
    partitions = partitions_of(cluster, "handed")
    assert all(partition.leader_id in (1, 2) for partition in partitions)
    assert all(3 not in partition.isr_nodes for partition in partitions)
    assert (cluster.log_dir(3) / ".kafka_cleanshutdown").exists()
    cluster.start(3)
    assert not (cluster.log_dir(3) / ".kafka_cleanshutdown").exists()
    wait_for(lambda: all(len(p.isr_nodes) == 3 for p in partitions_of(cluster, "handed")))


def test_paused_broker_is_fenced_and_comes_back(cluster, admin):
    create(cluster, admin, "paused", replicas=[[2, 1, 3]])
    leader = partition_of(cluster, "paused").leader_id
    victim = next(node for node in (2, 3) if node != leader)
    cluster.pause(victim)
    wait_for(lambda: victim not in partition_of(cluster, "paused").isr_nodes)
    # Metadata names a broker for two seconds after it was fenced.
    wait_for(lambda: unfenced(cluster) == {1, 2, 3} - {victim})
    offsets, failed = produce(cluster, "paused", 10)
    assert (len(offsets), failed) == (10, [])
    cluster.resume(victim)
    wait_for(lambda: len(partition_of(cluster, "paused").isr_nodes) == 3)
    assert unfenced(cluster) == {1, 2, 3}


def test_whole_cluster_starts_again_with_its_data(tmp_path):
    with Cluster(nodes=3, config=FAST, directory=tmp_path / "kept") as running:
        admin = AdminClient({"bootstrap.servers": running.bootstrap_servers})
        create(running, admin, "kept")
        produce(running, "kept", 100)
        running.shut_down()
        running.open()
        offsets, failed = produce(running, "kept", 100, start=100)
        assert (sorted(offsets), failed) == (list(range(100, 200)), [])
        assert consume(running, "kept", 200) == list(range(200))


def test_unknown_partition_is_an_error(cluster):
    consumer = Consumer({"bootstrap.servers": cluster.bootstrap_servers, "group.id": "none",
                         "allow.auto.create.topics": False})  # fmt: skip
    with pytest.raises(KafkaException) as caught:
        consumer.get_watermark_offsets(TopicPartition("nowhere", 0), timeout=5)
    assert caught.value.args[0].code() in (
        KafkaError._UNKNOWN_PARTITION,
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        KafkaError._UNKNOWN_TOPIC,
    )
    consumer.close()
