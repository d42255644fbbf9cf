"""ElectLeaders as clients see it: the same answers for each partition as Apache Kafka's (A3, A6)."""

import json
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from confluent_kafka import ElectionType, TopicPartition
from confluent_kafka.admin import AdminClient

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.admin.topics import create_topic, describe_topics
from minikafka.testing.nodes import Nodes
from tests.conformance.operator_cases import (
    CONFIG,
    TOPICS,
    WITH_2_AGAIN,
    WITHOUT_2,
    WITHOUT_2_AND_3,
)
from tests.conformance.record_operator_cases import wait_for as wait_for_step
from tests.integration.test_replication import wait_for

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # it uses an old importlib function
    from kafka import KafkaAdminClient

ROOT = Path(__file__).resolve().parents[2]
PREFERRED, UNCLEAN = 0, 1
UNKNOWN, PREFERRED_NOT_AVAILABLE, NOT_ELIGIBLE, NOT_NEEDED = 3, 80, 83, 84

# Apache Kafka 4.3.1 answers both clients with these codes.
EXPECTED = {
    PREFERRED: {
        ("steady", 0): NOT_NEEDED,
        ("half", 0): PREFERRED_NOT_AVAILABLE,
        ("gone", 0): PREFERRED_NOT_AVAILABLE,
        ("steady", 7): UNKNOWN,
        ("none", 0): UNKNOWN,
    },
    UNCLEAN: {("half", 0): NOT_NEEDED, ("gone", 0): NOT_ELIGIBLE, ("none", 0): UNKNOWN},
}


@pytest.fixture(scope="module")
def nodes():
    """Broker 3 is dead, 2 was: `moved` can go home to it, `lost` and `gone` have no leader."""
    with Nodes(3, config=CONFIG) as running:
        with client_of(running) as client:
            for name, (replicas, configs) in TOPICS.items():
                create_topic(client, name, assignment=replicas, configs=configs)
        for step in (WITHOUT_2, WITHOUT_2_AND_3, WITH_2_AGAIN):
            getattr(running, step.action)(step.node)
            wait_for_step(running, step)
        # Each broker names a broker that was killed for two seconds after it learns of it.
        for node in (1, 2):
            with client_of(running, node) as client:
                wait_for(lambda client=client: sorted(client.brokers()) == [1, 2])
        yield running


def client_of(nodes, node=1):
    return ClusterClient(f"127.0.0.1:{nodes.port(node)}", client_id="test")


def by_librdkafka(servers, kind, names):
    """The error code of each partition."""
    admin = AdminClient({"bootstrap.servers": servers})
    types = {PREFERRED: ElectionType.PREFERRED, UNCLEAN: ElectionType.UNCLEAN}
    wanted = [TopicPartition(*name) for name in names]
    found = admin.elect_leaders(types[kind], wanted).result(30)
    return {
        (at.topic, at.partition): 0 if error is None else error.code()
        for at, error in found.items()
    }


def by_kafka_python(servers, kind, names):
    """The error code of each partition."""
    wanted = {}
    for topic, index in names:
        wanted.setdefault(topic, []).append(index)
    admin = KafkaAdminClient(bootstrap_servers=servers)
    try:
        found = admin.elect_leaders(kind, wanted, timeout_ms=30_000, raise_errors=False)
    finally:
        admin.close()
    found = found if isinstance(found, dict) else found.to_dict()
    return {
        (topic["topic"], it["partition_id"]): it["error_code"]
        for topic in found["replica_election_results"]
        for it in topic["partition_result"]
    }


def servers_of(nodes):
    return ",".join(f"127.0.0.1:{nodes.port(node)}" for node in (1, 2))


def leader_of(nodes, name, index):
    with client_of(nodes) as client:
        (topic,) = describe_topics(client, [name], 2000)
    return topic.partitions[index].leader


@pytest.mark.parametrize("kind", EXPECTED)
@pytest.mark.parametrize("ask", [by_librdkafka, by_kafka_python])
def test_each_partition_has_the_error_that_kafka_has_for_it(nodes, ask, kind):
    """A3."""
    assert ask(servers_of(nodes), kind, EXPECTED[kind]) == EXPECTED[kind]


@pytest.mark.parametrize(("ask", "index"), [(by_librdkafka, 0), (by_kafka_python, 1)])
def test_the_preferred_replica_is_elected_once(nodes, ask, index):
    """A3."""
    assert leader_of(nodes, "moved", index) == 1
    assert ask(servers_of(nodes), PREFERRED, [("moved", index)]) == {("moved", index): 0}
    wait_for(lambda: leader_of(nodes, "moved", index) == 2)
    again = ask(servers_of(nodes), PREFERRED, [("moved", index)])
    assert again == {("moved", index): NOT_NEEDED}


def test_the_tool_designates_a_live_replica_and_explains_refusals(nodes, tmp_path):
    """A3, A6."""
    for leader, status, words in (
        (3, 1, "it is fenced"),
        (1, 1, "has no replica"),
        (2, 0, "Successfully completed leader election (DESIGNATION) for partitions lost-0"),
        (2, 0, "Valid replica already elected for partitions lost-0"),
    ):
        file = tmp_path / "elect.json"
        row = {"topic": "lost", "partition": 0, "desiredLeader": leader}
        file.write_text(json.dumps({"partitions": [row]}))
        done = subprocess.run(
            [sys.executable, ROOT / "bin" / "kafka-leader-election.py", "--bootstrap-server",
             servers_of(nodes), "--election-type", "designation", "--path-to-json-file", file],
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip
        assert (done.returncode, words in done.stdout) == (status, True), done
    wait_for(lambda: leader_of(nodes, "lost", 0) == 2)


def test_a_client_gets_the_elr(nodes):
    """D2, E7, E9."""
    admin = KafkaAdminClient(bootstrap_servers=servers_of(nodes))
    try:
        found = admin.describe_topic_partitions(["eligible"])
    finally:
        admin.close()
    (topic,) = found["topics"]
    (partition,) = topic["partitions"]
    assert sorted(partition["isr_nodes"]) == [1, 2]
    # 2 was killed, and the partition has a leader.
    assert (partition["eligible_leader_replicas"], partition["last_known_elr"] or []) == ([3], [])
