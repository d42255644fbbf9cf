import time
from pathlib import Path

import pytest

from minikafka.harness.clients.reader_process import start_reader
from minikafka.harness.plan.settings import RunFiles, RunSettings


def start(tmp_path, **changes):
    files = RunFiles(tmp_path / "run")
    files.prepare()
    return start_reader(
        RunSettings(**changes), files, run="r", bootstrap_servers="127.0.0.1:1", topic="t"
    )


def test_without_a_reader_nothing_is_started(tmp_path):
    assert start(tmp_path, reader="none") is None


@pytest.mark.parametrize(("servers", "min_isr"), [("", 2), ("h:1", 0)])
def test_a_reader_is_a_process_that_can_be_ended(tmp_path, servers, min_isr):
    """Commits of a cluster that is not ours are left as they are."""
    process = start(tmp_path, bootstrap_servers=servers)
    assert process.task.offsets_min_isr == min_isr
    assert process.is_running
    process.take({"event": "reader_note", "note": "Careful."})
    counts = {"polled": 3, "commits": 1, "refused": 0, "assignments": 2}
    process.take({"event": "reader", "change": "", **counts})
    assert process.as_json() == {"protocol": "cooperative", **counts}
    assert process.notes == ["Careful."]
    process.end()
    assert not process.is_running


def test_a_reader_that_does_not_end_tells_what_it_does(tmp_path):
    process = start(tmp_path, bootstrap_servers="127.0.0.1:1")
    wait_until(Path(process.task.events).exists)
    process.explain()
    assert process.notes == [
        f"The consumer group did not end within 100 s: {process.log} has what its threads were doing."
    ]
    wait_until(lambda: "most recent call first" in process.log.read_text())
    assert process.is_running
    process.end()


def wait_until(holds):
    deadline_s = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
