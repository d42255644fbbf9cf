"""The security of a cluster on this machine: files, configurations, and what clients need."""

import stat

import pytest

from minikafka.config.properties import parse_properties
from minikafka.dev.certificates import certificates_in
from minikafka.dev.layout import Layout
from minikafka.dev.secured import FOLDER, MECHANISMS, PLAIN, USERS, Secured
from minikafka.testing.base_ports import free_base_port

LISTENERS = ("INTERNAL", "CONTROLLER")


def made(folder, *, has_tls, mechanism):
    secured = Secured(folder, has_tls=has_tls, mechanism=mechanism)
    secured.make(["localhost"])
    return secured


@pytest.mark.parametrize(
    ("has_tls", "mechanism", "clients", "nodes"),
    [
        (True, "SCRAM-SHA-512", "SASL_SSL", "SSL"),
        (True, "", "SSL", "SSL"),
        (False, PLAIN, "SASL_PLAINTEXT", "SASL_PLAINTEXT"),
    ],
)
def test_nodes_are_secured_at_least_by_a_password(tmp_path, has_tls, mechanism, clients, nodes):
    secured = made(tmp_path, has_tls=has_tls, mechanism=mechanism)
    assert (secured.protocol.value, secured.nodes_protocol.value) == (clients, nodes)
    values = secured.values(clients, LISTENERS)
    assert values["authorizer.class.name"].endswith("StandardAuthorizer")
    for each in ("internal", "controller"):
        if has_tls:
            assert values[f"listener.name.{each}.ssl.client.auth"] == "required"
        else:
            module = values[f"listener.name.{each}.plain.sasl.jaas.config"]
            assert 'username="minikafka-node"' in module


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_each_user_has_a_properties_file_that_only_its_owner_reads(tmp_path, mechanism):
    secured = made(tmp_path, has_tls=False, mechanism=mechanism)
    for user in USERS:
        path = tmp_path / f"{user}.properties"
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        found = parse_properties(path.read_text(), str(path))
        login = secured.login(user)
        assert found == login.properties()
        assert f'password="{login.password}"' in found["sasl.jaas.config"]
        assert login.librdkafka()["sasl.password"] == login.password
        assert login.kafka_python()["sasl_plain_password"] == login.password
    users = [each.name for each in secured.records()]
    assert users == ([] if mechanism == PLAIN else list(USERS))


def test_only_their_owner_reads_the_properties_of_nodes(tmp_path):
    layout = Layout(
        tmp_path / "cluster", 1, free_base_port(1), {},
        secured=Secured(tmp_path / "cluster" / FOLDER, has_tls=False, mechanism=PLAIN),
    )  # fmt: skip
    path = layout.properties_file(1)
    for _ in range(2):
        layout.prepare()
        assert 'user_alice="' in path.read_text().replace("\\", "")
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        # As files of an older version, which the next start writes again.
        path.chmod(0o644)


def test_a_cluster_that_starts_again_keeps_its_passwords(tmp_path):
    first = made(tmp_path, has_tls=True, mechanism=PLAIN)
    again = made(tmp_path, has_tls=True, mechanism=PLAIN)
    assert again.login("alice") == first.login("alice")
    assert first.login("alice").password != first.login("admin").password


def test_another_host_gets_certificates_and_known_ones_keep_theirs(tmp_path):
    first = made(tmp_path, has_tls=True, mechanism=PLAIN)
    node = certificates_in(tmp_path).node
    before = node.read_bytes()
    for hosts in (["127.0.0.1", "localhost"], ["::1"]):
        Secured(tmp_path, has_tls=True, mechanism=PLAIN).make(hosts)
        assert node.read_bytes() == before
    again = Secured(tmp_path, has_tls=True, mechanism=PLAIN)
    again.make(["127.0.0.2", "kafka.example"])
    replaced = node.read_bytes()
    assert replaced != before
    assert again.login("alice") == first.login("alice")
    for hosts in (["kafka.example"], ["127.0.0.2", "localhost"]):
        Secured(tmp_path, has_tls=True, mechanism=PLAIN).make(hosts)
        assert node.read_bytes() == replaced


def test_without_tls_another_host_changes_nothing(tmp_path):
    made(tmp_path, has_tls=False, mechanism=PLAIN)
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    Secured(tmp_path, has_tls=False, mechanism=PLAIN).make(["kafka.example"])
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_only_the_administrator_has_a_certificate_without_logins(tmp_path):
    secured = made(tmp_path, has_tls=True, mechanism="")
    admin, alice = (secured.login(user) for user in USERS)
    assert admin.keystore
    assert not alice.keystore
    assert admin.properties()["ssl.keystore.location"] == admin.keystore
    assert set(alice.librdkafka()) == {"security.protocol", "ssl.ca.location"}
    assert set(admin.kafka_python()) >= {"ssl_certfile", "ssl_keyfile", "ssl_cafile"}
