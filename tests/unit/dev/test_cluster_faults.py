"""The faults of a cluster: which node gets what, also later, and what happens if one refuses."""

import fcntl
import threading
import time

import pytest

from minikafka.dev.cluster_faults import SilentNodeError, UnknownFaultError, pairs
from minikafka.faults.vocabulary import FaultError
from minikafka.server.debug_hooks import DISK_FULL, SLOW_SYNC
from minikafka.server.fault_counter import FileCounter
from minikafka.server.fault_socket import NAME

ERROR = {"api": "Produce", "error": "NOT_LEADER_OR_FOLLOWER"}


def ids(node):
    return [each["id"] for each in node.value("set") or ()]


def test_a_fault_is_set_at_all_nodes_or_some(machine):
    machine.start(1, 2, 3, 101)
    assert machine.faults.add(ERROR, None).fault.id == "fault-1"
    machine.faults.add({**ERROR, "times": 2}, [2])
    assert [ids(machine.nodes[node]) for node in (1, 2, 101)] == [
        ["fault-1"], ["fault-1", "fault-2"], ["fault-1"],
    ]  # fmt: skip
    assert machine.events == [
        "set fault-1: Produce NOT_LEADER_OR_FOLLOWER",
        "set fault-2: Produce NOT_LEADER_OR_FOLLOWER, times 2, node 2",
    ]
    # Calls and hits are counted for all nodes.
    counters = {each["counter_file"] for each in machine.nodes[2].value("set")}
    assert len(counters) == 2
    assert {each["counter_file"] for each in machine.nodes[1].value("set")} <= counters


def test_hits_are_those_of_all_nodes_and_outlive_a_node(machine):
    machine.start(1, 2, 3, 101)
    added = machine.faults.add(ERROR, None)
    for node in (1, 2):
        FileCounter(added.counter).count(lambda *_: True)
        machine.nodes[node].hits = {"fault-1": 1}
    assert machine.faults.fault("fault-1")["hits_by_node"] == {"1": 1, "2": 1}
    machine.nodes[2].is_running = False
    found = machine.faults.remove("fault-1")
    assert (found["hits"], found["hits_by_node"]) == (2, {"1": 1})
    assert "counter_file" not in found
    assert not added.counter.exists()
    assert machine.faults.faults() == []


def test_a_node_that_starts_again_gets_what_is_set(machine):
    machine.start(1, 2)
    machine.nodes[2].close()
    machine.nodes[2].is_running = False
    machine.faults.add(ERROR, None)
    machine.faults.set_links([(1, 2)], {(2, 3): 50}, keep=False)
    machine.faults.set_clock(2, -5000, 1.5)
    machine.start(2)
    assert ids(machine.nodes[2]) == ["fault-1"]
    assert machine.nodes[2].value("links") == {"cut": [1], "slow_ms": {"3": 50}}
    assert machine.nodes[2].value("clock") == {"offset_ms": -5000, "rate": 1.5}
    assert machine.nodes[1].value("links") == {"cut": [2], "slow_ms": {}}
    assert machine.nodes[1].value("clock") is None


def test_a_node_that_has_no_socket_yet_gets_it_when_there_is_one(machine):
    machine.launch(1)
    machine.faults.add(ERROR, None)
    assert machine.nodes[1].commands == []
    machine.nodes[1].listen(machine.faults.folder / "node-1")
    machine.faults.await_held(1)
    assert ids(machine.nodes[1]) == ["fault-1"]


def test_a_paused_node_gets_it_when_it_goes_on(machine):
    machine.start(1, 2)
    machine.nodes[2].is_paused = True
    machine.faults.add(ERROR, None)
    assert ids(machine.nodes[2]) == []
    machine.nodes[2].is_paused = False
    machine.faults.resumed(2)
    assert ids(machine.nodes[2]) == ["fault-1"]


@pytest.mark.parametrize("name", ["set", "links", "clock"])
def test_if_one_node_refuses_no_node_has_it(machine, name):
    machine.start(1, 2)
    machine.faults.add({**ERROR, "id": "before"}, None)
    machine.nodes[2].refuses = name
    change = {
        "set": lambda: machine.faults.add(ERROR, None),
        "links": lambda: machine.faults.set_links([(1, 2)], {}, keep=True),
        "clock": lambda: machine.faults.set_clock(2, 1, 1.0),
    }
    with pytest.raises(FaultError, match=f"^{name}: no$"):
        change[name]()
    assert [ids(machine.nodes[node]) for node in (1, 2)] == [["before"], ["before"]]
    assert machine.nodes[1].value("links") in (None, {"cut": [], "slow_ms": {}})
    assert machine.faults.count() == 1
    assert [each.name for each in machine.faults.folder.glob("counter-*")] == ["counter-1"]


def test_a_node_that_does_not_answer_is_named(machine):
    machine.start(1, 2)
    machine.nodes[2].close()
    (machine.faults.folder / "node-2" / NAME).unlink()
    with pytest.raises(SilentNodeError, match=r"^node 2 does not answer: No such file"):
        machine.faults.add(ERROR, None)
    assert ids(machine.nodes[1]) == []
    assert machine.faults.count() == 0
    with pytest.raises(SilentNodeError, match="node 2 does not answer, and may have its faults"):
        machine.faults.heal()


def test_no_call_is_counted_while_a_node_is_paused(machine):
    added = machine.faults.add(ERROR, None)
    counted = []
    counting = threading.Thread(
        target=lambda: counted.append(FileCounter(added.counter).count(lambda *_: True))
    )
    with machine.faults.uncounted():
        counting.start()
        time.sleep(0.05)
        assert counted == []
    counting.join(10)
    assert counted == [True]
    # Something else holds the lock, such as a node that was paused from outside.
    with added.counter.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with machine.faults.uncounted():
            pass
    with machine.faults.uncounted():
        added.counter.unlink()
    with machine.faults.uncounted():
        pass


def test_healing_removes_everything_and_says_what(machine):
    machine.start(1, 2, 3, 101)
    assert machine.faults.heal() == []
    machine.faults.add(ERROR, [3])
    machine.faults.set_links(pairs([1], [2, 3]), {(2, 101): 20}, keep=True)
    machine.faults.set_clock(3, 0, 0.5)
    assert machine.faults.count() == 5
    lines = [
        "fault-1: Produce NOT_LEADER_OR_FOLLOWER, node 3: 0 hits",
        "cut: 1-2, 1-3",
        "slow: 2-101 by 20 ms",
        "clock of node 3: +0 ms, rate 0.5",
    ]
    assert machine.faults.lines() == lines
    assert machine.faults.heal() == lines
    assert machine.faults.lines() == []
    for node in machine.nodes.values():
        assert node.value("set") in (None, [])
        assert node.value("links") == {"cut": [], "slow_ms": {}}
    assert machine.nodes[3].value("clock") == {"offset_ms": 0, "rate": 1.0}
    assert machine.events[-1] == "healed every fault"


def test_links_are_added_or_replaced(machine):
    machine.faults.set_links([(1, 2)], {(1, 3): 50}, keep=False)
    machine.faults.set_links([(2, 3)], {(1, 3): 0}, keep=True)
    assert machine.faults.state.cut == {(1, 2), (2, 3)}
    assert machine.faults.state.slow_ms == {}
    machine.faults.set_links([], {}, keep=False)
    assert machine.faults.count() == 0
    assert machine.events[-1] == "links, clocks and disks are healed"


def test_disks_are_files_that_outlive_a_node(machine):
    machine.faults.set_disk(2, is_full=True)
    machine.faults.set_disk(2, sync_ms=50)
    folder = machine.faults.folder / "node-2"
    assert sorted(each.name for each in folder.iterdir()) == [DISK_FULL, SLOW_SYNC]
    assert (folder / SLOW_SYNC).read_text() == "50"
    lines = ["full disk: node 2", "slow disk: node 2, 50 ms for each fsync"]
    assert machine.events == lines
    assert machine.faults.heal() == lines
    assert [each.name for each in folder.iterdir()] == [SLOW_SYNC]
    assert (folder / SLOW_SYNC).read_text() == "0"
    with pytest.raises(FaultError, match="there is no node 9"):
        machine.faults.set_disk(9, is_full=True)


@pytest.mark.parametrize(
    ("fault", "nodes", "why"),
    [
        ({"api": "Prodoce", "kind": "drop"}, None, "did you mean Produce"),
        (ERROR, [7], r"there is no node 7; nodes 1, 2, 3, 101 exist"),
        (ERROR, [101], "node 101 is no broker, so it answers no Produce as one"),
        ({"api": "BrokerHeartbeat", "kind": "drop"}, [1], "node 1 is no controller"),
        ({**ERROR, "counter_file": "/etc/passwd"}, None, "cannot be given"),
        ({**ERROR, "id": "../x"}, None, "id: takes letters"),
        ({**ERROR, "id": "a\nb"}, None, "id: takes letters"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_changes(machine, fault, nodes, why):
    machine.start(1, 2, 3, 101)
    with pytest.raises(FaultError, match=why):
        machine.faults.add(fault, nodes)
    assert machine.faults.count() == 0
    assert machine.nodes[1].commands == []


def test_ids_are_unique_and_known(machine):
    machine.faults.add({**ERROR, "id": "fault-2"}, None)
    assert machine.faults.add(ERROR, None).fault.id == "fault-3"
    with pytest.raises(FaultError, match="two faults have the id 'fault-3'"):
        machine.faults.add({**ERROR, "id": "fault-3"}, None)
    with pytest.raises(UnknownFaultError, match="no fault x; the faults are fault-2, fault-3"):
        machine.faults.remove("x")
    machine.faults.heal()
    with pytest.raises(UnknownFaultError, match="none is set"):
        machine.faults.fault("x")


def test_names_that_a_terminal_would_read_are_escaped(machine):
    machine.faults.add({**ERROR, "topic": "a\x1b[2J", "client_id": "ü"}, None)
    assert machine.events == [
        r"set fault-1: Produce NOT_LEADER_OR_FOLLOWER, topic 'a\x1b[2J', client_id ü"
    ]


def test_a_link_has_two_ends():
    with pytest.raises(FaultError, match="node 2 has no link to itself"):
        pairs([1, 2], [2, 3])
