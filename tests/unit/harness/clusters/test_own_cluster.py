"""S3: the network between nodes is chosen by the faults and the machine."""

from types import MappingProxyType, SimpleNamespace

import pytest

from minikafka.harness.clusters import cluster_of_nodes
from minikafka.harness.clusters.cluster_of_nodes import ClusterOfNodes, choose_network, elr_features
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.faults.operator_actions import ELR
from minikafka.harness.plan.settings import HarnessError, RunSettings
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.server.debug_hooks import JOURNAL, journal_line
from minikafka.server.sync_journal import read_journal
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
    assert way("none", "cut") is None


def test_namespaces_are_taken_where_they_can_do_all_that_is_needed(machine):
    assert way("auto", "cut") == "namespaces"
    assert way("namespaces") == "namespaces"
    machine.cannot = {"loss": "no netem"}
    assert way("auto", "cut") == "namespaces"
    assert way("auto", "cut", "loss") == "a TCP proxy before each node"
    machine.trouble = "not permitted"
    assert way("auto", "cut") == "a TCP proxy before each node"
    assert way("proxy") == "a TCP proxy before each node"


def test_unavailable_namespaces_are_an_error_if_requested(machine):
    machine.trouble = "not permitted"
    with pytest.raises(HarnessError, match="--network namespaces: not permitted"):
        way("namespaces")


def test_a_cluster_names_itself_and_a_node_that_does_not_run(tmp_path):
    cluster = OwnCluster(RunSettings(base_port=21890, cluster_config=("a.b=c",)), tmp_path, [])
    assert cluster.name.startswith(
        "minikafka, 3 brokers, 3 of them controllers, broker.session.timeout"
    )
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


@pytest.fixture
def formatted(tmp_path):
    """A cluster whose nodes are formatted and do not run."""
    cluster = OwnCluster(RunSettings(base_port=21890), tmp_path, ["power-cut"])
    cluster._nodes._format()
    return cluster


def properties(cluster, node):
    lines = (cluster._directory / f"node-{node}" / "server.properties").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines)


def test_brokers_are_controllers_too_and_all_have_the_same_voters(formatted):
    values = properties(formatted, 2)
    assert values["process.roles"] == "broker,controller"
    assert values["listeners"] == "PLAINTEXT://127.0.0.1:21891,CONTROLLER://127.0.0.1:21894"
    voters = ",".join(f"{node}@127.0.0.1:{21892 + node}" for node in (1, 2, 3))
    assert {properties(formatted, node)["controller.quorum.voters"] for node in (1, 2, 3)} == {
        voters
    }


def test_separate_controllers_are_nodes_of_their_own(tmp_path):
    settings = RunSettings(base_port=21890, controllers="separate")
    cluster = OwnCluster(settings, tmp_path, [])
    cluster._nodes._format()
    assert list(cluster.node_ids) == settings.node_ids == [1, 2, 3, 101, 102, 103]
    assert properties(cluster, 1)["process.roles"] == "broker"
    values = properties(cluster, 102)
    assert values["process.roles"] == "controller"
    assert values["listeners"] == "CONTROLLER://127.0.0.1:21894"
    assert len(cluster.metadata_log_dirs()) == 3


def test_a_wiped_node_keeps_its_cluster_and_gets_another_directory_id(formatted):
    data = formatted._nodes.log_dirs(2)[0]
    (data / "t-0").mkdir()
    (data / "t-0" / "00000000000000000000.log").write_bytes(b"x" * 99)
    before = (data / "meta.properties").read_text()
    said = formatted.wipe(2)
    assert said.endswith("bytes are gone, and the directory was formatted again")
    assert not (data / "t-0").exists()
    after = (data / "meta.properties").read_text()
    changed = set(before.splitlines()) ^ set(after.splitlines())
    assert {line.partition("=")[0] for line in changed} == {"directory.id"}
    assert (data / "bootstrap.checkpoint").exists()


def test_a_node_that_runs_is_not_wiped(formatted):
    formatted._nodes._processes = SimpleNamespace(running=[2])
    for change in (formatted.wipe, formatted.copy_metadata, formatted.restore_metadata):
        with pytest.raises(HarnessError, match="node 2 is running"):
            change(2)
    formatted._nodes._processes = None


def test_an_old_copy_must_be_older(formatted):
    data = formatted._nodes.log_dirs(2)[0]
    (data / METADATA_FOLDER).mkdir()
    formatted.copy_metadata(2)
    with pytest.raises(HarnessError, match="its metadata log did not grow after the copy"):
        formatted.restore_metadata(2)
    (data / METADATA_FOLDER / "00000000000000000007.log").write_bytes(b"")
    said = formatted.restore_metadata(2)
    assert said == "its metadata log ends at offset 0 again, instead of 7"
    assert list((data / METADATA_FOLDER).iterdir()) == []


def test_replaced_files_are_forgotten_by_the_journal_of_fsyncs(formatted):
    journal = formatted._placement.debug_dir(2) / JOURNAL
    journal.parent.mkdir(parents=True)
    data = formatted._nodes.log_dirs(2)[0]
    kept, gone = f"{data}/t-0/a.log", f"{data}/{METADATA_FOLDER}/b.log"
    journal.write_bytes(journal_line("sync", kept, 5) + journal_line("sync", gone, 6))
    formatted._forget_syncs(2, f"/{METADATA_FOLDER}")
    with journal.open() as lines:
        assert read_journal(lines).sizes == {kept: 5}
    formatted._forget_syncs(2, "")
    with journal.open() as lines:
        assert read_journal(lines).sizes == {}


@pytest.mark.parametrize(("elr", "features"), [("on", {}), ("off", {ELR: 0})])
def test_a_cluster_without_elr_is_formatted_so(elr, features):
    assert elr_features(RunSettings(elr=elr)) == features
