import socket
import sys

import pytest

from minikafka.harness import cluster
from minikafka.harness.cluster import DevCluster, ExternalCluster, free_port_range, last_lines
from minikafka.harness.settings import HarnessError, RunSettings

# Stands in for `minikafka dev`: the same words, and a note of every command in DIR/calls.
FAKE_DEV = """
import pathlib, signal, sys
arguments = sys.argv[1:]
folder = pathlib.Path(arguments[arguments.index("--dir") + 1])
folder.mkdir(exist_ok=True)
with (folder / "calls").open("a") as calls:
    calls.write(" ".join(a for a in arguments if a != str(folder)) + chr(10))
if "--nodes" in arguments:
    if "die=1" in arguments:
        sys.exit("the disk is full")
    print("bootstrap.servers=127.0.0.1:1,127.0.0.1:2", flush=True)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(3 if "bad.end=1" in arguments else 0))
    print("ready", flush=True)
    signal.pause()
elif arguments[1] == "9":
    sys.exit("no node 9")
"""


@pytest.fixture
def dev(tmp_path, monkeypatch):
    script = tmp_path / "fake_dev.py"
    script.write_text(FAKE_DEV)
    monkeypatch.setattr(cluster, "_DEV", (sys.executable, str(script)))

    def start(*config):
        settings = RunSettings(nodes=2, base_port=29999, cluster_config=config)
        return DevCluster(settings, tmp_path / "dir", tmp_path / "log")

    return start


def calls(tmp_path):
    return (tmp_path / "dir" / "calls").read_text().splitlines()


def test_a_cluster_of_our_own_is_started_broken_and_shut_down(dev, tmp_path):
    ours = dev("a.b=c")
    ours.wait_ready()
    assert ours.bootstrap_servers == "127.0.0.1:1,127.0.0.1:2"
    assert ours.name.startswith("minikafka dev --nodes 2, broker.session.timeout.ms=")
    assert ours.name.endswith(", a.b=c")
    ours.kill(2)
    ours.start(2)
    assert ours.close() == ""
    started, kill, start = calls(tmp_path)
    assert started.startswith("--nodes 2 --dir --base-port 29999 --config ")
    assert started.endswith(" --config a.b=c")
    assert (kill, start) == ("kill 2 --dir", "start 2 --dir")


def test_a_cluster_that_ends_before_it_is_ready_shows_its_last_words(dev):
    ours = dev("die=1")
    with pytest.raises(HarnessError, match=r"minikafka dev ended; (.|\n)*the disk is full"):
        ours.wait_ready()
    assert "ended with status 1" in ours.close()


def test_a_command_that_fails_is_an_error_that_names_it(dev):
    ours = dev()
    ours.wait_ready()
    with pytest.raises(HarnessError, match=r"kill 9 --dir .* ended with status 1"):
        ours.kill(9)
    ours.close()


def test_a_shutdown_that_is_not_clean_is_told(dev):
    ours = dev("bad.end=1")
    ours.wait_ready()
    assert "ended with status 3" in ours.close()


def test_another_cluster_is_broken_by_the_commands_given(tmp_path):
    marks = tmp_path / "marks"
    note = f"{sys.executable} -c 'import sys; open(sys.argv[1], \"a\").write(sys.argv[2])' {marks}"
    theirs = ExternalCluster("h:1", tmp_path / "log", f"{note} k{{node}}", f"{note} s{{node}}")
    assert theirs.can_break
    assert theirs.name == "the cluster at h:1"
    theirs.kill(4)
    theirs.start(4)
    assert marks.read_text() == "k4s4"
    assert theirs.close() == ""


def test_another_cluster_without_commands_cannot_be_broken(tmp_path):
    assert not ExternalCluster("h:1", tmp_path / "log").can_break


def test_a_command_that_is_not_there_is_an_error(tmp_path):
    theirs = ExternalCluster("h:1", tmp_path / "log", str(tmp_path / "gone"), "x")
    with pytest.raises(HarnessError, match="gone"):
        theirs.kill(1)


def test_one_bootstrap_server_that_listens_is_enough(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        ExternalCluster(f"127.0.0.1:1,127.0.0.1:{port}", tmp_path / "log").wait_ready()


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1", "127.0.0.1:x"])
def test_a_bootstrap_server_that_does_not_listen_is_named(tmp_path, address):
    with pytest.raises(HarnessError, match="no bootstrap server takes a connection"):
        ExternalCluster(address, tmp_path / "log").wait_ready()


def test_free_ports_are_free_and_in_a_row():
    first = free_port_range(3)
    for port in range(first, first + 3):
        with socket.create_server(("127.0.0.1", port)):
            pass


def test_the_last_lines_of_a_log_are_the_last(tmp_path):
    (tmp_path / "log").write_text("\n".join(map(str, range(100))))
    assert last_lines(tmp_path / "log", 2) == "98\n99"
    assert last_lines(tmp_path / "gone") == ""
