"""A node that ends by itself, and a traceback in its log, become events at once."""

import pytest

from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.lines import EventLog, Tail
from minikafka.harness.watch import node_watch
from minikafka.harness.watch.node_watch import NodeLog, NodeWatch
from tests.mutation import applied, mutation

TRACEBACK = """Traceback (most recent call last):
  File "x.py", line 1, in f
    raise ValueError("no")

ValueError: no
"""


class Nodes(ClusterUnderTest):
    def __init__(self, folder):
        self.paths = {node: folder / f"{node}.log" for node in (1, 2)}
        self.ended = []

    def node_logs(self):
        return self.paths

    def unexpected_ends(self):
        found, self.ended = self.ended, []
        return found


@pytest.fixture
def nodes(tmp_path):
    return Nodes(tmp_path)


@pytest.fixture
def watch(nodes, tmp_path):
    return NodeWatch(nodes, EventLog(tmp_path / "events"))


def node_events(tmp_path):
    return [
        (event["phase"], event["node"], event.get("how") or event.get("error"), event["log"])
        for event in Tail(tmp_path / "events").read()
    ]


def test_a_node_that_ends_is_reported_with_the_end_of_its_log(nodes, watch, tmp_path):
    watch.check()
    assert node_events(tmp_path) == []
    nodes.paths[2].write_text("\n".join(f"line {n}" for n in range(30)))
    nodes.ended = [(2, "signal 9")]
    watch.check()
    watch.check()
    [(phase, node, how, log)] = node_events(tmp_path)
    assert (phase, node, how) == ("ended", 2, "signal 9")
    assert log.splitlines() == [f"line {n}" for n in range(10, 30)]


def test_a_traceback_is_reported_once_when_it_is_complete(nodes, watch, tmp_path):
    with nodes.paths[1].open("w") as log:
        for part in ("INFO started\n", TRACEBACK[:20], TRACEBACK[20:90], TRACEBACK[90:-1]):
            log.write(part)
            log.flush()
            watch.check()
            assert node_events(tmp_path) == []
        log.write("\nINFO goes on\n")
        log.flush()
        watch.check()
        watch.check()
    assert node_events(tmp_path) == [("traceback", 1, "ValueError: no", TRACEBACK.strip())]


def test_two_tracebacks_are_two(tmp_path):
    path = tmp_path / "log"
    path.write_text(f"a\n{TRACEBACK}b\n{TRACEBACK.replace('ValueError', 'KeyError')}c\n")
    found = NodeLog(path).tracebacks()
    assert [text.splitlines()[-1] for text in found] == ["ValueError: no", "KeyError: no"]


def test_a_traceback_that_was_cut_off_is_reported_at_the_end(tmp_path):
    path = tmp_path / "log"
    path.write_text(TRACEBACK[:60])
    log = NodeLog(path)
    assert log.tracebacks() == []
    assert log.tracebacks(ended=True) == [TRACEBACK[:60]]


def test_a_log_that_is_not_there_holds_nothing(tmp_path):
    assert NodeLog(tmp_path / "gone").tracebacks(ended=True) == []


def test_the_verdict_has_the_reported_events(nodes, watch, tmp_path):
    nodes.ended = [(1, "exit status 1")]
    nodes.paths[2].write_text(TRACEBACK + "x\n")
    watch.check()
    events = [*Tail(tmp_path / "events").read(), {"event": "phase", "name": "writing"}]
    report = node_watch.as_json(events)
    [ended], [traceback] = report["ended"], report["tracebacks"]
    assert (ended["node"], ended["how"], ended["log"]) == (1, "exit status 1", "")
    assert (traceback["node"], traceback["error"]) == (2, "ValueError: no")


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("NodeWatch.check", "self.cluster.unexpected_ends()", "()"),
        ("NodeWatch.check", "log.tracebacks(ended=ended)", "()"),
        ("NodeLog.tracebacks", "self._rest += data", "self._rest = data"),
    ],
)
def test_a_watch_that_overlooks_something_is_noticed(nodes, watch, tmp_path, function, old, new):
    with applied(mutation("blind", ("harness.watch.node_watch", function, old, new))):
        nodes.ended = [(2, "signal 9")]
        for part in (TRACEBACK[:20], TRACEBACK):
            nodes.paths[1].write_text(part)
            watch.check()
        nodes.paths[1].write_text(TRACEBACK + "on\n")
        watch.check()
    assert len(node_events(tmp_path)) < 2
