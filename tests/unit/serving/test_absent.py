"""What is absent is refused at once, and logged once for each client."""

import pytest

from minikafka.serving.absent import AbsentFeatureWarnings, Feature


@pytest.fixture
def warned(caplog):
    return lambda: [each.getMessage() for each in caplog.records]


def test_each_client_is_named_once(warned):
    warnings = AbsentFeatureWarnings()
    for _ in range(3):
        warnings.warn("a", "10.0.0.1", Feature.SHARE_GROUPS)
    warnings.warn(None, "10.0.0.1", Feature.SHARE_GROUPS)
    assert warned() == [
        "client 'a' at 10.0.0.1 requests share groups, which this broker does not support: rejected",
        "client None at 10.0.0.1 requests share groups, which this broker does not support: rejected",
    ]


def test_memory_is_bounded_whatever_clients_call_themselves(warned):
    warnings = AbsentFeatureWarnings()
    for number in range(1_500):
        warnings.warn(f"client-{number}", "h", Feature.SHARE_GROUPS)
    assert len(warnings._warned) == 1_000
    assert len(warned()) == 1_500
