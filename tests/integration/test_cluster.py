"""`minikafka.testing.Cluster`: its life, its nodes, and what it leaves behind."""

import errno
import os
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from confluent_kafka import Producer

from minikafka.testing import Cluster, ClusterError, base_ports
from minikafka.testing.base_ports import PortClaim, claim_ports


def write(cluster, topic, count):
    failures = []
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, "acks": "all"})
    for number in range(count):
        producer.produce(
            topic,
            b"%d" % number,
            on_delivery=lambda error, _: failures.append(error) if error else None,
        )
    producer.flush(30)
    return failures


def has_ended(pid):
    try:
        # A process that has ended keeps its entry until its parent has been told.
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


@pytest.fixture(scope="module")
def shared():
    """One node for tests that leave it as it is."""
    with Cluster() as running:
        yield running


@pytest.fixture
def patient(monkeypatch):
    """No start is given up because it takes long."""
    monkeypatch.setattr("minikafka.testing.cluster._START_TIMEOUT_S", 3600)


def test_the_import_loads_nothing_heavy():
    program = "import sys, minikafka.testing as t; print(len(sys.modules)); t.Cluster"
    before = "import sys, importlib, typing; print(len(sys.modules))"
    counts = [
        int(subprocess.run([sys.executable, "-c", text], capture_output=True, check=True).stdout)
        for text in (before, program)
    ]
    assert counts[1] - counts[0] < 10


def test_before_open_there_is_neither_an_address_nor_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    cluster = Cluster(nodes=2)
    for read in (
        lambda: cluster.bootstrap_servers, lambda: cluster.port(1), lambda: cluster.directory,
        lambda: cluster.pid(1), lambda: cluster.kill(1), lambda: cluster.log_text(1),
    ):  # fmt: skip
        with pytest.raises(ClusterError, match="^the cluster is not open$"):
            read()
    assert list(tmp_path.iterdir()) == []
    cluster.close()
    with cluster:
        folder = cluster.directory
        assert folder.parent == tmp_path
        with pytest.raises(ClusterError, match="^the cluster is open$"):
            cluster.open()
    assert not folder.exists()
    with pytest.raises(ClusterError, match="^the cluster is not open$"):
        _ = cluster.bootstrap_servers


def test_nodes_are_killed_stopped_and_started():
    with Cluster(nodes=3) as cluster:
        pid = cluster.pid(3)
        cluster.kill(3)
        assert has_ended(pid)
        assert cluster.running == [1, 2]
        cluster.start(3)
        cluster.stop(2, 3)
        cluster.start(2, 3)
        node = cluster.node(2)
        node.pause()
        node.resume()
        assert cluster.running == [1, 2, 3]
        for refused, why in (
            (lambda: cluster.start(1), "node 1 is running"),
            (cluster.kill, r"no node is given: which are to be killed, of 1 to 3\?"),
            (lambda: cluster.kill(4), "there is no node 4 in a cluster of 3"),
            (lambda: cluster.node(0), "there is no node 0 in a cluster of 3"),
        ):
            with pytest.raises(ClusterError, match=f"^{why}$"):
                refused()
        cluster.kill(1)
        with pytest.raises(ClusterError, match="^node 1 is not running$"):
            cluster.pause(1)


def test_a_node_without_a_quorum_is_explained_soon(patient):
    with Cluster(nodes=3) as cluster:
        cluster.kill(1, 2, 3)
        with pytest.raises(ClusterError, match="^no node serves without a majority of the contr"):
            cluster.start(2)
        assert cluster.running == []
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(cluster.start, node) for node in (3, 1, 2)]:
                done.result()
        assert cluster.running == [1, 2, 3]


def test_parameters_reach_the_nodes(tmp_path):
    with Cluster(
        nodes=2,
        config={"auto.create.topics.enable": False, "num.partitions": 7},
        node_config={2: {"num.io.threads": 3}},
        racks=["north", "south"],
        features={"eligible.leader.replicas.version": 0},
        log_level="warning",
        directory=tmp_path / "Prüfung mit Leerzeichen",
        base_port=base_ports.free_base_port(2),
    ) as cluster:
        texts = [
            (cluster.directory / f"node-{node}" / "server.properties").read_text("utf-8")
            for node in (1, 2)
        ]
        assert all("auto.create.topics.enable=false\n" in text for text in texts)
        assert ["broker.rack=north\n" in texts[0], "broker.rack=south\n" in texts[1]] == [True] * 2
        assert ["num.io.threads" in text for text in texts] == [False, True]
        assert " INFO " not in cluster.log_text(1)
        cluster.create_topic("t", 2)
        assert cluster.elr("t") == []
    assert cluster.directory.is_dir()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"nodes": 0}, "nodes=0: a cluster has at least one node"),
        ({"nodes": "3"}, "nodes='3': a cluster has at least one node"),
        ({"base_port": "9092"}, "base_port='9092': not a number"),
        ({"config": ["a=b"]}, "config=.'a=b'.: expected a mapping of key to value"),
        ({"nodes": 3, "voters": 4}, "voters=4: from 1 to 3, at most one on each node"),
        ({"node_config": {2: {}}}, "there is no node 2 in a cluster of 1"),
        ({"racks": ["a", "b"]}, "there is no node 2 in a cluster of 1"),
        ({"racks": {"1": "a"}}, "there is no node '1' in a cluster of 1"),
        ({"node_config": {1: None}}, "node_config.1.=None: expected a mapping of key to value"),
        ({"features": {"kraft.version": "1"}}, "kraft.version has the levels 0 to 1, not '1'"),
        ({"racks": "a"}, "racks='a': expected the racks of the nodes, or a mapping"),
        ({"features": {"elr": 1}}, "features: there is no feature 'elr'; there are metadata"),
        ({"features": {"kraft.version": 2}}, "kraft.version has the levels 0 to 1, not 2"),
        ({"log_level": "loud"}, "log_level='loud': expected one of DEBUG, INFO"),
        ({"open_files": 0}, "^open_files=0: expected a number of files$"),
        ({"open_files": -1}, "^open_files=-1: expected a number of files$"),
        ({"open_files": "many"}, "^open_files='many': expected a number of files$"),
        ({"open_files": True}, "^open_files=True: expected a number of files$"),
        ({"open_files": 10}, "^open_files=10: the limit is too low; a node needs at least 81$"),
        ({"open_files": 80}, "^open_files=80: the limit is too low; a node needs at least 81$"),
        ({"log_level": 10}, "log_level=10: expected one of DEBUG, INFO"),
        ({"sasl": 3}, "sasl=3: expected one of PLAIN"),
        ({"features": "elr"}, "features='elr': expected a mapping of key to value"),
        ({"node_config": {1: "a=b"}}, "node_config.1.='a=b': expected a mapping of key to value"),
        ({"host": "0.0.0.0"}, "host='0.0.0.0': clients cannot connect to it; add adver"),
        ({"advertised_host": "a,b"}, "advertised_host='a,b': expected a name or an address alone"),
    ],
)
def test_arguments_without_a_meaning_are_refused_where_they_are_given(given, why):
    with pytest.raises(ClusterError, match=why):
        Cluster(**given)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"config": {"num.partition": 1}}, "num.partition: .*did you mean num.partitions"),
        ({"config": {"num.partitions": "x"}}, "num.partitions"),
        ({"base_port": 65_400}, "base_port=65400|out of range"),
    ],
)
def test_a_configuration_that_no_node_accepts_is_one_sentence(tmp_path, given, why):
    cluster = Cluster(directory=tmp_path / "new", **given)
    with pytest.raises(ClusterError, match=why) as told:
        cluster.open()
    assert "\n" not in str(told.value)
    assert not (tmp_path / "new").exists()


def test_directories_that_cannot_be_used_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ClusterError, match="file is a file; name a directory or a new path"):
        Cluster(directory=tmp_path / "file").open()
    with pytest.raises(ClusterError, match="file/below: Not a directory"):
        Cluster(directory=tmp_path / "file" / "below").open()
    with pytest.raises(ClusterError, match="a comma separates directories"):
        Cluster(directory=tmp_path / "a,b").open()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "notes.txt").write_text("mine")
    with pytest.raises(ClusterError, match="is neither empty nor a cluster"):
        Cluster(directory=tmp_path / "other").open()
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["notes.txt"]


def test_a_directory_has_one_cluster_at_a_time(tmp_path):
    with (
        Cluster(directory=tmp_path),
        pytest.raises(ClusterError, match=f"already running in {tmp_path}; stop it first"),
    ):
        Cluster(directory=tmp_path).open()


def test_a_cluster_of_another_size_is_refused(tmp_path):
    with Cluster(nodes=1, directory=tmp_path / "cluster"):
        pass
    with pytest.raises(ClusterError, match="holds a cluster with --nodes 1, not --nodes 2"):
        Cluster(nodes=2, directory=tmp_path / "cluster").open()


def test_a_kept_directory_starts_again_with_its_records_and_ports(tmp_path):
    with Cluster(nodes=3, directory=tmp_path / "cluster") as cluster:
        base_port = cluster.base_port
        cluster.create_topic("kept")
        cluster.produce("kept", "a")
    with Cluster(nodes=3, directory=tmp_path / "cluster") as cluster:
        assert cluster.base_port == base_port
        assert [record.value for record in cluster.records("kept")] == [b"a"]


def test_a_temporary_directory_is_kept_if_asked_for():
    with Cluster(keep=True) as cluster:
        folder = cluster.directory
    try:
        assert cluster.directory == folder
        assert "node 1 serves" in cluster.log_text(1)
        assert not list(folder.glob("*.lock"))
    finally:
        subprocess.run(["rm", "-r", str(folder)], check=True)


def test_a_node_that_does_not_start_is_explained_at_once(tmp_path, patient):
    home = tmp_path / "cluster"
    with Cluster(nodes=3, directory=home):
        pass
    (home / "node-2" / "data" / "meta.properties").unlink()
    with pytest.raises(ClusterError, match=r"^node 2 did not start: .* is not formatted") as told:
        Cluster(nodes=3, directory=home).open()
    assert "\n" not in str(told.value)


def test_few_descriptors_are_enough():
    Cluster(open_files=81)
    with Cluster(open_files=110) as cluster:
        cluster.seed({"t": ["a"]})
        assert len(cluster.records("t")) == 1


def test_a_machine_without_loopback_is_explained_at_once(monkeypatch):
    def unreachable(*_, **__):
        raise OSError(errno.ENETUNREACH, os.strerror(errno.ENETUNREACH))

    monkeypatch.setattr(socket, "create_connection", unreachable)
    with pytest.raises(ClusterError, match=r"127\.0\.0\.1 cannot be reached: Network is unreach"):
        Cluster().open()


def test_ports_in_use_are_named_and_the_directory_stays_as_it_is(tmp_path, shared):
    home = tmp_path / "cluster"
    second = Cluster(nodes=1, directory=home, base_port=shared.base_port)
    with pytest.raises(ClusterError, match=f"in use: PLAINTEXT://127.0.0.1:{shared.port(1)}"):
        second.open()
    assert not home.exists()


@pytest.mark.parametrize("is_noticed_by_the_node", [False, True])
def test_another_port_is_chosen_if_one_is_taken_meanwhile(
    monkeypatch, shared, is_noticed_by_the_node
):
    chosen = iter([PortClaim(shared.base_port, [])])
    usual = base_ports.claim_ports
    monkeypatch.setattr(base_ports, "claim_ports", lambda nodes: next(chosen, None) or usual(nodes))
    if is_noticed_by_the_node:
        monkeypatch.setattr("minikafka.dev.layout.is_free", lambda *_: True)
    with Cluster(nodes=1) as second:
        assert second.base_port != shared.base_port
        assert second.topics() == []


def test_claimed_ports_differ_until_they_are_released(monkeypatch):
    claims = [claim_ports(3) for _ in range(8)]
    try:
        assert len({claim.base_port for claim in claims}) == 8
    finally:
        for claim in claims:
            claim.close()
    with socket.create_server(("127.0.0.1", claims[0].base_port + 101)):
        again = claim_ports(3)
        assert again.base_port != claims[0].base_port
        again.close()
    monkeypatch.setenv("MINIKAFKA_PORTS", "24900-24910")
    with pytest.raises(ClusterError, match="no free ports for 3 nodes in 24900-24910; set MINIK"):
        claim_ports(3)


def test_clusters_that_start_at_the_same_time_never_clash():
    program = (
        "from minikafka.testing import Cluster\n"
        "for _ in range(3):\n"
        "    with Cluster() as cluster: print(cluster.topics())"
    )
    starting = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert [each.communicate(timeout=60)[0] for each in starting] == ["[]\n[]\n[]\n"] * 4


def test_configuration_as_kafka_has_it():
    with Cluster(kafka_defaults=True) as cluster:
        file = cluster.directory / "node-1" / "server.properties"
        assert "session" not in file.read_text()
    with Cluster(config={"broker.session.timeout.ms": 5000}) as cluster:
        file = cluster.directory / "node-1" / "server.properties"
        assert "broker.session.timeout.ms=5000\n" in file.read_text()


def test_nodes_in_one_process_say_what_they_cannot_do():
    with Cluster(nodes=3, one_process=True) as cluster:
        cluster.create_topic("t", 3, 3)
        assert write(cluster, "t", 300) == []
        assert {cluster.pid(node) for node in (1, 2, 3)} == {cluster.pid(1)}
        assert cluster.running == [1, 2, 3]
        for done, verb in (("killed", cluster.kill), ("started", cluster.start)):
            with pytest.raises(ClusterError, match=f"in one process cannot be {done} alone"):
                verb(2)
        assert cluster.log_text(1) == cluster.log_text(2)
        assert "node 3 serves" in cluster.log_text(1)


def test_the_state_for_a_report_has_nodes_partitions_and_log_lines():
    with Cluster(nodes=3) as cluster:
        cluster.create_topic("t")
        dead = cluster.kill_leader("t")
        cluster.wait_for(lambda: cluster.leader("t") not in (None, dead))
        text = cluster.state_text()
        assert f"node {dead} does not run" in text
        alive = min({1, 2, 3} - {dead})
        assert f"node {alive} runs, pid {cluster.pid(alive)}\n    " in text
        assert "partitions:\nt-0: leader " in text
        with pytest.raises(AssertionError, match="never: not within 0.1 s\nminikafka in "):
            cluster.wait_for(lambda: False, timeout_s=0.1, what="never")
    assert cluster.state_text() == "the cluster is not open"


def test_an_interrupt_while_it_starts_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("minikafka.admin.membership.await_everybody", interrupt)
    cluster = Cluster(nodes=2)
    with pytest.raises(KeyboardInterrupt):
        cluster.open()
    assert not cluster.is_open
    assert [path.name for path in tmp_path.iterdir() if "ports" not in path.name] == []
    assert not any(str(tmp_path) in path.read_text() for path in _command_lines())


def _command_lines():
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            path.read_text()
        except OSError:
            continue
        yield path
