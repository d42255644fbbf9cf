"""The properties of a Java client, in the words of other clients."""

import pytest
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from minikafka.admin.client_login import ClientLogin
from minikafka.admin.security import ClientSecurityError, security_of
from minikafka.dev.certificates import make_certificates

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


def test_the_password_of_a_key_is_said_in_each_library_s_words(tmp_path):
    keystore = encrypted_keystore(tmp_path)
    login = read(
        tmp_path,
        security_protocol="SSL",
        ssl_keystore_type="PEM",
        ssl_keystore_location=keystore,
        ssl_key_password="secret",
    )
    assert login.keystore == str(keystore)
    assert login.properties()["ssl.key.password"] == "secret"
    assert login.librdkafka()["ssl.key.password"] == "secret"
    assert login.kafka_python()["ssl_password"] == "secret"
    # It can be used again: the key is read with the password.
    security_of(login.properties())


def encrypted_keystore(tmp_path):
    plain = make_certificates(tmp_path).client.read_bytes()
    at = plain.index(b"-----BEGIN CERTIFICATE")
    key = load_pem_private_key(plain[:at], None).private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
    )
    path = tmp_path / "encrypted.pem"
    path.write_bytes(key + plain[at:])
    return path


def test_certificates_in_the_file_are_refused(tmp_path):
    text = make_certificates(tmp_path).truststore.read_text().replace("\n", "\\n")
    with pytest.raises(
        ClientSecurityError,
        match=r"^ssl.truststore.certificates: .*; give a file: ssl.truststore.location$",
    ):
        read(
            tmp_path,
            security_protocol="SSL",
            ssl_truststore_type="PEM",
            ssl_truststore_certificates=text,
        )


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
