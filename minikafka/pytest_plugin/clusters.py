"""The clusters of a process of pytest: one for each different settings, at most a few at a time."""

import itertools
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final
from weakref import WeakSet

import pytest

from minikafka.pytest_plugin.options import Settings, own_place, read, worker

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster
    from minikafka.testing.operations import KafkaOperations

ENVIRONMENT: Final = "MINIKAFKA_BOOTSTRAP_SERVERS"
"""The variable in which child processes of a test find the cluster."""
_MAX_CLUSTERS = 4
_MARKED = "marked"
_OF_RUN = pytest.StashKey["WeakSet[Cluster]"]()
_LOOK_EVERY_S = 0.2


def new_cluster(settings: Settings, config: pytest.Config, folder: str = "") -> "Cluster":
    """Return a cluster that is not started yet.

    Raises:
        pytest.UsageError: there is no such release.
    """
    from minikafka.testing.cluster import Cluster  # noqa: PLC0415

    settings = _unused_place(own_place(settings, config), config, folder)
    return Cluster(
        settings.nodes,
        config=dict(settings.config),
        features=_features(settings.release),
        base_port=settings.base_port,
        host=settings.host,
        advertised_host=settings.advertised_host,
        directory=settings.directory,
        keep=settings.keep,
        log_level=settings.log_level,
        tls=settings.tls,
        sasl=settings.sasl,
    )


def _unused_place(settings: Settings, config: pytest.Config, folder: str) -> Settings:
    """Return the settings with a place of the options that no other cluster of this run uses.

    A `folder` is made in the directory of the options. If one of its clusters has their port, this
    one gets free ports.
    """
    options = own_place(read(config).settings, config)
    changes: dict[str, object] = {}
    if folder and settings.directory is not None and settings.directory == options.directory:
        names = itertools.chain([folder], (f"{folder}-{number}" for number in itertools.count(2)))
        paths = (Path(settings.directory, name) for name in names)
        changes["directory"] = next(path for path in paths if not path.exists())
    if settings.base_port == options.base_port and any(
        cluster.is_open and cluster.base_port == settings.base_port for cluster in _of_run(config)
    ):
        changes["base_port"] = 0
    return settings.changed(changes, "the place of a cluster")


def _of_run(config: pytest.Config) -> "WeakSet[Cluster]":
    """Return the set of the clusters of this process, in which it registers new ones."""
    known = config.stash.get(_OF_RUN, None)
    if known is None:
        known = config.stash[_OF_RUN] = WeakSet()
        if worker(config):
            # The process of a test may outlive the one that started it by many seconds.
            watching = threading.Thread(target=_end_with, args=(os.getppid(), known), daemon=True)
            watching.start()
    return known


def _end_with(parent: int, clusters: "WeakSet[Cluster]") -> None:
    """Close the clusters of a process of pytest-xdist when the one that started it has ended."""
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY_S)
    for cluster in list(clusters):
        cluster.close()


def opened(settings: Settings, config: pytest.Config, folder: str = "") -> "Cluster":
    """Return a running cluster; `folder` is its own in the directory of the options.

    Raises:
        pytest.UsageError: it does not start; the message has the reason.
    """
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    try:
        cluster = new_cluster(settings, config, folder)
        cluster.open()
        _of_run(config).add(cluster)
    except ClusterError as error:
        lines = [f"minikafka: {error}", *getattr(error, "__notes__", ())]
        raise pytest.UsageError("\n".join(lines)) from None
    return cluster


@contextmanager
def explained() -> Iterator[None]:
    """Fail with the reason alone: the lines of this plugin would not help."""
    try:
        yield
    except pytest.UsageError as error:
        raise pytest.fail.Exception(str(error), pytrace=False) from None


def _features(release: str | None) -> dict[str, int] | None:
    if release is None:
        return None
    from minikafka.metadata.features import METADATA_VERSION, SUPPORTED_FEATURES  # noqa: PLC0415
    from minikafka.metadata.release_levels import RELEASES, level_of, levels_of  # noqa: PLC0415

    level = level_of(release)
    if level is None:
        raise pytest.UsageError(
            f"release {release!r}: expected one of {', '.join(RELEASES)}, or such as 4.0"
        )
    levels = {METADATA_VERSION: level, **levels_of(level)}
    return {name: level for name, level in levels.items() if name in SUPPORTED_FEATURES}


class Clusters:
    """The clusters that tests with markers share; the longest unused one is closed first."""

    def __init__(self, config: pytest.Config) -> None:
        """Start none."""
        self._config = config
        self._open: dict[Settings, Cluster] = {}

    def get(self, settings: Settings) -> "Cluster":
        """Return a running cluster with these settings."""
        cluster = self._open.pop(settings, None)
        if cluster is None:
            if len(self._open) >= _MAX_CLUSTERS:
                self._open.pop(next(iter(self._open))).close()
            cluster = opened(settings, self._config, _MARKED)
        self._open[settings] = cluster
        return cluster

    def close(self) -> None:
        """End every cluster."""
        while self._open:
            self._open.popitem()[1].close()


@contextmanager
def announced(kafka: "KafkaOperations") -> Iterator[None]:
    """Set the variable that child processes read."""
    before = os.environ.get(ENVIRONMENT)
    os.environ[ENVIRONMENT] = kafka.bootstrap_servers
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(ENVIRONMENT, None)
        else:
            os.environ[ENVIRONMENT] = before
