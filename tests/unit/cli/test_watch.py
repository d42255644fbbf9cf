"""minikafka watch: one look, many looks, and how it ends."""

import argparse
import time

import pytest

from minikafka.cli import watch
from minikafka.cli.main import main
from minikafka.commands import connection
from tests.worlds.admin_world import SimAdmin
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster


@pytest.fixture
def cluster(monkeypatch):
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1, 2]])
    cluster.world.run(2_000)
    monkeypatch.setattr(connection, "AdminClient", lambda *_args, **_more: SimAdmin(cluster))
    return cluster


def run(*words):
    parser = argparse.ArgumentParser()
    watch.add_arguments(parser)
    return watch.run(parser.parse_args(["--bootstrap-server", "n1:9092", *words]))


def test_one_look(cluster, capsys):
    produce(cluster.client(), "t", b"a")
    cluster.world.run(2_000)
    assert run("--once", "--topic", "t") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("brokers 1,2; 1 partition, 0 of them")
    assert lines[2].split() == ["t-0", "1", "0", "1,2", "-", "-", "1", "1:1", "2:1", "-"]
    assert len(lines) == 3


def test_a_topic_that_is_not_there_is_one_line(cluster, capsys):
    assert run("--once", "--topic", "nowhere") == 1
    out, err = capsys.readouterr()
    assert (out, err) == (
        "",
        "topic nowhere cannot be described: UNKNOWN_TOPIC_OR_PARTITION\n",
    )
    assert registration(cluster, "nowhere") is None


def test_an_unreachable_server_is_one_line(capsys, monkeypatch):
    monkeypatch.setattr(watch, "_TIMEOUT_MS", 1)
    status = main(["watch", "--bootstrap-server", "127.0.0.1:1", "--once"])
    out, err = capsys.readouterr()
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "no answer from 127.0.0.1:1" in err


def test_looks_go_on_until_ctrl_c(cluster, capsys, monkeypatch):
    """Not in a terminal: a line for each change; a cluster that is silent for a while is borne."""
    looks = []

    def wait(seconds):
        looks.append(seconds)
        if len(looks) == 1:
            cluster.nodes[2].kill()
            cluster.world.run_until(
                lambda: registration(cluster, "t").isr == (1,), 60_000, "2 is out"
            )
            cluster.world.run(3_000)
        elif len(looks) == 2:
            cluster.nodes[1].kill()
        elif len(looks) == 3:
            cluster.nodes[1].start()
            cluster.world.run_until(
                lambda: cluster.nodes[1].started and registration(cluster, "t").leader == 1,
                60_000,
                "1 is back",
            )
            cluster.world.run(3_000)
        else:
            raise KeyboardInterrupt

    monkeypatch.setattr(time, "sleep", wait)
    assert run("--interval", "0.25") == 0
    out, err = capsys.readouterr()
    said = [line.partition(" ")[2] for line in out.splitlines()[3:]]
    assert said[:2] == ["broker 2 is gone", "t-0: 2 left the ISR"]
    assert [line for line in said[2:] if line.startswith("t-0: leader 1 stays, leader epoch ")]
    assert "no answer from n1" in err
    assert looks == [0.25] * 4


@pytest.mark.parametrize("interval", ["0", "-1", "4000", "x"])
def test_an_interval_that_makes_no_sense_is_refused(interval, capsys):
    with pytest.raises(SystemExit) as ended:
        main(["watch", "--bootstrap-server", "h:1", "--interval", interval])
    assert ended.value.code == 2
    assert "--interval" in capsys.readouterr().err
