"""Faults from outside Python: `minikafka dev --faults`, seen by confluent-kafka, with their hits."""

import http.client
import json
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from confluent_kafka import Producer
from confluent_kafka.admin import AdminClient, NewTopic

PROGRAM = [sys.executable, "-m", "minikafka", "dev"]


@contextmanager
def running(directory, *words):
    """A `minikafka dev --faults` that is ready."""
    command = [*PROGRAM, "--faults", "--base-port", "0", "--dir", str(directory), *words]
    said = directory.parent / f"{directory.name}.stderr"
    with (
        said.open("w") as stderr,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True) as owner,
    ):
        try:
            servers = owner.stdout.readline().rstrip().removeprefix("bootstrap.servers=")
            url = owner.stdout.readline().rstrip().removeprefix("faults=")
            assert owner.stdout.readline() == "ready\n", said.read_text()
            yield SimpleNamespace(owner=owner, servers=servers, url=url, home=directory)
        finally:
            owner.send_signal(signal.SIGINT)
            assert owner.wait(30) in (0, 1)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    with running(tmp_path_factory.mktemp("faulty") / "dev") as started:
        admin = AdminClient({"bootstrap.servers": started.servers})
        # Node 2 leads.
        admin.create_topics([NewTopic("t", 1, replica_assignment=[[2, 1, 3]])])["t"].result(20)
        yield started


@pytest.fixture
def cluster(shared):
    """The cluster, without faults; they are healed afterwards."""
    yield shared
    assert ask(shared, "DELETE", "/faults")[0] == 200


def ask(cluster, method, path, value=None):
    """Send a request; return status and value of its answer."""
    connection = http.client.HTTPConnection(urlsplit(cluster.url).netloc, timeout=60)
    connection.request(method, path, None if value is None else json.dumps(value))
    response = connection.getresponse()
    return response.status, json.loads(response.read())


def dev(cluster, *words):
    """Run an action; return what it prints."""
    done = subprocess.run(
        [*PROGRAM, *words, "--dir", str(cluster.home)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def produce(cluster, topic="t", **options):
    """Write a record; return the error of its delivery."""
    errors = []
    client = Producer(
        {"bootstrap.servers": cluster.servers, "retry.backoff.ms": 20, "log_level": 0, **options}
    )
    client.produce(topic, b"x", on_delivery=lambda error, _: errors.append(error))
    assert client.flush(30) == 0
    return errors[0]


def test_a_fault_of_the_command_line_is_hit(cluster):
    words = "Produce NOT_LEADER_OR_FOLLOWER --topic t --partition 0 --node 2 --times 2"
    name = dev(cluster, "fault", *words.split()).strip()
    assert produce(cluster) is None
    assert dev(cluster, "fault", "list").endswith("times 2, node 2: 2 hits\n")
    assert ": 2 hits\n" in dev(cluster, "status")
    assert dev(cluster, "fault", "remove", name) == f"{name}: 2 hits\n"
    assert dev(cluster, "heal") == "there is nothing to heal\n"


def test_an_error_after_the_work(cluster):
    dev(cluster, "fault", "Produce", "TOPIC_AUTHORIZATION_FAILED", "--after", "--times", "1")
    assert produce(cluster).name() == "TOPIC_AUTHORIZATION_FAILED"
    assert produce(cluster) is None


def test_calls_are_counted_over_all_nodes(cluster):
    slow = {"api": "Metadata", "kind": "delay", "ms": 10, "nth": 2}
    _, fault = ask(cluster, "POST", "/faults", slow)
    admins = [AdminClient({"bootstrap.servers": each, "log_level": 0})
              for each in cluster.servers.split(",")]  # fmt: skip
    for each in admins:
        each.list_topics(timeout=20)
    found = ask(cluster, "GET", f"/faults/{fault['id']}")[1]
    assert found["hits"] == sum(found["hits_by_node"].values()) == 1


def test_a_node_that_is_started_again_has_the_faults(cluster):
    ask(cluster, "POST", "/faults", {"api": "Produce", "error": "NOT_ENOUGH_REPLICAS", "times": 3})
    ask(cluster, "PUT", "/links", {"slow": [{"nodes": [2, 3], "ms": 5}]})
    ask(cluster, "PUT", "/clocks/2", {"offset_ms": 60000})
    assert ask(cluster, "POST", "/nodes/2/kill")[1]["state"] == "killed"
    assert produce(cluster) is None
    assert ask(cluster, "POST", "/nodes/2/start")[1]["state"] == "running"
    before = ask(cluster, "GET", "/faults")[1]
    assert before["faults"][0]["hits"] == 3
    assert set(before["faults"][0]["hits_by_node"]) == {"1", "2", "3", "101"}
    healed = ask(cluster, "DELETE", "/faults")[1]["healed"]
    assert [line.partition(":")[0] for line in healed] == [
        before["faults"][0]["id"], "slow", "clock of node 2",
    ]  # fmt: skip


def test_a_paused_node_gets_a_fault_when_it_goes_on(cluster):
    ask(cluster, "POST", "/nodes/3/pause")
    _, fault = ask(cluster, "POST", "/faults", {"api": "Produce", "kind": "drop", "topic": "u"})
    assert fault["hits_by_node"].keys() == {"1", "2", "101"}
    ask(cluster, "POST", "/nodes/3/resume")
    assert "3" in ask(cluster, "GET", f"/faults/{fault['id']}")[1]["hits_by_node"]


def test_a_leader_that_is_cut_off_writes_nothing(cluster):
    dev(cluster, "cut", "2")
    failed = produce(cluster, **{"acks": "all", "message.timeout.ms": 2000})
    assert failed is not None
    assert dev(cluster, "heal") == "cut: 1-2, 2-3, 2-101\n"
    assert produce(cluster) is None


def test_a_full_disk_is_healed(cluster):
    dev(cluster, "full-disk", "2")
    assert produce(cluster) is None  # another leader takes over
    while ask(cluster, "GET", "/nodes/2")[1]["state"] == "running":
        time.sleep(0.05)
    assert dev(cluster, "heal") == "full disk: node 2\nnode 2 was started\n"


def test_a_slow_disk_delays_what_is_flushed(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.servers})
    config = {"flush.messages": "1", "min.insync.replicas": "1"}
    flushed = NewTopic("flushed", 1, replica_assignment=[[2]], config=config)
    admin.create_topics([flushed])["flushed"].result(20)
    dev(cluster, "slow-disk", "2", "--ms", "700")
    begun_s = time.monotonic()
    assert produce(cluster, "flushed") is None
    assert time.monotonic() - begun_s >= 0.7


def test_a_power_cut_loses_what_was_not_synced(cluster):
    admin = AdminClient({"bootstrap.servers": cluster.servers})
    config = {"min.insync.replicas": "1"}
    lone = NewTopic("lone", 1, replica_assignment=[[2]], config=config)
    admin.create_topics([lone])["lone"].result(20)
    assert produce(cluster, "lone") is None
    said = dev(cluster, "power-cut", "2")
    assert "node 2 lost " in said
    assert "lone-0 offsets 0-0" in said
    assert dev(cluster, "heal") == "node 2 was started\n"


def test_healing_starts_nodes(cluster):
    ask(cluster, "POST", "/nodes/3/kill")
    ask(cluster, "POST", "/nodes/1/pause")
    assert ask(cluster, "POST", "/nodes/3/kill")[0] == 409
    assert dev(cluster, "heal") == "node 1 goes on\nnode 3 was started\n"


def test_ctrl_c_ends_a_request_that_waits(tmp_path):
    with running(tmp_path / "dev", "--nodes", "2", "--quiet") as cluster:
        # Node 1 cannot start without a controller.
        for node in (1, 101):
            assert ask(cluster, "POST", f"/nodes/{node}/kill")[0] == 200
        found = []

        def start():
            try:
                found.append(ask(cluster, "POST", "/nodes/1/start"))
            except (OSError, http.client.HTTPException) as error:
                found.append(error)

        waiting = threading.Thread(target=start)
        waiting.start()
        while ask(cluster, "GET", "/nodes/1")[1]["state"] != "starting":
            time.sleep(0.01)
        cluster.owner.send_signal(signal.SIGINT)
        assert cluster.owner.wait(20) == 1
        waiting.join(20)
        assert found
    assert not (tmp_path / "dev" / "faults").exists()


def test_without_the_option_there_is_nothing(tmp_path):
    command = [*PROGRAM, "--nodes", "1", "--base-port", "0", "--dir", str(tmp_path / "dev")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as owner:
        try:
            assert owner.stdout.readline().startswith("bootstrap.servers=")
            assert owner.stdout.readline() == "ready\n"
            assert not (tmp_path / "dev" / "faults").exists()
            done = subprocess.run(
                [*PROGRAM, "fault", "list", "--dir", str(tmp_path / "dev")],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert done.returncode == 1
            assert "start it with: minikafka dev --faults" in done.stderr
            done = subprocess.run(
                [*PROGRAM, "power-cut", "1", "--dir", str(tmp_path / "dev")],
                capture_output=True, text=True, timeout=60, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stderr[:24]) == (1, "error: the cluster was s")
        finally:
            owner.send_signal(signal.SIGINT)
