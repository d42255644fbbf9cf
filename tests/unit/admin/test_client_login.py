"""The properties of a Java client, in the words of other clients."""

import pytest

from minikafka.admin.client_login import ClientLogin
from minikafka.admin.security import ClientSecurityError

SCRAM = (
    'org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="b";'
)


def read(tmp_path, **values):
    path = tmp_path / "client.properties"
    lines = [f"{key.replace('_', '.')}={value}" for key, value in values.items()]
    path.write_text("\n".join(lines))
    return ClientLogin.read(str(path))


def test_a_login_is_said_in_each_library_s_words(tmp_path):
    login = read(
        tmp_path,
        security_protocol="sasl_plaintext",
        sasl_mechanism="SCRAM-SHA-512",
        sasl_jaas_config=SCRAM,
    )
    assert login == ClientLogin("SASL_PLAINTEXT", "SCRAM-SHA-512", "a", "b", "", "")
    assert login.properties()["sasl.jaas.config"] == SCRAM
    assert login.librdkafka() == {
        "security.protocol": "SASL_PLAINTEXT",
        "sasl.mechanism": "SCRAM-SHA-512",
        "sasl.username": "a",
        "sasl.password": "b",
    }
    assert login.kafka_python()["sasl_plain_password"] == "b"


def test_without_security_it_is_plaintext(tmp_path):
    assert read(tmp_path).properties() == {"security.protocol": "PLAINTEXT"}


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ({"security_protocol": "TLS"}, "security.protocol=TLS: is not a protocol"),
        (
            {"security_protocol": "SASL_PLAINTEXT", "sasl_mechanism": "PLAIN"},
            "sasl.jaas.config: is missing",
        ),
        ({"ssl_truststore_location": "/t"}, "ssl.truststore.type: must be PEM"),
    ],
)
def test_what_clients_cannot_use_is_named(tmp_path, values, why):
    with pytest.raises(ClientSecurityError, match=why):
        read(tmp_path, **values)


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "absent"
    with pytest.raises(ClientSecurityError, match=f"^{path}: No such file or directory$"):
        ClientLogin.read(str(path))


def test_a_line_that_cannot_be_read_is_named_once(tmp_path):
    path = tmp_path / "client.properties"
    path.write_text("=value")
    with pytest.raises(ClientSecurityError, match=f"^{path}, line 1: a value without a key"):
        ClientLogin.read(str(path))
