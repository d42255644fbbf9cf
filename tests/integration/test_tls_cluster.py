"""Three nodes whose every listener has TLS and wants certificates, with real clients."""

import asyncio
import contextlib
import socket
import ssl
import time
import warnings

import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from confluent_kafka import Consumer, KafkaException, Producer
from confluent_kafka.admin import AdminClient

from minikafka.admin.client import BrokerConnection
from minikafka.admin.security import ClientSecurity
from minikafka.commands.connection import read_properties
from minikafka.config.ssl_keys import ssl_settings
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.tls.blocking import secured_by
from tests.certificates import EXPIRED, Authority
from tests.integration.own_nodes import OwnNodes, tool

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from kafka import KafkaConsumer, KafkaProducer

TOPIC = "encrypted"
RECORDS = 200


class TlsNodes(OwnNodes):
    """Combined nodes whose listeners all have TLS; clients use a listener of their own."""

    def __init__(self, folder, count, authority, **config):
        self.authority = authority
        self.client_file = folder / "client.properties"
        self.certificate = authority.issue("client", "/O=Org/CN=client")
        self.certificates = {
            each: authority.issue(f"node-{each}", f"/O=Org/CN=node-{each}")
            for each in range(1, count + 1)
        }
        security = {"security.protocol": "SSL", **self.certificate.client(), **authority.trusted()}
        self.client_file.write_text("".join(f"{k}={v}\n" for k, v in security.items()))
        super().__init__(folder, count, **config)

    def write(self, node, **changes):
        certificate = self.certificates[node]
        every = ("CLIENT", "NODES", "CONTROLLER")
        port = self.base + 50 + node
        super().write(
            node,
            **{
                "listeners": f"CLIENT://{self.server(node)},NODES://127.0.0.1:{port},"
                f"CONTROLLER://{self.controller(node)}",
                "inter.broker.listener.name": "NODES",
                "listener.security.protocol.map": ",".join(f"{each}:SSL" for each in every),
                "ssl.client.auth": "required",
                "min.insync.replicas": 2,
                "offsets.topic.replication.factor": 3,
                **certificate.client(),
                **self.authority.trusted(),
                **changes,
            },
        )

    def run(self, name, node, *words, check=True):
        return tool(
            name, "--bootstrap-server", self.server(node), "--command-config", self.client_file,
            *words, check=check,
        )  # fmt: skip

    def status(self, node):
        done = self.run("kafka-metadata-quorum", node, "describe", "--status")
        return dict(line.split(":", 1) for line in done.stdout.splitlines() if ":" in line)

    def librdkafka(self, certificate=None, authority=None, **more):
        certificate = certificate or self.certificate
        return {
            "bootstrap.servers": self.servers,
            "security.protocol": "ssl",
            "ssl.ca.location": str((authority or self.authority).path),
            "ssl.certificate.location": str(certificate.chain),
            "ssl.key.location": str(certificate.key),
            **more,
        }

    def context(self, certificate=None, authority=None):
        context = ssl.create_default_context(cafile=str((authority or self.authority).path))
        if certificate is not None:
            context.load_cert_chain(certificate.path)
        return context


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, authority):
    with TlsNodes(tmp_path_factory.mktemp("nodes"), 3, authority) as nodes:
        for node in nodes.directory_ids:
            nodes.format(node, "--initial-controllers", nodes.voters(1, 2, 3))
        nodes.start(1, 2, 3)
        nodes.run(
            "kafka-topics", 1, "--create", "--topic", TOPIC, "--partitions", 3,
            "--replication-factor", 3,
        )  # fmt: skip
        yield nodes


def produce(nodes, begin, end):
    """Produce records with all acknowledgements."""
    failed = []
    producer = Producer(nodes.librdkafka(**{"message.timeout.ms": 60_000}))
    for number in range(begin, end):
        producer.produce(
            TOPIC, str(number).encode(),
            on_delivery=lambda error, _: failed.append(error) if error else None,
        )  # fmt: skip
        producer.poll(0)
    assert producer.flush(60) == 0
    assert not failed


def consumed(nodes, count):
    """The numbers that a group reads."""
    consumer = Consumer(
        nodes.librdkafka(**{"group.id": f"read-{count}", "auto.offset.reset": "earliest"})
    )
    consumer.subscribe([TOPIC])
    found = []
    try:
        while len(found) < count:
            message = consumer.poll(30)
            assert message is not None, found
            assert message.error() is None, message.error()
            found.append(int(message.value()))
    finally:
        consumer.close()
    return sorted(found)


def test_a_cluster_survives_a_killed_leader(nodes):
    produce(nodes, 0, RECORDS)
    assert consumed(nodes, RECORDS) == list(range(RECORDS))
    leader = int(nodes.status(1)["LeaderId"])
    nodes.kill(leader)
    produce(nodes, RECORDS, 2 * RECORDS)
    assert consumed(nodes, 2 * RECORDS) == list(range(2 * RECORDS))
    other = next(iter(nodes.processes))
    assert int(nodes.status(other)["LeaderId"]) not in (leader, -1)
    nodes.start(leader)
    nodes.run(
        "kafka-topics", leader, "--describe", "--topic", TOPIC, "--under-replicated-partitions"
    )


def test_aiokafka_and_kafka_python_connect(nodes):
    context = nodes.context(nodes.certificate)

    async def work():
        common = {
            "bootstrap_servers": nodes.servers,
            "security_protocol": "SSL",
            "ssl_context": context,
        }
        async with AIOKafkaProducer(**common) as producer:
            await producer.send_and_wait("aio", b"x" * 100_000)
        async with AIOKafkaConsumer("aio", auto_offset_reset="earliest", **common) as consumer:
            assert (await consumer.getone()).value == b"x" * 100_000

    nodes.run("kafka-topics", 1, "--create", "--topic", "aio", "--replication-factor", 3)
    asyncio.run(work())
    common = {
        "bootstrap_servers": nodes.servers.split(","),
        "security_protocol": "SSL",
        "ssl_cafile": str(nodes.authority.path),
        "ssl_certfile": str(nodes.certificate.chain),
        "ssl_keyfile": str(nodes.certificate.key),
    }
    producer = KafkaProducer(**common)
    assert producer.send("aio", b"second").get(30).topic == "aio"
    producer.close()
    with contextlib.closing(
        KafkaConsumer("aio", auto_offset_reset="earliest", consumer_timeout_ms=10_000, **common)
    ) as consumer:
        assert next(consumer).value == b"x" * 100_000


@pytest.mark.parametrize("kind", ["none", "stranger", "expired", "authority"])
def test_clients_that_must_not_connect_do_not(nodes, tmp_path, kind):
    stranger = Authority(tmp_path, "stranger")
    settings = nodes.librdkafka(**{"socket.timeout.ms": 3000})
    if kind == "none":
        del settings["ssl.certificate.location"], settings["ssl.key.location"]
    elif kind == "stranger":
        settings = nodes.librdkafka(stranger.issue("foreign", "/O=Org/CN=client"))
    elif kind == "expired":
        settings = nodes.librdkafka(nodes.authority.issue("expired", validity=EXPIRED))
    else:
        settings = nodes.librdkafka(authority=stranger)
    errors = []
    admin = AdminClient({**settings, "error_cb": errors.append, "log_level": 0})
    with pytest.raises(KafkaException):
        admin.list_topics(timeout=3)
    admin.poll(1)
    assert any("SSL" in str(error) for error in errors), errors


@contextlib.contextmanager
def connected(nodes, node, context):
    host, port = nodes.server(node).split(":")
    with (
        socket.create_connection((host, int(port)), timeout=30) as plain,
        context.wrap_socket(plain, server_hostname=host) as secured,
    ):
        yield secured


def test_a_client_cannot_ask_for_an_old_version(nodes):
    context = nodes.context(nodes.certificate)
    context.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="deprecated"):
        context.minimum_version = ssl.TLSVersion.TLSv1
    with pytest.warns(DeprecationWarning, match="deprecated"):
        context.maximum_version = ssl.TLSVersion.TLSv1_1
    with pytest.raises(ssl.SSLError, match="PROTOCOL_VERSION"), connected(nodes, 1, context):
        pass


def served_name(nodes, node):
    """The organizational unit in the certificate that a node shows to clients."""
    with connected(nodes, node, nodes.context(nodes.certificate)) as client:
        subject = dict(pair for (pair,) in client.getpeercert()["subject"])
        return subject.get("organizationalUnitName")


def await_name(nodes, node, name):
    deadline_s = time.monotonic() + 30
    while served_name(nodes, node) != name:
        assert time.monotonic() < deadline_s, nodes.log_text(node)[-3000:]
        time.sleep(0.2)


def test_certificates_are_replaced_while_connections_last(nodes):
    """A connection is kept; a file that cannot be used, or another name, changes nothing."""
    node, certificate = 2, nodes.certificates[2]
    good = certificate.path.read_text()
    host, port = nodes.server(node).split(":")
    secure = ClientSecurity(secured_by(ssl_settings(read_properties(nodes.client_file))))
    client = BrokerConnection(host, int(port), "lasting", 30, secure)
    try:
        client.ask(ApiVersionsRequest())
        certificate.path.write_text(good[:300])
        nodes.await_log(node, "new keys and certificates are not used.*has no certificate")
        other = nodes.authority.issue("renamed", "/O=Org/CN=renamed")
        certificate.path.write_text(other.path.read_text())
        nodes.await_log(node, "distinguished name of the certificate was CN=node-2,O=Org and would")
        renewed = nodes.authority.issue("renewed", "/O=Org/CN=node-2")
        certificate.path.write_text(renewed.path.read_text())
        nodes.await_log(node, "listener CLIENT: its keys and certificates were read again")
        client.ask(ApiVersionsRequest())
        produce(nodes, 0, 10)
    finally:
        client.close()


def test_the_dynamic_configuration_replaces_certificates(nodes):
    other = nodes.authority.issue("dynamic", "/O=Org/OU=dynamic/CN=node-3")
    nodes.stop(3)
    nodes.write(3, **{"ssl.allow.dn.changes": "true"})
    nodes.start(3)
    prefix = "listener.name.client.ssl.keystore."
    entity = ("--alter", "--entity-type", "brokers", "--entity-name", 3)
    nodes.run("kafka-configs", 1, *entity, "--add-config", f"{prefix}location={other.path}")
    await_name(nodes, 3, "dynamic")
    shown = nodes.run("kafka-configs", 3, "--describe", *entity[1:]).stdout
    assert f"{prefix}location={other.path}" in shown
    unusable = nodes.run(
        "kafka-configs", 1, *entity, "--add-config", f"{prefix}location=/none", check=False
    )
    assert f"{prefix}location=/none: cannot be read: No such file" in unusable.stderr
    nodes.run("kafka-configs", 1, *entity, "--delete-config", f"{prefix}location")
    await_name(nodes, 3, None)
    without_listener = nodes.run(
        "kafka-configs", 1, *entity, "--add-config", f"ssl.keystore.location={other.path}",
        check=False,
    )  # fmt: skip
    assert "only per-listener using the listener prefix" in without_listener.stderr
    everywhere = nodes.run(
        "kafka-configs", 1, "--alter", "--entity-type", "brokers", "--entity-default",
        "--add-config", f"{prefix}location={other.path}", check=False,
    )  # fmt: skip
    assert "broker id must be specified" in everywhere.stderr
