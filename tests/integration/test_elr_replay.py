"""Kafka's system test of eligible leader replicas on processes, and harder variants (E1-E7, L2).

Two of three replicas are stopped cleanly, then the leader is killed, then the two are started: the
second leads from the ELR, and every acknowledged record is where it was acknowledged.

Source: `eligible_leader_replicas_test.py` of Apache Kafka's system tests.
"""

import subprocess
import sys
import threading
from pathlib import Path

import pytest
from confluent_kafka import Consumer, ElectionType, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.admin.client import AdminError
from minikafka.admin.partition_states import read_leaders
from minikafka.admin.quorum import read_quorum_leader
from minikafka.testing.nodes import Nodes
from tests.integration.test_replication import wait_for

FEATURES_TOOL = Path(__file__).resolve().parents[2] / "bin" / "kafka-features.py"
TOPIC = "input-topic"
CONFIG = {"broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "300"}
WITHOUT_DETECTION = {**CONFIG, "stopped.node.detection.enable": "false"}
COUNT = 2_000
PATIENCE_S = 30


class Replay:
    """The topic of a cluster, and the place of each acknowledged record by its value."""

    def __init__(self, nodes, assignment):
        self.nodes = nodes
        self.client = ClusterClient(nodes.bootstrap_servers, client_id="test", timeout_s=10)
        self.acknowledged = {}
        self.sent = 0
        self._count = len(assignment)
        config = {"min.insync.replicas": "2"}
        topic = NewTopic(TOPIC, self._count, replica_assignment=assignment, config=config)
        self.admin = AdminClient({"bootstrap.servers": nodes.bootstrap_servers})
        self.admin.create_topics([topic])[TOPIC].result(PATIENCE_S)
        self.until_all(lambda it: len(it.isr) == 3)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.close()

    def partitions(self):
        """As one broker knows them; none while it does not answer or know the topic."""
        try:
            return read_leaders(self.client, [TOPIC])
        except AdminError:
            return []

    def until_all(self, is_so):
        found = []

        def are_so():
            found[:] = self.partitions()
            return found and all(map(is_so, found))

        wait_for(are_so, PATIENCE_S)
        return found

    def producer(self):
        return Producer(
            {
                "bootstrap.servers": self.nodes.bootstrap_servers, "acks": "all",
                "enable.idempotence": True, "linger.ms": 1, "log_level": 0,
            }
        )  # fmt: skip

    def send(self, producer):
        def done(error, message):
            assert error is None, error
            self.acknowledged[message.value()] = (message.partition(), message.offset())

        index = self.sent % self._count
        producer.produce(TOPIC, b"%d" % self.sent, partition=index, on_delivery=done)
        self.sent += 1

    def write(self, count=COUNT):
        producer = self.producer()
        for _ in range(count):
            self.send(producer)
        assert producer.flush(PATIENCE_S) == 0
        assert len(self.acknowledged) == self.sent

    def assert_nothing_lost(self):
        """Each acknowledged record is where it was acknowledged, and nowhere else before the end."""
        consumer = Consumer(
            {
                "bootstrap.servers": self.nodes.bootstrap_servers, "group.id": "verifying",
                "isolation.level": "read_committed", "enable.auto.commit": False, "log_level": 0,
            }
        )  # fmt: skip
        consumer.assign([TopicPartition(TOPIC, index, 0) for index in range(self._count)])
        missing, places = dict(self.acknowledged), {}
        assert missing
        while missing:
            message = consumer.poll(PATIENCE_S)
            assert message is not None, f"{len(missing)} records are lost"
            assert message.error() is None
            value, place = message.value(), (message.partition(), message.offset())
            assert places.setdefault(value, place) == place == missing.pop(value, place)
        consumer.close()

    def lose_the_leader(self, index):
        """Stop the followers of a partition, kill its leader, start the followers.

        Returns the leader that was killed.
        """
        before = self.until_all(lambda it: len(it.isr) == 3)[index]
        followers = [broker for broker in before.isr if broker != before.leader]
        for broker in followers:
            self.nodes.stop(broker)
        self.until_all(lambda it: it.name != before.name or it.isr == (before.leader,))
        self.nodes.kill(before.leader)
        if len(self.nodes.brokers) > 3:  # else there is no quorum, either
            found = self.until_all(lambda it: it.name != before.name or it.leader == -1)
            assert found[index].isr == ()
            # The first that stopped left a full ISR behind (E5).
            assert sorted(found[index].elr) == sorted([followers[-1], before.leader])
        self.nodes.start(*followers)

        def is_led(it):
            epoch = before.leader_epoch if it.name == before.name else -1
            return it.leader in self.nodes.running and it.leader_epoch > epoch

        after = self.until_all(is_led)[index]
        assert after.leader == followers[-1]
        assert not after.is_recovering
        return before.leader

    def become_whole(self, killed):
        self.nodes.start(killed)
        self.until_all(lambda it: (len(it.isr), it.elr) == (3, ()))


class Writing:
    """A producer that writes all the time, through the loss of the leader."""

    def __init__(self, replay):
        self._replay = replay
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._thread.join()

    def _run(self):
        producer = self._replay.producer()
        while not self._ended.is_set():
            self._replay.send(producer)
            producer.poll(0.002)
        assert producer.flush(PATIENCE_S) == 0

    def until_more(self):
        """Wait for acknowledgements of records that are sent from now on."""
        before = self._replay.sent
        wait_for(lambda: len(self._replay.acknowledged) > before, PATIENCE_S)


@pytest.mark.parametrize("config", [CONFIG, WITHOUT_DETECTION], ids=["detection", "session ends"])
def test_the_replicas_that_were_stopped_cleanly_lead_from_the_elr(config):
    """As Kafka's: the feature is enabled in a running cluster."""
    features = {"eligible.leader.replicas.version": 0}
    with Nodes(6, config=config, features=features) as nodes:
        subprocess.run(
            [sys.executable, FEATURES_TOOL, "--bootstrap-server", nodes.bootstrap_servers,
             "upgrade", "--feature", "eligible.leader.replicas.version=1"],
            check=True, capture_output=True, timeout=PATIENCE_S,
        )  # fmt: skip
        with Replay(nodes, [[1, 2, 3]]) as replay:
            replay.write()
            killed = replay.lose_the_leader(0)
            replay.write()
            replay.assert_nothing_lost()
            replay.become_whole(killed)
            replay.assert_nothing_lost()


def test_other_partitions_are_written_meanwhile():
    assignment = [[1, 2, 3], [2, 3, 4], [3, 4, 5], [4, 5, 6], [5, 6, 1], [6, 1, 2]]
    with Nodes(6, config=CONFIG) as nodes, Replay(nodes, assignment) as replay:
        for index in (0, 3):
            with Writing(replay) as writing:
                writing.until_more()
                killed = replay.lose_the_leader(index)
                writing.until_more()
            replay.assert_nothing_lost()
            replay.become_whole(killed)
        replay.assert_nothing_lost()


def test_the_killed_leader_is_the_active_controller():
    assignment = [[1, 4, 5], [2, 5, 6], [3, 6, 4]]
    with Nodes(6, config=CONFIG, voters=(1, 2, 3)) as nodes, Replay(nodes, assignment) as replay:
        for _ in range(2):
            replay.admin.elect_leaders(ElectionType.PREFERRED, None).result(PATIENCE_S)
            replay.until_all(lambda it: it.leader == it.replicas[0])
            active = read_quorum_leader(replay.client).node_id
            with Writing(replay) as writing:
                writing.until_more()
                assert replay.lose_the_leader(active - 1) == active
                writing.until_more()
            replay.assert_nothing_lost()
            replay.become_whole(active)
        replay.assert_nothing_lost()


def test_the_three_replicas_are_the_whole_quorum():
    """While the last of them is dead, there is no active controller either."""
    with (
        Nodes(3, config=CONFIG, voters=(1, 2, 3)) as nodes,
        Replay(nodes, [[1, 2, 3]]) as replay,
    ):
        for _ in range(2):
            replay.write()
            killed = replay.lose_the_leader(0)
            replay.write()
            replay.assert_nothing_lost()
            replay.become_whole(killed)
        replay.assert_nothing_lost()
