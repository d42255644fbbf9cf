"""A node with an authorizer, real clients, and the tool that changes ACLs while they run."""

import re
import time

import pytest
from confluent_kafka import Consumer, KafkaError, KafkaException, Producer
from confluent_kafka.admin import AdminClient, NewTopic

from minikafka.config.authorizer_keys import STANDARD_AUTHORIZER
from tests.integration.own_nodes import OwnNodes, tool

TOPIC_ERROR = KafkaError.TOPIC_AUTHORIZATION_FAILED
ANONYMOUS = "User:ANONYMOUS"


@pytest.fixture
def node(tmp_path):
    """One node; what no ACL is about is allowed."""
    config = {
        "authorizer.class.name": STANDARD_AUTHORIZER,
        "allow.everyone.if.no.acl.found": "true",
        "offsets.topic.replication.factor": "1",
    }
    with OwnNodes(tmp_path, 1, **config) as nodes:
        nodes.format(1, "--standalone")
        nodes.start(1)
        yield nodes


def acls(node, *words):
    return tool("kafka-acls", "--bootstrap-server", node.server(1), *words).stdout


def produce(producer, value):
    """Send one record; return the error code, or None."""
    found = []
    try:
        producer.produce("t", value, on_delivery=lambda error, _: found.append(error))
    except KafkaException as refused:
        # The client remembers what the last metadata said of the topic.
        return refused.args[0].code()
    producer.flush(20)
    return None if found[0] is None else found[0].code()


def poll(consumer, within_s=20):
    """Return the value of the next record, or the code of an error."""
    deadline_s = time.monotonic() + within_s
    while time.monotonic() < deadline_s:
        message = consumer.poll(0.2)
        if message is not None:
            return message.value() if message.error() is None else message.error().code()
    return None


def test_acls_take_effect_on_clients_that_run(node):
    servers = {"bootstrap.servers": node.server(1)}
    admin = AdminClient(servers)
    admin.create_topics([NewTopic("t", 1, 1)])["t"].result(20)
    producer = Producer(servers)
    consumer = Consumer({**servers, "group.id": "g", "auto.offset.reset": "earliest"})
    consumer.subscribe(["t"])
    try:
        for number in range(20):
            assert produce(producer, b"%d" % number) is None
        assert [poll(consumer) for _ in range(20)] == [b"%d" % number for number in range(20)]
        acls(
            node, "--add", "--allow-principal", ANONYMOUS, "--topic", "t", "--operation", "Describe"
        )
        assert produce(producer, b"denied") == TOPIC_ERROR
        assert poll(consumer) == TOPIC_ERROR
        assert "operation=DESCRIBE" in acls(node, "--list")
        text = node.log_text(1)
        # The consumer may commit before it fetches: the same denial has one line.
        for operation, api in (("WRITE", "Produce"), ("READ", "(Fetch|OffsetCommit)")):
            assert re.search(
                f"Principal = {ANONYMOUS} is Denied operation = {operation} from host = 127.0.0.1 "
                f"on resource = Topic:LITERAL:t for request = {api} based on rule DefaultDeny",
                text,
            )
        acls(node, "--remove", "--force", "--topic", "t")
        deadline_s = time.monotonic() + 20
        while (code := produce(producer, b"again")) == TOPIC_ERROR:
            assert time.monotonic() < deadline_s
            producer.poll(0.1)
        assert code is None
        while (found := poll(consumer)) == TOPIC_ERROR:
            pass
        assert found == b"again"
    finally:
        consumer.close()


def test_acls_are_kept_over_a_restart(node):
    """The node acts by an ACL, too: it is no super user."""
    words = ("--allow-principal", ANONYMOUS, "--cluster", "--operation", "ClusterAction")
    acls(node, "--add", *words)
    node.stop(1)
    node.start(1)
    # No principal may see or change ACLs now.
    done = tool("kafka-acls", "--bootstrap-server", node.server(1), "--list", check=False)
    assert done.returncode == 1
    assert "org.apache.kafka.common.errors.ClusterAuthorizationException" in done.stdout
