"""S3: every kind of fault, what it does to a cluster and how it is undone."""

import pytest

from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.clusters.network import NotDoneError
from minikafka.harness.clusters.quorum import QuorumView
from minikafka.harness.faults import quorum_waits
from minikafka.harness.faults.kinds import _BEGIN, DoneInPartError, FaultAction, FaultStage
from minikafka.harness.plan.schedule import KINDS, PlannedFault
from minikafka.harness.plan.settings import HarnessError


class Recorder:
    """Notes every call; a method named in `fails` raises."""

    def __init__(self, calls, fails=()):
        self._calls = calls
        self._fails = fails

    def __getattr__(self, name):
        def call(*arguments):
            self._calls.append((name, *arguments))
            if (name, *arguments) in self._fails:
                raise HarnessError(f"no {name}")
            said = {"cut_power": "gone", "fill_disk": "full", "elect": "1 elected"}
            return {**said, "wipe": "9 bytes", "restore_metadata": "older"}.get(name)

        return call


class RecordedNetwork(Recorder):
    @property
    def cannot(self):
        return {"loss": "no netem"}


class RecordedCluster(Recorder):
    brokers = (1, 2, 3)
    voters = (101,)
    node_ids = (1, 2, 3, 101)
    restarts_at_once = False

    def __init__(self, calls, fails=()):
        super().__init__(calls, fails)
        self.network = RecordedNetwork(calls)

    def is_alive(self, node):
        return node == 1


class Operator(Recorder):
    level = 1

    def elr_level(self):
        return self.level


class Sight:
    is_whole = True

    def leader_of(self, partition):
        return 2


class Quorum:
    """Node 101 leads; node 102 does as soon as 101 is broken. Every answer has more records."""

    def __init__(self, calls, follows=102):
        self.calls = calls
        self.follows = follows
        self.end = 10

    def ask(self):
        self.end += 1
        broken = any(101 in call for call in self.calls)
        leader, epoch = (self.follows, 5) if broken else (101, 4)
        return QuorumView(leader, epoch, self.end - 1, dict.fromkeys((101, 102, 103), self.end))


def three_voters(calls, follows=102):
    cluster = RecordedCluster(calls)
    cluster.voters = (101, 102, 103)
    cluster.node_ids = (1, 2, 3, 101, 102, 103)
    ask = Quorum(calls, follows).ask
    return FaultStage(cluster, Operator(calls), Sight(), 2, lambda _: False, None, ask)


def play(plan, *, fails=(), whole=True, level=1, ended=False):
    calls = []
    sight, operator = Sight(), Operator(calls)
    sight.is_whole, operator.level = whole, level
    cluster = RecordedCluster(calls, fails)
    stage = FaultStage(cluster, operator, sight, 2, lambda _: ended, Recorder(calls))
    fault = FaultAction(stage, plan, stage.resolve(plan))
    try:
        fault.begin()
    finally:
        calls.append("end")
        fault.end()
    return calls


def plan(kind, *targets, **parameters):
    return PlannedFault(kind=kind, at_s=0, duration_s=1, targets=targets, parameters=parameters)


CALLS = [
    (plan("kill", 1, 2), [("kill", 1, 2), "end", ("start", 1, 2)]),
    (plan("restart", "leader of 0"), [("stop", 2), "end", ("start", 2)]),
    (plan("pause", "controller"), [("pause", 101), "end", ("resume", 101)]),
    (
        plan("rolling-restart", "brokers"),
        [(name, node) for node in (1, 2, 3) for name in ("stop", "start")] + ["end"],
    ),
    (plan("power-cut", 3), [("cut_power", 3), "end", ("start", 3)]),
    (plan("wipe", 3), [("kill", 3), ("wipe", 3), "end", ("start", 3)]),
    (
        plan("cut", 1, "clients"),
        [("cut", 1, 0), ("cut", 0, 1), "end", ("join", 0, 1), ("join", 1, 0)],
    ),
    (plan("cut", 2, 1, one_way=True), [("cut", 2, 1), "end", ("join", 2, 1)]),
    (
        plan("isolate", 2),
        [
            *(("cut", *pair) for pair in ((2, 1), (1, 2), (2, 3), (3, 2), (2, 101), (101, 2))),
            "end",
            *(("join", *pair) for pair in ((101, 2), (2, 101), (3, 2), (2, 3), (1, 2), (2, 1))),
        ],
    ),
    (
        plan("slow-node", 1, ms=9),
        [("shape", 1, "slow-node", 9), "end", ("shape", 1, "slow-node", 0)],
    ),
    (
        plan("bandwidth", 1),
        [("shape", 1, "bandwidth", 4000), "end", ("shape", 1, "bandwidth", 0)],
    ),
    (plan("slow-disk", 1, ms=5), [("slow_sync", 1, 5), "end", ("slow_sync", 1, 0)]),
    (
        plan("full-disk", 1),
        [("fill_disk", 1), "end", ("free_disk", 1), ("kill", 1), ("start", 1)],
    ),
    (plan("full-disk", 2), [("fill_disk", 2), "end", ("free_disk", 2), ("start", 2)]),
    (
        plan("clock", 1, seconds=-3),
        [("shift_clock", 1, -3000), "end", ("shift_clock", 1, 0)],
    ),
    (plan("min-isr", value=3), [("set_min_isr", 3), "end", ("set_min_isr", 2)]),
    (plan("elr-off"), [("set_elr_level", 0), "end", ("set_elr_level", 1)]),
    (plan("elect"), [("elect", "preferred"), "end"]),
    (plan("stream-restart"), [("stop_stream",), "end", ("start_stream",)]),
    (plan("stream-kill"), [("kill",), "end", ("revive",)]),
]


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        (plan("restart", 1, 2), [("restart", 1, 2), "end"]),
        (plan("rolling-restart", 1, 2), [("restart", 1), ("restart", 2), "end"]),
    ],
)
def test_nodes_that_cannot_stay_down_are_restarted_at_once(fault, calls, monkeypatch):
    """Issue 51: --restart-command without --stop-command."""
    monkeypatch.setattr(RecordedCluster, "restarts_at_once", True)
    assert play(fault) == calls


@pytest.mark.parametrize(("fault", "calls"), CALLS, ids=[str(fault) for fault, _ in CALLS])
def test_actions_of_a_fault_and_of_its_undoing(fault, calls):
    assert play(fault) == calls


OF_CONTROLLERS = [
    ("kill", [("kill", 101)], [("start", 101)]),
    ("pause", [("pause", 101)], [("resume", 101)]),
    ("power-cut", [("cut_power", 101)], [("start", 101)]),
    ("wipe", [("kill", 101), ("wipe", 101)], [("start", 101)]),
    (
        "old-voter",
        [
            *(("kill", 101), ("copy_metadata", 101), ("start", 101), ("kill", 101)),
            ("restore_metadata", 101),
        ],
        [("start", 101)],
    ),
]


@pytest.mark.parametrize(("kind", "begun", "ended"), OF_CONTROLLERS)
def test_the_active_controller_is_broken_until_another_one_is_active(kind, begun, ended):
    calls = []
    stage = three_voters(calls)
    fault = FaultAction(stage, plan(kind, "controller"), stage.resolve(plan(kind, "controller")))
    did = fault.begin()
    assert calls == begun
    assert fault.failover is not None
    assert (fault.failover.before, fault.failover.after) == (101, 102)
    assert did.endswith("node 102 was the active controller, in epoch 5")
    fault.end()
    assert calls == [*begun, *ended]


def test_a_failover_that_does_not_come_is_said(monkeypatch):
    monkeypatch.setattr(quorum_waits, "_FAILOVER_TIMEOUT_S", 0.0)
    calls = []
    stage = three_voters(calls, follows=101)
    fault = FaultAction(stage, plan("kill", "controller"), [101])
    assert fault.begin() == "SIGKILL to node 101; no other controller became active"
    assert fault.failover is None


def test_the_controller_that_is_active_at_the_last_moment_is_broken():
    """It may have changed while the fault waited."""
    calls = []
    fault = FaultAction(three_voters(calls), plan("kill", "controller"), [103])
    fault.begin()
    assert calls == [("kill", 101)]
    assert fault.nodes == [101]


def test_a_standby_controller_is_the_most_recent_other_voter():
    assert three_voters([]).resolve(plan("wipe", "standby controller")) == [102]
    alone = FaultStage(ClusterUnderTest(), None, Sight(), 2, lambda _: False, None,
                       lambda: QuorumView(1, 2, 3, {1: 3}))  # fmt: skip
    with pytest.raises(NotDoneError, match="only one voter"):
        alone.resolve(plan("wipe", "standby controller"))
    assert alone.resolve(plan("kill", "controller")) == [1]


@pytest.mark.parametrize("kind", ["wipe", "old-voter"])
def test_the_only_controller_must_not_lose_its_metadata(kind):
    calls = []
    with pytest.raises(NotDoneError, match="the other controllers are no majority"):
        play(plan(kind, 101))
    assert calls == []


def test_a_broker_is_wiped_only_while_every_replica_is_in_sync():
    with pytest.raises(HarnessError, match="not every replica was in sync"):
        play(plan("wipe", 3), whole=False, ended=True)


@pytest.mark.parametrize(
    ("targets", "separate", "combined"),
    [
        ((1,), False, True),
        ((101,), True, False),
        (("controller",), True, True),
        (("standby controller", "controller"), True, True),
        (("leader of 0",), False, True),
        (("brokers",), False, True),
        (("clients",), False, False),
        ((), False, False),
    ],
)
def test_which_faults_touch_voters(targets, separate, combined):
    stage = three_voters([])
    assert stage.touches_voters(plan("kill", *targets)) == separate
    stage.cluster.voters = stage.cluster.brokers
    assert stage.touches_voters(plan("kill", *targets)) == combined


def test_every_kind_of_a_schedule_can_be_begun():
    assert list(_BEGIN) == list(KINDS)
    assert {fault.kind for fault, _ in CALLS} == set(KINDS) - {"loss", "old-voter"}


def test_isolated_from_clients_too():
    calls = play(plan("isolate", 2, from_clients=True))
    assert ("cut", 0, 2) in calls
    assert ("cut", 2, 0) in calls


@pytest.mark.parametrize(
    ("fault", "options", "sentence"),
    [
        (plan("loss", 1), {}, "no netem"),
        (plan("elr-off"), {"level": 0}, "ELR is already off in this cluster"),
        (plan("power-cut", 1), {"whole": False, "ended": True}, "not every replica was in sync"),
        (plan("cut", 2, "leader of 0"), {}, "both targets are node 2"),
    ],
)
def test_an_impossible_fault_is_explained_in_a_sentence(fault, options, sentence):
    with pytest.raises(HarnessError, match=sentence):
        play(fault, **options)


def test_a_power_cut_may_begin_without_a_full_isr():
    fault = plan("power-cut", 1, when_whole=False)
    assert play(fault, whole=False)[0] == ("cut_power", 1)


def test_a_rolling_restart_leaves_no_node_down_when_the_run_ends():
    calls = []
    stage = FaultStage(RecordedCluster(calls), Operator(calls), Sight(), 2, lambda _: True)
    with pytest.raises(DoneInPartError, match="node 1 restarted, then the run ended"):
        FaultAction(stage, plan("rolling-restart", 1, 2), [1, 2]).begin()
    assert calls == [("stop", 1), ("start", 1)]


def test_a_partial_fault_is_undone():
    calls = []
    stage = FaultStage(
        RecordedCluster(calls, [("cut_power", 2)]), Operator(calls), Sight(), 2, lambda _: False
    )
    fault = FaultAction(stage, plan("power-cut", 1, 2), [1, 2])
    with pytest.raises(HarnessError, match="no cut_power"):
        fault.begin()
    fault.end()
    assert calls == [("cut_power", 1), ("cut_power", 2), ("start", 1)]


def test_a_failed_undo_does_not_stop_the_others():
    calls = []
    stage = FaultStage(
        RecordedCluster(calls, [("slow_sync", 2, 0)]), Operator(calls), Sight(), 2, lambda _: False
    )
    fault = FaultAction(stage, plan("slow-disk", 1, 2, ms=5), [1, 2])
    fault.begin()
    with pytest.raises(HarnessError, match="no slow_sync"):
        fault.end()
    assert calls[-1] == ("slow_sync", 1, 0)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if KINDS[kind].targets[0]])
def test_an_external_cluster_has_no_faults_of_nodes(kind):
    """Faults by an operator's commands work with any cluster."""
    stage = FaultStage(ClusterUnderTest(), None, Sight(), 2, lambda _: False)
    fault = plan(kind, *(1, 2)[: KINDS[kind].targets[0]])
    with pytest.raises(NotDoneError, match="did not start|no control over|is no controller"):
        FaultAction(stage, fault, stage.resolve(fault)).begin()


def test_without_a_stream_no_stream_can_be_stopped():
    stage = FaultStage(ClusterUnderTest(), None, Sight(), 2, lambda _: False)
    with pytest.raises(NotDoneError, match="no streaming query runs in this run"):
        FaultAction(stage, plan("stream-kill"), []).begin()


def test_a_fault_of_a_leader_waits_until_there_is_one():
    leaders = iter([None, None, 3])

    class Electing(Sight):
        def leader_of(self, partition):
            return next(leaders)

    stage = FaultStage(ClusterUnderTest(), None, Electing(), 2, lambda _: False)
    assert stage.resolve(plan("kill", "leader of 0")) == [3]


@pytest.mark.parametrize("ended", [False, True])
def test_the_wait_for_a_leader_is_bounded(ended):
    waited = []

    class Leaderless(Sight):
        def leader_of(self, partition):
            return None

    def wait(seconds):
        waited.append(seconds)
        return ended

    stage = FaultStage(ClusterUnderTest(), None, Leaderless(), 2, wait)
    with pytest.raises(HarnessError, match="partition 0 had no leader"):
        stage.resolve(plan("kill", "leader of 0"))
    assert sum(waited) <= 20


def test_brokers_of_another_cluster_are_unknown():
    stage = FaultStage(ClusterUnderTest(), None, Sight(), 2, lambda _: False)
    with pytest.raises(NotDoneError, match="the brokers of this cluster are unknown"):
        stage.resolve(plan("kill", "brokers"))
