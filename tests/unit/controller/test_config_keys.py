import pytest

from minikafka.common.errors import InvalidConfigError, InvalidRequestError
from minikafka.controller.config_keys import check_value, find_key
from minikafka.metadata.image import RESOURCE_BROKER, RESOURCE_GROUP, RESOURCE_TOPIC


@pytest.mark.parametrize(
    ("resource_type", "resource", "name", "value"),
    [
        (RESOURCE_TOPIC, "t", "retention.ms", "1"),
        (RESOURCE_BROKER, "1", "message.max.bytes", "1"),
        (RESOURCE_BROKER, "", "message.max.bytes", "1"),
        (RESOURCE_BROKER, "1", "log.cleaner.threads", "2"),
        (RESOURCE_BROKER, "1", "listeners", "A://h:1"),
        (RESOURCE_BROKER, "1", "leader.replication.throttled.rate", "100"),
        (RESOURCE_BROKER, "", "follower.replication.throttled.rate", "100"),
        (RESOURCE_GROUP, "g", "consumer.heartbeat.interval.ms", "100"),
        (RESOURCE_BROKER, "1", "my.plugin.key", "v"),
    ],
)
def test_a_value_is_taken(resource_type, resource, name, value):
    check_value(resource_type, resource, name, value)


@pytest.mark.parametrize(
    ("resource_type", "resource", "name", "value", "says"),
    [
        (RESOURCE_TOPIC, "t", "retention.m", "1", "did you mean retention.ms"),
        (RESOURCE_TOPIC, "t", "retention.ms", "-2", "at least -1"),
        (RESOURCE_GROUP, "g", "group.id", "x", "Unknown group"),
    ],
)
def test_a_value_is_refused_with_its_name(resource_type, resource, name, value, says):
    with pytest.raises(InvalidConfigError, match=says) as caught:
        check_value(resource_type, resource, name, value)
    assert name in caught.value.message


@pytest.mark.parametrize(
    ("resource", "name", "value", "says"),
    [
        ("1", "node.id", "2", "Cannot update these configs dynamically"),
        ("", "listeners", "A://h:1", "broker id must be specified"),
        ("1", "log.retention.ms", "x", "Invalid value x for configuration"),
        ("", "compression.type", "gzipp", "one of uncompressed"),
        ("1", "unclean.recovery.manager.enabled", "true", "for the cluster"),
    ],
)
def test_a_value_of_a_broker_is_an_invalid_request(resource, name, value, says):
    with pytest.raises(InvalidRequestError, match=says):
        check_value(RESOURCE_BROKER, resource, name, value)


@pytest.mark.parametrize("resource", ["", "1"])
@pytest.mark.parametrize(
    "name",
    [
        "listener.name.clients.plain.sasl.jaas.config",
        "listener.name.clients.sasl.enabled.mechanisms",
        "listener.name.clients.scram-sha-512.connections.max.reauth.ms",
        "listener.name.clients.connection.failed.authentication.delay.ms",
        "sasl.enabled.mechanisms",
        "sasl.jaas.config",
    ],
)
def test_a_running_node_does_not_seem_to_change_its_logins(resource, name):
    says = "Cannot update these configs dynamically"
    with pytest.raises(InvalidRequestError, match=says) as caught:
        check_value(RESOURCE_BROKER, resource, name, "s3cret")
    assert "s3cret" not in caught.value.message


def test_keys_are_found_by_the_type_of_their_resource():
    assert find_key(RESOURCE_TOPIC, "retention.ms").name == "retention.ms"
    assert find_key(RESOURCE_BROKER, "retention.ms") is None
    assert find_key(RESOURCE_BROKER, "leader.replication.throttled.rate").ignored
