import socket

import pytest

from minikafka.harness.clusters.cluster import free_port_range
from minikafka.harness.plan.settings import HarnessError
from minikafka.server.ports import VARIABLE, choice, is_free
from minikafka.testing import ClusterError
from minikafka.testing.base_ports import free_base_port


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_a_port_is_free_until_something_listens_on_it(host):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.create_server((host, 0), family=family) as listener:
        port = listener.getsockname()[1]
        assert not is_free(host, port)
    assert is_free(host, port)


def test_an_address_of_another_machine_is_for_its_user_to_report():
    assert is_free("192.0.2.1", 9092)


def test_clusters_choose_their_ports_where_they_may(monkeypatch):
    monkeypatch.setenv(VARIABLE, "21000-21220")
    assert choice() == range(21_000, 21_220)
    # Three nodes, their listeners for brokers a hundred ports above, and the controllers two.
    assert free_base_port(3) in range(21_000, 21_017)
    assert free_port_range(4) in range(21_000, 21_217)
    monkeypatch.setenv(VARIABLE, "21000-21200")
    with pytest.raises(ClusterError, match="no free ports"):
        free_base_port(3)
    monkeypatch.setenv(VARIABLE, "21000-21003")
    with pytest.raises(HarnessError, match="found no 4 consecutive free ports"):
        free_port_range(4)
    monkeypatch.delenv(VARIABLE)
    assert choice() == range(20_000, 32_000)


@pytest.mark.parametrize("named", ["21000", "21000-", "x-y", "0-5", "5-4", "60000-65537"])
def test_a_choice_of_ports_that_is_none_is_refused(monkeypatch, named):
    monkeypatch.setenv(VARIABLE, named)
    with pytest.raises(ValueError, match=f"{VARIABLE}={named}: expected two ports"):
        choice()
