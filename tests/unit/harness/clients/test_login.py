"""How the clients of a run connect to a secured cluster."""

import ssl

import pytest

from minikafka.admin.security import UNSECURED
from minikafka.dev.secured import Secured
from minikafka.harness.clients import login


@pytest.fixture(autouse=True)
def fresh():
    login._login.cache_clear()
    yield
    login._login.cache_clear()


def test_without_a_file_nothing_is_added(monkeypatch):
    monkeypatch.delenv(login.VARIABLE, raising=False)
    assert login.for_tools() is UNSECURED
    for words in (login.for_librdkafka, login.for_kafka_python, login.for_aiokafka):
        assert words() == {}
    assert login.for_spark() == {}


def test_every_kind_of_client_logs_in_with_tls(monkeypatch, tmp_path):
    secured = Secured(tmp_path, has_tls=True, mechanism="SCRAM-SHA-512")
    secured.make(["localhost"])
    monkeypatch.setenv(login.VARIABLE, str(tmp_path / "alice.properties"))
    password = secured.login("alice").password
    assert login.for_librdkafka()["sasl.password"] == password
    assert login.for_kafka_python()["sasl_plain_password"] == password
    found = login.for_aiokafka()
    assert isinstance(found["ssl_context"], ssl.SSLContext)
    assert found["sasl_plain_username"] == "alice"
    assert login.for_spark()["kafka.security.protocol"] == "SASL_SSL"
    assert password in login.for_spark()["kafka.sasl.jaas.config"]
    assert login.for_tools().login.mechanism == "SCRAM-SHA-512"
