"""The state of the clusters of a failed test, as a section of its report."""

from collections.abc import Generator
from typing import Any

import pytest

_TITLE = "minikafka"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the last log lines, the partitions and the faults to the report of a failed test."""
    del call
    report = yield
    if report.failed and report.when == "call":
        for name, text in _states(getattr(item, "funcargs", {})):
            report.sections.append((f"{_TITLE} ({name})", text))
    return report


def _states(values: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the state of each cluster among the fixtures of a test, once."""
    import sys  # noqa: PLC0415

    operations = sys.modules.get("minikafka.testing.operations")
    if operations is None:
        return []
    found, seen = [], set()
    for name, value in values.items():
        if isinstance(value, operations.KafkaOperations) and id(value) not in seen:
            seen.add(id(value))
            found.append((name, value.state_text()))
    return found
