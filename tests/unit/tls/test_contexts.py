"""Keys and certificates: each fault is one sentence that names the setting, and no secret."""

import ssl

import pytest

from minikafka.config.ssl_keys import ssl_settings
from minikafka.tls.contexts import client_context, node_contexts, validity_warning
from minikafka.tls.stores import TlsError
from tests.certificates import EXPIRED, Authority, openssl


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("ca"))


@pytest.fixture(scope="module")
def node(authority):
    return authority.issue("node")


@pytest.fixture(scope="module")
def locked(authority):
    return authority.issue("locked", password="open-sesame")


def made(*parts, connects=False, **changes):
    values = {name: str(text) for part in parts for name, text in part.items()}
    values |= {f"ssl.{name.replace('_', '.')}": str(text) for name, text in changes.items()}
    return node_contexts(ssl_settings(values), connects=connects)


def test_files_and_inline_texts_are_loaded(authority, node, locked):
    assert made(node.client(), authority.trusted(), connects=True).certificate.subject == (
        "CN=node,O=Org"
    )
    inline = {
        "ssl.keystore.type": "PEM",
        # As in a properties file whose lines are joined.
        "ssl.keystore.key": " ".join(locked.key.read_text().split("\n")),
        "ssl.keystore.certificate.chain": locked.chain.read_text(),
        "ssl.key.password": "open-sesame",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": authority.path.read_text(),
    }
    assert made(inline, connects=True, client_auth="required").server.verify_mode == (
        ssl.CERT_REQUIRED
    )
    assert made(inline, client_auth="requested").server.verify_mode == ssl.CERT_OPTIONAL


def test_faults_are_one_sentence(tmp_path, authority, node, locked):
    other = authority.issue("other")
    mixed = tmp_path / "mixed.pem"
    mixed.write_text(node.key.read_text() + other.chain.read_text())
    bad = tmp_path / "bad.pem"
    bad.write_text(node.key.read_text().replace("M", "!") + node.chain.read_text())
    expired = authority.issue("expired", validity=EXPIRED)
    jks = tmp_path / "k.jks"
    jks.write_bytes(b"\xfe\xed\xfe\xed" + bytes(100))
    store = {"ssl.keystore.password": "open-sesame"}
    for words, parts, changes in (
        ("keystore.location: is missing", [], {}),
        ("nothing.pem: cannot be read: No such file", [node.client()],
         {"keystore_location": tmp_path / "nothing.pem"}),
        (": cannot be read: Is a directory", [node.client()], {"keystore_location": tmp_path}),
        ("has no private key in PEM", [node.client()], {"keystore_location": node.chain}),
        ("has no certificate in PEM", [node.client()], {"keystore_location": node.key}),
        ("does not belong to the first certificate", [node.client()],
         {"keystore_location": mixed}),
        ("the private key or a certificate cannot be read", [node.client()],
         {"keystore_location": bad}),
        ("is encrypted, and ssl.key.password is missing", [locked.client()], {}),
        ("cannot be decrypted: ssl.key.password is wrong", [locked.client()],
         {"key_password": "wrong-sesame"}),
        ("the certificate has expired on 20", [expired.client(), authority.trusted()], {}),
        ("is a JKS file, which only Java reads; convert it with: keytool", [store],
         {"keystore_location": jks}),
        ("is not a PKCS12 file; it seems to be PEM, so set its type", [store],
         {"keystore_location": node.path}),
        ("has no certificate in PEM", [node.client(), authority.trusted()],
         {"truststore_location": node.key}),
        ("nodes with these settings cannot connect to one another: unable to get local issuer",
         [node.client()],
         {"truststore_type": "PEM", "truststore_location": Authority(tmp_path, "stranger").path}),
    ):  # fmt: skip
        with pytest.raises(TlsError) as refused:
            made(*parts, connects=True, **changes)
        assert words in str(refused.value)
        assert "sesame" not in str(refused.value)
        assert "\n" not in str(refused.value)


def test_a_certificate_only_for_servers_cannot_connect_nodes(authority):
    server = authority.issue("server", more="extendedKeyUsage=serverAuth\n")
    made(server.client(), authority.trusted(), connects=True)
    with pytest.raises(TlsError, match="cannot connect to one another: un"):
        made(server.client(), authority.trusted(), connects=True, client_auth="required")


def test_an_expired_certificate_of_clients_is_a_warning(authority, node):
    expired = made(authority.issue("old", validity=EXPIRED).client())
    assert "has expired on" in validity_warning(expired)
    soon = made(authority.issue("soon", validity=("-days", 2)).client())
    assert "the certificate expires on" in validity_warning(soon)
    assert validity_warning(made(node.client())) is None


def test_versions_and_suites_are_set(node, authority):
    suites = "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"
    context = made(node.client(), cipher_suites=suites).server
    assert context.maximum_version == ssl.TLSVersion.TLSv1_2
    newest = made(node.client(), enabled_protocols="TLSv1.3").server
    assert newest.minimum_version == ssl.TLSVersion.TLSv1_3
    with pytest.raises(TlsError, match="is not available in OpenSSL"):
        made(node.client(), cipher_suites="TLS_RSA_WITH_ARIA_128_CBC_SHA256")


def test_a_client_compares_host_names_unless_it_is_told_not_to():
    assert client_context(ssl_settings({})).check_hostname
    lax = client_context(ssl_settings({"ssl.endpoint.identification.algorithm": ""}))
    assert not lax.check_hostname
    assert lax.verify_mode == ssl.CERT_REQUIRED


def test_pkcs12_needs_an_extra_or_is_read(tmp_path, authority, node):
    store = tmp_path / "node.p12"
    openssl(
        "pkcs12", "-export", "-in", node.path, "-out", store, "-passout", "pass:open-sesame",
        folder=tmp_path,
    )  # fmt: skip
    given = {"ssl.keystore.location": store, "ssl.keystore.password": "open-sesame"}
    try:
        import cryptography  # noqa: F401
    except ImportError:
        with pytest.raises(TlsError, match=r"minikafka\[pkcs12\].*openssl pkcs12 -in"):
            made(given)
        return
    assert made(given, authority.trusted(), connects=True).certificate.subject == "CN=node,O=Org"
    with pytest.raises(TlsError, match="the password is wrong"):
        made(given, keystore_password="other")
