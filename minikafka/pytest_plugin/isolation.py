"""A part of a cluster for one test: what the test made or broke is undone after it."""

import itertools
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import pytest

from minikafka.pytest_plugin.options import worker

if TYPE_CHECKING:
    from minikafka.testing.operations import KafkaOperations


_numbers = itertools.count(1)
_LONGEST_NAME = 60


class LeftoversWarning(UserWarning):
    """A cluster could not be cleaned after a test, and was started again."""


def new_prefix(request: pytest.FixtureRequest) -> str:
    """Return a prefix for names of this test that no other test of this run has."""
    run = getattr(request.config, "workerinput", {}).get("testrunuid", "")[:4]
    parts = (_plain(request.node.name)[:_LONGEST_NAME], run, worker(request.config))
    return "-".join(filter(None, parts)) + f"-{next(_numbers)}-"


def own_name(request: pytest.FixtureRequest, kafka: "KafkaOperations") -> str:
    """Return a name for what a fixture makes: no other fixture and no other test has it."""
    of_fixture = _plain(str(request.fixturename).removeprefix("kafka_"))
    return f"{kafka.prefix or new_prefix(request)}{of_fixture}"


def _plain(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


@contextmanager
def isolated(kafka: "KafkaOperations", prefix: str) -> Iterator[None]:
    """Give the names of a test their prefix; afterwards heal, and delete what the test made.

    On a cluster that others use at the same time only what has the prefix is deleted.
    """
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    kafka.prefix = prefix
    try:
        _make_whole(kafka)
    except ClusterError as error:
        _start_again(kafka, error)
    known = set(kafka.topics())
    known_groups = set(kafka.groups())
    try:
        yield
    finally:
        try:
            _clean(kafka, known, known_groups)
        except ClusterError as error:
            _start_again(kafka, error)
        finally:
            kafka.prefix = ""


def _clean(kafka: "KafkaOperations", known: set[str], known_groups: set[str]) -> None:
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    _make_whole(kafka)
    made = _of_test(kafka, kafka.topics(), known)
    if made:
        try:
            kafka.delete_topics(*made)
        except ClusterError:
            # A client of the test may have deleted one meanwhile.
            if set(made) & set(kafka.topics()):
                raise
    groups = _of_test(kafka, kafka.groups(), known_groups)
    if groups:
        # One that still has members is left alone: its clients are not this fixture's.
        with suppress(ClusterError):
            kafka.delete_groups(*groups)


def _make_whole(kafka: "KafkaOperations") -> None:
    """Undo what was broken, also by a test that used the cluster without this fixture.

    Raises:
        ClusterError: a node has ended by itself, or the cluster cannot be healed.
    """
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    for crash in kafka.crashes:
        # It may have damaged files, and may do so again: a full disk stays full.
        raise ClusterError(crash)
    kafka.heal()


def _of_test(kafka: "KafkaOperations", names: list[str], known: set[str]) -> list[str]:
    return [
        name
        for name in names
        if name not in known and (name.startswith(kafka.prefix) or not kafka.has_other_users)
    ]


def _start_again(kafka: "KafkaOperations", error: Exception) -> None:
    from minikafka.testing.cluster import Cluster  # noqa: PLC0415
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    if not isinstance(kafka, Cluster):
        raise error
    with suppress(ClusterError):
        kafka.close()
    kafka.open()
    # Last, since it may be an error.
    warnings.warn(
        f"the cluster could not be cleaned, and was started again: {error}",
        LeftoversWarning,
        stacklevel=2,
    )
