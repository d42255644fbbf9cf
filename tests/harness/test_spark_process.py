import pytest

from minikafka.harness.lines import Tail
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.spark.process import SparkProcess


@pytest.fixture
def process(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIKAFKA_SPARK_JARS", str(tmp_path / "gone.jar"))
    files = RunFiles(tmp_path / "run")
    files.prepare()
    process = SparkProcess(RunSettings(), files)
    yield process
    process.end()


def test_a_process_that_fails_has_a_reason(process):
    process._process.wait(60)
    for event in Tail(process.files.spark_events).read():
        process.take(event)
    assert "gone.jar, which is not a file" in process.why_ended()
    process.command("finish")  # no process reads it: no error


def test_a_failed_resolution_is_explained_out_of_the_log(process):
    process._process.wait(60)
    process.log.write_text("unresolved dependency: org.apache.spark#connector;4: not found")
    assert "org.apache.spark:connector:4 is missing" in process.why_ended()


def test_a_process_that_died_silently_shows_the_end_of_its_log(process):
    process._process.wait(60)
    process.log.write_text("INFO\njava.lang.OutOfMemoryError: heap\n  at x.y(Z)\n")
    said = process.why_ended()
    assert said.endswith("spark.log, java.lang.OutOfMemoryError: heap).")


def test_answers_are_kept(process):
    session, judged = {"event": "session"}, {"event": "judged"}
    for event in (session, judged, {"event": "progress"}):
        process.take(event)
    assert process.session is session
    assert process.judged is judged


def test_spark_that_is_killed_is_started_again_with_its_stream(process, monkeypatch):
    sent = []
    monkeypatch.setattr(SparkProcess, "command", lambda _, do, **more: sent.append((do, more)))
    process.begin_stream(topic="t")
    first = process._process
    process.kill()
    assert first.returncode == -9
    assert process.is_running  # it is to live again
    process.revive()
    assert process._process.pid != first.pid
    assert process.kill_count == 1
    assert sent == [("stream", {"topic": "t"})] * 2
    process.stop_stream()
    process.start_stream()
    assert sent[2:] == [("stop", {}), ("start", {})]


def test_outcomes_of_the_streaming_query_are_counted(process):
    process.kill_count = 2
    phases = ("started", "stopped", "started", "ended", "strayed")
    events = [{"event": "stream", "phase": phase, "reason": "batch 3"} for phase in phases]
    assert process.stream([*events, {"event": "progress"}]) == {
        "starts": 2, "stops": 1, "kills": 2, "ended": 1, "strayed": ["batch 3"],
    }  # fmt: skip
