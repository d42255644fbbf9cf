"""S3: the outcome of each fault is recorded, and all faults are undone."""

import threading

import pytest

from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.faults import kinds
from minikafka.harness.faults.injector import FaultInjector
from minikafka.harness.faults.kinds import FaultStage
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.plan.schedule import PlannedFault
from minikafka.harness.plan.settings import HarnessError

AT_ONCE = PlannedFault(kind="kill", at_s=0, targets=("leader of 0",))
NEVER = PlannedFault(kind="kill", at_s=3600, targets=(1,))


class RecordingCluster(ClusterUnderTest):
    def __init__(self, fails_at=None):
        self.fails_at = fails_at
        self.calls = []
        self.killed = threading.Event()

    def kill(self, *nodes):
        self.call("kill", nodes)
        self.killed.set()

    def stop(self, *nodes):
        self.call("stop", nodes)

    def start(self, *nodes):
        self.call("start", nodes)

    def call(self, name, nodes):
        self.calls.append((name, nodes))
        if name == self.fails_at:
            raise HarnessError("no such node")


class Sight:
    def __init__(self, leader):
        self.leader = leader
        self.is_whole = True

    def leader_of(self, partition):
        return self.leader if partition == 0 else None


@pytest.fixture
def injector(tmp_path):
    def make(cluster, schedule, leader=2):
        return FaultInjector(
            schedule,
            lambda wait: FaultStage(cluster, None, Sight(leader), 2, wait),
            EventLog(tmp_path / "events.jsonl"),
            lambda: 0.0,
        )

    return make


def test_the_leader_of_partition_0_is_killed_and_started_again(injector, tmp_path):
    cluster = RecordingCluster()
    faults = injector(cluster, [AT_ONCE])
    [fault] = faults.injected
    faults.carry_out(fault)
    assert cluster.calls == [("kill", (2,)), ("start", (2,))]
    assert (fault.node, fault.nodes, fault.did, fault.problem) == (2, [2], "SIGKILL to node 2", "")
    assert 0 < fault.done_at_ms <= fault.healed_at_ms
    phases = [event["phase"] for event in Tail(tmp_path / "events.jsonl").read()]
    assert phases == ["begun", "healed", "over"]


def test_faults_after_a_late_exclusive_one_begin_later(injector, tmp_path):
    """The voter that lost its votes must be back first."""

    class Voters(RecordingCluster):
        voters = (1, 2, 3)
        now_s = 0.0

    cluster = Voters()
    faults = injector(
        cluster,
        [
            PlannedFault(kind="wipe", at_s=1, targets=(2,)),
            PlannedFault(kind="kill", at_s=4, targets=(1,)),
        ],
    )
    faults._clock = lambda: cluster.now_s
    wiped, killed = faults.injected
    cluster.now_s = 1.0
    assert faults._await_turn(wiped.plan)
    cluster.now_s = 9.0
    faults._end_turn(wiped.plan)
    assert faults._turns.shift_s == 9.0 + 3.0 - 4.0
    faults._end_turn(killed.plan)
    assert faults._turns.shift_s == 8.0


def test_a_stop_undoes_faults_and_lists_those_left_out(injector):
    cluster = RecordingCluster()
    long = PlannedFault(kind="kill", at_s=0, duration_s=3600, targets=(2,))
    faults = injector(cluster, [long, NEVER])
    faults.start()
    assert cluster.killed.wait(30)
    faults.stop()
    assert cluster.calls == [("kill", (2,)), ("start", (2,))]
    assert [fault.problem for fault in faults.injected] == ["", "not done: the run ended first"]


def test_a_rolling_restart_that_the_end_of_the_run_cuts_short_was_done_in_part(injector):
    cluster = RecordingCluster()
    plan = PlannedFault(kind="rolling-restart", at_s=0, duration_s=0, targets=(1, 2))
    faults = injector(cluster, [plan])
    [fault] = faults.injected
    faults._stage.wait = lambda _: True
    faults.carry_out(fault)
    assert cluster.calls == [("stop", (1,)), ("start", (1,))]
    assert fault.problem == "done in part: node 1 restarted, then the run ended"
    assert 0 < fault.done_at_ms <= fault.healed_at_ms


@pytest.mark.parametrize(
    ("cluster", "leader", "problem", "calls"),
    [
        (ClusterUnderTest(), 2, "not done: this run did not start the cluster", None),
        (RecordingCluster(), None, "not done: partition 0 had no leader", []),
        (RecordingCluster("kill"), 2, "not done: no such node", [("kill", (2,))]),
        (
            RecordingCluster("start"),
            2,
            "not healed: no such node",
            [("kill", (2,)), ("start", (2,))],
        ),
    ],
)
def test_a_fault_that_could_not_be_done_is_listed_with_the_reason(
    injector, cluster, leader, problem, calls
):
    faults = injector(cluster, [AT_ONCE], leader)
    [fault] = faults.injected
    faults.carry_out(fault)
    assert fault.problem == problem
    assert calls is None or cluster.calls == calls
    told = fault.as_json()
    assert (told["kind"], told["targets"], told["problem"]) == ("kill", ["leader of 0"], problem)


def test_a_fault_that_was_done_in_part_and_not_healed_has_both_reasons(injector, monkeypatch):
    def begin(fault):
        fault.undo.append(lambda: fault.stage.cluster.start(1))
        raise HarnessError("one of two targets")

    monkeypatch.setitem(kinds._BEGIN, "kill", begin)
    faults = injector(RecordingCluster("start"), [AT_ONCE], 2)
    [fault] = faults.injected
    faults.carry_out(fault)
    assert fault.problem == "done in part: one of two targets; not healed: no such node"


def test_a_fault_over_which_the_harness_fails_does_not_pass_for_done(injector):
    class Broken(RecordingCluster):
        def kill(self, *nodes):
            raise ZeroDivisionError

    faults = injector(Broken(), [AT_ONCE])
    [fault] = faults.injected
    with pytest.raises(ZeroDivisionError):
        faults.carry_out(fault)
    assert fault.problem == "the harness failed, see its output"
