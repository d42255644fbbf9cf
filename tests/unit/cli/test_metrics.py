"""minikafka metrics: every node side by side."""

import argparse
import json

import pytest

from minikafka.admin.metrics import NodeAddress, NodeMetrics, Value
from minikafka.cli import metrics
from minikafka.commands import metrics as metrics_command

NODES = [
    NodeMetrics(1, "broker", [Value("a_b", {}, 1.0), Value("c", {"topic": "t"}, 2.5)]),
    NodeMetrics(2, "broker", [], "serves no metrics"),
    NodeMetrics(100, "controller", [Value("a_b", {}, 3.0)]),
]
TABLE = 'metric\tnode 1\tnode 100\na_b\t1\t3\nc{topic="t"}\t2.5\t\n'
PROBLEM = "node 2 (broker): serves no metrics\n"


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the tool; returns status, standard output, standard error."""
    by_id = {node.node_id: node for node in NODES}
    found = [NodeAddress(node.node_id, "h", 1, node.role) for node in NODES]
    monkeypatch.setattr(metrics_command, "nodes_by_broker", lambda _: found)
    monkeypatch.setattr(metrics_command, "nodes_by_controller", lambda _: found[2:])
    monkeypatch.setattr(
        metrics_command, "read_metrics", lambda nodes, *_: [by_id[node.node_id] for node in nodes]
    )

    def ran(*words, server="--bootstrap-server"):
        parser = argparse.ArgumentParser()
        metrics.add_arguments(parser)
        status = metrics.run(parser.parse_args([server, "127.0.0.1:1", *words]))
        output = capsys.readouterr()
        return status, output.out, output.err

    return ran


def test_a_column_for_each_node_and_a_line_for_each_that_tells_nothing(run):
    assert run() == (0, TABLE, PROBLEM)


def test_controllers_alone(run):
    assert run(server="--bootstrap-controller") == (0, "metric\tnode 100\na_b\t3\n", "")


def test_nodes_and_metrics_can_be_chosen(run):
    assert run("--node", "1", "--match", "TOPIC=") == (0, 'metric\tnode 1\nc{topic="t"}\t2.5\n', "")


def test_no_node_that_tells_anything_is_a_failure(run):
    assert run("--node", "2") == (1, "", PROBLEM)


def test_a_node_that_is_not_there_is_named(run):
    assert run("--node", "7") == (1, "", "--node 7: the cluster has nodes 1, 2, 100\n")


def test_json(run):
    status, out, _ = run("--json", "--match", "^c")
    assert (status, json.loads(out)) == (
        0,
        {"1": [{"name": "c", "labels": {"topic": "t"}, "value": 2.5}], "100": []},
    )


def test_in_a_terminal_it_is_a_table(run, monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    _, out, _ = run("--match", "a_b")
    assert "│" in out
    assert "node 100" in out


@pytest.mark.parametrize(
    "words",
    [[], ["--bootstrap-server", "a:1", "--bootstrap-controller", "b:1"],
     ["--bootstrap-server", "a:1", "--match", "("]],
)  # fmt: skip
def test_a_wrong_command_line_is_refused(words):
    parser = argparse.ArgumentParser()
    metrics.add_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(words)
