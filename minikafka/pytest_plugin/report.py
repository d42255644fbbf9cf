"""The state of the clusters of a failed test, as a section of its report."""

from collections.abc import Generator, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from minikafka.testing.operations import KafkaOperations

_TITLE = "minikafka"
_USED = pytest.StashKey[list[tuple[str, Any]]]()
"""The clusters of a test by the names of their fixtures, also those it does not name itself."""


def cluster_of(request: pytest.FixtureRequest, name: str) -> Any:
    """Return the cluster of a fixture that the current fixture needs, for the test's report."""
    cluster = request.getfixturevalue(name)
    show(request, name, cluster)
    return cluster


def show(request: pytest.FixtureRequest, name: str, kafka: "KafkaOperations") -> None:
    """Add a cluster to the report of the test, if it fails."""
    request.node.stash.setdefault(_USED, []).append((name, kafka))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last log lines, the partitions and the faults to the report of a failed test."""
    report = yield
    # At the teardown the cluster is clean, or has ended.
    if report.failed and report.when != "teardown" and not _is_explained(call):
        values = [*getattr(item, "funcargs", {}).items(), *item.stash.get(_USED, [])]
        for name, text in _states(values):
            report.sections.append((f"{_TITLE} ({name})", text))
    return report


def _is_explained(call: pytest.CallInfo[Any]) -> bool:
    """True if a fixture has failed with a sentence for the user, such as for a wrong option."""
    if call.when != "setup" or call.excinfo is None:
        return False
    error = call.excinfo.value
    return isinstance(error, pytest.fail.Exception) and not error.pytrace


def _states(values: Iterable[tuple[str, Any]]) -> list[tuple[str, str]]:
    """Return the state of each cluster among values of fixtures, once."""
    import sys  # noqa: PLC0415

    operations = sys.modules.get("minikafka.testing.operations")
    if operations is None:
        return []
    asynchronous = sys.modules.get("minikafka.testing.async_cluster")
    found, seen = [], set()
    for name, value in values:
        kafka = value
        if asynchronous is not None and isinstance(value, asynchronous.AsyncCluster):
            kafka = value.sync
        if isinstance(kafka, operations.KafkaOperations) and id(kafka) not in seen:
            seen.add(id(kafka))
            found.append((name, kafka.state_text()))
    return found
