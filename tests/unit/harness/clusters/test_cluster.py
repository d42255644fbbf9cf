import socket

import pytest

from minikafka.harness.clusters.cluster import free_port_range, last_lines, require_listener
from minikafka.harness.plan.settings import HarnessError


def test_one_bootstrap_server_that_listens_is_enough():
    with socket.create_server(("127.0.0.1", 0)) as server:
        require_listener(f"127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.parametrize("address", ["127.0.0.1:1", "127.0.0.1", "127.0.0.1:x"])
def test_a_bootstrap_server_that_does_not_listen_is_named(address):
    with pytest.raises(HarnessError, match="no bootstrap server accepts a connection"):
        require_listener(address)


def test_free_ports_are_free_and_in_a_row():
    first = free_port_range(3)
    for port in range(first, first + 3):
        with socket.create_server(("127.0.0.1", port)):
            pass


def test_the_last_lines_of_a_log_are_the_last(tmp_path):
    (tmp_path / "log").write_text("\n".join(map(str, range(100))))
    assert last_lines(tmp_path / "log", 2) == "98\n99"
    assert last_lines(tmp_path / "gone") == ""
