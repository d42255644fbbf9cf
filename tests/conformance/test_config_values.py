"""Configuration values of topics: accepted and described as by Apache Kafka 4.3.1."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.config.topic import TOPIC_KEYS
from minikafka.config.values import ConfigLayers, check_topic_values
from tests.conformance.config_values import load

CASES = load()


@pytest.mark.parametrize(("name", "text", "code", "shown"), CASES)
def test_value_is_accepted_and_described_as_by_kafka(name, text, code, shown):
    error = check_topic_values([(name, text)])
    assert (ErrorCode.NONE if error is None else ErrorCode.INVALID_CONFIG) == code, error
    if error is None:
        layers = ConfigLayers({}, {}, {})
        assert layers.topic_text(TOPIC_KEYS.get(name), {name: text}) == shown
