"""Fixtures with clients of the library that is installed; it is imported when one is used.

The libraries are tried in the order of `LIBRARIES`; `--minikafka-client` names one. They are closed
after the test.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest

from minikafka.pytest_plugin.clusters import explained
from minikafka.pytest_plugin.isolation import own_name
from minikafka.pytest_plugin.options import read
from minikafka.pytest_plugin.report import cluster_of

if TYPE_CHECKING:
    from minikafka.admin.client_login import ClientLogin

_CLOSE_S = 10


MakeClient = Callable[[Any, str, str, dict[str, str]], tuple[Any, Callable[[], object]]]


class Library(NamedTuple):
    """A client library: the module that must be installed, and its three kinds of clients.

    Each function takes the module, the servers, a name, and what `login` returns for a cluster that
    is secured; it returns a client and how to end it.
    """

    module: str
    producer: MakeClient
    consumer: MakeClient
    admin: MakeClient
    login: Callable[["ClientLogin"], dict[str, str]]


def _confluent_producer(module: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    client = module.Producer({"bootstrap.servers": servers, "client.id": name, **login})
    return client, lambda: client.flush(_CLOSE_S)


def _confluent_consumer(module: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    client = module.Consumer(
        {
            "bootstrap.servers": servers,
            "group.id": name,
            "auto.offset.reset": "earliest",
            **login,
        }
    )
    return client, client.close


def _confluent_admin(_: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    module = import_module("confluent_kafka.admin")
    return module.AdminClient(
        {"bootstrap.servers": servers, "client.id": name, **login}
    ), lambda: None


def _python_producer(module: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    client = module.KafkaProducer(bootstrap_servers=servers, client_id=name, **login)
    return client, lambda: client.close(timeout=_CLOSE_S)


def _python_consumer(module: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    client = module.KafkaConsumer(
        bootstrap_servers=servers, group_id=name, auto_offset_reset="earliest", **login
    )
    return client, client.close


def _python_admin(module: Any, servers: str, name: str, login: dict[str, str]) -> Any:
    client = module.KafkaAdminClient(bootstrap_servers=servers, client_id=name, **login)
    return client, client.close


LIBRARIES: Final = {
    "confluent-kafka": Library(
        "confluent_kafka",
        _confluent_producer,
        _confluent_consumer,
        _confluent_admin,
        lambda login: login.librdkafka(),
    ),
    "kafka-python": Library(
        "kafka",
        _python_producer,
        _python_consumer,
        _python_admin,
        lambda login: login.kafka_python(),
    ),
}
_ASYNCHRONOUS: Final = "aiokafka"


def _installed(config: pytest.Config) -> Library:
    wanted = read(config).client
    if wanted is not None:
        library = LIBRARIES.get(wanted)
        if library is None:
            raise pytest.UsageError(
                f"--minikafka-client {wanted}: expected one of {', '.join(LIBRARIES)}"
            )
        return library
    for library in LIBRARIES.values():
        if find_spec(library.module) is not None:
            return library
    if find_spec(_ASYNCHRONOUS) is not None:
        raise pytest.UsageError(
            f"{_ASYNCHRONOUS} is asynchronous: create its clients in the test, with "
            "kafka_bootstrap_servers"
        )
    raise pytest.UsageError(f"no client library is installed; install {' or '.join(LIBRARIES)}")


def _client(request: pytest.FixtureRequest, kind: str, kafka: str) -> Iterator[Any]:
    with explained():
        library = _installed(request.config)
    cluster = cluster_of(request, kafka)
    make = getattr(library, kind)
    module = import_module(library.module)
    # The cluster of a user's fixture may have no such property.
    login = library.login(cluster.login()) if getattr(cluster, "is_secured", False) else {}
    client, end = make(module, cluster.bootstrap_servers, own_name(request, cluster), login)
    try:
        yield client
    finally:
        end()


def kafka_producer(kafka: str = "minikafka") -> Any:
    """Make a fixture: a producer."""

    @pytest.fixture
    def kafka_producer(request: pytest.FixtureRequest) -> Iterator[Any]:
        """A producer of the client library that is installed."""
        yield from _client(request, "producer", kafka)

    return kafka_producer


def kafka_consumer(kafka: str = "minikafka") -> Any:
    """Make a fixture: a consumer in a group of its own, which reads from the beginning."""

    @pytest.fixture
    def kafka_consumer(request: pytest.FixtureRequest) -> Iterator[Any]:
        """A consumer in a group of its own, which reads topics from their beginning."""
        yield from _client(request, "consumer", kafka)

    return kafka_consumer


def kafka_admin(kafka: str = "minikafka") -> Any:
    """Make a fixture: a client for administrators."""

    @pytest.fixture
    def kafka_admin(request: pytest.FixtureRequest) -> Iterator[Any]:
        """An administration client of the library that is installed."""
        yield from _client(request, "admin", kafka)

    return kafka_admin
