"""The parent's handle of the local engine's process, and the process without a cluster."""

import pytest

from minikafka.harness.lines import Tail
from minikafka.harness.local.process import LocalProcess
from minikafka.harness.plan.settings import RunFiles, RunSettings


@pytest.fixture
def process(tmp_path):
    files = RunFiles(tmp_path / "run")
    files.prepare()
    process = LocalProcess(RunSettings(engine="local"), files)
    yield process
    process.end()


def told(process):
    for event in Tail(process.files.local_events).read():
        process.take(event)


def test_a_process_is_ready_at_once_and_ends_with_its_input(process):
    process._process.stdin.close()
    assert process._process.wait(60) == 0
    told(process)
    assert process.session["duckdb"]
    assert not process.is_running
    assert "The process of the local engine ended without an answer" in process.why_ended()


def test_a_process_that_fails_has_a_reason(process):
    process.files.streamed.mkdir()
    process.begin_stream(bootstrap_servers="127.0.0.1:1", topic="t", width=1)
    assert process._process.wait(60) == 2
    told(process)
    assert process.why_ended().startswith("The process of the local engine failed: [Errno 17]")


def test_there_is_no_checkpoint_to_stray_from(process):
    events = [{"event": "stream", "phase": "started"}, {"event": "stream", "phase": "drained"}]
    assert process.stream(events) == {
        "starts": 1, "stops": 0, "kills": 0, "ended": 0, "strayed": None,
    }  # fmt: skip
