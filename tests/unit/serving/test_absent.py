"""What is absent is refused at once, and logged once for each client."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.serving.absent import AbsentFeatureWarnings, Feature, no_transactions


@pytest.fixture
def warned(caplog):
    return lambda: [each.getMessage() for each in caplog.records]


def test_each_client_is_named_once_for_each_feature(warned):
    warnings = AbsentFeatureWarnings()
    for _ in range(3):
        warnings.warn("a", "10.0.0.1", Feature.TRANSACTIONS)
    warnings.warn("a", "10.0.0.1", Feature.SHARE_GROUPS)
    warnings.warn(None, "10.0.0.1", Feature.TRANSACTIONS)
    assert warned() == [
        "client 'a' at 10.0.0.1 requests transactions, which this broker does not support: rejected",
        "client 'a' at 10.0.0.1 requests share groups, which this broker does not support: rejected",
        "client None at 10.0.0.1 requests transactions, which this broker does not support: rejected",
    ]


def test_memory_is_bounded_whatever_clients_call_themselves(warned):
    warnings = AbsentFeatureWarnings()
    for number in range(1_500):
        warnings.warn(f"client-{number}", "h", Feature.TRANSACTIONS)
    assert len(warnings._warned) == 1_000
    assert len(warned()) == 1_500


def test_the_refusal_of_transactions_is_final_for_every_client():
    error = no_transactions()
    assert error.code is ErrorCode.TRANSACTIONAL_ID_AUTHORIZATION_FAILED
    assert not error.retriable
    assert error.message == "transactions are not available"
