"""Each kind of fault in real processes, seen by confluent-kafka, with its hits."""

import itertools
import json
import os
import socket
import stat
import time
from contextlib import ExitStack

import pytest
from confluent_kafka import Consumer, KafkaError, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.faults.vocabulary import AnswerFault, FaultError
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.rpc.envelope import encode_request
from minikafka.server.debug_hooks import AT_START, HOOKS_VARIABLE, VARIABLE
from minikafka.server.fault_counter import counts
from minikafka.server.fault_socket import NAME, address_of, command
from tests.integration.own_nodes import OwnNodes

NODES = (1, 2, 3)
CONFIG = {"replica_lag_time_max_ms": 1500}
_names = itertools.count()


class FaultyNodes(OwnNodes):
    """Nodes with the hooks for faults."""

    def debug_dir(self, node):
        return self.folder / f"debug-{node}"

    def environment(self, node):
        return {**os.environ, VARIABLE: str(self.debug_dir(node))}

    def command(self, name, argument=None, node=1):
        return command(self.debug_dir(node), name, argument)

    def set(self, *faults, nodes=NODES):
        for node in nodes:
            self.command("set", [fault.to_json() for fault in faults], node)

    def fault(self, api, what, nodes=NODES, **match):
        """Set a fault at nodes, which count together."""
        self.counter = self.folder / f"counter-{next(_names)}"
        fault = AnswerFault.named(api, what, counter_file=str(self.counter), id="it", **match)
        self.set(fault, nodes=nodes)

    def hits(self, nodes=NODES):
        hits = counts(self.counter)[1]
        assert hits == sum(self.command("hits", node=node)["it"] for node in nodes)
        return hits


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with FaultyNodes(tmp_path_factory.mktemp("faulty"), 3, **CONFIG) as running:
        voters = running.voters(*NODES)
        for node in NODES:
            running.format(node, "--initial-controllers", voters)
        running.start(*NODES)
        yield running


@pytest.fixture(autouse=True)
def clear(nodes):
    yield
    for node in NODES:
        nodes.command("clear", node=node)


@pytest.fixture
def topic(nodes):
    name = f"faulty-{next(_names)}"
    admin = AdminClient({"bootstrap.servers": nodes.servers})
    admin.create_topics([NewTopic(name, 1, 3)])[name].result(20)
    produce(nodes, name, b"first")
    return name


def producer(nodes, **options):
    return Producer(
        {"bootstrap.servers": nodes.servers, "enable.idempotence": True,
         "request.timeout.ms": 1500, "socket.timeout.ms": 2000, "retry.backoff.ms": 50, "log_level": 0,
         **options}
    )  # fmt: skip


def produce(nodes, topic, value, **options):
    """Write a value; return the seconds that it took. Any error is raised."""
    failures = []
    client = producer(nodes, **options)
    begin = time.monotonic()
    client.produce(topic, value, on_delivery=lambda error, _: failures.append(error))
    assert client.flush(20) == 0
    assert failures == [None]
    return time.monotonic() - begin


def consume(nodes, topic, count, **options):
    """Read records; return their values, and the errors between."""
    consumer = Consumer(
        {"bootstrap.servers": nodes.servers, "group.id": "none", "log_level": 0,
         "fetch.error.backoff.ms": 50, **options}
    )  # fmt: skip
    consumer.assign([TopicPartition(topic, 0, 0)])
    values, errors = [], []
    end = time.monotonic() + 30
    while len(values) < count and time.monotonic() < end:
        message = consumer.poll(1)
        if message is None:
            continue
        if message.error():
            errors.append(message.error().code())
        else:
            values.append(message.value())
    consumer.close()
    return values, errors


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize(
    "what", ["NOT_LEADER_OR_FOLLOWER", "NOT_ENOUGH_REPLICAS", "drop", "half", "close", "reset"]
)
def test_a_producer_writes_a_record_once_in_spite_of_it(nodes, topic, what, after):
    nodes.fault("Produce", what, topic=topic, partition=0, times=2, after=after)
    produce(nodes, topic, b"x")
    # With the work done, the second try is a duplicate, which the leader answers as such.
    assert nodes.hits() == 2
    assert consume(nodes, topic, 2) == ([b"first", b"x"], [])


def test_an_error_that_is_not_retried_reaches_the_application(nodes, topic):
    nodes.fault("Produce", "TOPIC_AUTHORIZATION_FAILED", topic=topic)
    failures = []
    client = producer(nodes)
    client.produce(topic, b"x", on_delivery=lambda error, _: failures.append(error.code()))
    client.flush(20)
    assert failures == [KafkaError.TOPIC_AUTHORIZATION_FAILED]
    assert nodes.hits() == 1


@pytest.mark.parametrize("after", [False, True])
def test_a_delay(nodes, topic, after):
    nodes.fault("Produce", "delay", ms=700, topic=topic, times=1, after=after)
    assert produce(nodes, topic, b"x") > 0.7
    assert nodes.hits() == 1


def test_a_throttle(nodes, topic):
    told = []
    nodes.fault("Produce", "throttle", ms=600, topic=topic, times=1)
    client = producer(nodes, throttle_cb=lambda event: told.append(event.throttle_time))
    client.produce(topic, b"x")
    assert client.flush(20) == 0
    begin = time.monotonic()
    client.produce(topic, b"y")
    assert client.flush(20) == 0
    client.poll(0)
    assert told
    assert told[0] == pytest.approx(0.6)
    assert time.monotonic() - begin > 0.4
    assert nodes.hits() == 1


def test_a_corrupt_record(nodes, topic):
    nodes.fault("Fetch", "corrupt", topic=topic, times=1)
    values, errors = consume(nodes, topic, 1, **{"check.crcs": True})
    assert values == [b"first"]
    assert errors in ([], [KafkaError._BAD_MSG])
    assert nodes.hits() == 1


@pytest.mark.parametrize("what", ["drop", "half", "close", "reset", "NOT_LEADER_OR_FOLLOWER"])
def test_a_consumer_reads_in_spite_of_it(nodes, topic, what):
    nodes.fault("Fetch", what, topic=topic, partition=0, times=2)
    options = {"socket.timeout.ms": 2000, "fetch.wait.max.ms": 100}
    assert consume(nodes, topic, 1, **options)[0] == [b"first"]
    assert nodes.hits() == 2


def test_a_stale_leader(nodes, topic):
    # A node that is no leader rejects the record, and the client asks for the leader again.
    nodes.fault("Metadata", "stale_leader", topic=topic, times=2)
    for value in (b"x", b"y", b"z"):
        produce(nodes, topic, value)
    assert nodes.hits() == 2


def test_a_coordinator_that_loads(nodes, topic):
    nodes.fault("OffsetCommit", "COORDINATOR_LOAD_IN_PROGRESS", client_id="loads", times=1)
    client = Consumer(
        {"bootstrap.servers": nodes.servers, "group.id": "g", "client.id": "loads",
         "log_level": 0}
    )  # fmt: skip
    client.commit(offsets=[TopicPartition(topic, 0, 1)], asynchronous=False)
    client.close()
    assert nodes.hits() == 1


@pytest.mark.parametrize("kind", ["close", "reset"])
def test_a_reset_is_not_a_close(nodes, kind):
    nodes.fault("ApiVersions", kind, times=1)
    frame = memoryview(b"".join(encode_request(1, "c", ApiVersionsRequest("a", "1"), 3)))
    host, port = nodes.server(1).split(":")
    with socket.create_connection((host, int(port)), timeout=5) as sock:
        sock.sendall(frame)
        if kind == "close":
            assert sock.recv(100) == b""
        else:
            with pytest.raises(ConnectionResetError):
                sock.recv(100)


# Links and clocks


@pytest.fixture
def led_by_1(nodes):
    name = f"led-{next(_names)}"
    admin = AdminClient({"bootstrap.servers": nodes.servers})
    config = {"min.insync.replicas": "2", "message.timestamp.type": "LogAppendTime"}
    new = NewTopic(name, 1, replica_assignment=[[1, 2, 3]], config=config)
    admin.create_topics([new])[name].result(20)
    produce(nodes, name, b"first")
    return name


def await_isr(nodes, topic, expected):
    admin = AdminClient({"bootstrap.servers": nodes.servers})
    end = time.monotonic() + 30
    while time.monotonic() < end:
        found = admin.list_topics(topic, timeout=10).topics[topic].partitions[0].isrs
        if sorted(found) == expected:
            return
        time.sleep(0.1)
    raise AssertionError(f"the ISR is {found}, not {expected}")


def test_a_follower_that_is_cut_from_its_leader_leaves_the_isr(nodes, led_by_1):
    nodes.command("links", {"cut": [1]}, node=2)
    produce(nodes, led_by_1, b"x")
    await_isr(nodes, led_by_1, [1, 3])
    nodes.command("links", {}, node=2)
    await_isr(nodes, led_by_1, [1, 2, 3])
    assert consume(nodes, led_by_1, 2)[0] == [b"first", b"x"]


def test_slow_links_slow_acks_all(nodes, led_by_1):
    for node in (2, 3):
        nodes.command("links", {"slow_ms": {"1": 150}}, node=node)
    assert produce(nodes, led_by_1, b"x", acks="all") > 0.25
    for node in (2, 3):
        nodes.command("clear", node=node)


def test_a_clock_that_is_an_hour_ahead_or_runs_fast(nodes, led_by_1):
    nodes.command("clock", {"offset_ms": 3_600_000})
    produce(nodes, led_by_1, b"x")
    nodes.command("clock", {"rate": 3.0})
    time.sleep(1)
    produce(nodes, led_by_1, b"y")
    nodes.command("clear")
    produce(nodes, led_by_1, b"z")
    consumer = Consumer({"bootstrap.servers": nodes.servers, "group.id": "none"})
    consumer.assign([TopicPartition(led_by_1, 0, 0)])
    stamps = [message.timestamp()[1] / 1000 - time.time() for message in consumer.consume(4, 20)]
    consumer.close()
    ahead, fast, right = stamps[1:]
    assert 3500 < ahead < 3601
    assert 1 < fast < 10
    assert -20 < right < 0.5


# The socket


def test_the_socket_is_for_the_owner(nodes):
    mode = (nodes.debug_dir(1) / NAME).stat().st_mode
    assert stat.S_ISSOCK(mode)
    assert stat.S_IMODE(mode) == 0o600


def test_a_command_that_is_refused_changes_nothing(nodes):
    nodes.fault("Fetch", "drop", client_id="not there")
    with pytest.raises(FaultError, match="fault 1: unknown API 'Fetsh'; did you mean Fetch?"):
        nodes.command("set", [{"api": "Fetsh", "kind": "drop"}])
    assert nodes.command("hits") == {"it": 0}


def test_a_node_takes_odd_lines_and_many_connections(nodes):
    with address_of(nodes.debug_dir(1) / NAME) as address, ExitStack() as opened:
        for _ in range(40):
            sock = opened.enter_context(socket.socket(socket.AF_UNIX))
            sock.settimeout(5)
            sock.connect(address)
        for line in (b"{", b"[" * 100_000, b"\xff", b"1", b"{}", b"x" * 2_000_000, b'{"sat": 1}'):
            sock = opened.enter_context(socket.socket(socket.AF_UNIX))
            sock.settimeout(5)
            sock.connect(address)
            try:
                sock.sendall(line + b"\n")
                assert sock.recv(1 << 16).startswith(b'{"error": ')
            except (BrokenPipeError, ConnectionResetError):
                assert len(line) > 1 << 20
        assert nodes.command("hits") == {}
    assert "Traceback" not in nodes.log_text(1)


def test_a_killed_node_leaves_a_socket_that_its_successor_replaces(nodes, topic):
    nodes.kill(3)
    assert (nodes.debug_dir(3) / NAME).exists()
    with pytest.raises(OSError, match="refused"):
        nodes.command("hits", node=3)
    nodes.start(3)
    assert nodes.command("hits", node=3) == {}
    assert nodes.stop(3) == 0
    assert not (nodes.debug_dir(3) / NAME).exists()
    nodes.start(3)
    produce(nodes, topic, b"x")


@pytest.mark.parametrize("in_the_way", ["debug-1", f"debug-1/{NAME}/x"])
def test_a_folder_that_cannot_be_used_is_one_sentence(tmp_path, in_the_way):
    with FaultyNodes(tmp_path, 1) as own:
        own.format(1, "--standalone")
        blocked = tmp_path / in_the_way
        blocked.parent.mkdir(parents=True, exist_ok=True)
        blocked.write_text("")
        own.start(1, wait=False)
        assert own.processes[1].wait(20) == 1
        lines = own.log_text(1).splitlines()
        assert str(tmp_path / "debug-1") in lines[-1]
        assert "Traceback" not in own.log_text(1)


def test_a_hook_that_does_not_exist_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.setenv(HOOKS_VARIABLE, "faults,disc")
    with FaultyNodes(tmp_path, 1) as own:
        own.format(1, "--standalone")
        own.start(1, wait=False)
        assert own.processes[1].wait(20) == 1
        assert "MINIKAFKA_DEBUG_HOOKS: there is no hook 'disc'; there are journal, disk, clock" in (
            own.log_text(1)
        )
        assert "Traceback" not in own.log_text(1)


def test_commands_for_the_start(tmp_path):
    fault = AnswerFault.named("Produce", "drop", id="first")
    commands = {"set": [fault.to_json()], "links": {"cut": [1]}}
    with FaultyNodes(tmp_path, 1) as own:
        own.format(1, "--standalone")
        own.debug_dir(1).mkdir()
        at_start = own.debug_dir(1) / AT_START
        at_start.write_text(json.dumps(commands))
        own.start(1)
        assert own.command("hits") == {"first": 0}
        assert f"{at_start}: links: node 1 has no link to itself" in own.log_text(1)
        own.kill(1)
        at_start.write_text("{")
        own.start(1)
        assert own.command("hits") == {}
        assert f"{at_start}: no commands: " in own.log_text(1)
        assert "Traceback" not in own.log_text(1)
