"""Values of groups; the texts are those that Apache Kafka 4.3.1 answered to the same requests."""

import pytest

from minikafka.config import consumer_group_keys as broker_keys
from minikafka.config.group import (
    ASSIGNMENT_INTERVAL,
    GROUP_KEYS,
    SESSION_TIMEOUT,
    check_group_bounds,
    check_group_value,
    group_value,
)
from minikafka.config.values import Config

SESSION = "consumer.session.timeout.ms"
HEARTBEAT = "consumer.heartbeat.interval.ms"
ASSIGNMENT = "consumer.assignment.interval.ms"


def test_groups_have_keys_of_their_own():
    assert [key.name for key in GROUP_KEYS] == [SESSION, HEARTBEAT, ASSIGNMENT]
    assert GROUP_KEYS.get("session.timeout.ms") is None


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        (SESSION, "50000", None),
        (ASSIGNMENT, "0", None),
        (SESSION, "x", f"Invalid value x for configuration {SESSION}: Not a number of type INT"),
        (
            ASSIGNMENT,
            "-1",
            f"Invalid value -1 for configuration {ASSIGNMENT}: Value must be at least 0",
        ),
        (
            HEARTBEAT,
            "0",
            f"Invalid value 0 for configuration {HEARTBEAT}: Value must be at least 1",
        ),
        ("nope", "1", "Unknown group config name: nope"),
        (
            "consumer.session.timeout",
            "1",
            f"Unknown group config name: consumer.session.timeout; did you mean {SESSION}?",
        ),
    ],
)
def test_a_value_of_a_group_is_checked_by_itself(name, text, error):
    assert check_group_value(name, text) == error


@pytest.mark.parametrize(
    ("name", "text", "bound"),
    [
        (SESSION, "44999", "greater than or equal to group.consumer.min.session.timeout.ms"),
        (SESSION, "60001", "less than or equal to group.consumer.max.session.timeout.ms"),
        (HEARTBEAT, "4999", "greater than or equal to group.consumer.min.heartbeat.interval.ms"),
        (HEARTBEAT, "15001", "less than or equal to group.consumer.max.heartbeat.interval.ms"),
        (ASSIGNMENT, "15001", "less than or equal to group.consumer.max.assignment.interval.ms"),
    ],
)
def test_the_broker_bounds_the_values_of_groups(name, text, bound):
    assert check_group_bounds(Config({}), {name: text}) == f"{name} must be {bound}"


def test_the_bounds_themselves_are_allowed():
    values = {SESSION: "60000", HEARTBEAT: "15000", ASSIGNMENT: "15000"}
    assert check_group_bounds(Config({}), values) is None
    assert check_group_bounds(Config({}), {SESSION: "45000", HEARTBEAT: "5000"}) is None


@pytest.mark.parametrize(
    ("own", "effective"),
    [({}, 46000), ({SESSION: "50000"}, 50000), ({SESSION: "1"}, 45000), ({SESSION: "x"}, 46000)],
)
def test_a_group_uses_its_own_value_within_the_bounds(own, effective):
    config = Config({broker_keys.SESSION_TIMEOUT_MS.name: "46000"})
    assert group_value(SESSION_TIMEOUT, config, own) == effective


def test_the_default_of_a_group_is_the_broker_value():
    assert group_value(ASSIGNMENT_INTERVAL, Config({}), {}) == 1000
