"""Fixtures for pytest: clusters of minikafka, and topics, names and clients for each test.

    def test_orders(minikafka, kafka_topic):
        minikafka.produce(kafka_topic, "first")
        assert [record.value for record in minikafka.records(kafka_topic)] == [b"first"]

pytest imports this module in every run (entry point `minikafka`), so it imports nothing of the
product before a fixture is used. `factories` makes more fixtures under other names.
"""

import pytest

from minikafka.pytest_plugin import clients, factories, options, report, shared

__all__ = [
    "kafka_admin",
    "kafka_bootstrap_servers",
    "kafka_consumer",
    "kafka_producer",
    "kafka_topic",
    "minikafka",
    "minikafka_cluster",
    "minikafka_noproc",
    "minikafka_proc",
    "pytest_addoption",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_runtest_makereport",
    "pytest_unconfigure",
]

minikafka_proc = factories.minikafka_proc()
minikafka_noproc = factories.minikafka_noproc()
minikafka_cluster = factories.minikafka_cluster()
minikafka = factories.minikafka()
kafka_bootstrap_servers = factories.kafka_bootstrap_servers()
kafka_topic = factories.kafka_topic()
kafka_producer = clients.kafka_producer()
kafka_consumer = clients.kafka_consumer()
kafka_admin = clients.kafka_admin()

pytest_runtest_makereport = report.pytest_runtest_makereport


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare command line options and ini values."""
    options.declare(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and refuse options without a meaning before any test runs."""
    config.addinivalue_line("markers", options.MARKER_HELP)
    options.read(config)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: shared.WorkerNode) -> None:
    """With `--minikafka-shared`: tell a process of pytest-xdist the address of the one cluster."""
    shared.tell(node)


def pytest_unconfigure(config: pytest.Config) -> None:
    """End the cluster that the processes of pytest-xdist shared."""
    shared.end(config)
