"""`minikafka.testing.Cluster` for clients in containers and on other hosts."""

import socket
import ssl
from contextlib import closing

import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient

from minikafka.testing import AsyncCluster, Cluster, ClusterError

PATIENCE_S = 20
UNKNOWN = "kafka.invalid"
"""No resolver knows it (RFC 6761), as the name of a host in another network."""
OF_NO_MACHINE = "198.51.100.7"
"""An address of documentation (RFC 5737)."""


def write_and_read(cluster, topic):
    """Let confluent-kafka append a record, and return what it reads from the topic."""
    login = cluster.login().librdkafka() if cluster.is_secured else {}
    servers = {"bootstrap.servers": cluster.bootstrap_servers, **login}
    failed = []
    producer = Producer(servers)
    producer.produce(topic, b"value", on_delivery=lambda error, _: failed.append(error))
    producer.flush(PATIENCE_S)
    assert failed == [None]
    with closing(
        Consumer({**servers, "group.id": "readers", "auto.offset.reset": "earliest"})
    ) as consumer:
        consumer.subscribe([topic])
        message = consumer.poll(PATIENCE_S)
    return message.value()


def told(cluster):
    """The hosts that brokers name."""
    login = cluster.login().librdkafka() if cluster.is_secured else {}
    servers = f"127.0.0.1:{cluster.port(1)}"
    admin = AdminClient({"bootstrap.servers": servers, **login, "log_level": 0})
    return {each.host for each in admin.list_topics(timeout=PATIENCE_S).brokers.values()}


@pytest.mark.parametrize("security", [{}, {"tls": True}], ids=["plain", "tls"])
def test_operations_work_with_a_name_that_is_unknown_here(security):
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo(UNKNOWN, None)
    with Cluster(nodes=3, host="0.0.0.0", advertised_host=UNKNOWN, **security) as cluster:
        assert cluster.bootstrap_servers == ",".join(
            f"{UNKNOWN}:{cluster.base_port + each}" for each in range(3)
        )
        cluster.create_topic("t", partitions=3)
        cluster.produce("t", *"abcdef")
        killed = cluster.kill_leader("t")
        cluster.wait_for(lambda: cluster.brokers() == sorted({1, 2, 3} - {killed}))
        with cluster.assert_produces("t", 1):
            cluster.produce("t", "after")
        assert len(cluster.records("t")) == 7
        assert cluster.leader("t") not in (None, killed)
        assert cluster.committed("absent", "t") == {}
        cluster.start(killed)
        cluster.wait_until_in_sync()
        cluster.elect("t")
        assert UNKNOWN not in cluster.state_text().partition("partitions:\n")[2]
        cluster.delete_topics("t")
        assert cluster.topics() == []


def test_every_address_of_the_machine_is_served():
    with (
        Cluster(host="0.0.0.0", advertised_host=UNKNOWN) as cluster,
        socket.create_connection(("127.0.0.2", cluster.port(1)), PATIENCE_S),
    ):
        assert told(cluster) == {UNKNOWN}


@pytest.mark.parametrize("security", [{}, {"tls": True}], ids=["plain", "tls"])
def test_clients_reach_the_brokers_by_their_name(security):
    with Cluster(nodes=2, advertised_host="localhost", **security) as cluster:
        cluster.create_topic("t", partitions=2)
        assert cluster.bootstrap_servers.startswith("localhost:")
        assert told(cluster) == {"localhost"}
        assert write_and_read(cluster, "t") == b"value"


def test_the_certificate_has_the_name_for_clients():
    with Cluster(tls=True, host="0.0.0.0", advertised_host=UNKNOWN) as cluster:
        context = ssl.create_default_context(cafile=cluster.login().truststore)
        connecting = socket.create_connection(("127.0.0.1", cluster.port(1)), PATIENCE_S)
        with context.wrap_socket(connecting, server_hostname=UNKNOWN) as connected:
            assert connected.version() is not None


def has_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True


def test_an_ipv6_address():
    cluster = Cluster(nodes=2, host="::1")
    if not has_ipv6():
        with pytest.raises(ClusterError, match="::1"):
            cluster.open()
        return
    with cluster:
        assert cluster.bootstrap_servers.startswith(f"[::1]:{cluster.port(1)},[::1]:")
        cluster.create_topic("t")
        cluster.produce("t", "a")
        assert write_and_read(cluster, "t") == b"a"
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", cluster.port(1)))


def test_an_address_of_another_machine_is_explained(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cluster = Cluster(host=OF_NO_MACHINE)
    with pytest.raises(ClusterError, match="Cannot assign requested address") as told:
        cluster.open()
    assert OF_NO_MACHINE in str(told.value)
    assert "\n" not in str(told.value)
    assert not cluster.is_open
    assert [path.name for path in tmp_path.iterdir() if "ports" not in path.name] == []


def test_a_name_that_is_no_host_is_one_sentence(tmp_path):
    with pytest.raises(ClusterError, match="the host is not valid") as told:
        Cluster(directory=tmp_path / "new", advertised_host="a" * 64).open()
    assert "\n" not in str(told.value)
    assert not (tmp_path / "new").exists()


def test_a_directory_may_have_another_host_at_each_start(tmp_path):
    with Cluster(directory=tmp_path / "cluster") as cluster:
        port = cluster.port(1)
        cluster.seed({"t": ["a"]})
    again = Cluster(directory=tmp_path / "cluster", host="0.0.0.0", advertised_host=UNKNOWN)
    with again:
        assert again.bootstrap_servers == f"{UNKNOWN}:{port}"
        assert [it.value for it in again.records("t")] == [b"a"]


async def test_an_asynchronous_cluster_has_the_same_hosts():
    async with AsyncCluster(host="0.0.0.0", advertised_host=UNKNOWN) as cluster:
        await cluster.seed({"t": ["a"]})
        assert cluster.bootstrap_servers == f"{UNKNOWN}:{cluster.port(1)}"
        assert len(await cluster.records("t")) == 1


def test_nodes_in_one_process_have_the_same_hosts():
    with Cluster(nodes=2, one_process=True, host="0.0.0.0", advertised_host=UNKNOWN) as cluster:
        cluster.seed({"t": ["a"]})
        assert len(cluster.records("t")) == 1
