"""All replicas of a partition lose a part of their logs: the longest that is left is found (U1-U8).

Node 1 is the controller and stays. Nodes 2, 3 and 4 are killed, and their logs are cut by hand.
"""

import os
import struct

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.messages.elect_leaders import ElectLeadersRequest, TopicPartitions
from minikafka.testing import Cluster
from tests.integration.test_replication import consume, partition_of, wait_for

CONFIG = {
    "broker.session.timeout.ms": "2000",
    "broker.heartbeat.interval.ms": "300",
    "unclean.recovery.manager.enabled": "true",
    "num.partitions": "1",
}
REPLICAS = (2, 3, 4)
TOPICS = {"balanced": "Balanced", "asked": "None", "designated": "None"}
DESIGNATION, LONGEST_LOG_BALANCED = 2, 3
KEPT = {2: 0.3, 3: 0.8, 4: 0.5}
COUNT = 200


@pytest.fixture(scope="module")
def lost():
    """The cluster after its loss, and what each replica of each topic kept."""
    with Cluster(nodes=4, voters=1, config=CONFIG) as cluster:
        admin = AdminClient({"bootstrap.servers": f"127.0.0.1:{cluster.port(1)}"})
        for name, strategy in TOPICS.items():
            config = {"min.insync.replicas": "2", "unclean.recovery.strategy": strategy}
            topic = NewTopic(name, 1, replica_assignment=[list(REPLICAS)], config=config)
            admin.create_topics([topic])[name].result(20)
            fill(cluster, name)
            wait_for(lambda name=name: len(partition_of(cluster, name).isr_nodes) == 3)
        for node in REPLICAS:
            cluster.kill(node)
        for name in TOPICS:
            wait_for(lambda name=name: partition_of(cluster, name).leader_id == -1)
        kept = {name: {node: cut(cluster, name, node) for node in REPLICAS} for name in TOPICS}
        for node in REPLICAS:
            cluster.start(node)
        yield cluster, kept


def fill(cluster, name):
    """Twenty batches of ten records."""
    failed = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(COUNT):
        producer.produce(
            name, b"%d" % number, on_delivery=lambda error, _: error and failed.append(error)
        )
        if number % 10 == 9:
            assert producer.flush(30) == 0
    assert failed == []


def cut(cluster, name, node):
    """Cut the log of a replica, in the midst of a batch; the end offset of what is left."""
    (path,) = (cluster.log_dir(node) / f"{name}-0").glob("*.log")
    os.truncate(path, int(path.stat().st_size * KEPT[node]))
    data = path.read_bytes()
    position = end_offset = 0
    while position + 61 <= len(data):
        base_offset, length = struct.unpack_from(">qi", data, position)
        if position + 12 + length > len(data):
            break
        (last_delta,) = struct.unpack_from(">i", data, position + 23)
        end_offset = base_offset + last_delta + 1
        position += 12 + length
    return end_offset


def assert_led_by(cluster, name, leader, end_offset):
    wait_for(lambda: partition_of(cluster, name).leader_id == leader)
    wait_for(lambda: len(partition_of(cluster, name).isr_nodes) == 3)
    assert consume(cluster, name, end_offset) == list(range(end_offset))
    logs = {
        node: b"".join(
            path.read_bytes()
            for path in sorted((cluster.log_dir(node) / f"{name}-0").glob("*.log"))
        )
        for node in REPLICAS
    }
    assert logs[2] == logs[3] == logs[4] != b""


def elect(cluster, kind, name, desired=None, timeout_ms=20_000):
    """ElectLeaders of one partition, through a broker that is not the controller."""
    with ClusterClient(f"127.0.0.1:{cluster.port(3)}", client_id="test") as client:
        response = client.ask(
            ElectLeadersRequest(
                election_type=kind,
                topic_partitions=[TopicPartitions(name, [0], desired and [desired])],
                timeout_ms=timeout_ms,
            )
        )
    ((row,),) = (topic.partition_result for topic in response.replica_election_results)
    return row.error_code, row.error_message


def test_the_longest_log_is_elected(lost):
    """L4, U5, U6: nothing that any replica still had is lost beyond what the longest lacks."""
    cluster, kept = lost
    ends = kept["balanced"]
    assert len(set(ends.values())) == 3
    assert 0 < max(ends.values()) == ends[3] < COUNT
    assert_led_by(cluster, "balanced", 3, ends[3])
    line = next(x for x in cluster.log_text(1).splitlines() if "balanced-0: unclean leader" in x)
    assert "broker 3 leads epoch" in line
    for node in REPLICAS:
        assert f"{node}: epoch 0, end {ends[node]}" in line


def test_an_operator_asks_for_the_longest_log(lost):
    """A2, A3: strategy None waits for that."""
    cluster, kept = lost
    assert partition_of(cluster, "asked").leader_id == -1
    assert elect(cluster, LONGEST_LOG_BALANCED, "asked") == (0, None)
    assert_led_by(cluster, "asked", 3, kept["asked"][3])


def test_an_operator_designates_a_leader(lost):
    """A3: also one that holds less; the others truncate."""
    cluster, kept = lost
    assert partition_of(cluster, "designated").leader_id == -1
    code, message = elect(cluster, DESIGNATION, "designated", 1)
    assert code
    assert "broker 1 has no replica" in message
    assert elect(cluster, DESIGNATION, "designated", 4) == (0, None)
    assert_led_by(cluster, "designated", 4, kept["designated"][4])
