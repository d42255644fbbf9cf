"""Several log directories on real brokers: one fails, replicas move, the controller knows all."""

import contextlib
import io
import json
import subprocess
import sys
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.admin.topics import create_topic, delete_topics, describe_topics
from minikafka.cli import dump_log
from minikafka.log.checkpoints import read_meta_properties
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest
from minikafka.server.os_disk import OsDisk
from minikafka.testing.nodes import CONTROLLER, Nodes
from tests.integration.own_nodes import OwnNodes
from tests.integration.test_replication import wait_for

CONFIG = {
    "min.insync.replicas": "2",
    "broker.session.timeout.ms": "3000",
    "replica.high.watermark.checkpoint.interval.ms": "200",
}
PARTITIONS = 6
TOOL = Path(__file__).resolve().parents[2] / "bin" / "kafka-reassign-partitions.py"


def client_of(nodes):
    return ClusterClient(nodes.bootstrap_servers, client_id="test")


def described(client):
    (topic,) = describe_topics(client, ["t"], 100)
    return topic.partitions


class Load:
    """An idempotent producer that writes to all partitions in turn.

    Without idempotence a write that is tried again at the next leader may stand there twice.
    """

    def __init__(self, servers):
        self.producer = Producer(
            {"bootstrap.servers": servers, "enable.idempotence": True, "linger.ms": 1}
        )
        self.delivered = []
        self.errors = []
        self.count = 0

    def _done(self, error, message):
        if error is None:
            self.delivered.append((message.partition(), message.value()))
        else:
            self.errors.append(error)

    def write(self, records):
        for _ in range(records):
            value = b"%d" % self.count
            self.producer.produce(
                "t", value, partition=self.count % PARTITIONS, on_delivery=self._done
            )
            self.count += 1
        assert self.producer.flush(60) == 0

    def check(self, servers):
        """Every acknowledged record can be read, once."""
        consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
        consumer.assign([TopicPartition("t", index, 0) for index in range(PARTITIONS)])
        found = []
        while len(found) < len(self.delivered):
            wanted = min(1000, len(self.delivered) - len(found))
            batch = consumer.consume(wanted, timeout=20)
            assert batch, f"{len(found)} of {len(self.delivered)}"
            found += [(it.partition(), it.value()) for it in batch if it.error() is None]
        consumer.close()
        assert sorted(found) == sorted(self.delivered)
        assert self.errors == []


def directory_ids(nodes, broker):
    """The directory id of each log directory."""
    return [
        str(read_meta_properties(OsDisk(str(path))).directory_id) for path in nodes.log_dirs(broker)
    ]


def recorded_directories(nodes):
    """The directories of each partition of "t", by broker, in the controller's log."""
    home = nodes.log_dirs(CONTROLLER)[0] / "__cluster_metadata-0"
    (segment,) = home.glob("*.log")
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert dump_log.main(["--cluster-metadata-decoder", "--files", str(segment)]) == 0
    topic_id, replicas, directories = None, {}, {}
    for line in output.getvalue().splitlines():
        _, found, payload = line.partition(" payload: ")
        if not found:
            continue
        record = json.loads(payload)
        data = record["data"]
        if record["type"] == "TOPIC_RECORD" and data["name"] == "t":
            topic_id = data["topicId"]
        if topic_id is None or data.get("topicId") != topic_id or "partitionId" not in data:
            continue
        index = data["partitionId"]
        if record["type"] == "PARTITION_RECORD":
            replicas[index] = data["replicas"]
        if data.get("directories"):
            directories[index] = dict(zip(replicas[index], data["directories"], strict=True))
    return directories


def homes(nodes, broker):
    """The log directory, by number, of each partition of "t" on a broker."""
    return {
        int(path.name[2:]): number
        for number, home in enumerate(nodes.log_dirs(broker))
        if home.is_dir()
        for path in home.iterdir()
        if path.name.startswith("t-") and path.name[2:].isdecimal()
    }


def assigned(nodes, brokers):
    """True if the controller has the directory of every replica of these brokers."""
    recorded = recorded_directories(nodes)
    return len(recorded) == PARTITIONS and all(
        recorded[index][broker] == directory_ids(nodes, broker)[number]
        for broker in brokers
        for index, number in homes(nodes, broker).items()
    )


def test_a_failed_directory_costs_only_its_own_partitions():
    """KIP-858: leaders move away from it; the other directory and the broker go on."""
    with Nodes(3, config=CONFIG, directories=2) as nodes, client_of(nodes) as client:
        create_topic(client, "t", assignment=[[1, 2, 3]] * PARTITIONS, configs={})
        load = Load(nodes.bootstrap_servers)
        load.write(300)
        where = homes(nodes, 1)
        assert sorted(where) == list(range(PARTITIONS))
        assert sorted(where.values()) == [0, 0, 0, 1, 1, 1]
        wait_for(lambda: assigned(nodes, (1, 2, 3)))
        failed = {index for index, number in where.items() if number == 1}
        nodes.log_dirs(1)[1].rename(nodes.directory / "gone")

        def has_moved():
            load.write(60)
            partitions = described(client)
            return all((it.leader != 1) == (it.partition in failed) for it in partitions)

        wait_for(has_moved)
        for it in described(client):
            assert (1 in it.isr) == (it.partition not in failed)
        load.write(300)
        assert nodes.is_alive(1)
        load.check(nodes.bootstrap_servers)


def test_replicas_move_between_directories_under_load_and_after_a_kill():
    """KIP-113: leaders and followers of broker 1 move; the second time it is killed meanwhile."""
    with Nodes(3, config=CONFIG, directories=2) as nodes:
        assignment = [[1, 2, 3], [2, 1, 3]] * (PARTITIONS // 2)
        with client_of(nodes) as client:
            create_topic(client, "t", assignment=assignment, configs={})
        load = Load(nodes.bootstrap_servers)
        load.write(3000)
        for number, kill in ((1, False), (0, True)):
            topics = [AlterReplicaLogDirTopic("t", list(range(PARTITIONS)))]
            path = str(nodes.log_dirs(1)[number])
            request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path, topics)])
            with client_of(nodes) as fresh:
                (result,) = fresh.ask_broker(1, request).results
            assert [it.error_code for it in result.partitions] == [0] * PARTITIONS
            if kill:
                nodes.kill(1)
                load.write(300)
                nodes.start(1)

            def have_moved(target=path):
                load.write(60)
                with client_of(nodes) as fresh:
                    response = fresh.ask_broker(1, DescribeLogDirsRequest(topics=None))
                rows = [
                    (home.log_dir, it.is_future_key)
                    for home in response.results
                    for topic in home.topics
                    if topic.name == "t"
                    for it in topic.partitions
                ]
                return rows == [(target, False)] * PARTITIONS

            wait_for(have_moved)
            assert set(homes(nodes, 1).values()) == {number}
            wait_for(lambda: assigned(nodes, (1,)))
        load.check(nodes.bootstrap_servers)


def test_the_tool_moves_replicas_and_reports_them(tmp_path):
    """KIP-113: --execute with log_dirs, then --verify until both moves have ended."""
    with Nodes(2, config={"min.insync.replicas": "1"}, directories=2) as nodes:
        with client_of(nodes) as client:
            create_topic(client, "t", assignment=[[1]] * 2, configs={})
        wait_for(lambda: len(homes(nodes, 1)) == 2)
        # Partition 1 moves to another broker, where it does not exist when its move is requested.
        rows = [
            {"topic": "t", "partition": index, "replicas": [broker], "log_dirs": [str(path)]}
            for index, broker, path in (
                (0, 1, nodes.log_dirs(1)[1 - homes(nodes, 1)[0]]),
                (1, 2, nodes.log_dirs(2)[1]),
            )
        ]
        file = tmp_path / "moves.json"
        file.write_text(json.dumps({"version": 1, "partitions": rows}))

        def tool(action):
            words = ("--bootstrap-server", nodes.bootstrap_servers, action)
            done = subprocess.run(
                [sys.executable, TOOL, *words, "--reassignment-json-file", file],
                capture_output=True, text=True, check=True, timeout=60,
            )  # fmt: skip
            return done.stdout.splitlines()

        assert tool("--execute")[-2:] == [
            f"Successfully started moving log directory to {row['log_dirs'][0]} for replica "
            f"t-{index} with broker {row['replicas'][0]} "
            for index, row in enumerate(rows)
        ]
        wait_for(
            lambda: (
                tool("--verify")[1:5]
                == [
                    "Reassignment of partition t-0 is completed.",
                    "Reassignment of partition t-1 is completed.",
                    "Reassignment of replica t-0-1 completed successfully.",
                    "Reassignment of replica t-1-2 completed successfully.",
                ]
            )
        )


def write_one(servers, topic, value):
    producer = Producer({"bootstrap.servers": servers})
    producer.produce(topic, value)
    assert producer.flush(30) == 0


def read_one(servers, topic):
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    message = consumer.poll(30)
    consumer.close()
    return message.offset(), message.value()


def test_a_topic_that_was_created_again_without_one_directory_is_served_with_it(tmp_path):
    """The log of the former topic is in the directory that comes back."""
    one, two = tmp_path / "one", tmp_path / "two"
    with OwnNodes(tmp_path, 1, offsets_topic_replication_factor=1) as nodes:
        nodes.write(1, log_dirs=f"{one},{two}")
        nodes.format(1, "--standalone")
        nodes.start(1)
        with ClusterClient(nodes.servers, client_id="test") as client:
            for topic in ("s", "t"):
                create_topic(client, topic, partitions=1, configs={})
                write_one(nodes.servers, topic, b"former")
        # The second topic is in the directory that had fewer logs.
        assert [path.name for path in two.glob("?-0")] == ["t-0"]
        assert nodes.stop(1) == 0
        nodes.write(1, log_dirs=one)
        nodes.start(1)
        with ClusterClient(nodes.servers, client_id="test") as client:
            delete_topics(client, ["t"])
            create_topic(client, "t", partitions=1, configs={})
            write_one(nodes.servers, "t", b"present")
        assert nodes.stop(1) == 0
        nodes.write(1, log_dirs=f"{one},{two}")
        nodes.start(1)
        assert read_one(nodes.servers, "t") == (0, b"present")
        wait_for(lambda: [path.name[-6:] for path in two.glob("t-0*")] == ["-stray"])
