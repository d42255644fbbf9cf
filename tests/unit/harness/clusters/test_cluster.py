import socket
import sys

import pytest

from minikafka.harness.clusters.cluster import ExternalCluster, free_port_range, last_lines
from minikafka.harness.clusters.network import NotDoneError
from minikafka.harness.plan.settings import HarnessError


def test_another_cluster_is_broken_by_the_commands_given(tmp_path):
    marks = tmp_path / "marks"
    note = f"{sys.executable} -c 'import sys; open(sys.argv[1], \"a\").write(sys.argv[2])' {marks}"
    theirs = ExternalCluster("h:1", tmp_path / "log", f"{note} k{{node}}", f"{note} s{{node}}")
    assert theirs.name == "the cluster at h:1"
    theirs.kill(4)
    theirs.start(4)
    assert marks.read_text() == "k4s4"
    assert theirs.close() == ""


def test_another_cluster_without_commands_cannot_be_broken(tmp_path):
    theirs = ExternalCluster("h:1", tmp_path / "log")
    with pytest.raises(NotDoneError, match="no --kill-command was given"):
        theirs.kill(1)
    with pytest.raises(NotDoneError, match="no --start-command was given"):
        theirs.start(1)
    with pytest.raises(NotDoneError, match="this run did not start"):
        theirs.cut_power(1)


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
    with pytest.raises(HarnessError, match="no bootstrap server accepts a connection"):
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
