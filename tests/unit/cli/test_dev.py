"""dev: how a cluster is laid out on disk and on ports, and what it refuses to touch."""

import json
import socket

import pytest

from minikafka.cli.dev import Layout, LayoutError
from minikafka.cli.main import main
from minikafka.config.node_config import ConfigErrors


@pytest.fixture
def home(tmp_path):
    return tmp_path / "cluster"


def test_ports_rise_and_the_first_node_has_the_vote(home):
    layout = Layout(home, 3, 19092, {})
    assert layout.bootstrap_servers == "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094"
    first, second = layout.config(1), layout.config(2)
    assert (first.is_controller, second.is_controller) == (True, False)
    assert [voter.node_id for voter in second.voters] == [1]
    assert first.controller_listeners[0].port == 19192


@pytest.mark.parametrize(("nodes", "factor"), [(1, "1"), (2, "2"), (3, "3"), (5, "3")])
def test_replication_factors_fit_the_cluster(home, nodes, factor):
    values = Layout(home, nodes, 19092, {}).values(nodes)
    assert values["default.replication.factor"] == factor
    assert values["offsets.topic.replication.factor"] == factor
    assert "min.insync.replicas" not in values


def test_values_that_are_given_win(home):
    layout = Layout(home, 3, 19092, {"default.replication.factor": "1"})
    assert layout.values(2)["default.replication.factor"] == "1"


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("127.0.0.1:9400", ["127.0.0.1:9400", "127.0.0.1:9401", "127.0.0.1:9402"]),
        ("127.0.0.1:0", ["127.0.0.1:0"] * 3),
        ("[::1]:9400", ["[::1]:9400", "[::1]:9401", "[::1]:9402"]),
    ],
)
def test_every_node_has_a_metrics_port_of_its_own(home, given, shown):
    layout = Layout(home, 3, 19092, {"metrics.http.listen": given})
    assert [layout.values(node)["metrics.http.listen"] for node in layout.nodes] == shown


def test_what_was_laid_out_is_used_again(home):
    Layout(home, 2, 19092, {}).prepare()
    known = json.loads((home / "cluster.json").read_text())
    Layout(home, 2, 29092, {"min.insync.replicas": "2"}).prepare()
    assert json.loads((home / "cluster.json").read_text()) == known
    assert "min.insync.replicas=2" in (home / "node-2" / "server.properties").read_text()
    assert (home / "node-1" / "data" / "meta.properties").exists()


def test_another_size_and_other_files_are_left_alone(home):
    Layout(home, 2, 19092, {}).prepare()
    with pytest.raises(LayoutError, match="holds a cluster of 2 nodes, not of 3"):
        Layout(home, 3, 19092, {}).prepare()
    (home / "cluster.json").unlink()
    with pytest.raises(LayoutError, match="neither empty nor a cluster"):
        Layout(home, 2, 19092, {}).prepare()


def test_a_directory_whose_cluster_runs_is_left_alone(home, monkeypatch):
    Layout(home, 1, 19092, {}).prepare()
    before = (home / "node-1" / "server.properties").read_text()
    monkeypatch.chdir(home)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as owner:
        owner.bind("control.sock")
        owner.listen()
        with pytest.raises(LayoutError, match="runs in .* already"):
            Layout(home, 1, 29092, {}).prepare()
    assert (home / "node-1" / "server.properties").read_text() == before
    # What an owner left behind that was killed is no owner.
    Layout(home, 1, 29092, {}).prepare()


def test_a_value_that_does_not_work_leaves_nothing_behind(home):
    with pytest.raises(ConfigErrors):
        Layout(home, 1, 19092, {"broker.session.timeout.ms": "soon"}).prepare()
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nodes", "0"], "at least one node"),
        (["--nodes", "101"], "at most 100"),
        (["--base-port", "0"], "out of range"),
        (["--base-port", "65500"], "out of range"),
        (["--config", "nonsense"], "is no KEY=VALUE"),
        (["--config", "min.insync.replica=1"], "min.insync.replicas"),
    ],
)
def test_refusals_name_what_is_wrong(home, arguments, words, capsys):
    assert main(["dev", "--dir", str(home), *arguments]) == 2
    assert words in capsys.readouterr().err
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["kil", "2"], "dev kil: one of kill, stop, start, pause, resume"),
        (["kill", "two"], "dev kill two: is no node's number"),
    ],
)
def test_an_action_that_is_none_is_named(home, arguments, words, capsys):
    assert main(["dev", *arguments, "--dir", str(home)]) == 2
    assert words in capsys.readouterr().err


def test_an_option_that_does_not_exist_is_named_and_not_its_value(home, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["dev", "--nods", "3", "--dir", str(home)])
    assert "unrecognized arguments: --nods" in capsys.readouterr().err


@pytest.mark.parametrize("action", ["kill", "start", "pause"])
def test_actions_need_a_node_and_a_cluster_that_runs(home, action, capsys):
    assert main(["dev", action, "--dir", str(home)]) == 2
    assert "which node?" in capsys.readouterr().err
    assert main(["dev", action, "1", "--dir", str(home)]) == 1
    assert "no cluster runs in" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "7", '{"nodes": 3}', '{"cluster.id": 5, "nodes": "three"}']
)
def test_a_broken_cluster_file_is_one_line(tmp_path, capsys, content):
    home = tmp_path / "home"
    home.mkdir()
    (home / "cluster.json").write_text(content)
    assert main(["dev", "--dir", str(home)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "cluster.json cannot be read" in line
