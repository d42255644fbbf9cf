import pytest

from minikafka.common.errors import ErrorCode
from minikafka.controller import configuration_control
from minikafka.messages import alter_configs as messages
from minikafka.messages import incremental_alter_configs as incremental
from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_CLIENT_METRICS,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
)

SET, DELETE, APPEND, SUBTRACT = range(4)


def values(world, name="t", resource_type=RESOURCE_TOPIC):
    return dict(world.image.config(resource_type, name))


def replace_all(world, configs, name="t", resource_type=RESOURCE_TOPIC, *, validate_only=False):
    request = messages.AlterConfigsRequest(
        resources=[
            messages.AlterConfigsResource(
                resource_type=resource_type,
                resource_name=name,
                configs=[messages.AlterableConfig(name=k, value=v) for k, v in configs.items()],
            )
        ],
        validate_only=validate_only,
    )
    records, response = world.apply(
        world.controller.decide(configuration_control.alter_configs, request)
    )
    return records, response.responses[0]


@pytest.fixture
def topic(cluster):
    cluster.create()
    return cluster


def test_a_value_is_set_and_deleted(topic):
    records, answer = topic.set_config("t", "retention.ms", "5000")
    assert len(records) == 1
    assert (answer.error_code, answer.error_message) == (0, None)
    assert (answer.resource_type, answer.resource_name) == (RESOURCE_TOPIC, "t")
    assert values(topic) == {"retention.ms": "5000"}
    topic.set_config("t", "retention.ms", None, operation=DELETE)
    assert values(topic) == {}


def test_a_value_that_is_there_already_needs_no_record(topic):
    topic.set_config("t", "retention.ms", "5000")
    assert topic.set_config("t", "retention.ms", "5000")[0] == []
    assert topic.set_config("t", "segment.ms", None, operation=DELETE)[0] == []


def test_items_are_added_to_a_list_in_force_and_taken_away(topic):
    topic.set_config("t", "cleanup.policy", "compact,delete", operation=APPEND)
    assert values(topic)["cleanup.policy"] == "delete,compact"
    topic.set_config("t", "cleanup.policy", "delete", operation=SUBTRACT)
    assert values(topic)["cleanup.policy"] == "compact"


@pytest.mark.parametrize(
    ("key", "value", "operation", "error"),
    [
        ("no.such.key", "1", SET, ErrorCode.INVALID_CONFIG),
        ("no.such.key", "1", APPEND, ErrorCode.INVALID_CONFIG),
        ("retention.ms", "soon", SET, ErrorCode.INVALID_CONFIG),
        ("min.insync.replicas", "0", SET, ErrorCode.INVALID_CONFIG),
        ("retention.ms", "1", APPEND, ErrorCode.INVALID_CONFIG),
        ("cleanup.policy", "burn", APPEND, ErrorCode.INVALID_CONFIG),
        ("retention.ms", None, SET, ErrorCode.INVALID_REQUEST),
        ("retention.ms", "1", 9, ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_topic_value_is_refused(topic, key, value, operation, error):
    records, answer = topic.set_config("t", key, value, operation=operation)
    assert records == []
    assert answer.error_code == error
    assert answer.error_message


@pytest.mark.parametrize(
    ("resource_type", "name", "error"),
    [
        (RESOURCE_TOPIC, "other", ErrorCode.UNKNOWN_TOPIC_OR_PARTITION),
        (RESOURCE_BROKER, "7", ErrorCode.INVALID_REQUEST),
        (RESOURCE_BROKER, "one", ErrorCode.INVALID_REQUEST),
        (RESOURCE_GROUP, "", ErrorCode.INVALID_REQUEST),
        (RESOURCE_CLIENT_METRICS, "m", ErrorCode.INVALID_REQUEST),
    ],
)
def test_a_resource_that_is_none_is_refused(cluster, resource_type, name, error):
    _, answer = cluster.set_config(name, "retention.ms", "1", resource_type)
    assert answer.error_code == error


def test_brokers_groups_and_the_cluster_have_values(cluster):
    cluster.set_config("1", "message.max.bytes", "1000", RESOURCE_BROKER)
    cluster.set_config("", "message.max.bytes", "2000", RESOURCE_BROKER)
    cluster.set_config("g", "consumer.session.timeout.ms", "50000", RESOURCE_GROUP)
    assert values(cluster, "1", RESOURCE_BROKER) == {"message.max.bytes": "1000"}
    assert values(cluster, "", RESOURCE_BROKER)["message.max.bytes"] == "2000"
    assert values(cluster, "g", RESOURCE_GROUP) == {"consumer.session.timeout.ms": "50000"}


def test_a_controller_has_values_too(cluster):
    _, answer = cluster.set_config("100", "message.max.bytes", "1000", RESOURCE_BROKER)
    assert answer.error_code == 0


def test_a_list_of_a_broker_and_of_a_group_starts_from_its_default(cluster):
    records, _ = cluster.set_config("1", "log.cleanup.policy", "compact", RESOURCE_BROKER, APPEND)
    assert records[0].value == "delete,compact"


def test_a_resource_that_is_named_twice_is_refused(topic):
    resource = incremental.AlterConfigsResource(
        resource_type=RESOURCE_TOPIC,
        resource_name="t",
        configs=[incremental.AlterableConfig(name="retention.ms", value="1")],
    )
    request = incremental.IncrementalAlterConfigsRequest(resources=[resource, resource])
    records, response = topic.apply(
        topic.controller.decide(configuration_control.incremental_alter_configs, request)
    )
    assert records == []
    assert [row.error_code for row in response.responses] == [ErrorCode.INVALID_REQUEST] * 2


@pytest.mark.parametrize(("low", "error"), [("50", 0), ("51", ErrorCode.INVALID_CONFIG)])
def test_the_least_lag_of_compaction_is_not_above_the_greatest(topic, low, error):
    topic.set_config("t", "max.compaction.lag.ms", "50")
    _, answer = topic.set_config("t", "min.compaction.lag.ms", low)
    assert answer.error_code == error


def test_a_key_that_is_named_twice_is_refused(topic):
    key = incremental.AlterableConfig(name="retention.ms", value="1")
    resource = incremental.AlterConfigsResource(
        resource_type=RESOURCE_TOPIC, resource_name="t", configs=[key, key]
    )
    request = incremental.IncrementalAlterConfigsRequest(resources=[resource])
    _, response = topic.apply(
        topic.controller.decide(configuration_control.incremental_alter_configs, request)
    )
    assert response.responses[0].error_code == ErrorCode.INVALID_REQUEST


def test_validate_only_changes_nothing(topic):
    records, answer = replace_all(topic, {"retention.ms": "1"}, validate_only=True)
    assert records == []
    assert answer.error_code == 0


def test_replacing_values_drops_the_others(topic):
    topic.set_config("t", "retention.ms", "5000")
    replace_all(topic, {"segment.ms": "7"})
    assert values(topic) == {"segment.ms": "7"}


@pytest.mark.parametrize(
    ("configs", "error"),
    [
        ({"no.such.key": "1"}, ErrorCode.INVALID_CONFIG),
        ({"retention.ms": None}, ErrorCode.INVALID_REQUEST),
    ],
)
def test_values_that_are_none_are_not_taken(topic, configs, error):
    topic.set_config("t", "retention.ms", "5000")
    records, answer = replace_all(topic, configs)
    assert records == []
    assert answer.error_code == error
    assert values(topic) == {"retention.ms": "5000"}


def test_with_elr_brokers_have_no_min_isr_of_their_own(cluster):
    _, answer = cluster.set_config("1", "min.insync.replicas", "2", RESOURCE_BROKER)
    assert answer.error_code == ErrorCode.INVALID_CONFIG


def test_with_elr_the_clusters_min_isr_cannot_be_removed(cluster):
    _, answer = cluster.set_config("", "min.insync.replicas", None, RESOURCE_BROKER, DELETE)
    assert answer.error_code == ErrorCode.INVALID_CONFIG
    _, answer = replace_all(cluster, {}, "", RESOURCE_BROKER)
    assert answer.error_code == ErrorCode.INVALID_CONFIG


def test_a_value_is_written_as_it_is_spelled(cluster):
    """L7: older names of strategies are accepted and never shown."""
    cluster.create(configs={"unclean.recovery.strategy": "Proactive"})
    assert cluster.image.config(2, "t") == {"unclean.recovery.strategy": "Aggressive"}
    (record,), _ = cluster.set_config("t", "unclean.recovery.strategy", "MANUAL")
    assert record.value == "None"
    assert cluster.set_config("t", "unclean.recovery.strategy", "none")[0] == []


def test_a_value_of_a_group_outside_the_bounds_of_the_broker_is_refused(cluster):
    name = "consumer.session.timeout.ms"
    _, answer = cluster.set_config("g", name, "60001", RESOURCE_GROUP)
    assert answer.error_code == ErrorCode.INVALID_CONFIG
    assert answer.error_message == (
        f"{name} must be less than or equal to group.consumer.max.session.timeout.ms"
    )
    assert values(cluster, "g", RESOURCE_GROUP) == {}
