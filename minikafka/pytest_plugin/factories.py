"""Functions that make fixtures: assign the result to a name of your own.

    big_cluster = factories.minikafka_proc(nodes=3, config={"num.partitions": 6})
    big = factories.minikafka("big_cluster")

An argument counts more than a marker, the command line and the ini file.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Unpack

import pytest

from minikafka.pytest_plugin import shared
from minikafka.pytest_plugin.clients import kafka_admin, kafka_consumer, kafka_producer
from minikafka.pytest_plugin.clusters import Clusters, announced, explained, opened
from minikafka.pytest_plugin.isolation import isolated, new_prefix, own_name
from minikafka.pytest_plugin.options import (
    FACTORY,
    GivenSettings,
    Settings,
    cluster_scope,
    has_marker,
    login_of,
    read,
    settings_of,
)
from minikafka.pytest_plugin.report import cluster_of, show

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster
    from minikafka.testing.foreign import ForeignCluster
    from minikafka.testing.operations import KafkaOperations

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
]

_PROC: Final = "minikafka_proc"
_NOPROC: Final = "minikafka_noproc"
_CLUSTERS = pytest.StashKey[Clusters]()


def minikafka_proc(**settings: Unpack[GivenSettings]) -> Any:
    """Make a fixture of session scope: a cluster that many tests share."""
    given = _checked(settings)

    @pytest.fixture(scope="session")
    def minikafka_proc(request: pytest.FixtureRequest) -> "Iterator[Cluster]":
        """A cluster that the tests of this session share."""
        yield from _running(request, given)

    return minikafka_proc


def minikafka_cluster(
    *,
    scope: str | Callable[..., Any] = cluster_scope,
    **settings: Unpack[GivenSettings],
) -> Any:
    """Make a fixture: a cluster that belongs to a test, which may destroy it.

    `scope` is one of pytest's; by default that of `--minikafka-cluster-scope`, or each function.
    """
    given = _checked(settings)

    @pytest.fixture(scope=scope)  # type: ignore[arg-type]
    def minikafka_cluster(request: pytest.FixtureRequest) -> "Iterator[Cluster]":
        """A cluster that belongs to this test."""
        yield from _running(request, given)

    return minikafka_cluster


def _running(request: pytest.FixtureRequest, given: Mapping[str, Any]) -> "Iterator[Cluster]":
    name = str(request.fixturename)
    folder = "" if name == _PROC else name
    if request.scope == "function":
        folder = new_prefix(request).rstrip("-")
    with explained():
        cluster = opened(settings_of(request, given), request.config, folder)
    show(request, name, cluster)
    with closing(cluster), announced(cluster):
        yield cluster


def _checked(settings: GivenSettings) -> Mapping[str, Any]:
    """Return the settings; a wrong one is an error where it is written."""
    Settings().changed(settings, FACTORY)
    return settings


def minikafka_noproc(
    bootstrap_servers: str | None = None, *, command_config: Path | str | None = None
) -> Any:
    """Make a fixture of session scope: a cluster that runs already, and that no test breaks.

    `command_config` is a file with the properties of a Java client of that cluster.
    """

    @pytest.fixture(scope="session")
    def minikafka_noproc(request: pytest.FixtureRequest) -> "Iterator[ForeignCluster]":
        """The cluster of `--minikafka-bootstrap-servers`."""
        from minikafka.testing.errors import ClusterError  # noqa: PLC0415
        from minikafka.testing.foreign import ForeignCluster  # noqa: PLC0415

        options = read(request.config)
        servers = bootstrap_servers or options.bootstrap_servers
        if servers is None:
            pytest.fail("minikafka_noproc: give --minikafka-bootstrap-servers", pytrace=False)
        # The login of the options is for their cluster.
        login = None if bootstrap_servers else options.login
        if command_config is not None:
            with explained():
                login = login_of(command_config, FACTORY)
        cluster = ForeignCluster(servers, logins={} if login is None else {"admin": login})
        try:
            cluster.await_answer()
        except ClusterError as error:
            pytest.fail(f"minikafka: {error}", pytrace=False)
        with announced(cluster):
            yield cluster

    return minikafka_noproc


def minikafka(cluster: str | None = None) -> Any:
    """Make a fixture for each test: a clean part of a cluster, which is cleaned afterwards.

    `cluster` is the name of the fixture with the cluster. Without it the test uses, in this order,
    the cluster of `--minikafka-bootstrap-servers`, that of `--minikafka-shared`, one that fits its
    marker, or `minikafka_proc`.
    """

    @pytest.fixture
    def minikafka(request: pytest.FixtureRequest) -> "Iterator[KafkaOperations]":
        """A cluster for this test: names of its own, and no fault or topic is left behind."""
        with explained():
            kafka = _of_test(request) if cluster is None else request.getfixturevalue(cluster)
        show(request, str(request.fixturename), kafka)
        with announced(kafka), isolated(kafka, new_prefix(request)):
            yield kafka

    return minikafka


def _of_test(request: pytest.FixtureRequest) -> "KafkaOperations":
    options = read(request.config)
    if options.bootstrap_servers is not None:
        return request.getfixturevalue(_NOPROC)  # type: ignore[no-any-return]
    if has_marker(request):
        return _clusters(request).get(settings_of(request, {}))
    return shared.shared_cluster(request.config) or request.getfixturevalue(_PROC)


def _clusters(request: pytest.FixtureRequest) -> Clusters:
    config = request.config
    known = config.stash.get(_CLUSTERS, None)
    if known is None:
        known = config.stash[_CLUSTERS] = Clusters(config)
        request.session.addfinalizer(known.close)
    return known


def kafka_bootstrap_servers(kafka: str = "minikafka") -> Any:
    """Make a fixture: the addresses of a cluster, for any client library."""

    @pytest.fixture
    def kafka_bootstrap_servers(request: pytest.FixtureRequest) -> str:
        """The addresses of the cluster of this test, separated by commas."""
        return str(cluster_of(request, kafka).bootstrap_servers)

    return kafka_bootstrap_servers


def kafka_topic(
    kafka: str = "minikafka", *, partitions: int = 1, config: Mapping[str, object] | None = None
) -> Any:
    """Make a fixture: the name of a new topic of the test, which ends with that of the fixture."""

    @pytest.fixture
    def kafka_topic(request: pytest.FixtureRequest) -> str:
        """The name of a new topic with one partition."""
        cluster = cluster_of(request, kafka)
        name = own_name(request, cluster)
        cluster.create_topic(name, partitions, config=config)
        return name

    return kafka_topic
