"""A node's life: start, serve, shut down, and what it does where something is wrong (C1, C2)."""

import itertools
import json
from random import Random

import pytest

from minikafka.common.clock import Now
from minikafka.common.effects import Halt, Reply, Started
from minikafka.common.environment import EndlessWorkLog
from minikafka.common.errors import ErrorCode
from minikafka.common.events import (
    ConnectionClosed,
    ConnectionOpened,
    RequestFrame,
    ShutdownRequested,
    Tick,
)
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.file_slice import FileSlice
from minikafka.common.timers import MAX_CHAIN
from minikafka.controller.result import ControllerResult
from minikafka.log.checkpoints import read_clean_shutdown
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.messages.api_versions import ApiVersionsRequest, ApiVersionsResponse
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.snapshots import read_snapshot, snapshot_ids
from minikafka.replica.directory_assignments import DirectoryAssignments
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.rpc.envelope import decode_response, encode_request
from minikafka.sim.world import sim_connections
from minikafka.sim.world.sim_client import NoResponseError
from tests.worlds.sim_world import create_topic, fetch, produce, replica, started_cluster, values_of


def frame_of(request, version=0, correlation_id=7):
    parts = encode_request(correlation_id, "test", request, version)
    return memoryview(bytearray(b"".join(bytes(part) for part in parts)))[4:]


def later(cluster, by_ms=0):
    now = cluster.nodes[1].now
    return Now(now.monotonic_ms + by_ms, now.wall_ms + by_ms)


@pytest.fixture
def one():
    return started_cluster(1)


def test_a_request_is_answered_in_its_own_step(one):
    node = one.nodes[1].node
    node.step(ConnectionOpened(99, "PLAINTEXT", "somewhere"), later(one))
    effects = node.step(RequestFrame(99, frame_of(ApiVersionsRequest())), later(one))
    (reply,) = [effect for effect in effects if isinstance(effect, Reply)]
    data = b"".join(bytes(part) for part in reply.parts)
    correlation_id, body = decode_response(memoryview(data)[4:], ApiVersionsRequest.API_KEY, 0)
    assert (reply.connection, correlation_id) == (99, 7)
    assert isinstance(body, ApiVersionsResponse)
    assert int.from_bytes(data[:4], "big") == len(data) - 4


def test_a_connection_that_is_gone_is_not_answered(one):
    node = one.nodes[1].node
    node.step(ConnectionOpened(99, "PLAINTEXT", "somewhere"), later(one))
    node.step(ConnectionClosed(99), later(one))
    effects = node.step(RequestFrame(99, frame_of(ApiVersionsRequest())), later(one))
    assert not [effect for effect in effects if isinstance(effect, Reply)]


def test_time_that_passed_fires_what_is_due_and_asks_for_the_next(one):
    node = one.nodes[1].node
    due_ms = node.next_deadline_ms()
    assert due_ms is not None
    node.step(Tick(), later(one, due_ms - one.nodes[1].now.monotonic_ms))
    assert node.next_deadline_ms() > due_ms


def test_a_timer_that_schedules_itself_at_once_does_not_hold_up_a_step(one, caplog):
    node, fired = one.nodes[1].node, []
    node.env.on_endless_work = EndlessWorkLog(node.env.clock)

    def again():
        fired.append(1)
        node.env.after(0, again)

    now = later(one)
    node.env.after(0, again)
    for _ in range(MAX_CHAIN + 5):
        before = len(fired)
        node.step(Tick(), now)
        assert len(fired) == before + 1
        assert node.next_deadline_ms() <= now.monotonic_ms
    for _ in range(3 * MAX_CHAIN):
        node.step(Tick(), now)
    warnings = [each.getMessage() for each in caplog.records if each.levelname == "WARNING"]
    assert len(warnings) == 1
    assert "again start again and again" in warnings[0]


@pytest.mark.parametrize("has_slice", [False, True])
def test_timers_that_a_tick_schedules_fire_in_the_next_one(one, has_slice):
    node, fired = one.nodes[1].node, []
    env = node.env
    now = later(one)
    node.step(Tick(), now)
    env.after(0, lambda: env.after(0, lambda: fired.append("timer")))
    if has_slice:
        env.later(lambda: env.after(0, lambda: fired.append("slice")))
    node.step(Tick(), now)
    assert fired == []
    node.step(Tick(), now)
    assert fired == (["timer", "slice"] if has_slice else ["timer"])


def test_the_monotonic_clock_does_not_go_back(one):
    node = one.nodes[1].node
    now = later(one)
    node.step(Tick(), now)
    node.step(Tick(), Now(now.monotonic_ms - 500, now.wall_ms - 500))
    assert node.env.clock.monotonic_ms == now.monotonic_ms
    assert node.env.clock.wall_ms == now.wall_ms - 500


def test_a_broker_serves_clients_when_it_is_unfenced():
    cluster = started_cluster(3)
    for node_id, sim in cluster.nodes.items():
        registration = cluster.nodes[1].node.loader.image.brokers[node_id]
        assert not registration.fenced
        assert sim.node.broker.local.broker_epoch == registration.epoch


def test_a_controller_alone_serves_at_once():
    cluster = started_cluster(1, separate_controller=True)
    controller = cluster.nodes[100].node
    assert controller.broker is None
    assert controller.controller.is_active
    effects = cluster.nodes[1].node.step(Tick(), later(cluster))
    assert Started() not in effects


def test_a_shutdown_leaves_the_broker_epoch_behind_once(one):
    """C1; a second request for it changes nothing."""
    create_topic(one, "t")
    produce(one.client(), "t", b"x")
    epoch = one.nodes[1].node.broker.local.broker_epoch
    one.nodes[1].shut_down()
    one.nodes[1].post(lambda: one.nodes[1].node.step(ShutdownRequested(), one.nodes[1].now))
    one.world.run_until(lambda: not one.nodes[1].alive, 10_000, "the node stops")
    assert one.nodes[1].exit_code == 0
    (disk,) = one.nodes[1].disks.values()
    file = disk.open(".kafka_cleanshutdown")
    assert json.loads(file.read_at(0, file.size)) == {"version": 0, "brokerEpoch": epoch}


@pytest.mark.parametrize("is_answered", [False, True])
def test_a_stop_waits_for_the_directories_and_is_unclean_without_them(monkeypatch, is_answered):
    """Started without its directory, the broker would lead with an empty log as if that was all."""
    one = started_cluster(1, log_dirs=2)
    monkeypatch.setattr(DirectoryAssignments, "_send", lambda self: self.env.after(20, self._send))
    create_topic(one, "t")
    produce(one.client(), "t", b"x")
    node = one.nodes[1]
    node.shut_down()
    one.world.run(200)
    assert node.alive
    if is_answered:
        monkeypatch.undo()
    one.world.run_until(lambda: not node.alive, 10_000, "the node stops")
    clean = [disk.exists(".kafka_cleanshutdown") for disk in node.disks.values()]
    assert (node.exit_code, clean) == (0, [is_answered] * 2)
    monkeypatch.undo()
    one.start()
    assert values_of(fetch(one.client(), "t")) == [b"x"]


def test_the_file_of_a_clean_shutdown_is_gone_when_the_node_runs(one):
    """C2."""
    one.nodes[1].shut_down()
    one.world.run_until(lambda: not one.nodes[1].alive, 10_000, "the node stops")
    one.start()
    (disk,) = one.nodes[1].disks.values()
    assert not disk.exists(".kafka_cleanshutdown")


def test_the_metadata_log_is_flushed_before_a_directory_is_said_to_be_clean(one, monkeypatch):
    """C1: the file is the last word of the directory."""
    node = one.nodes[1]
    (disk,) = node.disks.values()

    def close_fails(raft):
        raise StorageFault(raft.disk.root, "input/output error")

    monkeypatch.setattr(RaftNode, "close", close_fails)
    node.shut_down()
    one.world.run_until(lambda: not node.alive, 10_000, "the node stops")
    assert node.exit_code == 1
    assert not disk.exists(".kafka_cleanshutdown")


def test_metadata_is_the_same_after_a_restart(one):
    create_topic(one, "t", partitions=3, config={"min.insync.replicas": "1"})
    before = one.nodes[1].node.loader.image
    one.nodes[1].kill()
    one.start()
    after = one.nodes[1].node.loader.image
    assert list(after.topics) == list(before.topics)
    assert after.configs == before.configs
    assert after.brokers[1].epoch > before.brokers[1].epoch


def test_topics_are_what_they_were_configured_to_be_after_a_restart(one):
    """Logs are loaded before it is known what their topics say."""
    own = {"max.message.bytes": "100", "cleanup.policy": "compact", "retention.ms": "1000"}
    create_topic(one, "t", config=own)
    configured = replica(one, 1, "t").log.config
    one.nodes[1].kill()
    one.start()
    assert replica(one, 1, "t").log.config == configured
    assert (configured.compacted, configured.deletes, configured.retention_ms) == (
        True,
        False,
        1000,
    )
    answer = produce(one.client(), "t", b"x" * 200)
    assert answer.error_code == ErrorCode.MESSAGE_TOO_LARGE


def test_a_node_that_cannot_read_its_metadata_log_does_not_start(one):
    one.nodes[1].kill()
    (disk,) = one.nodes[1].disks.values()
    assert [name for name in disk.list(METADATA_FOLDER) if name.endswith(".log")]
    disk.broken = "input/output error"
    one.nodes[1].start()
    assert (one.nodes[1].alive, one.nodes[1].exit_code) == (False, 1)


def test_a_broker_whose_id_is_taken_tries_until_the_other_is_gone():
    """As Kafka: a registration is refused while another incarnation's session lives."""
    cluster = started_cluster(2)
    cluster.nodes[2].lose_power()
    cluster.nodes[2].start()
    cluster.world.run(2_000)
    assert not cluster.nodes[2].started
    cluster.world.run_until(lambda: cluster.nodes[2].started, 60_000, "node 2 serves again")


def test_a_node_of_another_cluster_is_turned_away_and_ends():
    first, second = started_cluster(2, seed=1), started_cluster(2, seed=2)
    assert first.cluster_id != second.cluster_id
    stranger = first.nodes[2]
    stranger.kill()
    stranger.cluster_id = second.cluster_id
    stranger.disks = second.nodes[2].disks
    second.nodes[2].kill()
    stranger.start()
    first.world.run_until(lambda: not stranger.alive, 70_000, "the stranger gives up")
    assert (stranger.started, stranger.exit_code) == (False, 1)


def test_every_step_ends_with_its_effects_taken(one):
    node = one.nodes[1].node
    assert node.env.effects == []
    node.step(Tick(), later(one))
    assert node.env.effects == []
    assert not [effect for effect in node.step(Tick(), later(one)) if isinstance(effect, Halt)]


def test_committed_metadata_that_cannot_be_applied_ends_the_node(one, monkeypatch):
    """It is not the request's error, or the answer's, in which it came to light."""
    monkeypatch.setattr(ReplicaManager, "apply", lambda *_: 1 // 0)
    with pytest.raises(InvariantViolation, match="committed metadata cannot be applied"):
        create_topic(one, "t")


def finalize(cluster, name, level):
    """As Apache Kafka's controller does it, which knows more features."""
    controller = cluster.nodes[cluster.controller_id].node.controller
    record = FeatureLevelRecord(name=name, feature_level=level)
    controller.append(ControllerResult([record], None))


def lacks_feature(controller):
    check = type(controller)._lacks_feature
    return lambda node: node is not controller and check(node)


def test_a_controller_stops_at_a_feature_that_it_does_not_have(one, monkeypatch):
    lines = []
    monkeypatch.setattr(type(one.world), "note", lambda *arguments: lines.append(arguments[-1]))
    finalize(one, "share.version", 1)
    one.world.run_until(lambda: not one.nodes[1].alive, 5_000)
    assert one.nodes[1].exit_code == 1
    assert any("share.version is finalized at level 1" in line for line in lines)


def test_a_controller_stops_at_a_feature_in_its_snapshot(monkeypatch):
    """As one that replaces Apache Kafka on the same log directory."""
    given = {
        "metadata.log.max.record.bytes.between.snapshots": "200",
        "metadata.max.idle.interval.ms": "50",
    }
    cluster = started_cluster(1, given=given)
    node = cluster.nodes[1]
    with monkeypatch.context() as patched:
        patched.setattr(type(node.node), "_lacks_feature", lambda _: False)
        finalize(cluster, "share.version", 1)
        cluster.world.run(5_000)
        (disk,) = node.disks.values()
        end_offset = node.node.loader.image.offset
        node.kill()
    newest = snapshot_ids(disk, METADATA_FOLDER)[-1]
    assert 0 < newest.end_offset <= end_offset
    assert any(
        isinstance(each, FeatureLevelRecord) and each.name == "share.version"
        for each in read_snapshot(disk, f"{METADATA_FOLDER}/{newest.file_name}").records
    )
    node.start()
    cluster.world.run(5_000)
    assert node.exit_code == 1


def test_a_broker_names_a_feature_that_it_does_not_have(caplog, monkeypatch):
    cluster = started_cluster(1, separate_controller=True)
    controller = cluster.nodes[cluster.controller_id].node
    # As if the controller were Apache Kafka's.
    monkeypatch.setattr(type(controller), "_lacks_feature", lacks_feature(controller))
    finalize(cluster, "share.version", 1)
    cluster.world.run(2_000)
    errors = [row.getMessage() for row in caplog.records if row.levelname == "ERROR"]
    assert [each for each in errors if "share.version is finalized at level 1" in each]
    assert cluster.nodes[1].alive


def test_records_that_cannot_be_read_take_their_directory_and_not_the_node(monkeypatch):
    """What an answer names is read when the answer is written, after the step."""
    cluster = started_cluster(1, log_dirs=2)
    create_topic(cluster, "t", partitions=2)
    client = cluster.client()
    _, other = cluster.nodes[1].disks.values()
    (lost,) = [x for x in (0, 1) if replica(cluster, 1, "t", x).log.disk is other]
    for partition in (0, 1):
        produce(client, "t", b"x", partition=partition)

    def joined(parts):
        if any(isinstance(part, FileSlice) for part in parts):
            raise StorageFault(other.root, "read failed")
        return b"".join(parts)

    with monkeypatch.context() as broken:
        broken.setattr(sim_connections, "_joined", joined)
        with pytest.raises(NoResponseError):
            fetch(client, "t", partition=lost)
    assert fetch(client, "t", partition=lost).error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert values_of(fetch(client, "t", partition=1 - lost)) == [b"x"]


def test_a_slice_of_long_work_has_a_step_of_its_own_after_what_else_is_due(one):
    node, now = one.nodes[1].node, one.nodes[1].now
    done = []

    def work(count):
        done.append(count)
        if count < 3:
            node.env.later(lambda: work(count + 1))

    node.env.later(lambda: work(1))
    node.env.timers.at(now.monotonic_ms, lambda: done.append("due"))
    node.step(ConnectionClosed(99), now)
    assert done == ["due"]
    assert node.next_deadline_ms() == now.monotonic_ms
    node.env.timers.at(now.monotonic_ms, lambda: done.append("due too"))
    node.step(Tick(), now)
    assert done == ["due", "due too", 1]
    node.step(Tick(), now)
    node.step(Tick(), now)
    assert done == ["due", "due too", 1, 2, 3]


def test_a_large_topic_is_made_a_few_replicas_a_step(one):
    made = []
    node = one.nodes[1]
    node.on_step = lambda each: made.append(len(each.node.broker.replicas.partitions))
    create_topic(one, "wide", partitions=200)
    one.world.run(1000)
    assert made[-1] == 200
    assert max(after - before for before, after in itertools.pairwise(made)) <= 4


def test_a_broker_that_must_go_closes_its_logs_and_keeps_its_own_epoch(one):
    """C1, C3: what it leaves is in order; that another took its place the controller knows."""
    create_topic(one, "t")
    produce(one.client(), "t", b"x")
    epoch = one.nodes[1].node.broker.local.broker_epoch
    node = one.nodes[1].node
    node.env.later(lambda: node.broker_rejected("another registration took its place"))
    one.world.run_until(lambda: not one.nodes[1].alive, 10_000)
    assert one.nodes[1].exit_code == 1
    (disk,) = one.nodes[1].disks.values()
    assert read_clean_shutdown(disk) == epoch
    disk.lose_power(Random(1))
    one.nodes[1].start()
    one.world.run_until(one.all_started, 60_000)
    assert values_of(fetch(one.client(), "t")) == [b"x"]


@pytest.mark.parametrize("event", [ShutdownRequested(), Tick()])
def test_nothing_is_done_once_the_logs_are_closed(event):
    """Not even what is due in the step of the stop: it would write to closed files (C1)."""
    cluster = started_cluster(1, separate_controller=True)
    sim = cluster.nodes[cluster.controller_id]
    node, fired = sim.node, []
    if isinstance(event, Tick):
        node.env.timers.at(0, node.stop)
    node.env.timers.at(0, lambda: fired.append("timer"))
    node.env.later(lambda: fired.append("slice"))
    effects = node.step(event, sim.now)
    assert [each.exit_code for each in effects if isinstance(each, Halt)] == [0]
    assert fired == []
    assert node.next_deadline_ms() is None
