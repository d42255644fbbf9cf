"""S3: every kind of fault on a cluster of real processes, seen from outside, and healed.

One cluster of three brokers and a controller behind proxies; its tests leave it whole. What stands
in a schedule and how it is begun is in tests/unit/harness.
"""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.configs import Resource, ResourceType, describe_configs
from minikafka.admin.topics import create_topic, delete_topics, describe_topics
from minikafka.common.errors import ErrorCode
from minikafka.harness.clusters.replicas import compare_replicas
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.plan.schedule import KINDS
from minikafka.harness.watch.node_watch import NodeWatch
from tests.fault.world import PATIENCE_S, TOPIC, World, opened


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    with opened(World(folder, "proxy", KINDS), folder) as world:
        yield world


@pytest.fixture(autouse=True)
def whole(world):
    """Every test begins and ends with a cluster that is whole."""
    yield
    world.settle()


def test_a_killed_leader_is_replaced_and_comes_back(world):
    leader = world.leader
    fault = world.begin("kill", "leader of 0")
    assert not world.cluster.is_alive(leader)
    world.until(lambda: world.leader != leader)
    world.write()
    assert leader not in world.isr
    fault.end()


def test_all_brokers_and_the_controller_are_killed_and_come_back(world):
    before = world.cluster._pids()
    fault = world.begin("kill", "brokers", "controller")
    assert not any(map(world.cluster.is_alive, before))
    fault.end()
    after = world.cluster._pids()
    assert set(after) == set(before)
    assert set(after.values()).isdisjoint(before.values())


def test_every_broker_in_turn_is_restarted_without_a_break(world):
    """At most one broker is down at a time, and all writes are acknowledged."""
    before = world.cluster._pids()
    most_gone = written = 0
    with ThreadPoolExecutor(1) as pool:
        restarting = pool.submit(lambda: world.begin("rolling-restart", "brokers").end())
        while not restarting.done():
            gone = sum(not world.cluster.is_alive(node) for node in (1, 2, 3))
            most_gone = max(most_gone, gone)
            written += len(world.write(1))
        restarting.result()
    assert most_gone <= 1
    assert written > 0
    after = world.cluster._pids()
    changed = [node for node in before if after[node] != before[node]]
    assert sorted(changed) == [1, 2, 3]


def test_a_controlled_restart_hands_over_its_leadership(world):
    leader = world.leader
    fault = world.begin("restart", "leader of 0")
    world.until(lambda: world.leader != leader)
    world.write()
    fault.end()


def test_a_paused_broker_leaves_the_isr_and_returns(world):
    leader = world.leader
    follower = next(node for node in (1, 2, 3) if node != leader)
    fault = world.begin("pause", follower)
    world.until(lambda: follower not in world.isr)
    world.write()
    fault.end()


def test_a_power_cut_of_the_leader_loses_nothing_that_was_acknowledged(world):
    """H7: its unflushed records are lost from its disk, and it fetches them again."""
    world.write(200)
    world.until(lambda: world.end >= 200)
    written = world.read(world.end)
    assert written[-200:] == [f"value {number}".encode() for number in range(200)]
    fault = world.begin("power-cut", "leader of 0")
    assert "unflushed bytes" in world.did
    world.until(lambda: not world.cluster.is_alive(fault.nodes[0]))
    fault.end()
    assert world.watcher.wait_whole(PATIENCE_S)
    assert world.read(len(written)) == written


def described(client, name):
    """A topic's description; None while the broker asked does not have it in its metadata."""
    try:
        [topic] = describe_topics(client, [name], 100)
    except AdminError as error:
        if error.code != ErrorCode.UNKNOWN_TOPIC_OR_PARTITION:
            raise
        return None
    return topic


def test_the_controller_survives_a_power_cut(world):
    """It flushes before it responds: the topic still exists."""
    with AdminClient(world.cluster.bootstrap_servers, client_id="test") as client:
        create_topic(client, "answered", partitions=2, replication_factor=3)
        fault = world.begin("power-cut", "controller")
        fault.end()
        told = []
        world.until(lambda: told.append(described(client, "answered")) or told[-1])
        assert [sorted(it.replicas) for it in told[-1].partitions] == [[1, 2, 3]] * 2
        delete_topics(client, ["answered"])
    assert world.stage.operator.elr_level() == 1


@pytest.mark.parametrize("one_way", [False, True])
def test_a_follower_that_is_cut_off_from_the_leader_leaves_the_isr(world, one_way):
    """Only this pair is cut: clients and the controller reach both."""
    leader = world.leader
    follower = next(node for node in (1, 2, 3) if node != leader)
    fault = world.begin("cut", leader, follower, one_way=one_way)
    world.write()  # a follower that misses nothing stays in the ISR
    world.until(lambda: world.isr == {1, 2, 3} - {follower})
    assert world.leader == leader
    fault.end()


def test_a_leader_that_is_cut_off_from_the_controller_is_replaced(world):
    leader = world.leader
    fault = world.begin("cut", leader, "controller")
    world.until(lambda: world.leader_for_others(leader) not in (-1, leader))
    fault.end()


def test_an_isolated_leader_acknowledges_nothing_more(world):
    """Clients still reach it; the next leader takes the records that they send."""
    leader = world.leader
    fault = world.begin("isolate", "leader of 0")
    world.producer.produce(TOPIC, "to the isolated one, or the next")
    world.until(lambda: world.leader_for_others(leader) not in (-1, leader))
    # It still believes to lead: it appends, and no follower fetches.
    assert world.write_to(leader) in (
        ErrorCode.REQUEST_TIMED_OUT,
        ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
    )
    fault.end()
    assert world.producer.flush(PATIENCE_S) == 0


def test_clients_that_are_cut_off_wait_and_go_on(world):
    leader = world.leader
    fault = world.begin("cut", leader, "clients")
    world.producer.produce(TOPIC, "late")
    assert world.producer.flush(0.5) == 1
    fault.end()
    assert world.producer.flush(PATIENCE_S) == 0


@pytest.mark.parametrize(
    ("kind", "parameters", "at_least_s"),
    [
        ("slow-node", {"ms": 150}, 0.3),
        ("bandwidth", {"kbit_s": 80}, 0.2),
        # Each request and each response is lost once, and comes 0.2 s later.
        ("loss", {"percent": 100}, 0.4),
    ],
)
def test_a_bad_network_slows_writes_and_loses_none(world, kind, parameters, at_least_s):
    fault = world.begin(kind, "leader of 0", **parameters)
    assert world.seconds_to_write(100) >= at_least_s
    fault.end()


def test_a_slow_fsync_delays_what_must_be_flushed(world):
    with world.topic_config({"flush.messages": "1"}):
        fault = world.begin("slow-disk", "leader of 0", ms=300)
        world.until(lambda: world.seconds_to_write(1) >= 0.3)
        fault.end()


def test_a_leader_whose_disk_is_full_stops_leading(world):
    leader = world.leader
    fault = world.begin("full-disk", "leader of 0")
    assert "tmpfs" in world.did
    for _ in range(4):
        world.write(40)
    world.until(lambda: leader not in world.isr)
    fault.end()


def test_a_clock_that_jumps_shows_in_timestamps_and_harms_nothing(world):
    with world.topic_config({"message.timestamp.type": "LogAppendTime"}):
        fault = world.begin("clock", "leader of 0", seconds=5_000)
        world.until(lambda: min(world.write(1)) > (time.time() + 4_000) * 1000)
        fault.end()
        world.until(lambda: max(world.write(1)) < (time.time() + 1_000) * 1000)


def test_an_operator_changes_min_isr_and_elr_and_elects(world):
    operator = world.stage.operator
    raised = world.begin("min-isr", value=3)
    world.write()
    topic = Resource(ResourceType.TOPIC, TOPIC)

    def min_isr():
        with AdminClient(world.cluster.bootstrap_servers, client_id="test") as client:
            entries = describe_configs(client, [topic])[topic]
        return {it.name: it.value for it in entries}["min.insync.replicas"]

    # The broker that answers may not have fetched the committed change yet.
    world.until(lambda: min_isr() == "3")
    off = world.begin("elr-off")
    world.until(lambda: operator.elr_level() == 0)
    world.begin("elect").end()
    assert "elected" in world.did or "not needed" in world.did
    off.end()
    raised.end()
    world.until(lambda: operator.elr_level() == 1)


def test_a_broker_that_ends_by_itself_is_reported_at_once_with_its_log(world, tmp_path):
    """A broker that a fault ends is not reported."""
    events = EventLog(tmp_path / "events.jsonl")
    watch = NodeWatch(world.cluster, events)
    fault = world.begin("kill", 1)
    watch.check()
    fault.end()
    os.kill(world.cluster._pids()[2], signal.SIGKILL)
    world.until(lambda: not world.cluster.is_alive(2))
    watch.check()
    world.cluster.start(2)
    watch.check()
    [told] = [event for event in Tail(events.path).read() if event["phase"] == "ended"]
    assert (told["node"], told["how"]) == (2, "signal 9")
    assert "INFO" in told["log"]


def test_replicas_are_compared_with_high_watermarks_of_clients(world, tmp_path):
    """S2: and an ISR member whose log is gone is not called equal."""
    world.write(50)
    world.settle()
    world.until(lambda: world.end >= 50)
    expected = world.watcher.expected()
    [at] = expected
    assert set(expected[at].isr) == {1, 2, 3}
    assert expected[at].high_watermark >= 50
    dirs = {node: list(folders) for node, folders in world.cluster.log_dirs().items()}
    assert compare_replicas(dirs, TOPIC, expected=expected).incomplete == []
    dirs[2] = [tmp_path]
    [row] = compare_replicas(dirs, TOPIC, expected=expected).incomplete
    assert row.node == 2


def test_the_watcher_knows_the_timestamp_type(world):
    assert world.watcher.timestamps() == "sent"
    with world.topic_config({"message.timestamp.type": "LogAppendTime"}):
        world.until(lambda: world.watcher.timestamps() == "append")
