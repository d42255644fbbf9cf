"""A node whose clients log in with signed tokens, and keys that are replaced while it runs."""

import re
import time

import pytest

from minikafka.config.sasl_keys import SIGNED_VALIDATORS
from tests.integration.own_nodes import tool
from tests.integration.sasl_nodes import (
    PASSWORDS,
    VALIDATOR,
    SaslNodes,
    client_properties,
    plain,
)
from tests.unit.security.signed_tokens import entry, key_set, signed

_LIMIT_S = 30
_AUDIENCE = {"aud": "kafka", "iss": "https://idp.example"}


class _SignedNodes(SaslNodes):
    def write(self, node, **changes):
        super().write(node, **changes)
        self.keys = self.folder / "jwks.json"
        file = self.file(node)
        more = {
            "sasl.oauthbearer.jwks.endpoint.url": self.keys.as_uri(),
            "sasl.oauthbearer.expected.audience": "kafka",
            "sasl.oauthbearer.expected.issuer": "https://idp.example",
        }
        text = file.read_text().replace(VALIDATOR, SIGNED_VALIDATORS[0])
        file.write_text(text + "".join(f"{name}={value}\n" for name, value in more.items()))


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    with _SignedNodes(tmp_path_factory.mktemp("signed"), 1) as nodes:
        nodes.keys.write_text(key_set(entry("p256")))
        nodes.format(1, "--initial-controllers", nodes.voters(1))
        nodes.start(1)
        admin = client_properties(nodes.folder, "PLAIN", plain("alice", PASSWORDS["alice"]))
        tool(
            "kafka-topics", "--bootstrap-server", nodes.servers, "--command-config", admin,
            "--create", "--topic", "t", "--partitions", "1",
        )  # fmt: skip
        yield nodes


def _claims(**changes):
    now_s = int(time.time())
    return {"sub": "carol", "iat": now_s, "exp": now_s + 300, **_AUDIENCE, **changes}


def _client(nodes, token, errors):
    return {
        "bootstrap.servers": nodes.servers,
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "OAUTHBEARER",
        "reconnect.backoff.ms": 10_000,
        "reconnect.backoff.max.ms": 10_000,
        "oauth_cb": lambda _: (token, time.time() + 300),
        "error_cb": errors.append,
    }


def _is_accepted(nodes, token):
    """True if a client has logged in, False if its login was refused."""
    from confluent_kafka import KafkaError, KafkaException
    from confluent_kafka.admin import AdminClient

    errors = []
    client = AdminClient(_client(nodes, token, errors))
    end_s = time.monotonic() + _LIMIT_S
    while KafkaError._AUTHENTICATION not in {each.code() for each in errors}:
        assert time.monotonic() < end_s, errors
        client.poll(0.2)
        try:
            client.list_topics(timeout=0.5)
        except KafkaException:
            continue
        return True
    return False


def test_confluent_kafka(nodes):
    from confluent_kafka import Consumer, Producer

    errors = []
    token = signed(_claims())
    producer = Producer(_client(nodes, token, errors))
    producer.produce("t", b"v")
    assert producer.flush(_LIMIT_S) == 0
    consumer = Consumer(
        {**_client(nodes, token, errors), "group.id": "g", "auto.offset.reset": "earliest"}
    )
    consumer.subscribe(["t"])
    end_s = time.monotonic() + _LIMIT_S
    found = None
    while found is None or found.error() is not None:
        assert time.monotonic() < end_s, errors
        found = consumer.poll(0.1)
    consumer.close()
    assert errors == []


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda: signed(_claims(), "other", kid="p256"), "the signature is wrong"),
        (lambda: signed(_claims(), "other"), "there is no key for the algorithm ES256 and the id"),
        (lambda: signed(_claims(aud="x")), "the token is for another audience"),
        (lambda: signed(_claims(iat=1, exp=int(time.time()) - 40)), "the token has expired"),
    ],
)
def test_refused_tokens_are_logged_with_the_reason(nodes, make, reason):
    line = rf"failed login on listener SASL_PLAINTEXT from \S+, mechanism OAUTHBEARER: {reason}"
    end_s = time.monotonic() + _LIMIT_S
    assert not _is_accepted(nodes, make())
    # The log has at most ten lines in ten seconds, and a client tries several times.
    while not re.search(line, nodes.log_text(1)):
        assert time.monotonic() < end_s
        assert not _is_accepted(nodes, make())
    assert "Traceback" not in nodes.log_text(1)


def test_keys_are_replaced(nodes):
    nodes.keys.write_text(key_set(entry("p384")))
    end_s = time.monotonic() + _LIMIT_S
    while "the keys of tokens were read again" not in nodes.log_text(1):
        assert time.monotonic() < end_s
        time.sleep(0.1)
    assert _is_accepted(nodes, signed(_claims(), "p384", "ES384"))
    assert not _is_accepted(nodes, signed(_claims()))
