"""Three nodes that log in to one another by SASL, with real clients, good and bad credentials.

Sessions last two seconds, so that nodes and clients log in again and again.
"""

import asyncio
import time
import warnings

import pytest

from minikafka.admin.client import BrokerConnection
from minikafka.admin.security import ClientSecurity
from minikafka.config.jaas import parse_jaas
from minikafka.config.sasl import OwnLogin
from minikafka.messages.metadata import MetadataRequest
from tests.integration.own_nodes import tool
from tests.integration.sasl_nodes import (
    PASSWORDS,
    REAUTH_MS,
    SaslNodes,
    client_properties,
    plain,
    scram,
)

_MECHANISMS = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
_USERS = {"PLAIN": "alice", "SCRAM-SHA-256": "sara", "SCRAM-SHA-512": "sara"}


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with SaslNodes(tmp_path_factory.mktemp("sasl"), 3) as nodes:
        for node in (1, 2, 3):
            nodes.format(node, "--initial-controllers", nodes.voters(1, 2, 3))
        nodes.start(1, 2, 3)
        admin = client_properties(nodes.folder, "PLAIN", plain("alice", PASSWORDS["alice"]))
        for mechanism in ("SCRAM-SHA-256", "SCRAM-SHA-512"):
            tool(
                "kafka-configs", "--bootstrap-server", nodes.servers, "--command-config", admin,
                "--alter", "--entity-type", "users", "--entity-name", "sara", "--add-config",
                f"{mechanism}=[iterations=8192,password={PASSWORDS['sara']}]",
            )  # fmt: skip
        tool(
            "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", admin,
            "--create", "--topic", "t", "--partitions", "3", "--replication-factor", "3",
        )  # fmt: skip
        yield nodes


@pytest.mark.parametrize("mechanism", _MECHANISMS)
def test_confluent_kafka(nodes, mechanism):
    from confluent_kafka import Consumer, Producer

    user = _USERS[mechanism]
    client = {
        "bootstrap.servers": nodes.servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": mechanism,
        "sasl.username": user,
        "sasl.password": PASSWORDS[user],
    }
    errors = []
    delivered = []
    producer = Producer({**client, "acks": "all", "error_cb": errors.append})
    consumer = Consumer(
        {
            **client,
            "group.id": f"g-{mechanism}",
            "auto.offset.reset": "earliest",
            "error_cb": errors.append,
        }
    )
    consumer.subscribe(["t"])
    key = mechanism.encode()
    got = set()
    end_s = time.monotonic() + 3 * REAUTH_MS / 1000
    count = 0
    while time.monotonic() < end_s or len(got) < count:
        assert time.monotonic() < end_s + 60, (len(got), count, errors)
        if time.monotonic() < end_s:
            value = str(count).encode()
            producer.produce("t", value, key, on_delivery=lambda e, _: delivered.append(e))
            count += 1
        producer.poll(0)
        message = consumer.poll(0.02)
        if message is not None and message.error() is None and message.key() == key:
            got.add(int(message.value()))
    producer.flush(30)
    consumer.close()
    assert delivered.count(None) == len(delivered) == count
    assert got == set(range(count))
    assert errors == []


@pytest.mark.parametrize("mechanism", _MECHANISMS)
def test_confluent_kafka_with_a_wrong_password(nodes, mechanism):
    from confluent_kafka import KafkaError
    from confluent_kafka.admin import AdminClient

    errors = []
    client = AdminClient(
        {
            "bootstrap.servers": nodes.servers,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": mechanism,
            "sasl.username": _USERS[mechanism],
            "sasl.password": "wrong-s3cret",
            "error_cb": errors.append,
        }
    )
    end_s = time.monotonic() + 30
    while not errors and time.monotonic() < end_s:
        client.poll(0.1)
    assert KafkaError._AUTHENTICATION in {each.code() for each in errors}


@pytest.mark.parametrize("mechanism", _MECHANISMS)
async def test_aiokafka(nodes, mechanism):
    from aiokafka import AIOKafkaProducer
    from aiokafka.errors import AuthenticationFailedError, KafkaError

    user = _USERS[mechanism]

    def producer(password):
        return AIOKafkaProducer(
            bootstrap_servers=nodes.servers,
            security_protocol="SASL_PLAINTEXT",
            sasl_mechanism=mechanism,
            sasl_plain_username=user,
            sasl_plain_password=password,
        )

    client = producer(PASSWORDS[user])
    await client.start()
    try:
        sent = await client.send_and_wait("t", b"v", b"aiokafka")
        assert sent.topic == "t"
    finally:
        await client.stop()
    client = producer("wrong-s3cret")
    with pytest.raises((AuthenticationFailedError, KafkaError)):
        await client.start()
    await client.stop()
    await asyncio.sleep(0)


@pytest.mark.parametrize("mechanism", _MECHANISMS)
def test_kafka_python(nodes, mechanism):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it uses an old importlib function
        from kafka import KafkaProducer

    user = _USERS[mechanism]

    client = KafkaProducer(
        bootstrap_servers=nodes.servers,
        security_protocol="SASL_PLAINTEXT",
        sasl_mechanism=mechanism,
        sasl_plain_username=user,
        sasl_plain_password=PASSWORDS[user],
    )
    try:
        assert client.send("t", b"v", b"kafka-python").get(30).topic == "t"
    finally:
        client.close(10)


def test_the_tools(nodes):
    for mechanism, module in (
        ("PLAIN", plain("alice", PASSWORDS["alice"])),
        ("SCRAM-SHA-512", scram("sara", PASSWORDS["sara"])),
    ):
        client = client_properties(nodes.folder, mechanism, module)
        done = tool(
            "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", client,
            "--list",
        )  # fmt: skip
        assert "t" in done.stdout.splitlines()
    client = client_properties(nodes.folder, "PLAIN", plain("alice", "wrong-s3cret"))
    done = tool(
        "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", client, "--list",
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "Authentication failed: Invalid username or password" in done.stdout + done.stderr
    assert "s3cret" not in done.stdout + done.stderr


def test_users_are_described_and_removed(nodes):
    admin = client_properties(nodes.folder, "PLAIN", plain("alice", PASSWORDS["alice"]))

    def configs(*words, check=True):
        return tool(
            "kafka-configs", "--bootstrap-server", nodes.servers, "--command-config", admin, *words,
            "--entity-type", "users", "--entity-name", "tom", check=check,
        )  # fmt: skip

    done = configs("--alter", "--add-config", "SCRAM-SHA-256=[iterations=4096,password=tom-s3cret]")
    assert done.stdout == "Completed updating config for user tom.\n"
    done = configs("--describe")
    assert done.stdout == (
        "SCRAM credential configs for user-principal 'tom' are SCRAM-SHA-256=iterations=4096\n"
    )
    configs("--alter", "--delete-config", "SCRAM-SHA-256")
    done = configs("--alter", "--delete-config", "SCRAM-SHA-256", check=False)
    assert done.returncode == 1
    assert "Attempt to delete a user credential that does not exist" in done.stdout + done.stderr


def test_nodes_keep_their_sessions_and_nothing_shows_a_password(nodes):
    time.sleep(2 * REAUTH_MS / 1000)
    admin = client_properties(nodes.folder, "PLAIN", plain("alice", PASSWORDS["alice"]))
    done = tool(
        "kafka-configs", "--bootstrap-server", nodes.servers, "--command-config", admin,
        "--describe", "--all", "--entity-type", "brokers", "--entity-name", "1",
    )  # fmt: skip
    assert "sasl.jaas.config=null sensitive=true" in done.stdout
    logs = "".join(nodes.log_text(node) for node in (1, 2, 3))
    for password in (*PASSWORDS.values(), "wrong-s3cret", "tom-s3cret"):
        assert password not in logs
        assert password not in done.stdout
    assert "cannot log in" not in logs
    assert "Traceback" not in logs
    assert "ISR shrinks" not in logs


def test_brokers_log_in_by_scram_from_the_first_start(tmp_path):
    with SaslNodes(tmp_path, 2) as nodes:
        for node in (1, 2):
            with nodes.file(node).open("a") as file:
                file.write("sasl.mechanism.inter.broker.protocol=SCRAM-SHA-512\n")
            nodes.format(
                node, "--initial-controllers", nodes.voters(1, 2),
                "--add-scram", f"SCRAM-SHA-512=[name=node,password={PASSWORDS['node']}]",
                "--add-scram", f"SCRAM-SHA-256=[name=sara,password={PASSWORDS['sara']}]",
            )  # fmt: skip
        nodes.start(1, 2)
        admin = client_properties(nodes.folder, "SCRAM-SHA-256", scram("sara", PASSWORDS["sara"]))
        tool(
            "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", admin,
            "--create", "--topic", "t", "--partitions", "2", "--replication-factor", "2",
        )  # fmt: skip
        time.sleep(2 * REAUTH_MS / 1000)
        done = tool(
            "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", admin,
            "--describe", "--under-replicated-partitions",
        )  # fmt: skip
        assert done.stdout == ""
        for node in (1, 2):
            text = nodes.log_text(node)
            assert "cannot log in" not in text
            assert "ISR shrinks" not in text
            assert PASSWORDS["node"] not in text


def test_a_tools_connection_outlives_its_session(nodes):
    host, port = nodes.server(1).split(":")
    login = OwnLogin("PLAIN", parse_jaas(plain("alice", PASSWORDS["alice"])))
    connection = BrokerConnection(host, int(port), "test", 30.0, ClientSecurity(login=login))
    try:
        end_s = time.monotonic() + 2 * REAUTH_MS / 1000
        while time.monotonic() < end_s:
            assert connection.ask(MetadataRequest(topics=[])).brokers
            time.sleep(0.05)
    finally:
        connection.close()


def test_a_transaction_lasts_longer_than_a_session(nodes):
    from confluent_kafka import Producer

    producer = Producer(
        {
            "bootstrap.servers": nodes.servers,
            "security.protocol": "SASL_PLAINTEXT",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "sara",
            "sasl.password": PASSWORDS["sara"],
            "transactional.id": "long",
        }
    )
    delivered = []
    producer.init_transactions(30)
    for ends in (producer.commit_transaction, producer.abort_transaction):
        producer.begin_transaction()
        end_s = time.monotonic() + 1.5 * REAUTH_MS / 1000
        while time.monotonic() < end_s:
            producer.produce("t", b"v", b"long", on_delivery=lambda e, _: delivered.append(e))
            producer.poll(0.05)
        producer.flush(30)
        ends(30)
    assert delivered.count(None) == len(delivered) > 0
