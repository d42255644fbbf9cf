"""Clusters that secure themselves: every protocol with three clients, and what is refused."""

import asyncio
import ssl
import subprocess
import sys
from pathlib import Path

import aiokafka
import pytest
from confluent_kafka import Consumer, Producer
from confluent_kafka.admin import AdminClient, ConfigResource

from minikafka.testing import Cluster, ClusterError

PATIENCE_S = 20
KINDS = [
    {"tls": True},
    {"sasl": "PLAIN"},
    {"sasl": "SCRAM-SHA-256"},
    {"tls": True, "sasl": "SCRAM-SHA-512"},
]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", params=KINDS, ids=lambda each: "-".join(map(str, each.values())))
def cluster(request):
    with Cluster(nodes=3, **request.param) as running:
        running.create_topic("t")
        yield running


def produce(cluster, user="admin", **changes):
    failed = []
    options = {**cluster.login(user).librdkafka(), **changes, "log_level": 0}
    producer = Producer({"bootstrap.servers": cluster.bootstrap_servers, **options})
    producer.produce("t", b"value", on_delivery=lambda error, _: failed.append(error))
    producer.flush(PATIENCE_S)
    return failed


def test_librdkafka_writes_and_reads(cluster):
    assert produce(cluster) == [None]
    options = {"group.id": "confluent", "auto.offset.reset": "earliest"}
    consumer = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap_servers,
            **cluster.login("alice").librdkafka(),
            **options,
        }
    )
    consumer.subscribe(["t"])
    message = consumer.poll(PATIENCE_S)
    consumer.close()
    assert message.value() == b"value"


@pytest.mark.filterwarnings("ignore:.*is deprecated. Use files:DeprecationWarning")
def test_kafka_python_writes_and_reads(cluster):
    import kafka

    login = cluster.login("alice").kafka_python()
    with_login = {"bootstrap_servers": cluster.bootstrap_servers, **login}
    producer = kafka.KafkaProducer(**with_login)
    sent = producer.send("t", b"python").get(PATIENCE_S)
    producer.close()
    consumer = kafka.KafkaConsumer(**with_login)
    at = kafka.TopicPartition("t", 0)
    consumer.assign([at])
    consumer.seek(at, sent.offset)
    (records,) = consumer.poll(PATIENCE_S * 1000).values()
    consumer.close()
    assert records[0].value == b"python"


async def test_aiokafka_writes_and_reads(cluster):
    login = cluster.login("alice")
    options = {"security_protocol": login.protocol}
    if login.mechanism:
        options |= {
            "sasl_mechanism": login.mechanism,
            "sasl_plain_username": login.user,
            "sasl_plain_password": login.password,
        }
    if login.truststore:
        options["ssl_context"] = ssl.create_default_context(cafile=login.truststore)
    servers = cluster.bootstrap_servers
    async with aiokafka.AIOKafkaProducer(bootstrap_servers=servers, **options) as producer:
        sent = await asyncio.wait_for(producer.send_and_wait("t", b"asyncio"), PATIENCE_S)
    async with aiokafka.AIOKafkaConsumer(bootstrap_servers=servers, **options) as consumer:
        at = aiokafka.TopicPartition("t", 0)
        consumer.assign([at])
        consumer.seek(at, sent.offset)
        assert (await asyncio.wait_for(consumer.getone(), PATIENCE_S)).value == b"asyncio"


def test_a_stranger_is_refused(cluster):
    login = cluster.login()
    changes = {"message.timeout.ms": "2000"}
    if login.mechanism:
        changes["sasl.password"] = "guessed"
    else:
        changes["ssl.ca.location"] = "/etc/ssl/certs/ca-certificates.crt"
    (error,) = produce(cluster, **changes)
    assert error is not None
    if login.mechanism:
        log = "".join(cluster.log_text(node) for node in cluster.node_ids)
        assert "failed login" in log
        assert "guessed" not in log


def test_commands_take_the_properties_file_of_a_user(cluster):
    path = cluster.directory / "security" / "alice.properties"
    listed = subprocess.run(
        [
            sys.executable, ROOT / "bin" / "kafka-topics.py", "--bootstrap-server",
            cluster.bootstrap_servers, "--command-config", path, "--list",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert listed.returncode == 0, listed.stderr
    assert "t" in listed.stdout.split()


def test_a_leader_that_is_killed_is_replaced_and_returns(cluster):
    killed = cluster.kill_leader("t")
    assert produce(cluster) == [None]
    cluster.start(killed)
    cluster.wait_until_in_sync("t")


def test_acls_count_for_users(cluster):
    # Without a login, alice is everybody without a certificate.
    principal = "User:alice" if cluster.login().mechanism else "User:ANONYMOUS"
    acl = subprocess.run(
        [
            sys.executable, ROOT / "bin" / "kafka-acls.py", "--bootstrap-server",
            cluster.bootstrap_servers, "--command-config",
            cluster.directory / "security" / "admin.properties", "--add", "--deny-principal",
            principal, "--operation", "Write", "--topic", "t",
        ],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert acl.returncode == 0, acl.stderr
    (error,) = produce(cluster, "alice")
    assert error.name() == "TOPIC_AUTHORIZATION_FAILED"
    assert produce(cluster) == [None]


def test_no_password_is_in_a_log_or_an_answer(cluster):
    secrets = {cluster.login(user).password for user in ("admin", "alice")} - {""}
    admin = AdminClient(
        {"bootstrap.servers": cluster.bootstrap_servers, **cluster.login().librdkafka()}
    )
    resource = ConfigResource(ConfigResource.Type.BROKER, "1")
    described = admin.describe_configs([resource])[resource].result(PATIENCE_S)
    shown = repr({name: entry.value for name, entry in described.items()})
    log = "".join(cluster.log_text(node) for node in cluster.node_ids)
    for secret in secrets:
        assert secret not in shown
        assert secret not in log


def test_wrong_settings_are_named():
    with pytest.raises(ClusterError, match="sasl='GSSAPI': expected one of PLAIN"):
        Cluster(sasl="GSSAPI")
    plain = Cluster()
    with pytest.raises(ClusterError):
        plain.login()
    with Cluster(sasl="PLAIN") as running, pytest.raises(ClusterError, match="no user 'bob'"):
        running.login("bob")
