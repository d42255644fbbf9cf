"""dev: how a cluster is laid out on disk and on ports, and what it refuses to touch."""

import errno
import json
import socket

import pytest

from minikafka.cli import dev
from minikafka.cli.main import main
from minikafka.config.node_config import ConfigErrors
from minikafka.dev import logs, place
from minikafka.dev.layout import Layout, LayoutError
from minikafka.raft.snapshots import SnapshotId, read_snapshot
from minikafka.server import format as formatting
from minikafka.server.os_disk import OsDisk
from minikafka.testing.base_ports import free_base_port


@pytest.fixture
def home(tmp_path):
    return tmp_path / "cluster"


@pytest.fixture
def port():
    """A base port whose ports are free: `prepare` refuses those of a cluster that runs."""
    return free_base_port(3)


@pytest.fixture
def listening():
    """A port that another process listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


def test_ports_rise(home):
    layout = Layout(home, 3, 19092, {})
    assert layout.bootstrap_servers == "127.0.0.1:19092,127.0.0.1:19093,127.0.0.1:19094"
    ports = [layout.config(each).controller_listeners[0].port for each in layout.nodes]
    assert ports == [19293, 19294, 19295]


@pytest.mark.parametrize(("nodes", "voters"), [(1, 1), (2, 1), (3, 3), (5, 3)])
def test_three_nodes_vote_where_there_are_three(home, nodes, voters):
    layout = Layout(home, nodes, 19092, {})
    configs = [layout.config(each) for each in layout.nodes]
    assert list(layout.voters) == list(range(1, voters + 1))
    assert [each.node_id for each in configs if each.is_controller] == list(layout.voters)
    addresses = tuple(("127.0.0.1", 19292 + each) for each in layout.voters)
    # The quorum is dynamic: nodes know where to ask, and the log has the voters.
    assert all(each.bootstrap_servers == addresses and not each.voters for each in configs)


def test_the_voters_of_a_cluster_are_drawn_once_and_formatted_into_each(home):
    Layout(home, 3, 19092, {}).prepare()
    drawn = json.loads((home / "cluster.json").read_text())
    assert list(drawn["voters"]) == ["1", "2", "3"]
    for node in (1, 2, 3):
        properties = (home / f"node-{node}" / "data" / "meta.properties").read_text()
        assert f"directory.id={drawn['voters'][str(node)]}" in properties
        disk = OsDisk(str(home / f"node-{node}" / "data"))
        snapshot = read_snapshot(disk, "__cluster_metadata-0/" + SnapshotId(0, 0).file_name)
        found = {key: str(each.directory_id) for key, each in snapshot.voters.voters.items()}
        assert found == {int(key): value for key, value in drawn["voters"].items()}
        assert snapshot.kraft_version == 1
    Layout(home, 3, 19092, {}).prepare()
    assert json.loads((home / "cluster.json").read_text()) == drawn


def test_brokers_have_a_listener_of_their_own(home):
    layout = Layout(home, 3, 19092, {})
    found = [
        (config.inter_broker_listener_name, [str(each) for each in config.broker_listeners])
        for config in map(layout.config, layout.nodes)
    ]
    assert found[1:] == [
        ("INTERNAL", ["PLAINTEXT://127.0.0.1:19093", "INTERNAL://127.0.0.1:19194"]),
        ("INTERNAL", ["PLAINTEXT://127.0.0.1:19094", "INTERNAL://127.0.0.1:19195"]),
    ]


def test_listeners_that_are_given_are_all(home):
    given = {"listeners": "PLAINTEXT://127.0.0.1:9,CONTROLLER://127.0.0.1:10",
             "advertised.listeners": "PLAINTEXT://127.0.0.1:9"}  # fmt: skip
    config = Layout(home, 1, 19092, given).config(1)
    assert config.inter_broker_listener_name == "PLAINTEXT"
    assert [each.name for each in config.listeners] == ["PLAINTEXT", "CONTROLLER"]


def test_every_port_that_is_in_use_is_named_before_anything_is_written(home, listening):
    layout = Layout(home, 2, listening, {})
    with pytest.raises(LayoutError) as caught:
        layout.prepare()
    # Another process may have taken ports of this range, too.
    assert str(caught.value).startswith(f"in use: PLAINTEXT://127.0.0.1:{listening} of node 1")
    assert str(caught.value).endswith("; choose another base port")
    assert not home.exists()


def test_two_ports_that_are_in_use_are_both_named(home, listening):
    with socket.create_server(("127.0.0.1", 0)) as other:
        second = other.getsockname()[1]
        given = {
            "listeners": f"PLAINTEXT://127.0.0.1:{listening},CONTROLLER://127.0.0.1:{second}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{listening}",
        }
        with pytest.raises(LayoutError, match=f"{listening} of node 1, .*{second} of node 1"):
            Layout(home, 1, 19092, given).prepare()


def test_a_start_that_was_cut_short_can_be_repeated(home, port, monkeypatch):
    def formatted(config, *args, **kwargs):
        if config.node_id == 2:
            raise OSError(28, "No space left on device")
        return whole(config, *args, **kwargs)

    whole = formatting.format_node
    monkeypatch.setattr(formatting, "format_node", formatted)
    with pytest.raises(OSError, match="No space left"):
        Layout(home, 2, port, {}).prepare()
    monkeypatch.undo()
    Layout(home, 2, port, {}).prepare()
    cluster_id = json.loads((home / "cluster.json").read_text())["cluster.id"]
    for node in (1, 2):
        identity = (home / f"node-{node}" / "data" / "meta.properties").read_text()
        assert f"cluster.id={cluster_id}\n" in identity


@pytest.mark.parametrize("content", ["", "{", '{"cluster.id": "a'])
def test_a_start_that_was_killed_as_it_named_the_cluster_can_be_repeated(home, port, content):
    home.mkdir()
    (home / "cluster.json.new").write_text(content)
    Layout(home, 1, port, {}).prepare()
    assert json.loads((home / "cluster.json").read_text())["nodes"] == 1


def test_a_start_that_was_killed_before_its_last_step_can_be_repeated(home, port):
    Layout(home, 1, port, {}).prepare()
    named = (home / "cluster.json").read_text()
    (home / "cluster.json").rename(home / "cluster.json.new")
    (home / "cluster.json.whole").write_text(named[:9])
    Layout(home, 1, port, {}).prepare()
    assert (home / "cluster.json").read_text() == named
    assert sorted(path.name for path in home.iterdir()) == ["cluster.json", "node-1"]


@pytest.mark.parametrize("under", ["", "below"])
def test_a_file_in_place_of_the_directory_is_one_line(tmp_path, capsys, port, under):
    file = tmp_path / "file"
    file.write_text("mine")
    assert main(["dev", "--dir", str(file / under), "--base-port", str(port)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert str(file) in line
    assert "Errno" not in line
    assert file.read_text() == "mine"


@pytest.mark.parametrize(("nodes", "factor"), [(1, "1"), (2, "2"), (3, "3"), (5, "3")])
def test_replication_factors_fit_the_cluster(home, nodes, factor):
    values = Layout(home, nodes, 19092, {}).values(nodes)
    assert values["default.replication.factor"] == factor
    assert values["offsets.topic.replication.factor"] == factor
    assert values["transaction.state.log.replication.factor"] == factor
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


def test_what_was_laid_out_is_used_again(home, port):
    Layout(home, 2, port, {}).prepare()
    known = json.loads((home / "cluster.json").read_text())
    Layout(home, 2, port + 1, {"min.insync.replicas": "2"}).prepare()
    assert json.loads((home / "cluster.json").read_text()) == known
    assert "min.insync.replicas=2" in (home / "node-2" / "server.properties").read_text()
    assert (home / "node-1" / "data" / "meta.properties").exists()


def test_another_size_and_other_files_are_left_alone(home, port):
    Layout(home, 2, port, {}).prepare()
    with pytest.raises(LayoutError, match="holds a cluster with --nodes 2, not --nodes 3"):
        Layout(home, 3, port, {}).prepare()
    (home / "cluster.json").unlink()
    with pytest.raises(LayoutError, match="neither empty nor a cluster"):
        Layout(home, 2, port, {}).prepare()


def test_a_directory_whose_cluster_runs_is_left_alone(home, port, monkeypatch):
    Layout(home, 1, port, {}).prepare()
    before = (home / "node-1" / "server.properties").read_text()
    monkeypatch.chdir(home)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as owner:
        owner.bind("control.sock")
        owner.listen()
        with pytest.raises(LayoutError, match="is already running in"):
            Layout(home, 1, port + 1, {}).prepare()
    assert (home / "node-1" / "server.properties").read_text() == before
    # What an owner left behind that was killed is no owner.
    Layout(home, 1, port + 1, {}).prepare()


def test_a_value_that_does_not_work_leaves_nothing_behind(home):
    with pytest.raises(ConfigErrors):
        Layout(home, 1, 19092, {"broker.session.timeout.ms": "soon"}).prepare()
    assert not home.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--nodes", "0"], "at least one node"),
        (["--nodes", "101"], "at most 100"),
        (["--base-port", "70000"], "out of range"),
        (["--base-port", "65500"], "out of range"),
        (["--config", "nonsense"], "expected KEY=VALUE"),
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
        (
            ["kil", "2"],
            "slow, clock, full-disk, slow-disk, heal; did you mean kill?",
        ),
        (["kill", "two"], "dev kill two: not a node id"),
    ],
)
def test_an_action_that_is_none_is_named(home, arguments, words, capsys):
    assert main(["dev", *arguments, "--dir", str(home)]) == 2
    assert words in capsys.readouterr().err


@pytest.mark.parametrize("with_dir", [True, False])
def test_an_option_that_does_not_exist_is_named_and_not_its_value(home, with_dir, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["dev", "--nods", "3", *(["--dir", str(home)] if with_dir else [])])
    assert "unrecognized arguments: --nods" in capsys.readouterr().err


@pytest.fixture
def state(tmp_path, monkeypatch):
    """The folder of minikafka in the user's state folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state" / "minikafka"


@pytest.fixture
def started(monkeypatch):
    """The layouts of the clusters that would have run."""
    found = []
    monkeypatch.setattr(dev, "_supervise", lambda layout, **_: found.append(layout) or 0)
    return found


def test_without_a_directory_it_is_in_the_state_folder(state, started, port, capsys):
    assert main(["dev", "--base-port", str(port)]) == 0
    (layout,) = started
    assert layout.directory == state / "dev"
    assert f"directory={state / 'dev'}\n" in capsys.readouterr().out


def test_three_brokers_and_a_separate_controller_are_usual(state, started, port):
    assert main(["dev", "--base-port", str(port)]) == 0
    (layout,) = started
    assert list(layout.all_nodes) == [1, 2, 3, 101]
    assert layout.values(101)["process.roles"] == "controller"
    assert layout.values(101)["listeners"] == f"CONTROLLER://127.0.0.1:{port + 100}"
    assert {layout.values(node)["process.roles"] for node in (1, 2, 3)} == {"broker"}
    assert layout.values(1)["min.insync.replicas"] == "2"


def test_one_node_is_its_own_controller(home, started, port):
    assert main(["dev", "--dir", str(home), "--nodes", "1", "--base-port", str(port)]) == 0
    (layout,) = started
    assert list(layout.all_nodes) == list(layout.voters) == [1]
    assert "min.insync.replicas" not in layout.values(1)


def test_a_directory_keeps_its_options(home, started, port):
    given = ["--nodes", "2", "--voters", "1", "--base-port", str(port)]
    assert main(["dev", "--dir", str(home), *given]) == 0
    assert main(["dev", "--dir", str(home)]) == 0
    former, layout = started
    assert (layout.nodes, layout.voters) == (former.nodes, former.voters)
    assert layout.base_port == port


def test_free_ports_are_taken_and_kept(home, started, capsys):
    for _ in range(2):
        assert main(["dev", "--dir", str(home), "--nodes", "1", "--base-port", "0"]) == 0
    first, second = started
    assert first.base_port == second.base_port > 0
    assert f"bootstrap.servers=127.0.0.1:{first.base_port}\n" in capsys.readouterr().out


def test_a_temporary_directory_is_removed_and_so_is_one_that_was_left(state, started, port):
    left = state / "ephemeral-left"
    left.mkdir(parents=True)
    (left / "owner.lock").touch()
    assert main(["dev", "--ephemeral", "--nodes", "1", "--base-port", str(port)]) == 0
    (layout,) = started
    assert layout.directory.parent.parent == state
    assert list(state.iterdir()) == []


def test_too_few_open_files_are_an_error_at_once(home, monkeypatch, capsys):
    monkeypatch.setattr(place.resource, "getrlimit", lambda _: (64, 64))
    assert main(["dev", "--dir", str(home)]) == 2
    assert capsys.readouterr().err == (
        "a node may open 64 files, too few for the connections of 3 nodes; see ulimit -n\n"
    )
    assert not home.exists()


def test_a_machine_without_loopback_is_an_error_at_once(home, monkeypatch, capsys):
    def connect(*_, **__):
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(place.socket, "create_connection", connect)
    assert main(["dev", "--dir", str(home)]) == 2
    assert capsys.readouterr().err == (
        "127.0.0.1: Network is unreachable; is the loopback interface up?\n"
    )


@pytest.mark.parametrize(
    ("given", "listener", "told"),
    [
        (["--host", "::1"], "[::1]", "[::1]"),
        (["--host", "0.0.0.0", "--advertised-host", "my.host"], "0.0.0.0", "my.host"),
        (["--advertised-host", "my.host"], "127.0.0.1", "my.host"),
    ],
)
def test_clients_on_other_hosts(home, started, port, capsys, given, listener, told):
    given = [*given, "--nodes", "2", "--base-port", str(port)]
    assert main(["dev", "--dir", str(home), *given]) == 0
    (layout,) = started
    values = layout.values(2)
    internal = f"INTERNAL://127.0.0.1:{port + 102}"
    assert values["listeners"] == f"PLAINTEXT://{listener}:{port + 1},{internal}"
    assert values["advertised.listeners"] == f"PLAINTEXT://{told}:{port + 1},{internal}"
    assert f"bootstrap.servers={told}:{port},{told}:{port + 1}\n" in capsys.readouterr().out
    local = "[::1]" if listener == "[::1]" else "127.0.0.1"
    assert layout.local_servers == f"{local}:{port},{local}:{port + 1}"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            ["--host", "0.0.0.0"],
            "--host '0.0.0.0': clients cannot connect to it; add --advertised-host, ",
        ),
        (["--host", "[::1]"], "--host '[::1]': expected a name or an address alone: no port, br"),
        (
            ["--advertised-host", "::"],
            "--advertised-host '::': clients cannot connect to it; give ",
        ),
    ],
)
def test_a_host_that_clients_cannot_reach(home, capsys, given, said):
    assert main(["dev", "--dir", str(home), *given]) == 2
    assert capsys.readouterr().err.startswith(said)
    assert not home.exists()


def test_a_feature_has_its_own_option(home, started, port, capsys):
    given = ["--dir", str(home), "--nodes", "1", "--base-port", str(port)]
    off = "eligible.leader.replicas.version=0"
    assert main(["dev", *given, "--config", off]) == 2
    assert capsys.readouterr().err == (
        f"--config {off}: is a feature; give it as --feature {off}\n"
    )
    assert main(["dev", *given, "--feature", "eligible.leader.replicas.version=2"]) == 2
    assert "level 2 is not supported; allowed: 0 to 1" in capsys.readouterr().err
    assert main(["dev", *given, "--feature", off]) == 0
    assert started[0].levels["eligible.leader.replicas.version"] == 0
    assert main(["dev", *given, "--feature", off]) == 2
    assert "the cluster exists" in capsys.readouterr().err


def test_reset_removes_the_cluster_and_leaves_files_of_others(home, started, port, capsys):
    main(["dev", "--dir", str(home), "--nodes", "1", "--base-port", str(port)])
    (home / "mine.txt").touch()
    assert main(["dev", "reset", "--dir", str(home)]) == 0
    assert list(home.iterdir()) == [home / "mine.txt"]
    assert main(["dev", "reset", "--dir", str(home)]) == 2
    assert capsys.readouterr().err == f"there is no cluster in {home}\n"


def test_logs_are_merged_by_time(home, capsys):
    home.mkdir()
    (home / "node-1.log").write_text("2026-11-27 10:00:00,100 a\n2026-11-27 10:00:02,000 c\nmore\n")
    (home / "node-2.log").write_text("2026-11-27 10:00:01,000 b\n")
    assert main(["dev", "logs", "--dir", str(home)]) == 0
    assert [line[-1] for line in capsys.readouterr().out.splitlines()] == ["a", "b", "c", "e"]
    assert main(["dev", "logs", "2", "--dir", str(home)]) == 0
    assert capsys.readouterr().out == "2026-11-27 10:00:01,000 b\n"
    assert main(["dev", "logs", "3", "--dir", str(home)]) == 1
    assert capsys.readouterr().err == f"there is no log of node 3 in {home}\n"


@pytest.mark.parametrize("arguments", [["-f", "2"], ["2", "-f"]])
def test_new_lines_of_one_log_are_followed(home, capsys, monkeypatch, arguments):
    home.mkdir()
    for node in (1, 2):
        (home / f"node-{node}.log").write_text(f"of {node}\n")

    def append(_):
        if (home / "node-2.log").read_text().endswith("later\n"):
            raise KeyboardInterrupt
        for node in (1, 2):
            with (home / f"node-{node}.log").open("a") as log:
                log.write(f"{node} later\n")

    monkeypatch.setattr(logs.time, "sleep", append)
    assert main(["dev", "logs", *arguments, "--dir", str(home)]) == 130
    assert capsys.readouterr().out == "of 2\n2 later\n"


def test_each_action_has_its_own_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["dev", "kill", "--help"])
    out = capsys.readouterr().out
    assert out.startswith("usage: minikafka dev kill [-h] [--dir DIR] NODE\n")
    assert "--base-port" not in out


@pytest.mark.parametrize("action", ["kill", "start", "pause"])
def test_actions_need_a_node_and_a_cluster_that_runs(home, action, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["dev", action, "--dir", str(home)])
    assert "give the node's id" in capsys.readouterr().err
    for arguments in ([action, "1", "--dir", str(home)], ["--dir", str(home), action, "1"]):
        assert main(["dev", *arguments]) == 1
        assert capsys.readouterr().err.endswith("; start one: minikafka dev\n")


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
