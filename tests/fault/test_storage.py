"""Files of a node that are torn, locked, or cannot be written."""

import resource
import subprocess
import sys
import time

from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.admin.client import AdminClient as ClusterClient
from minikafka.admin.topics import describe_topics
from minikafka.testing import Cluster


def produce(servers, topic, values):
    failures = []
    producer = Producer({"bootstrap.servers": servers, "acks": "all", "message.timeout.ms": 30_000})
    for value in values:
        producer.produce(
            topic, value, on_delivery=lambda error, _: failures.append(error) if error else None
        )
    producer.flush(60)
    return failures


def consume(servers, topic, count):
    consumer = Consumer({"bootstrap.servers": servers, "group.id": "none"})
    consumer.assign([TopicPartition(topic, 0, 0)])
    found = []
    while len(found) < count:
        batch = consumer.consume(count, timeout=20)
        assert batch, f"{len(found)} of {count}"
        found += [message.value() for message in batch if message.error() is None]
    consumer.close()
    return found


def create(servers, name, **options):
    admin = AdminClient({"bootstrap.servers": servers})
    admin.create_topics([NewTopic(name, **options)])[name].result(20)


def test_torn_tail_after_a_kill_is_cut_off():
    """C4: the last bytes of a killed node's segment are garbage; everything before is there."""
    values = [b"%d" % number for number in range(200)]
    with Cluster(nodes=1, config={"broker.session.timeout.ms": "2000"}) as cluster:
        create(cluster.bootstrap_servers, "torn", num_partitions=1, replication_factor=1)
        assert produce(cluster.bootstrap_servers, "torn", values) == []
        cluster.kill(1)
        (segment,) = (cluster.log_dir(1) / "torn-0").glob("*.log")
        with segment.open("ab") as file:
            file.write(b"\0" * 37)
        cluster.start(1)
        assert consume(cluster.bootstrap_servers, "torn", 200) == values
        assert produce(cluster.bootstrap_servers, "torn", [b"after"]) == []
        assert consume(cluster.bootstrap_servers, "torn", 201)[-1] == b"after"


def test_damaged_batch_after_a_kill_ends_the_log_before_it():
    """C4: bytes that differ from the written ones are not served."""
    with Cluster(nodes=1, config={"broker.session.timeout.ms": "2000"}) as cluster:
        create(cluster.bootstrap_servers, "bad", num_partitions=1, replication_factor=1)
        for value in (b"first", b"second"):
            assert produce(cluster.bootstrap_servers, "bad", [value]) == []
        cluster.kill(1)
        (segment,) = (cluster.log_dir(1) / "bad-0").glob("*.log")
        content = bytearray(segment.read_bytes())
        content[-2] ^= 0xFF
        segment.write_bytes(content)
        cluster.start(1)
        assert consume(cluster.bootstrap_servers, "bad", 1) == [b"first"]
        assert produce(cluster.bootstrap_servers, "bad", [b"third"]) == []
        assert consume(cluster.bootstrap_servers, "bad", 2) == [b"first", b"third"]


def test_second_process_on_the_same_directory_is_refused():
    with Cluster(nodes=1) as cluster:
        properties = cluster.directory / "node-1" / "server.properties"
        done = subprocess.run(
            [
                sys.executable, "-m", "minikafka", "server-start", str(properties),
                "--override", (f"listeners=PLAINTEXT://127.0.0.1:{cluster.base_port + 50},"
                f"CONTROLLER://127.0.0.1:{cluster.base_port + 51}"),
                "--override", f"advertised.listeners=PLAINTEXT://127.0.0.1:{cluster.base_port + 50}",
                "--override", "inter.broker.listener.name=PLAINTEXT",
            ],
            capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip
        assert done.returncode == 1
        assert str(cluster.log_dir(1)) in done.stderr
        assert "another process" in done.stderr


def test_port_in_use_is_named():
    with Cluster(nodes=1) as cluster:
        properties = cluster.directory / "node-1" / "server.properties"
        done = subprocess.run(
            [sys.executable, "-m", "minikafka", "server-start", str(properties)],
            capture_output=True, text=True, check=False, timeout=30,
        )  # fmt: skip
        assert done.returncode == 1
        assert f"cannot bind PLAINTEXT://127.0.0.1:{cluster.port(1)}" in done.stderr


def test_directory_that_was_never_formatted_is_refused(tmp_path):
    properties = tmp_path / "server.properties"
    properties.write_text(
        "process.roles=broker,controller\nnode.id=1\ncontroller.listener.names=CONTROLLER\n"
        "listeners=PLAINTEXT://127.0.0.1:0,CONTROLLER://127.0.0.1:0\n"
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT\n"
        "controller.quorum.voters=1@127.0.0.1:1\n"
        f"log.dirs={tmp_path / 'data'}\n"
    )
    (tmp_path / "data").mkdir()
    done = subprocess.run(
        [sys.executable, "-m", "minikafka", "server-start", str(properties)],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 1
    assert "is not formatted" in done.stderr


def test_wrong_configuration_is_refused_all_at_once_before_anything_is_opened(tmp_path):
    properties = tmp_path / "server.properties"
    properties.write_text("process.roles=broker\nnode.id=x\nnum.partitons=3\nlog.dirs=/nowhere\n")
    done = subprocess.run(
        [sys.executable, "-m", "minikafka", "server-start", str(properties)],
        capture_output=True, text=True, check=False, timeout=30,
    )  # fmt: skip
    assert done.returncode == 2
    assert "node.id: invalid value 'x'" in done.stderr
    assert "did you mean num.partitions?" in done.stderr
    assert "controller.listener.names: is required" in done.stderr


def test_disk_that_takes_no_more_loses_nothing_that_was_acknowledged():
    """A node that cannot write stops; the others hold everything that was acknowledged."""
    config = {"broker.session.timeout.ms": "3000", "min.insync.replicas": "2"}
    with Cluster(nodes=3, config=config) as cluster:
        servers = cluster.bootstrap_servers
        create(servers, "full", replica_assignment=[[3, 2, 1]], num_partitions=1)
        values = [b"%d" % number * 50 for number in range(500)]
        assert produce(servers, "full", values[:100]) == []
        (segment,) = (cluster.log_dir(3) / "full-0").glob("*.log")
        victim = cluster.pid(3)
        limit = segment.stat().st_size + 1000
        resource.prlimit(victim, resource.RLIMIT_FSIZE, (limit, limit))
        assert produce(servers, "full", values[100:]) == []
        found = consume(servers, "full", 500)
        assert sorted(found) == sorted(values)
        deadline = time.monotonic() + 30
        while "File too large" not in cluster.log_text(3):
            assert time.monotonic() < deadline
            time.sleep(0.05)


def test_directory_of_the_metadata_log_holds_nothing_else(tmp_path):
    dirs = {name: tmp_path / name for name in ("a", "b", "meta")}
    config = {"log.dirs": f"{dirs['a']},{dirs['b']}", "metadata.log.dir": str(dirs["meta"])}
    with Cluster(nodes=1, config=config) as cluster:
        servers = cluster.bootstrap_servers
        create(servers, "spread", num_partitions=6, replication_factor=1)
        assert produce(servers, "spread", [b"%d" % number for number in range(100)]) == []

    def partitions(name):
        return [path.name for path in dirs[name].iterdir() if path.name.startswith("spread-")]

    assert len(partitions("a")) == len(partitions("b")) == 3
    assert partitions("meta") == []
    assert (dirs["meta"] / "__cluster_metadata-0").is_dir()


def test_leaders_in_a_failed_directory_are_replaced(tmp_path):
    """KIP-858: the controller knows which replicas were in it; those of the other one go on."""
    dirs = {name: tmp_path / name for name in ("a", "b", "meta")}
    config = {
        "log.dirs": f"{dirs['a']},{dirs['b']}",
        "metadata.log.dir": str(dirs["meta"]),
        "replica.high.watermark.checkpoint.interval.ms": "200",
    }
    with Cluster(nodes=1, config=config) as cluster:
        servers = cluster.bootstrap_servers
        create(servers, "spread", num_partitions=6, replication_factor=1)
        # Once a record is in each partition, each has its folder.
        producer = Producer({"bootstrap.servers": servers, "acks": "all"})
        for partition in range(6):
            producer.produce("spread", b"v", partition=partition)
        assert producer.flush(60) == 0
        lost = {int(path.name[7:]) for path in dirs["b"].iterdir() if path.name[:7] == "spread-"}
        assert len(lost) == 3
        dirs["b"].rename(tmp_path / "gone")
        with ClusterClient(servers, client_id="test") as client:
            deadline = time.monotonic() + 30
            leaderless: set[int] = set()
            while leaderless != lost:
                assert time.monotonic() < deadline, leaderless
                (topic,) = describe_topics(client, ["spread"], 100)
                leaderless = {it.partition for it in topic.partitions if it.leader is None}
                assert leaderless <= lost
            # The other directory still serves.
            kept = min(set(range(6)) - lost)
            assert topic.partitions[kept].leader == 1
        failures = []
        producer.produce(
            "spread", b"w", partition=kept, on_delivery=lambda error, _: failures.append(error)
        )
        assert producer.flush(60) == 0
        assert failures == [None]
