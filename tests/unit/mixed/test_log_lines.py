"""Lines of logs that show a fault between minikafka and Apache Kafka."""

import pytest

from tests.mixed.log_lines import complaints


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-27 18:05:07,492 ERROR [node 2] minikafka.node: something is lost",
        "2026-11-27 18:05:07,492 WARNING [node 2] minikafka.log: t-0/x is damaged: rebuilding it",
        "Traceback (most recent call last):",
        "org.apache.kafka.common.errors.UnsupportedVersionException: Can't read version 3 of x",
        "org.apache.kafka.common.errors.InvalidRequestException: ELECT_LEADERS, version 3",
        "Caused by: java.lang.IllegalArgumentException: Unexpected api key: 1094",
    ],
)
def test_a_complaint_is_found(line):
    assert complaints(f"first\n{line}\nlast") == [line]


@pytest.mark.parametrize(
    "line",
    [
        "2026-11-27 18:05:07,492 WARNING [node 2] minikafka.server: clients share a listener",
        # A controller of Apache Kafka that has just become active.
        "[2026-11-27 18:05:07,492] ERROR [ControllerApis nodeId=2] Unexpected error handling",
        "Caused by: java.lang.IllegalArgumentException: Unexpected api key: 1093",
    ],
)
def test_another_line_is_none(line):
    assert complaints(line) == []
