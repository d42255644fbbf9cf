"""Faults as methods of `Cluster`: answers, links, clocks, disks and power, and their end."""

import fcntl
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from pathlib import Path

import pytest

from minikafka.server.fault_counter import counts
from minikafka.server.fault_socket import command
from minikafka.testing import Cluster, ClusterError
from minikafka.testing.foreign import ForeignCluster
from minikafka.testing.settings import debug_dir

VERBS = {
    "fault": ("Produce", "drop"),
    "cut": (1, 2),
    "isolate": (1,),
    "clock": (1,),
    "fill_disk": (1,),
    "free_disk": (1,),
    "lose_power": (1,),
}


@pytest.fixture(scope="module")
def cluster():
    with Cluster(nodes=3) as running:
        yield running


@pytest.fixture(autouse=True)
def heal(cluster):
    yield
    cluster.heal()
    cluster.wait_until_in_sync()


@pytest.fixture
def topic(cluster, request):
    name = request.node.name.replace("[", "-").rstrip("]")
    cluster.create_topic(name, assignment=[[1, 2, 3]], config={"min.insync.replicas": 2})
    yield name
    cluster.heal()
    cluster.delete_topics(name)


def in_node(cluster, node):
    """What a node itself says about its faults."""
    return command(debug_dir(cluster.directory, node), "state")


def values(cluster, topic):
    return [record.value for record in cluster.records(topic)]


@pytest.mark.parametrize(
    ("words", "match", "why"),
    [
        (("Prodoce", "drop"), {}, "unknown API 'Prodoce'; did you mean Produce?"),
        (("Produce", "dorp"), {}, "unknown kind of fault 'dorp'; did you mean drop?"),
        (("Produce", "NOT_LEADER"), {}, "unknown error 'NOT_LEADER'; did you mean "),
        (("Produce", "drop"), {"topci": "t"}, "no field 'topci'; did you mean topic?"),
        (("Produce", "drop"), {"versions": [0, 99]}, "Produce is served in versions 3 to "),
        (("Produce", "delay"), {}, "ms: a fault of kind delay needs it"),
        (("Metadata", "corrupt"), {}, "kind corrupt: is for Fetch, not for Metadata"),
        (("Produce", "drop"), {"times": 0}, "times: must be at least 1, not 0"),
        (("Produce", "drop"), {"node": 4}, "there is no node 4 in a cluster of 3"),
        (("Produce", "drop"), {"nodes": []}, "no node is given"),
        (("Produce", "drop"), {"nodes": 2}, "nodes=2: expected a list of node ids; node=… is for"),
        (("Produce", "drop"), {"nodes": "12"}, "there is no node '"),
        (("Produce", "drop"), {"nodes": [1, "2"]}, "there is no node '2' in a cluster of 3"),
        (("Produce", 6), {}, "what: must be the name of an error or a kind, not int 6"),
        (("Produce", None), {}, "what: must be the name of an error or a kind, not NoneType None"),
        (("Produce", "drop"), {"node": 1, "nodes": [2]}, "give node or nodes, not both"),
        (("Produce", "drop"), {"id": "x"}, "id is the cluster's own"),
    ],
)
def test_a_fault_that_cannot_exist_is_refused_where_it_is_written(cluster, words, match, why):
    with pytest.raises(ClusterError) as refused:
        cluster.fault(*words, **match)
    assert why in str(refused.value)
    assert "\nfaults:\n" not in cluster.state_text()


@pytest.mark.parametrize(
    ("verb", "words", "options", "why"),
    [
        ("cut", (1,), {}, "cut: expected two groups of nodes or more"),
        ("cut", ([1, 2], [2, 3]), {}, "cut: a node is in two groups"),
        ("cut", (1, [4]), {}, "there is no node 4"),
        ("slow", (1, 2), {"ms": -1}, "ms=-1: expected a whole number from 0"),
        ("clock", (1,), {"drift": 9.5}, "drift=9.5: expected a number from -0.9 to 9"),
        ("clock", (1,), {"offset_ms": 0.5}, "offset_ms=0.5: expected a whole number"),
        ("fill_disk", (), {}, "^no node is given$"),
        ("lose_power", (9,), {}, "there is no node 9"),
    ],
)
def test_a_machine_fault_that_cannot_exist_is_refused(cluster, verb, words, options, why):
    with pytest.raises(ClusterError, match=why):
        getattr(cluster, verb)(*words, **options)
    assert "\nfaults:\n" not in cluster.state_text()
    assert cluster.running == [1, 2, 3]


def test_all_nodes_count_together(cluster):
    cluster.create_topic("together", assignment=[[1], [2], [3]])
    with cluster.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic="together", times=4) as fault:
        for partition in (0, 1, 2, 0, 1, 2):
            cluster.produce("together", "x", partition=partition)
        assert fault.hits == 4
    assert len(cluster.records("together")) == 6
    cluster.delete_topics("together")


def test_a_fault_of_one_node_leaves_the_others(cluster):
    cluster.create_topic("one", assignment=[[1], [2]])
    second = cluster.node(2).fault("Produce", "NOT_LEADER_OR_FOLLOWER", times=1)
    cluster.produce("one", "x", partition=0)
    assert second.hits == 0
    cluster.produce("one", "x", partition=1)
    assert second.hits == 1
    assert in_node(cluster, 1)["faults"] == []
    cluster.delete_topics("one")


def test_a_fault_lasts_until_it_is_removed_or_healed(cluster, topic):
    first = cluster.fault("Produce", "delay", ms=1, topic=topic)
    second = cluster.fault("Produce", "delay", ms=2, topic=topic, nodes=[1, 2])
    cluster.produce(topic, "x")
    first.remove()
    first.remove()
    cluster.produce(topic, "y")
    cluster.heal()
    cluster.produce(topic, "z")
    assert (first.hits, second.hits) == (1, 2)
    assert in_node(cluster, 1)["faults"] == []
    assert not list((cluster.directory / "fault-counters").iterdir())


def test_a_fault_ends_with_its_cluster():
    with Cluster() as other:
        left = other.fault("Produce", "drop")
    left.remove()
    assert left.hits == 0


def test_several_faults_act_in_the_order_in_which_they_were_set(cluster, topic):
    with (
        cluster.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic=topic, times=1) as first,
        cluster.fault("Produce", "NOT_ENOUGH_REPLICAS", topic=topic, times=1) as second,
    ):
        assert [each["error"] for each in in_node(cluster, 1)["faults"]] == [
            "NOT_LEADER_OR_FOLLOWER",
            "NOT_ENOUGH_REPLICAS",
        ]
        cluster.produce(topic, "x")
        assert (first.hits, second.hits) == (1, 1)


def test_a_node_that_was_killed_gets_its_faults_and_links_again(cluster, topic):
    cluster.fault("Produce", "NOT_LEADER_OR_FOLLOWER", topic=topic, times=3)
    cluster.slow(2, 3, ms=1)
    cluster.clock(2, offset_ms=60_000)
    before = in_node(cluster, 2)
    cluster.kill(2)
    later = cluster.fault("Fetch", "delay", ms=1, topic="none")
    cluster.start(2)
    after = in_node(cluster, 2)
    assert after["faults"][0] == before["faults"][0]
    assert after["faults"][1]["api"] == "Fetch"
    assert (after["links"], after["clock"]) == (before["links"], before["clock"])
    assert before["links"] == {"cut": [], "slow_ms": {"3": 1}}
    later.remove()
    assert len(in_node(cluster, 2)["faults"]) == 1


def test_a_paused_node_gets_what_it_missed(cluster):
    cluster.pause(3)
    fault = cluster.fault("Produce", "drop", client_id="none")
    cut = cluster.cut(2, 3)
    cluster.resume(3)
    assert in_node(cluster, 3)["links"]["cut"] == [2]
    cluster.pause(3)
    fault.remove()
    cut.remove()
    cluster.resume(3)
    assert in_node(cluster, 3)["links"]["cut"] == in_node(cluster, 3)["faults"] == []


def test_a_node_is_not_paused_while_it_counts(cluster):
    cluster.fault("Produce", "drop", client_id="none")
    cluster.fault("Fetch", "NOT_LEADER_OR_FOLLOWER", times=1)
    cluster.create_topic("counted", assignment=[[1]])
    cluster.produce("counted", "x")
    assert len(cluster.records("counted")) == 1
    (counter,) = [
        file for file in (cluster.directory / "fault-counters").iterdir() if counts(file) != (0, 0)
    ]
    with counter.open() as file, ThreadPoolExecutor(1) as thread:
        fcntl.flock(file, fcntl.LOCK_EX)
        pausing = thread.submit(cluster.pause, 1)
        assert not wait([pausing], 0.2).done
        fcntl.flock(file, fcntl.LOCK_UN)
        pausing.result()
    status = Path(f"/proc/{cluster.pid(1)}/stat").read_text().rpartition(") ")[2]
    assert status[0] == "T"
    cluster.resume(1)
    cluster.delete_topics("counted")


def test_a_fault_that_a_node_refuses_is_not_left(cluster):
    before = cluster.fault("Produce", "drop", client_id="none")
    number = int(re.findall(r"fault-(\d+)", json.dumps(in_node(cluster, 1)))[-1])
    (cluster.directory / "fault-counters" / f"fault-{number + 1}").write_text("x")
    with pytest.raises(ClusterError, match="node 1 does not take its faults: .* is no counter"):
        cluster.fault("Produce", "drop")
    assert [each["id"] for each in in_node(cluster, 2)["faults"]] == [f"fault-{number}"]
    before.remove()


def test_a_process_that_was_forked_changes_nothing(cluster):
    with cluster.fault("Produce", "drop", client_id="none"):
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with suppress(ClusterError):
                    cluster.fault("Produce", "drop")
                    os._exit(2)
                cluster.faults.heal()
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert len(in_node(cluster, 1)["faults"]) == 1


def test_a_leader_that_is_cut_off_is_replaced(cluster, topic):
    cluster.produce(topic, "x")
    with cluster.cut([1], [2, 3]):
        cluster.wait_for(lambda: cluster.leader(topic) in (2, 3), what="another leader")
        cluster.produce(topic, "y")
        assert sorted(cluster.isr(topic)) == [2, 3]
    # For a moment node 1 still calls itself the leader, and serves what it has.
    cluster.wait_for(lambda: values(cluster, topic) == [b"x", b"y"], what="both records")
    cluster.wait_until_in_sync(topic)


def test_a_node_that_is_isolated_cannot_be_started_again(cluster, topic):
    with cluster.node(3).isolate():
        cluster.wait_for(lambda: sorted(cluster.isr(topic)) == [1, 2], what="the ISR shrinks")
        cluster.kill(3)
        with pytest.raises(ClusterError, match="node 3 is cut off from every controller"):
            cluster.start(3)
        assert cluster.running == [1, 2]
    cluster.start(3)


def test_slow_links_delay_what_needs_every_replica(cluster, topic):
    cluster.produce(topic, "x")
    with cluster.slow(1, [2, 3], ms=100):
        begin = time.monotonic()
        cluster.produce(topic, "y")
        assert time.monotonic() - begin > 0.1
    assert in_node(cluster, 1)["links"]["slow_ms"] == {}


def test_a_clock_that_is_ahead(cluster):
    config = {"message.timestamp.type": "LogAppendTime"}
    cluster.create_topic("stamped", assignment=[[2]], config=config)
    with cluster.clock(2, offset_ms=3_600_000), cluster.clock(1, drift=0.5):
        assert in_node(cluster, 1)["clock"] == {"offset_ms": 0, "rate": 1.5}
        cluster.produce("stamped", "x")
    cluster.produce("stamped", "y")
    ahead, right = (
        record.timestamp_ms / 1000 - time.time() for record in cluster.records("stamped")
    )
    assert 3500 < ahead < 3601
    assert right < 1
    cluster.delete_topics("stamped")


def test_a_power_loss_takes_what_was_not_synced(cluster):
    cluster.create_topic("lost", assignment=[[2]])
    cluster.create_topic("kept", assignment=[[2]], config={"flush.messages": 1})
    for topic in ("lost", "kept"):
        cluster.produce(topic, "x", "y")
    (lost,) = cluster.node(2).lose_power()
    assert (lost.partition.topic, lost.first_offset, lost.end_offset) == ("lost", 0, 2)
    assert cluster.running == [1, 3]
    cluster.start(2)
    assert values(cluster, "lost") == []
    assert values(cluster, "kept") == [b"x", b"y"]
    # What was written again after the loss can be lost again.
    cluster.produce("lost", "z")
    assert [loss.first_offset for loss in cluster.lose_power(2)] == [0]
    cluster.start(2)
    cluster.delete_topics("lost", "kept")


def test_a_full_disk_ends_a_node_until_it_is_freed(cluster, topic):
    cluster.fill_disk(3)
    cluster.produce(topic, "x")
    cluster.wait_for(lambda: 3 not in cluster.running, what="node 3 ends")
    assert "No space left on device" in cluster.log_text(3)
    with pytest.raises(ClusterError, match="node 3 did not start") as failed:
        cluster.start(3)
    assert "    full disk: node 3" in failed.value.__notes__
    cluster.node(3).free_disk()
    cluster.start(3)
    cluster.wait_until_in_sync(topic)
    assert "\nfaults:\n" not in cluster.state_text()


def test_one_of_several_disks_is_freed(cluster):
    with cluster.fill_disk(2, 3):
        cluster.free_disk(2)
        folders = [debug_dir(cluster.directory, node) for node in (2, 3)]
        assert [(folder / "disk-full").exists() for folder in folders] == [False, True]
        assert "    full disk: node 3" in cluster.state_text().splitlines()
    assert not (folders[1] / "disk-full").exists()


def test_a_slow_disk_delays_what_is_synced(cluster):
    cluster.create_topic("synced", assignment=[[1]], config={"flush.messages": 1})
    with cluster.slow_disk(1, ms=150):
        begin = time.monotonic()
        cluster.produce("synced", "x")
        assert time.monotonic() - begin > 0.15
    cluster.delete_topics("synced")


def test_the_report_has_every_fault(cluster, topic):
    cluster.fault("Produce", "delay", ms=1, topic=topic, partition=0)
    cluster.cut(1, [2, 3])
    cluster.slow(1, 2, ms=5)
    cluster.clock(2, offset_ms=-5, drift=0.1)
    cluster.slow_disk(2, 3, ms=1)
    lines = cluster.state_text().splitlines()
    begin = lines.index("faults:")
    assert lines[begin + 1 : begin + 6] == [
        f"    Produce delay ms=1 topic={topic} partition=0 at nodes 1, 2, 3: 0 hits",
        "    cut: node 1 from nodes 2, 3",
        "    slow links, 5 ms: node 1 to node 2",
        "    clock of node 2: offset -5 ms, rate 1.1",
        "    slow disk, 1 ms a sync: nodes 2, 3",
    ]
    cluster.heal()
    assert "\nfaults:\n" not in cluster.state_text()


@pytest.mark.parametrize("option", ["one_process", "kafka_defaults"])
def test_a_cluster_without_faults_says_what_to_leave_out(option):
    with Cluster(nodes=2, **{option: True}) as other:
        for verb, words in VERBS.items():
            with pytest.raises(ClusterError, match=f"{option}=True; leave that out"):
                getattr(other, verb)(*words)
        with pytest.raises(ClusterError, match=f"{option}=True; leave that out"):
            other.node(1).fill_disk()
        assert not (other.directory / "node-1" / "debug").exists()
        other.heal()


def test_no_fault_is_for_the_cluster_of_others(cluster):
    other = ForeignCluster(cluster.bootstrap_servers)
    for verb, words in VERBS.items():
        with pytest.raises(ClusterError, match="use minikafka_cluster"):
            getattr(other, verb)(*words)
    other.heal()


def test_a_cluster_that_is_opened_again_has_no_fault(tmp_path):
    cluster = Cluster(nodes=2, directory=tmp_path / "kept")
    debug = tmp_path / "kept" / "node-1" / "debug"
    with cluster:
        fault = cluster.fault("Produce", "delay", ms=1)
        cluster.slow_disk(1, ms=1)
        # It would prevent the controlled shutdown.
        cluster.cut(1, 2)
        cluster.create_topic("t", assignment=[[1]])
        cluster.produce("t", "x")
        assert json.loads((debug / "faults.json").read_text())["links"]["cut"] == [2]
    assert fault.hits == 1
    assert not (debug / "faults.json").exists()
    (debug / "faults.json").write_text('{"links": {"cut": [2]}}')
    (debug / "slow-sync-ms").write_text("5")
    with cluster:
        assert in_node(cluster, 1)["links"]["cut"] == []
        assert not (debug / "slow-sync-ms").exists()
