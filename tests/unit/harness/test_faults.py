import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minikafka.harness.faults import (
    KILL_LEADER,
    FaultInjector,
    PlannedFault,
    draw_schedule,
    write_schedule,
)
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.settings import HarnessError

AT_ONCE = PlannedFault(kind=KILL_LEADER, at_s=0, heal_at_s=0)
NEVER = PlannedFault(kind=KILL_LEADER, at_s=3600, heal_at_s=7200)


class RecordingCluster:
    name = "recorded"
    bootstrap_servers = ""

    def __init__(self, *, can_break=True, fails_at=None):
        self.can_break = can_break
        self.fails_at = fails_at
        self.calls = []

    def wait_ready(self):
        pass

    def close(self):
        return ""

    def kill(self, node):
        self.call("kill", node)

    def start(self, node):
        self.call("start", node)

    def call(self, name, node):
        self.calls.append((name, node))
        if name == self.fails_at:
            raise HarnessError("no such node")


@pytest.fixture
def injector(tmp_path):
    def make(cluster, schedule, leader=2):
        return FaultInjector(
            schedule=schedule,
            cluster=cluster,
            leader_of=lambda partition: leader if partition == 0 else None,
            events=EventLog(tmp_path / "events.jsonl"),
            started=0.0,
            clock=lambda: 0.0,
        )

    return make


@settings(max_examples=50)
@given(st.integers(), st.floats(min_value=1, max_value=1e5))
def test_the_seed_repeats_the_schedule_and_it_heals_well_before_the_end(seed, seconds):
    schedule = draw_schedule(seed, seconds)
    assert schedule == draw_schedule(seed, seconds)
    [fault] = schedule
    assert 0.35 * seconds <= fault.at_s <= fault.heal_at_s <= 0.81 * seconds


def test_other_seeds_draw_other_times():
    assert len({draw_schedule(seed, 30)[0].at_s for seed in range(20)}) > 10


def test_the_schedule_is_written_as_it_will_be_carried_out(tmp_path):
    write_schedule(draw_schedule(7, 30), 7, tmp_path / "s.json")
    noted = json.loads((tmp_path / "s.json").read_text())
    assert noted["seed"] == 7
    assert [PlannedFault(**row) for row in noted["faults"]] == draw_schedule(7, 30)


def test_the_leader_of_partition_0_is_killed_and_started_again(injector, tmp_path):
    cluster = RecordingCluster()
    faults = injector(cluster, [AT_ONCE])
    faults.run()
    assert cluster.calls == [("kill", 2), ("start", 2)]
    [fault] = faults.injected
    assert (fault.node, fault.problem) == (2, "")
    assert 0 < fault.done_at_ms <= fault.healed_at_ms
    phases = [event["phase"] for event in Tail(tmp_path / "events.jsonl").read()]
    assert phases == ["begun", "healed", "over"]


def test_a_stop_heals_what_is_broken_and_lists_what_was_left_out(injector):
    cluster = RecordingCluster()
    faults = injector(cluster, [PlannedFault(kind=KILL_LEADER, at_s=0, heal_at_s=3600), NEVER])
    faults.start()
    faults.stop()
    if cluster.calls:  # the thread may not have got to the first fault before the stop
        assert cluster.calls == [("kill", 2), ("start", 2)]
    assert faults.injected[-1].problem == "not done: the run ended before"


@pytest.mark.parametrize(
    ("cluster", "leader", "problem", "calls"),
    [
        (RecordingCluster(can_break=False), 2, "not done: no --kill-command", []),
        (RecordingCluster(), None, "not done: partition 0 had no leader", []),
        (RecordingCluster(fails_at="kill"), 2, "not done: no such node", [("kill", 2)]),
        (
            RecordingCluster(fails_at="start"),
            2,
            "not healed: no such node",
            [("kill", 2), ("start", 2)],
        ),
    ],
)
def test_a_fault_that_could_not_be_done_is_listed_with_the_reason(
    injector, cluster, leader, problem, calls
):
    faults = injector(cluster, [AT_ONCE], leader)
    faults.run()
    [fault] = faults.injected
    assert fault.problem.startswith(problem)
    assert cluster.calls == calls
    assert fault.as_json()["kind"] == KILL_LEADER
