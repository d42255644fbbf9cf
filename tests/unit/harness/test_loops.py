"""The parent's handle of the loops, with processes that are played here."""

import json
from types import SimpleNamespace

import pytest

from minikafka.harness import loops as loops_module
from minikafka.harness.loops import judged, plan_loops, start_loops
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.plan.workload_options import WorkloadOptions


class PlayedProcess:
    """Lives until its input closes or it is killed."""

    def __init__(self, argument):
        self.task = json.loads(argument)
        self.stdin = SimpleNamespace(close=self.close)
        self.status = None

    def close(self):
        self.status = 0 if self.status is None else self.status

    def poll(self):
        return self.status

    def kill(self):
        self.status = -9

    def wait(self):
        return self.status


@pytest.fixture
def started(tmp_path, monkeypatch):
    processes = []

    def start_part(_module, argument, _log, *, append=False):
        processes.append(PlayedProcess(argument))
        return processes[-1]

    watcher = SimpleNamespace(
        wait_whole=lambda _s: True, look_at_ends=lambda: None, expected=dict, stop=lambda: None
    )
    monkeypatch.setattr(loops_module, "start_part", start_part)
    monkeypatch.setattr(loops_module, "ClusterWatcher", lambda *_: watcher)
    settings = RunSettings(partitions=2, topics=2, workload=WorkloadOptions(transactions=True))
    loops = plan_loops(
        settings, RunFiles(tmp_path), run="r", bootstrap_servers="127.0.0.1:1", topic="t,u"
    )
    loops.start()
    return loops, processes


def progress(loop, reached):
    return {"event": "loop", "loop": loop, "reached": reached}


def wait(is_done, _timeout_s):
    return is_done()


def test_two_libraries_share_a_group_and_have_their_own_transactional_ids(started):
    loops, processes = started
    first, second, reader = (process.task for process in processes)
    assert (first["client"], second["client"]) == ("confluent-kafka", "kafka-python")
    assert loops.tasks[0].group == loops.tasks[1].group
    assert loops.tasks[0].transactional_id != loops.tasks[1].transactional_id
    assert first["output"] == reader["output"]
    assert (reader["partitions"], first["offsets_min_isr"]) == (4, 2)


def test_loops_are_drained_if_some_loop_is_at_the_end_of_every_partition(started):
    loops, processes = started
    ends = {0: 5, 1: 9}
    assert not loops.has_reached({})
    loops.take(progress(1, {"0": 5}))
    loops.take(progress(2, {"1": 8}))
    assert not loops.has_reached(ends)
    loops.take(progress(2, {"1": 9}))
    loops.finish(ends, "127.0.0.1:1", wait)
    assert loops.drained
    assert loops.problems == []
    assert [process.status for process in processes] == [0, 0, 0]


def test_loops_that_end_early_are_not_drained_and_named(started):
    loops, processes = started
    processes[1].status = 1
    loops.finish({0: 5}, "127.0.0.1:1", wait)
    assert not loops.drained
    [problem] = loops.problems
    assert problem.startswith("Loop 2 (kafka-python) ended with status 1; see ")


def test_a_loop_that_does_not_end_is_killed_and_noted(started):
    """Its successor aborts what it left open: no later output could be read before."""
    loops, processes = started
    processes[0].stdin.close = lambda: None
    loops.take(progress(1, {"0": 5}))
    loops.finish({0: 5}, "127.0.0.1:1", wait)
    assert loops.drained
    assert processes[0].status == -9
    assert loops.problems == []
    successor = processes[3]
    assert (successor.task["loop"], successor.status) == (1, 0)
    [note] = loops.notes
    assert note.startswith("Loop 1 (confluent-kafka) did not end within 30 s, was killed, and")


def test_a_silent_loop_is_killed_and_another_process_takes_over(started, monkeypatch):
    loops, processes = started
    loops.look()
    assert len(processes) == 3
    monkeypatch.setattr(loops_module, "SILENT_MAX_S", -1)
    loops._loops[2]._heard_s = float("inf")
    loops.look()
    old, new = processes[0], processes[3]
    assert old.status == 0  # its input was closed first, and the played process then ends
    assert new.task["loop"] == 1
    assert new.task["first_number"] == 1_000_001
    assert new.task["log"].endswith("loop-1-1.msgpack")
    assert loops.notes == [
        "Loop 1 (confluent-kafka) did nothing for -1 s, was killed, and another process took over."
    ]
    loops.take(progress(1, {"0": 7}))
    assert loops.has_reached({0: 7})


def test_a_run_without_transactions_has_no_loops(tmp_path):
    options = {"run": "r", "bootstrap_servers": "127.0.0.1:1", "topic": "t"}
    assert start_loops(RunSettings(), RunFiles(tmp_path), **options) is None
    assert judged(None).values == {}
