"""S3: what stands between the nodes follows from the faults and from the machine."""

from types import MappingProxyType

import pytest

from minikafka.harness import cluster_of_nodes
from minikafka.harness.cluster_of_nodes import choose_network
from minikafka.harness.own_cluster import OwnCluster
from minikafka.harness.settings import HarnessError, RunSettings


@pytest.fixture
def machine(monkeypatch):
    class Namespaces:
        way = "namespaces"
        trouble = ""
        cannot = MappingProxyType({})

        def problem(self):
            return self.trouble

    monkeypatch.setattr(cluster_of_nodes, "NamespaceNetwork", Namespaces)
    return Namespaces


def way(wanted, *kinds):
    network = choose_network(wanted, kinds, dict, 0)
    return network and network.way


def test_nothing_stands_between_where_no_fault_needs_it(machine):
    assert way("auto", "kill", "power-cut") is None
    assert way("none", "partition") is None


def test_namespaces_are_taken_where_they_can_do_all_that_is_needed(machine):
    assert way("auto", "partition") == "namespaces"
    assert way("namespaces") == "namespaces"
    machine.cannot = {"loss": "no netem"}
    assert way("auto", "partition") == "namespaces"
    assert way("auto", "partition", "loss") == "a TCP proxy before each node"
    machine.trouble = "not permitted"
    assert way("auto", "partition") == "a TCP proxy before each node"
    assert way("proxy") == "a TCP proxy before each node"


def test_namespaces_that_are_wanted_and_not_there_are_an_error(machine):
    machine.trouble = "not permitted"
    with pytest.raises(HarnessError, match="--network namespaces: not permitted"):
        way("namespaces")


def test_a_cluster_says_what_it_is_and_that_a_node_does_not_run(tmp_path):
    cluster = OwnCluster(RunSettings(base_port=21890, cluster_config=("a.b=c",)), tmp_path, [])
    assert cluster.name.startswith("minikafka, 3 brokers and a controller, broker.session.timeout")
    assert cluster.name.endswith(", a.b=c")
    assert (list(cluster.brokers), cluster.controller()) == ([1, 2, 3], 101)
    with pytest.raises(HarnessError, match="node 2 does not run"):
        cluster.kill(2)
    assert cluster.close() == ""
