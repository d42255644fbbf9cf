"""Values of the keys for consumer groups, as Kafka reads them."""

import pytest

from minikafka.config.consumer_group_keys import ASSIGNORS, MIGRATION_POLICY, REBALANCE_PROTOCOLS
from minikafka.config.definition import ConfigError

PACKAGE = "org.apache.kafka.coordinator.group.assignor"


@pytest.mark.parametrize("key", [ASSIGNORS, REBALANCE_PROTOCOLS])
@pytest.mark.parametrize("text", ["", " ", "consumer,", "foo", "Uniform", "Classic"])
def test_lists_that_name_nothing_or_something_else_are_refused(key, text):
    with pytest.raises(ConfigError, match=f"at least one of {key.default[0]}"):
        key.parse(text)


def test_repeated_names_count_once():
    assert ASSIGNORS.parse("range,uniform,range") == ("range", "uniform")
    assert REBALANCE_PROTOCOLS.parse("consumer,consumer") == ("consumer",)


def test_the_classes_of_kafka_stand_for_their_assignors():
    text = f"{PACKAGE}.RangeAssignor,{PACKAGE}.UniformAssignor"
    assert ASSIGNORS.text(ASSIGNORS.parse(text)) == text


def test_the_policy_may_be_written_in_capitals():
    assert MIGRATION_POLICY.parse("DISABLED") == "disabled"
    assert MIGRATION_POLICY.parse("Upgrade") == "upgrade"
