"""Settings of TLS: what contradicts is refused, with the key as it was given."""

import pytest

from minikafka.config.cipher_suites import openssl_name
from minikafka.config.definition import ConfigError
from minikafka.config.node_config import ConfigErrors, node_config
from minikafka.config.ssl_keys import Password, ssl_settings
from minikafka.config.values import check_broker_values

PEM = {"ssl.keystore.type": "PEM", "ssl.keystore.location": "/k"}
INLINE = {
    "ssl.keystore.type": "PEM",
    "ssl.keystore.key": "secret-key",
    "ssl.keystore.certificate.chain": "chain",
}
OF_1_3 = "TLS_AES_256_GCM_SHA384,TLS_CHACHA20_POLY1305_SHA256,TLS_AES_128_GCM_SHA256"
OF_1_2 = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"ssl.keystore.location": "/k"}, "ssl.keystore.location: needs ssl.keystore.password"),
        ({"ssl.keystore.password": "secret"}, "is given without ssl.keystore.location"),
        ({**PEM, "ssl.keystore.password": "secret"}, "must not be given for type PEM; see ssl.key"),
        ({"ssl.keystore.type": "BKS"}, "'BKS' is not available; allowed: PEM, PKCS12"),
        ({**INLINE, "ssl.keystore.type": "PKCS12"}, "needs ssl.keystore.type=PEM"),
        ({**INLINE, "ssl.keystore.location": "/k"}, "contradicts ssl.keystore.location"),
        ({**INLINE, "ssl.keystore.password": "secret"}, "must not be given for type PEM"),
        ({"ssl.keystore.key": "secret-key"}, "given without ssl.keystore.certificate.chain"),
        ({"ssl.keystore.certificate.chain": "c"}, "given without ssl.keystore.key"),
        ({"ssl.truststore.password": "secret"}, "is given without ssl.truststore.location"),
        ({"ssl.truststore.certificates": "c"}, "needs ssl.truststore.type=PEM"),
        (
            {"ssl.truststore.type": "PEM", "ssl.truststore.location": "/t",
             "ssl.truststore.password": "secret"},
            "ssl.truststore.password: must not be given",
        ),
        ({"ssl.client.auth": "maybe"}, "ssl.client.auth: invalid value 'maybe'; allowed: text, one"),
        ({"ssl.enabled.protocols": "TLSv1.1"}, "TLSv1.1 is not secure enough"),
        ({"ssl.enabled.protocols": "TLSv9"}, "'TLSv9' is not a version"),
        ({"ssl.cipher.suites": "RC4"}, "RC4 is not a known suite; use its IANA name"),
        ({"ssl.cipher.suites": "TLS_AES_128_GCM_SHA256"}, "can only be used together"),
        ({"ssl.cipher.suites": OF_1_2, "ssl.enabled.protocols": "TLSv1.3"}, "no suite of TLSv1.3"),
        ({"ssl.endpoint.identification.algorithm": "ldaps"}, "'ldaps' is not available"),
        ({"ssl.engine.factory.class": "a.B"}, "plug-ins are not available"),
    ],
)  # fmt: skip
def test_what_contradicts_is_refused(given, words):
    with pytest.raises(ConfigError) as refused:
        ssl_settings(given)
    assert words in str(refused.value)
    assert "secret" not in str(refused.value)


def test_keys_of_a_listener_take_precedence_and_are_named_in_errors():
    given = {**PEM, "listener.name.in.ssl.keystore.location": "/in", "ssl.client.auth": "required",
             "listener.name.in.ssl.client.auth": "none"}  # fmt: skip
    own, other = ssl_settings(given, "IN"), ssl_settings(given, "OUT")
    assert (own.keystore.path, own.client_auth) == ("/in", "none")
    assert (other.keystore.path, other.client_auth) == ("/k", "required")
    assert own.keystore.keys == "listener.name.in.ssl.keystore.location"
    assert other.keystore.keys == "ssl.keystore.location"
    with pytest.raises(ConfigError, match=r"^listener\.name\.in\.ssl\.client\.auth: invalid"):
        ssl_settings({"listener.name.in.ssl.client.auth": "x"}, "IN")


def test_old_versions_are_dropped_and_suites_choose_the_versions():
    assert ssl_settings({"ssl.enabled.protocols": "TLSv1.2,TLSv1.1,TLSv1"}).versions == ("TLSv1.2",)
    assert ssl_settings({}).versions == ("TLSv1.2", "TLSv1.3")
    only_1_2 = ssl_settings({"ssl.cipher.suites": OF_1_2})
    assert only_1_2.versions == ("TLSv1.2",)
    assert only_1_2.ciphers == ("ECDHE-RSA-AES128-GCM-SHA256",)
    assert ssl_settings({"ssl.cipher.suites": OF_1_3}).versions == ("TLSv1.3",)
    assert ssl_settings({"ssl.cipher.suites": f"{OF_1_2},{OF_1_3}"}).versions == (
        "TLSv1.2", "TLSv1.3",
    )  # fmt: skip


def test_passwords_are_never_shown():
    settings = ssl_settings({**INLINE, "ssl.key.password": "secret"})
    assert "secret" not in repr(settings)
    assert str(Password("secret")) == f"{Password('secret')}" == "[hidden]"
    assert Password("a") == Password("a") != Password("b")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        (OF_1_2, "ECDHE-RSA-AES128-GCM-SHA256"),
        ("TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384"),
        ("TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ECDHE-RSA-CHACHA20-POLY1305"),
        ("TLS_DHE_RSA_WITH_AES_256_CBC_SHA256", "DHE-RSA-AES256-SHA256"),
        ("TLS_RSA_WITH_AES_128_CBC_SHA", "AES128-SHA"),
        ("TLS_ECDHE_ECDSA_WITH_AES_128_CCM_8", "ECDHE-ECDSA-AES128-CCM8"),
        ("TLS_ECDHE_RSA_WITH_NULL_SHA", None),
        ("TLS_AES_128_GCM_SHA256", None),
    ],
)
def test_suites_have_openssl_names(name, found):
    assert openssl_name(name) == found


def test_keys_of_listeners_are_known_and_checked():
    given = {"listener.name.a.ssl.keystore.location": "/k", "listeners": "SSL://:1"}
    assert check_broker_values(given) == ([], [], [])
    assert check_broker_values({"ssl.client.auth": "x", "listeners": "SSL://:1"}).errors


def test_a_node_reports_the_faults_of_its_listeners():
    given = {
        "process.roles": "broker,controller",
        "node.id": "1",
        "listeners": "A://h:1,B://h:2,CONTROLLER://h:3",
        "inter.broker.listener.name": "A",
        "controller.listener.names": "CONTROLLER",
        "listener.security.protocol.map": "A:PLAINTEXT,B:SSL,CONTROLLER:SSL",
        "controller.quorum.voters": "1@h:3",
        "log.dirs": "/x",
    }
    config = node_config(given)
    assert set(config.ssl) == {"B", "CONTROLLER"}
    with pytest.raises(ConfigErrors) as refused:
        node_config({**given, "ssl.keystore.location": "/k", "log.dirs": "/x,/x"})
    assert "ssl.keystore.location: needs ssl.keystore.password" in refused.value.errors
    assert len(refused.value.errors) == 2
