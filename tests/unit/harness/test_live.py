import io
import os
import re
import time

import pytest
from rich.console import Console

from minikafka.harness import live
from minikafka.harness.live import LiveView, PatientConsole, RunState, print_verdict
from minikafka.harness.plan.settings import RunFiles

EVENTS = [
    {"at_ms": 1, "event": "phase", "name": "writing"},
    {"at_ms": 2, "event": "produced", "pid": 1, "acked": 1500, "failed": 2, "unknown": 0},
    {"at_ms": 3, "event": "produced", "pid": 2, "acked": 500, "failed": 0, "unknown": 1},
    {"at_ms": 4, "event": "partition", "partition": 0, "leader": None, "isr": [2]},
    {"at_ms": 4, "event": "high_watermarks", "ends": {"0": 9876}},
    {"at_ms": 5, "event": "progress", "progress": {"batchId": 7, "numInputRows": 1200}},
    {
        "at_ms": 6,
        "event": "fault",
        "phase": "begun",
        "kind": "kill",
        "nodes": [3],
        "did": "SIGKILL to node 3",
        "problem": "",
    },
    {"at_ms": 6, "event": "quorum_waiting"},
    {"at_ms": 6, "event": "quorum", "leader": 2, "epoch": 5},
    {"at_ms": 6, "event": "reader", "change": "join", "polled": 1234},
    {"at_ms": 7, "event": "reader", "change": "", "polled": 4321},
    {"at_ms": 7, "event": "producer_renewed", "pid": 2, "reason": "fenced"},
    {"at_ms": 7, "event": "loop_renewed", "loop": 1, "reason": "fenced"},
    {"at_ms": 7, "event": "fault", "phase": "over", "kind": "kill", "node": 3, "problem": ""},
]


def show(*, terminal):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    state = RunState(30)
    state.began_at_ms = 1
    with LiveView(console, state) as view:
        for event in EVENTS:
            view.take(event)
        view.tick()
    return state, out.getvalue()


@pytest.mark.parametrize("terminal", [True, False])
def test_both_views_show_the_figures_and_the_fault(terminal, monkeypatch):
    monkeypatch.setattr(live, "_FIGURES_EVERY_S", 0)
    _, shown = show(terminal=terminal)
    quorum = ("waiting for an active controller", "node 2 leads the quorum, epoch 5")
    for text in ("2,000", "1,200", "SIGKILL to node 3", "writing", *quorum):
        assert text in shown


def test_the_live_view_shows_leaders_isr_and_high_watermarks():
    _, shown = show(terminal=True)
    for text in ("none", "9,876", "800 behind"):
        assert text in shown


def test_each_phase_has_one_line_with_the_time_that_has_passed():
    """Issue 51: figures are printed at the end of writing, and in a phase that lasts long."""
    out = io.StringIO()
    state = RunState(30)
    with LiveView(Console(file=out, width=100), state) as view:
        view.take({"at_ms": 1, "event": "phase", "name": "starting"})
        for event in EVENTS:
            view.take(event)
            view.tick()
        state.began_at_ms = time.time_ns() // 1_000_000 - 4_000
        view.take({"at_ms": 9, "event": "producer_failed", "pid": 2, "client": "c", "reason": "x"})
        for name in ("ending", "judging"):
            view.take({"at_ms": 9, "event": "phase", "name": name})
            view.tick()
    lines = out.getvalue().splitlines()
    assert all(re.match(r" {2,3}\d\.\d s  ", line) for line in lines)
    told = [line[10:] for line in lines]
    assert [line for line in told if not line.startswith(" ")] == [
        "starting", "writing", "ending", "judging",
    ]  # fmt: skip
    assert sum("acknowledged 2,000" in line for line in told) == 1
    assert any(re.fullmatch(r" +\+4\.\d s  producer 2 \(c\) failed: x", line) for line in told)


def test_without_a_terminal_there_are_plain_lines_only():
    _, shown = show(terminal=False)
    assert "\x1b" not in shown
    assert all(line == line.strip() or line.startswith(" ") for line in shown.splitlines())


@pytest.mark.parametrize("terminal", [True, False])
def test_both_views_show_members_that_join_and_leave(terminal):
    state, shown = show(terminal=terminal)
    for text in ("a consumer joined the group", "producer 2 started a new client"):
        assert text in shown
    assert state.polled_count == 4321
    assert ("4,321" in shown) == terminal


def test_counters_add_up_over_producers():
    state, _ = show(terminal=False)
    assert (state.total("acked"), state.total("failed"), state.total("unknown")) == (2000, 2, 1)
    assert state.marks == [
        (6, "kill: SIGKILL to node 3"),
        (6, "waiting for an active controller"),
        (6, "node 2 leads the quorum, epoch 5"),
        (6, "a consumer joined the group"),
        (7, "producer 2 started a new client"),
        (7, "loop 1 started a new client"),
    ]


def test_a_fault_that_was_not_done_is_reported():
    event = {
        "at_ms": 1,
        "event": "fault",
        "phase": "over",
        "kind": "kill",
        "problem": "not done: x",
    }
    assert RunState(1).take(event) == "kill: not done: x"


def test_the_verdict_table_names_every_promise_and_the_files(tmp_path):
    out = io.StringIO()
    first = {"record": "p1#42", "partition": 5, "offset": 77}
    names = ("sent", "acknowledged", "failed", "unknown", "unknown_found")
    verdict = {
        "outcome": "broken",
        "sentence": "Broken: 1 lost (first p1#42).",
        "changes": {"sent": 9, "acknowledged": 8},
        "quorum": {"leaders": [{"leader": 2, "epoch": 1}, {"leader": 3, "epoch": 4}]},
        "notes": ["a [note]"],
        "counts": dict.fromkeys((*names, "read_by_stream", "read_afresh"), 0),
        "promises": {
            "lost": {"count": 1, "first": [first]},
            "failed_but_read": {"count": 0, "first": []},
            "moved": {"count": None, "first": []},
            "data_loss_reported": {"count": 1, "first": [{"message": "KAFKA_DATA_LOSS"}]},
        },
    }
    files = RunFiles(tmp_path)
    print_verdict(Console(file=out, width=100), verdict, files)
    assert out.getvalue().endswith("verdict.json\nno page: it needs minikafka[page]\n")
    files.report.touch()
    print_verdict(Console(file=out, width=100), verdict, files)
    shown = out.getvalue()
    for text in (
        "p1#42 at 5/77",
        "failed but read",
        "KAFKA_DATA_LOSS",
        "not judged",
        "note: a [note]",
        "sent 9, acknowledged 8; active controllers: node 2 in epoch 1, node 3 in epoch 4",
    ):
        assert text in shown
    assert shown.endswith(f"{files.verdict}\n{files.report}\n")


def test_a_run_continues_after_its_output_is_closed():
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        console = PatientConsole(file=closed)
        for _ in range(3):
            console.print("a line")
            closed.flush()
        assert console.quiet


@pytest.mark.parametrize("terminal", [True, False])
def test_a_node_that_ends_is_named_at_once_with_the_end_of_its_log(terminal):
    out = io.StringIO()
    console = Console(file=out, force_terminal=terminal, width=100, color_system=None)
    told = {"at_ms": 9, "event": "node", "node": 2}
    with LiveView(console, RunState(30)) as view:
        view.take({**told, "phase": "ended", "how": "signal 9", "log": "one\n[two]"})
        shown = out.getvalue()
        assert "node 2 exited unexpectedly: signal 9" in shown
        assert "  one\n" in shown
        assert "  [two]\n" in shown
        view.take({**told, "phase": "traceback", "error": "ValueError: x", "log": "Traceback"})
    assert "node 2 logged a traceback: ValueError: x" in out.getvalue()
