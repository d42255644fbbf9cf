"""A part of a cluster for one test: what the test made or broke is undone after it."""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minikafka.testing.operations import KafkaOperations


class LeftoversWarning(UserWarning):
    """A cluster could not be cleaned after a test, and was started again."""


@contextmanager
def isolated(kafka: "KafkaOperations", prefix: str) -> Iterator[None]:
    """Give the names of a test their prefix; afterwards heal, and delete what the test made.

    On a cluster that others use at the same time only what has the prefix is deleted.
    """
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    kafka.prefix = prefix
    known = set(kafka.topics())
    known_groups = set(kafka.groups())
    try:
        yield
    finally:
        try:
            _clean(kafka, known, known_groups)
        except ClusterError as error:
            _start_again(kafka, error)


def _clean(kafka: "KafkaOperations", known: set[str], known_groups: set[str]) -> None:
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    for crash in kafka.crashes:
        # It may have damaged files, and may do so again: a full disk stays full.
        raise ClusterError(crash)
    kafka.heal()
    made = _of_test(kafka, kafka.topics(), known)
    if made:
        kafka.delete_topics(*made)
    groups = _of_test(kafka, kafka.groups(), known_groups)
    if groups:
        # One that still has members is left alone: its clients are not this fixture's.
        with suppress(ClusterError):
            kafka.delete_groups(*groups)


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
        f"the cluster could not be cleaned after the test, and was started again: {error}",
        LeftoversWarning,
        stacklevel=2,
    )
