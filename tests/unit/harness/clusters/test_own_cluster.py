"""S3: the network between nodes is chosen by the faults and the machine."""

from types import MappingProxyType

import pytest

from minikafka.harness.clusters import cluster_of_nodes
from minikafka.harness.clusters.cluster_of_nodes import ClusterOfNodes, choose_network, elr_features
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.faults.operator_actions import ELR
from minikafka.harness.plan.settings import HarnessError, RunSettings
from tests.mutation import applied, mutation


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


def test_unavailable_namespaces_are_an_error_if_requested(machine):
    machine.trouble = "not permitted"
    with pytest.raises(HarnessError, match="--network namespaces: not permitted"):
        way("namespaces")


def test_a_cluster_names_itself_and_a_node_that_does_not_run(tmp_path):
    cluster = OwnCluster(RunSettings(base_port=21890, cluster_config=("a.b=c",)), tmp_path, [])
    assert cluster.name.startswith("minikafka, 3 brokers, 3 of them controllers, broker.session.timeout")
    assert cluster.name.endswith(", a.b=c")
    assert list(cluster.brokers) == list(cluster.voters) == list(cluster.node_ids) == [1, 2, 3]
    with pytest.raises(HarnessError, match="node 2 is not running"):
        cluster.kill(2)
    assert cluster.close() == ""


class Processes:
    """Nodes of which those in `ended` have ended."""

    brokers = (1, 2, 3)
    node_ids = (1, 2, 3, 101)

    def __init__(self):
        self.ended = set()

    def is_alive(self, node):
        return node not in self.ended

    def how_ended(self, node):
        return "signal 9" if node in self.ended else ""

    def pids(self):
        return {node: node for node in (*self.brokers, 101)}

    def kill(self, *nodes):
        self.ended |= set(nodes)

    stop = kill

    def start(self, *nodes):
        self.ended -= set(nodes)

    def close(self):
        self.ended = {*self.brokers, 101}


@pytest.fixture
def cluster(tmp_path):
    made = OwnCluster(RunSettings(base_port=21890), tmp_path, [])
    made._nodes = Processes()
    return made


def test_a_node_that_ends_by_itself_is_reported_once(cluster):
    assert list(cluster.unexpected_ends()) == []
    cluster._nodes.ended = {2, 101}
    assert list(cluster.unexpected_ends()) == [(2, "signal 9"), (101, "signal 9")]
    assert list(cluster.unexpected_ends()) == []


def test_a_restarted_node_that_ends_again_is_reported_again(cluster):
    """Also where it ended and was started between two calls."""
    cluster._nodes.ended = {2}
    cluster.start(2)
    assert list(cluster.unexpected_ends()) == [(2, "signal 9")]
    cluster._nodes.ended = {2}
    assert list(cluster.unexpected_ends()) == [(2, "signal 9")]


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_a_node_that_the_run_ends_is_not_reported(cluster, end):
    getattr(cluster, end)(1, 3)
    assert list(cluster.unexpected_ends()) == []
    cluster.start(1, 3)
    assert list(cluster.unexpected_ends()) == []
    cluster._nodes.ended = {3}
    assert list(cluster.unexpected_ends()) == [(3, "signal 9")]


def test_a_node_that_ended_before_the_run_could_end_it_is_reported(cluster):
    cluster._nodes.ended = {3}
    with pytest.raises(HarnessError, match="node 3 is not running"):
        cluster.kill(3)
    assert cluster.close() == ""
    assert list(cluster.unexpected_ends()) == [(3, "signal 9")]


def test_a_node_whose_disk_is_full_may_end(cluster):
    (cluster._placement.debug_dir(1)).mkdir(parents=True)
    cluster.fill_disk(1)
    cluster._nodes.ended = {1, 2}
    assert list(cluster.unexpected_ends()) == [(2, "signal 9")]


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("ClusterOfNodes.unexpected_ends", "self._nodes.how_ended(node)", "''"),
        ("ClusterOfNodes.start", "self._note_ended()", "pass"),
        ("ClusterOfNodes._expect_end", "self._note_ended()", "pass"),
        ("ClusterOfNodes.start", "self._ending -= set(dead)", "pass"),
    ],
)
def test_a_cluster_that_overlooks_an_end_is_noticed(cluster, function, old, new):
    ends = []
    with applied(mutation("blind", ("harness.clusters.cluster_of_nodes", function, old, new))):
        cluster._nodes.ended = {1}
        ClusterOfNodes.start(cluster, 1)
        ends += cluster.unexpected_ends()
        cluster._nodes.ended = {1}
        ends += cluster.unexpected_ends()
        ClusterOfNodes.start(cluster, 1)
        cluster._nodes.ended = {3}
        ClusterOfNodes.close(cluster)
        ends += cluster.unexpected_ends()
    assert ends != [(1, "signal 9"), (1, "signal 9"), (3, "signal 9")]


@pytest.mark.parametrize(("elr", "features"), [("on", {}), ("off", {ELR: 0})])
def test_a_cluster_without_elr_is_formatted_so(elr, features):
    assert elr_features(RunSettings(elr=elr)) == features
