import io
import json
from types import SimpleNamespace

import pytest
from rich.console import Console

from minikafka.harness import preflight
from minikafka.harness import run as run_module
from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.clusters.elections import UnreadableError
from minikafka.harness.faults.injector import InjectedFault
from minikafka.harness.lines import Tail
from minikafka.harness.plan.schedule import PlannedFault, Schedule
from minikafka.harness.plan.settings import HarnessError, RunFiles, RunSettings
from minikafka.harness.plan.workload_options import WorkloadOptions
from minikafka.harness.run import VerificationRun
from minikafka.harness.verdict import partition_history
from minikafka.harness.watch.node_watch import NodeWatch
from minikafka.harness.watch.watcher import ClusterWatcher


def test_an_unreachable_cluster_leads_to_an_undecided_verdict_and_a_page(tmp_path, monkeypatch):
    monkeypatch.setenv("MINIKAFKA_SPARK_JARS", str(tmp_path / "gone.jar"))
    files = RunFiles(tmp_path / "out")
    files.prepare()
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root, seed=4)
    run = VerificationRun(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "17")
    run.carry_out()
    verdict = run.conclude()
    assert verdict["exit_status"] == 2
    assert "no bootstrap server accepts a connection" in verdict["sentence"]
    assert json.loads(files.verdict.read_text()) == verdict
    assert "no bootstrap server" in files.report.read_text()
    assert not run.engine.is_running


def test_a_run_without_the_extra_of_pages_has_a_verdict_and_no_page(tmp_path, monkeypatch):
    monkeypatch.setattr(preflight, "can_draw", lambda: False)
    files = RunFiles(tmp_path / "out")
    files.prepare()
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root, engine="local")
    run = VerificationRun(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "")
    run.carry_out()
    verdict = run.conclude()
    assert verdict["run"]["engine"] == "local"
    assert json.loads(files.verdict.read_text()) == verdict
    assert not files.report.exists()


def test_a_ledger_that_was_cut_in_the_middle_leads_to_an_undecided_verdict(tmp_path, monkeypatch):
    """S1: at its end it may be cut; anywhere else it can prove nothing any more."""
    monkeypatch.setenv("MINIKAFKA_SPARK_JARS", str(tmp_path / "gone.jar"))
    files = RunFiles(tmp_path / "out")
    files.prepare()
    path = files.ledgers / "producer-1.msgpack"
    with LedgerWriter(path) as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        writer.sent(0, 0, partitions=[0], after_us=[0], crcs=[1], sizes=[1])
        writer.end(5)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2] + data[len(data) // 2 + 9 :])
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root)
    run = VerificationRun(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "17")
    run.carry_out()
    verdict = run.conclude()
    assert verdict["exit_status"] == 2
    assert "A ledger is damaged: producer-1.msgpack: at byte" in verdict["sentence"]


def test_a_ledger_with_a_torn_last_entry_is_noted(tmp_path, monkeypatch):
    """Issue 51."""
    monkeypatch.setenv("MINIKAFKA_SPARK_JARS", str(tmp_path / "gone.jar"))
    files = RunFiles(tmp_path / "out")
    files.prepare()
    path = files.ledgers / "producer-1.msgpack"
    with LedgerWriter(path) as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        whole_bytes = path.stat().st_size
        writer.sent(0, 0, partitions=[0], after_us=[0], crcs=[1], sizes=[1])
    path.write_bytes(path.read_bytes()[: whole_bytes + 7])
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root)
    run = VerificationRun(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "17")
    run.carry_out()
    verdict = run.conclude()
    [note] = verdict["notes"]
    assert note.startswith(
        "The ledger of producer 1 ends with an incomplete entry of 7 bytes, which"
    )


def test_a_running_cluster_is_asked_before_anything_is_started(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(preflight, "check", lambda _: "17")
    monkeypatch.setattr(preflight, "check_run", lambda _: None)
    monkeypatch.setattr(run_module, "require_transactions", asked.append)

    def refuse(_, name, partitions):
        raise HarnessError(f"{name} has not {partitions}")

    monkeypatch.setattr(ClusterWatcher, "require_fitting", refuse)
    options = WorkloadOptions(transactions=True)
    settings = RunSettings(
        bootstrap_servers="127.0.0.1:1", topic="mine", workload=options, out=tmp_path / "out"
    )
    with pytest.raises(HarnessError, match="mine has not 6"):
        run_module.verify(settings, Schedule(faults=()), Console(file=io.StringIO()))
    assert asked == ["127.0.0.1:1"]
    assert not settings.out.exists()


UNJUDGED = SimpleNamespace(judged=None, session=None, stream=lambda _: {}, take=lambda _: None)


class Stopped(ClusterUnderTest):
    """A cluster that has ended."""

    def __init__(self, log_dir):
        self.log_dir = log_dir

    def metadata_log_dirs(self):
        return [self.log_dir] if self.log_dir else []


CHANGE = {"at_ms": 5, "event": "partition_changed", "partition": 0, "leader": 1, "isr": [1]}


@pytest.fixture
def ended(tmp_path, monkeypatch):
    """A run whose cluster has ended, and where its metadata log was read."""
    files = RunFiles(tmp_path / "out")
    files.prepare()
    read = []

    def read_changes(log_dir, topics, width):
        read.append((log_dir, topics, width))
        return [CHANGE]

    monkeypatch.setattr(partition_history, "read_changes", read_changes)
    settings = RunSettings(bootstrap_servers="127.0.0.1:1", out=files.root, partitions=4)
    run = VerificationRun(settings, Schedule(faults=()), files, Console(file=io.StringIO()), "17")
    run.meta |= {"topic": "a,b", "topic_id": "x"}
    return run, read


def test_changes_of_partitions_are_read_when_the_controller_stands_still(ended, tmp_path):
    run, read = ended
    run._close_cluster(Stopped(tmp_path))
    assert read == [(tmp_path, ["a", "b"], 4)]
    assert CHANGE in Tail(run.files.events).read()
    assert CHANGE in run._past


def test_coordinators_are_read_if_the_run_had_transactions(ended, tmp_path, monkeypatch):
    """The partitions of __transaction_state come after those of the topics."""
    run, _ = ended
    state = {"at_ms": 5, "event": "partition_changed", "partition": 8, "leader": 3, "isr": [3]}
    asked = []
    monkeypatch.setattr(
        partition_history, "read_changes", lambda _, topics, __: asked.append(topics) or [state]
    )
    run._past.append({"event": "transaction", "id": "mine"})
    run._close_cluster(Stopped(tmp_path))
    assert asked == [["a", "b", "__transaction_state"]]
    [change] = [event for event in run._past if event["event"] == "coordinator"]
    assert change == {"at_ms": 5, "event": "coordinator", "id": "mine", "leader": 3}
    assert not any(event["event"] == "partition_changed" for event in run._past)


def test_a_cluster_without_a_known_metadata_log_is_shown_as_polled(ended):
    run, read = ended
    run._close_cluster(Stopped(None))
    assert read == []


@pytest.mark.parametrize(("skewed", "is_read"), [(2, True), (3, False)])
def test_a_controller_whose_clock_was_off_dates_no_changes(ended, tmp_path, skewed, is_read):
    """Node 3 led while the clock was off; node 2 led before and later."""
    run, read = ended
    plan = PlannedFault(kind="clock", at_s=1.0)
    run.injected = [InjectedFault(plan=plan, nodes=[skewed], done_at_ms=20, healed_at_ms=30)]
    for leader, at_ms in ((2, 1), (3, 15), (2, 40)):
        run._past.append({"event": "quorum", "at_ms": at_ms, "leader": leader, "epoch": at_ms})
    run._close_cluster(Stopped(tmp_path))
    assert bool(read) == is_read


def test_a_metadata_log_that_cannot_be_read_is_noted(ended, tmp_path, monkeypatch):
    def refuse(*_):
        raise UnreadableError("the metadata log in x cannot be read: y")

    monkeypatch.setattr(partition_history, "read_changes", refuse)
    run, _ = ended
    run._close_cluster(Stopped(tmp_path))
    assert run.notes == [
        "Leaders and ISR are shown as they were polled: the metadata log in x cannot be read: y."
    ]


def test_a_cluster_that_does_not_describe_the_topic_leaves_it_open(ended):
    """No sign that the topic is gone; the written records can still be judged."""
    run, _ = ended

    def refuse(_patience_s):
        raise HarnessError("topic a could not be described: x")

    run._ask_topic(SimpleNamespace(topic_id=refuse))
    assert (run.topic_asked, run.meta["topic_id_at_end"]) == (False, "")
    assert run.obstacles == ["topic a could not be described: x"]
    run._ask_topic(SimpleNamespace(topic_id=lambda _: "x"))
    assert (run.topic_asked, run.meta["topic_id_at_end"]) == (True, "x")


def test_a_cluster_that_does_not_stop_as_it_should_is_a_reason(ended):
    run, _ = ended
    cluster = Stopped(None)
    cluster.close = lambda: "The cluster did not stop as it should: x:\nlog line."
    run.engine = UNJUDGED
    run._close_cluster(cluster)
    verdict = run.conclude()
    assert verdict["notes"] == ["The cluster did not stop as it should: x:\nlog line."]
    assert ("nodes", "The cluster did not stop as it should: x.") in zip(
        verdict["rules"], verdict["reasons"], strict=True
    )


class Ending(Stopped):
    """Its own cluster, in which node 2 ends by itself, and node 1 has a log with a traceback."""

    def __init__(self, log_dir):
        super().__init__(log_dir)
        (log_dir / "1.log").write_text("Traceback (most recent call last)\n  x\nKeyError: 7\n")
        self.ends = [(2, "signal 9")]

    def unexpected_ends(self):
        found, self.ends = self.ends, []
        return found

    def node_logs(self):
        return {1: self.log_dir / "1.log"}


def test_missing_evidence_is_in_the_verdict(ended, tmp_path):
    """Everything that the rules ask for is handed over, and what ends while it stops counts too."""
    run, _ = ended
    settings = RunSettings(
        profile="harsh", out=run.files.root, min_acknowledged=9, lenient=("replicas",)
    )
    run.settings = settings
    run.engine = UNJUDGED
    with LedgerWriter(run.files.ledgers / "producer-1.msgpack") as writer:
        writer.header(
            run="r", producer=1, client="c", topic="a", topic_id="x", acks="all", idempotent=True
        )
        writer.sent(0, 0, partitions=[0] * 2, after_us=[0, 30_000_000], crcs=[1] * 2, sizes=[1] * 2)
        writer.acked([Acknowledged(0, 0, 20_000_000, 20_000)])
        writer.end(31_000_000)
    run.meta["topic_id"] = "x,y"
    run.is_own, run.is_whole, run.topic_asked, run.timestamps = True, False, True, "append"
    run.injected = [
        InjectedFault(plan=PlannedFault(kind="kill", at_s=1.0), problem="not done: x"),
    ]
    run.producer_failures = ["Producer 2 (c) ended with status 1; see x."]
    cluster = Ending(tmp_path)
    run._nodes = NodeWatch(cluster, run.events)
    run._close_cluster(cluster)
    verdict = run.conclude()
    wanted = {"answer", "unknown", "silence", "faults", "nodes", "whole", "timestamps", "elr"}
    wanted |= {"producers", "changes"}
    assert set(verdict["rules"]) == wanted
    assert verdict["lenient"]["rules"] == ["replicas"]
    assert [row["rule"] for row in verdict["lenient"]["left_out"]] == ["replicas"]
    assert [row["node"] for row in verdict["nodes"]["ended"]] == [2]
    assert [row["error"] for row in verdict["nodes"]["tracebacks"]] == ["KeyError: 7"]
    assert verdict["promises"]["topic_gone"]["count"] == 2
    assert verdict["exit_status"] == 1
    page = run.files.report.read_text()
    for said in (
        "Node 2 exited unexpectedly",
        "KeyError: 7",
        "rules not required (--lenient): replicas",
        "topic a had the id x, but no longer exists",
    ):
        assert said in page


def test_elections_of_the_shutdown_are_not_counted(ended, tmp_path, monkeypatch):
    before = {**CHANGE, "elr": [2]}
    later = 1 << 50
    elected = [{**before, "leader": None, "isr": []}, {**before, "leader": 2, "at_ms": 6}]
    stopped = [{**before, "leader": None, "isr": [], "at_ms": later}, {**before, "at_ms": later}]
    changes = [before, *elected, *stopped]
    monkeypatch.setattr(partition_history, "read_changes", lambda *_: changes)
    run, _ = ended
    run._close_cluster(Stopped(tmp_path))
    assert run.elections == {"from_isr": 0, "from_elr": 1, "unclean": 0}
    assert [event for event in run._past if event["event"] == "partition_changed"] == changes
