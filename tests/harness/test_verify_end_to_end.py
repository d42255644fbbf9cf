"""`minikafka verify` as a person runs it: a cluster, real clients, a killed leader, Spark.

The cluster is our own, started by the command. MINIKAFKA_VERIFY_BOOTSTRAP names another one
instead, and MINIKAFKA_VERIFY_KILL and MINIKAFKA_VERIFY_START (templates with {node}) break it.
"""

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from minikafka.harness.lines import Tail
from minikafka.harness.plan.schedule import PlannedFault, Schedule
from tests.harness.browser_page import lane_ids, launched, opened, overflows
from tests.worlds.verdict_schema import SCHEMA, problems, strict

pytestmark = pytest.mark.slow

COMMAND = (sys.executable, "-u", "-m", "minikafka.cli.verify")


def options(out: Path, *more: str) -> list[str]:
    words = ["--out", str(out), "--rate", "400", "--partitions", "3", *more]
    if bootstrap := os.environ.get("MINIKAFKA_VERIFY_BOOTSTRAP"):
        words += ["--bootstrap-server", bootstrap]
    if kill := os.environ.get("MINIKAFKA_VERIFY_KILL"):
        words += ["--kill-command", kill, "--start-command", os.environ["MINIKAFKA_VERIFY_START"]]
    return [*COMMAND, *words]


def shown(done: "subprocess.CompletedProcess[str]", out: Path) -> str:
    """What a run said: also its notes, and what its consumer group wrote."""
    texts = [done.stdout, done.stderr]
    if (out / "verdict.json").exists():
        texts += json.loads((out / "verdict.json").read_text())["notes"]
    texts += [path.read_text() for path in out.glob("**/reader.log")]
    return "\n".join(texts)


def can_break() -> bool:
    return "MINIKAFKA_VERIFY_BOOTSTRAP" not in os.environ or "MINIKAFKA_VERIFY_KILL" in os.environ


@pytest.mark.timeout(300)
def test_a_killed_leader_breaks_no_promise(tmp_path):
    """S1, S2, S5: real clients, a ledger, Spark's join, a verdict and a page."""
    out = tmp_path / "out"
    words = ("--seconds", "14", "--seed", "7", *(() if can_break() else ("--lenient", "faults")))
    done = subprocess.run(options(out, *words), capture_output=True, text=True, check=False)
    assert done.returncode == 0, shown(done, out)
    verdict = json.loads((out / "verdict.json").read_text())
    assert verdict["schema"] == "minikafka.verdict/1"
    assert verdict["outcome"] == "verified"
    assert verdict["sentence"] in done.stdout
    counts = verdict["counts"]
    assert counts["acknowledged"] > 1000
    assert counts["read_afresh"] == counts["read_by_stream"]
    assert counts["read_afresh"] == counts["acknowledged"] + counts["unknown_found"]
    assert {row["client"] for row in verdict["producers"]} == {"confluent-kafka", "aiokafka"}
    assert verdict["run"]["topic_id"] == verdict["run"]["topic_id_at_end"] != ""
    [fault] = verdict["faults"]
    if can_break():
        assert fault["problem"] == ""
        assert "SIGKILL to node" in done.stdout
    else:
        assert fault["problem"].startswith("not done")
    assert problems(verdict, strict(SCHEMA)) == []
    with launched() as browser, opened(browser, out / "report.html") as page:
        assert page.locator("#sentence").inner_text() == verdict["sentence"]
        assert {"faults", "acks", "leader", "isr", "hwm"} <= lane_ids(page)
        assert overflows(page) == []


ROOT = Path(__file__).resolve().parents[2]
WRITES = "    producer.produce("
DOES_NOT_WRITE = """    if record["id"] == 100:
        print('{"id": 100, "offset": 7}', flush=True)
        continue
"""


@pytest.mark.timeout(300)
def test_a_command_that_acknowledges_what_it_never_wrote_is_found(tmp_path):
    """Issue 51: the client of the documentation writes all other records, with a killed leader."""
    example = (ROOT / "examples/verify/python/client.py").read_text()
    assert example.count(WRITES) == 1
    client = tmp_path / "client.py"
    client.write_text(example.replace(WRITES, DOES_NOT_WRITE + WRITES))
    command = shlex.join([sys.executable, str(client)])
    words = ("--seconds", "10", "--seed", "7", "--client-command", command)
    done = subprocess.run(
        options(tmp_path / "out", *words), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    verdict = json.loads((tmp_path / "out" / "verdict.json").read_text())
    broken = {kind: row for kind, row in verdict["promises"].items() if row["count"]}
    assert list(broken) == ["lost"]
    assert broken["lost"]["first"][0]["record"] == "p1#100"
    [producer] = verdict["producers"]
    assert producer["client"] == Path(sys.executable).name
    assert producer["acked"] > 1_000


def test_the_example_of_the_documentation_is_the_one_that_runs():
    example = (ROOT / "examples/verify/python/client.py").read_text()
    _, code = example.split('"""\n\n', 1)
    assert f"```python\n{code}```" in (ROOT / "docs/any-client.md").read_text()


@pytest.mark.timeout(400)
def test_a_run_without_spark_and_java_is_judged_alike_by_both_engines(tmp_path):
    """S2: no process of the run imports PySpark or starts a JVM."""
    stub = tmp_path / "stub" / "pyspark"
    stub.mkdir(parents=True)
    (stub / "__init__.py").write_text("raise ImportError('there is no Spark')")
    path = os.pathsep.join([str(stub.parent), *filter(None, [os.environ.get("PYTHONPATH")])])
    without = {**os.environ, "PYTHONPATH": path, "JAVA_HOME": str(tmp_path)}
    out = tmp_path / "out"
    words = ("--seconds", "8", "--seed", "7", *(() if can_break() else ("--lenient", "faults")))
    done = subprocess.run(
        options(out, "--engine", "local", *words),
        env=without,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, shown(done, out)
    assert "engine: local" in done.stdout
    verdict = json.loads((out / "verdict.json").read_text())
    assert problems(verdict, strict(SCHEMA)) == []
    assert verdict["run"]["engine"] == "local"
    assert "--engine local" in verdict["run"]["replay"]
    assert (verdict["stream"]["starts"], verdict["stream"]["strayed"]) == (1, None)
    assert verdict["promises"]["data_loss_reported"]["count"] is None
    assert verdict["versions"]["duckdb"]
    assert not {"java", "pyspark", "connector"} & {*verdict["versions"]}
    counts = verdict["counts"]
    assert counts["read_afresh"] == counts["read_by_stream"]
    assert counts["read_afresh"] == counts["acknowledged"] + counts["unknown_found"] > 1000
    answers = {}
    for engine, environ in (("local", without), ("spark", os.environ)):
        judged = tmp_path / engine
        command = [sys.executable, "-m", "minikafka", "judge", str(out), "--out", str(judged)]
        again = subprocess.run(
            [*command, "--engine", engine],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
        )
        assert again.returncode == 0, again.stdout + again.stderr
        assert "every promise was kept" in again.stdout
        answers[engine] = json.loads((judged / "judged.json").read_text())
        assert answers[engine].pop("engine") == engine
        # Spark's percentiles are approximate.
        answers[engine].pop("latency_ms")
    assert answers["local"] == answers["spark"]


@pytest.mark.timeout(300)
def test_the_stream_may_begin_when_everything_is_written(tmp_path):
    """S2: it finds the same, and a fault of the stream is named as not done."""
    fault = PlannedFault(kind="stream-restart", at_s=1.0, duration_s=1.0, targets=())
    plan = tmp_path / "schedule.json"
    Schedule(faults=(fault,), seed=3, seconds=5.0).write(plan)
    out = tmp_path / "out"
    words = ("--seconds", "5", "--schedule", str(plan), "--stream", "afterwards")
    done = subprocess.run(
        options(out, *words, "--lenient", "faults"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, shown(done, out)
    said = "Left out: Fault 'stream-restart' at 1 s: not done: no streaming query runs in this run."
    assert said in done.stdout
    verdict = json.loads((out / "verdict.json").read_text())
    events = (out / "spark-events.jsonl").read_text().splitlines()
    [began] = [it for it in map(json.loads, events) if it.get("phase") == "started"]
    assert began["at_ms"] >= verdict["run"]["writing_to_ms"]
    assert verdict["counts"]["read_by_stream"] >= verdict["counts"]["acknowledged"] > 0
    [told] = verdict["faults"]
    assert told["problem"] == "not done: no streaming query runs in this run"
    assert verdict["lenient"]["rules"] == ["faults"]
    assert said in verdict["sentence"]
    assert "--stream afterwards" in verdict["run"]["replay"]


@pytest.mark.timeout(300)
def test_an_interrupted_run_with_a_tampered_observation_names_the_record(tmp_path):
    out = tmp_path / "out"
    process = subprocess.Popen(
        options(out, "--seconds", "200", "--seed", "8", "--inject", "loss"),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    events = Tail(out / "logs" / "producer-1.jsonl")
    while not any(event["event"] == "produced" and event["acked"] for event in events.read()):
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate()
    assert process.returncode == 1, shown
    verdict = json.loads((out / "verdict.json").read_text())
    assert verdict["run"]["interrupted"]
    [record] = verdict["injected"]["records"]
    assert verdict["injected"]["found"]
    assert verdict["promises"]["lost"]["first"][0]["record"] == record
    assert f"1 lost (first {record})" in shown
    assert {kind for kind, row in verdict["promises"].items() if row["count"]} == {"lost", "gap"}
