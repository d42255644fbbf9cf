"""What a node allows its clients."""

import pytest

from minikafka.config.broker import MAX_CONNECTIONS_PER_IP_OVERRIDES, per_ip_overrides
from minikafka.config.definition import ConfigError
from minikafka.config.values import Config, broker_keys, check_broker_values
from minikafka.server.connection_limits import (
    ConnectionLimits,
    configured_limits,
    overrides_by_address,
)
from minikafka.server.connection_quotas import ListenerLimits


def test_an_override_takes_the_place_of_the_limit():
    limits = ConnectionLimits(
        total=1, per_address=5, request_bytes=1, idle_ms=1, overrides={"127.0.0.1": 0}
    )
    assert [limits.of_address(each) for each in ("127.0.0.1", "127.0.0.2")] == [0, 5]


def test_overrides_are_read_and_looked_up():
    assert per_ip_overrides("") == {}
    assert per_ip_overrides(" a.example:5, ::1:7 ,") == {"a.example": 5, "::1": 7}
    assert overrides_by_address("127.0.0.1:200,::1:0") == {"127.0.0.1": 200, "::1": 0}
    with pytest.raises(OSError, match="known|resolution|associated"):
        overrides_by_address("nowhere.invalid:5")


def test_a_server_file_may_have_them():
    config = Config({"max.connections.per.ip.overrides": "127.0.0.1:3"})
    assert config[MAX_CONNECTIONS_PER_IP_OVERRIDES] == "127.0.0.1:3"
    assert MAX_CONNECTIONS_PER_IP_OVERRIDES in list(broker_keys())


@pytest.mark.parametrize("text", ["127.0.0.1", "127.0.0.1:", ":5", "a:-1", "a:b"])
def test_what_is_no_override_is_refused(text):
    with pytest.raises(ConfigError, match="host:limit"):
        MAX_CONNECTIONS_PER_IP_OVERRIDES.parse(text)


def test_limits_of_listeners_are_read_by_name():
    given = {
        "listener.name.plaintext.max.connections": "7",
        "listener.name.plaintext.max.connection.creation.rate": "3",
        "max.connections": "9",
    }
    checked = check_broker_values(given)
    assert (checked.errors, checked.warnings, checked.ignored) == ([], [], [])
    limits = configured_limits(Config(given), ("PLAINTEXT", "OTHER"), 5)
    assert limits.listeners == {"PLAINTEXT": ListenerLimits(7, 3)}
    assert (limits.total, limits.descriptors) == (9, 5)


def test_a_limit_of_a_listener_is_checked():
    checked = check_broker_values({"listener.name.plaintext.max.connections": "-1"})
    assert len(checked.errors) == 1
