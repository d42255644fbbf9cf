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

    On a cluster that others use at the same time only topics with the prefix are deleted.
    """
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    kafka.prefix = prefix
    known = set(kafka.topics())
    try:
        yield
    finally:
        try:
            _clean(kafka, known)
        except ClusterError as error:
            _start_again(kafka, error)


def _clean(kafka: "KafkaOperations", known: set[str]) -> None:
    from minikafka.testing.errors import ClusterError  # noqa: PLC0415

    for crash in kafka.crashes:
        # It may have damaged files, and may do so again: a full disk stays full.
        raise ClusterError(crash)
    kafka.heal()
    made = [name for name in kafka.topics() if name not in known]
    if kafka.has_other_users:
        made = [name for name in made if name.startswith(kafka.prefix)]
    if made:
        kafka.delete_topics(*made)


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
