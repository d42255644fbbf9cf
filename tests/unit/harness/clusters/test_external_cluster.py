"""Issue 51: a cluster that the run did not start is broken by commands."""

import shlex
import socket
import sys
import time

import pytest

from minikafka.harness.clusters.external_cluster import (
    CommandNetwork,
    ExternalCluster,
    NodeCommands,
    require_brokers,
)
from minikafka.harness.clusters.network import OUTSIDE, NotDoneError
from minikafka.harness.plan.commands import TEMPLATES
from minikafka.harness.plan.settings import HarnessError

NOTE = "import sys; open(sys.argv[1], 'a').write(' '.join(sys.argv[2:]) + '\\n')"
FAILS_FOR_2 = "import sys; print('why\\nbecause\\n', file=sys.stderr); sys.exit(sys.argv[1] == '2')"


def python(code, *words):
    return f"{shlex.join([sys.executable, '-c', code])} {' '.join(words)}"


@pytest.fixture
def marks(tmp_path):
    return tmp_path / "marks"


@pytest.fixture
def templates(marks):
    """Every template notes its name and nodes."""
    return {
        name: python(NOTE, str(marks), name, *(f"{{{word}}}" for word in template.placeholders))
        for name, template in TEMPLATES.items()
    }


@pytest.fixture
def theirs(tmp_path, templates):
    return ExternalCluster("h:1", tmp_path / "log", templates)


def test_nodes_are_broken_and_healed_by_commands(theirs, marks):
    assert theirs.name == "the cluster at h:1"
    theirs.kill(4, 5)
    theirs.start(4)
    theirs.stop(1)
    theirs.pause(2)
    theirs.resume(2)
    theirs.restart(3)
    done = ["kill 4", "kill 5", "start 4", "stop 1", "pause 2", "resume 2", "restart 3"]
    assert marks.read_text().splitlines() == done
    assert theirs.close() == ""


def test_a_link_is_cut_once_for_several_faults(theirs, marks):
    network = theirs.network
    network.cut(1, 2)
    network.cut(2, 1)
    network.cut(1, 2)
    network.join(1, 2)
    network.join(1, 2)
    network.join(2, 1)
    assert marks.read_text().splitlines() == ["cut 1 2", "cut 2 1", "heal 1 2", "heal 2 1"]


def test_commands_cut_no_clients_and_delay_nothing(theirs):
    with pytest.raises(NotDoneError, match="cuts only nodes"):
        theirs.network.cut(OUTSIDE, 1)
    with pytest.raises(NotDoneError, match="no command can do this"):
        theirs.network.shape(1, "loss", 5)
    assert sorted(theirs.network.cannot) == ["bandwidth", "loss", "slow-node"]


@pytest.mark.parametrize(
    ("given", "at_once"),
    [({"stop", "start"}, False), ({"restart"}, True), ({"stop", "start", "restart"}, False)],
)
def test_nodes_are_restarted_at_once_if_they_cannot_stay_down(given, at_once, tmp_path, templates):
    chosen = {name: it for name, it in templates.items() if name in given}
    cluster = ExternalCluster("h:1", tmp_path / "log", chosen)
    assert cluster.restarts_at_once == at_once
    assert cluster.network is None


def test_a_cluster_without_commands_cannot_be_broken(tmp_path):
    cluster = ExternalCluster("h:1", tmp_path / "log")
    for name in ("kill", "start", "stop", "restart", "pause", "resume"):
        with pytest.raises(NotDoneError, match=f"no --{name}-command was given"):
            getattr(cluster, name)(1)
    with pytest.raises(NotDoneError, match="this run did not start"):
        cluster.cut_power(1)


def test_a_command_that_fails_is_named_with_its_last_line(tmp_path, templates, marks):
    """What was done before is undone, and so is the command that failed."""
    cluster = ExternalCluster(
        "h:1", tmp_path / "log", {**templates, "kill": python(FAILS_FOR_2, "{node}")}
    )
    with pytest.raises(HarnessError, match="2 exited with status 1: because$"):
        cluster.kill(1, 2, 3)
    assert marks.read_text().splitlines() == ["start 1", "start 2"]


def test_a_cut_that_fails_is_healed(tmp_path, templates, marks):
    commands = {**templates, "cut": python(FAILS_FOR_2, "{node}", "{other}")}
    network = CommandNetwork(NodeCommands(commands, tmp_path / "log"))
    with pytest.raises(HarnessError, match="exited with status 1: because$"):
        network.cut(2, 1)
    assert marks.read_text().splitlines() == ["heal 2 1"]


def test_healing_goes_on_after_a_failure(tmp_path, templates, marks):
    start = f"{python(FAILS_FOR_2, '{node}')}"
    cluster = ExternalCluster("h:1", tmp_path / "log", {**templates, "start": start})
    with pytest.raises(HarnessError, match="2 exited with status 1: because$"):
        cluster.start(2, 3)
    assert len(list(tmp_path.glob("start-command-*.log"))) == 2


def test_a_command_that_takes_too_long_is_killed(tmp_path):
    waits = "import sys, time; print('waiting', file=sys.stderr, flush=True); time.sleep(60)"
    commands = NodeCommands({"kill": python(waits, "{node}")}, tmp_path / "log", timeout_s=1.0)
    began_s = time.monotonic()
    with pytest.raises(HarnessError, match="took longer than 1 s: waiting$"):
        commands.run("kill", node=1)
    assert time.monotonic() - began_s < 10


def test_a_command_that_is_gone_is_an_error(tmp_path):
    cluster = ExternalCluster("h:1", tmp_path / "log", {"kill": str(tmp_path / "gone {node}")})
    with pytest.raises(HarnessError, match="gone"):
        cluster.kill(1)


def test_a_node_that_a_command_starts_does_not_hold_the_run_up(tmp_path):
    """It inherits the files of the command."""
    starts = "import subprocess; subprocess.Popen(['sleep', '3'])"
    commands = NodeCommands({"start": python(starts, "{node}")}, tmp_path / "log")
    began_s = time.monotonic()
    commands.run("start", node=1)
    assert time.monotonic() - began_s < 2


def test_a_cluster_that_accepts_connections_and_does_not_answer_is_named():
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(HarnessError, match="accepts connections, but does not answer: "):
            require_brokers(address, timeout_s=0.5)
