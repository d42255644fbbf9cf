"""Which value is in force, and what a check of all values finds."""

import pytest

from minikafka.config import broker as keys
from minikafka.config import log_keys
from minikafka.config import topic as topic_keys
from minikafka.config.definition import ConfigError, ConfigSource
from minikafka.config.values import (
    Config,
    ConfigLayers,
    broker_keys,
    check_broker_values,
    check_topic_values,
)

NOTHING = ConfigLayers({}, {}, {})


def test_a_value_that_was_not_given_is_the_default():
    assert Config({})[keys.NUM_PARTITIONS] == 1


def test_a_given_value_is_parsed_by_its_key():
    assert Config({"num.partitions": "12"})[keys.NUM_PARTITIONS] == 12


def test_a_required_key_has_no_default():
    with pytest.raises(ConfigError, match=r"node\.id"):
        Config({})[keys.NODE_ID]


def test_everything_wrong_is_found_at_once():
    found = check_broker_values(
        {"num.partitions": "none", "nmu.partitions": "1", "broker.session.timeout.ms": "x"}
    )
    assert len(found.errors) == 3
    assert any("did you mean num.partitions" in error for error in found.errors)


def test_keys_of_kafka_without_meaning_here_are_ignored_but_checked():
    assert check_broker_values({"num.io.threads": "8"}) == ([], ["num.io.threads"], [])
    assert check_broker_values({"num.io.threads": "0"}).errors


def test_keys_for_plug_ins_are_warnings():
    found = check_broker_values({"config.providers.file.class": "x"})
    assert found.errors == []
    assert any("it belongs to a config provider" in each for each in found.warnings)


def test_features_that_are_absent_are_refused_or_warned_of():
    found = check_broker_values({"authorizer.class.name": "a.B", "ssl.keystore.location": "/k"})
    assert any(each.startswith("authorizer.class.name: ") for each in found.errors)
    assert any("nothing is encrypted" in each for each in found.warnings)


def test_every_key_of_kafka_is_known():
    names = {key.name for key in broker_keys()}
    assert len(names) > 350
    assert {"num.network.threads", "ssl.keystore.location", "log.retention.hours"} <= names


@pytest.mark.parametrize(
    ("layers", "topic", "value", "source"),
    [
        (NOTHING, {}, 1, ConfigSource.DEFAULT_CONFIG),
        (
            NOTHING._replace(static={"min.insync.replicas": "2"}),
            {},
            2,
            ConfigSource.STATIC_BROKER_CONFIG,
        ),
        (
            ConfigLayers({}, {"min.insync.replicas": "3"}, {"min.insync.replicas": "2"}),
            {},
            3,
            ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG,
        ),
        (
            ConfigLayers({"min.insync.replicas": "4"}, {"min.insync.replicas": "3"}, {}),
            {},
            4,
            ConfigSource.DYNAMIC_BROKER_CONFIG,
        ),
        (
            ConfigLayers({"min.insync.replicas": "4"}, {}, {}),
            {"min.insync.replicas": "5"},
            5,
            ConfigSource.DYNAMIC_TOPIC_CONFIG,
        ),
    ],
)
def test_lookup_order_of_a_topic_key(layers, topic, value, source):
    assert layers.topic_value(topic_keys.MIN_INSYNC_REPLICAS, topic) == value
    assert layers.topic_origins(topic_keys.MIN_INSYNC_REPLICAS, topic)[0].source == source


def test_synonyms_in_other_units_are_scaled():
    layers = NOTHING._replace(static={"log.retention.hours": "2"})
    assert layers.topic_value(topic_keys.RETENTION_MS, {}) == 7_200_000


def test_the_finer_synonym_wins():
    layers = NOTHING._replace(static={"log.retention.hours": "2", "log.retention.ms": "5"})
    assert layers.topic_value(topic_keys.RETENTION_MS, {}) == 5


def test_default_of_a_topic_key_without_synonym_value():
    assert NOTHING.topic_value(topic_keys.RETENTION_MS, {}) == 604_800_000
    assert NOTHING.topic_value(topic_keys.SEGMENT_MS, {}) == 604_800_000


def test_topic_values_are_checked():
    assert check_topic_values([("retention.ms", "-1")]) is None
    assert "retention.ms" in (check_topic_values([("retention.ms", "-2")]) or "")
    assert "did you mean" in (check_topic_values([("retention.m", "1")]) or "")
    assert "Null" in (check_topic_values([("retention.ms", None)]) or "")


def test_a_synonym_is_shown_in_its_own_unit():
    layers = NOTHING._replace(static={"log.retention.hours": "2"})
    origin = layers.topic_origins(topic_keys.RETENTION_MS, {})[0]
    assert (origin.name, origin.text, origin.scaled) == ("log.retention.hours", "2", "7200000")


def test_refusals_of_topic_values_begin_as_kafkas_do():
    assert (check_topic_values([("retention.m", "1")]) or "").startswith(
        "Unknown topic config name: retention.m"
    )
    assert (check_topic_values([("retention.ms", "-2")]) or "").startswith(
        "Invalid value -2 for configuration retention.ms: "
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Aggressive", "Aggressive"),
        ("aggressive", "Aggressive"),
        ("PROACTIVE", "Aggressive"),
        (" balanced ", "Balanced"),
        ("manual", "None"),
        ("none", "None"),
    ],
)
def test_recovery_strategies_are_shown_in_one_spelling(text, shown):
    """L7, section 13: older names are accepted as input and never printed."""
    key = topic_keys.UNCLEAN_RECOVERY_STRATEGY
    assert key.parse(text) == shown
    for layers, own in (
        (NOTHING, {key.name: text}),
        (NOTHING._replace(static={key.name: text}), {}),
        (NOTHING._replace(dynamic_default={key.name: text}), {}),
    ):
        assert layers.topic_origins(key, own)[0].text == shown
        assert layers.topic_value(key, own) == shown
    assert check_topic_values([(key.name, text)]) is None


def test_other_words_are_no_recovery_strategy():
    with pytest.raises(ConfigError, match="one of Aggressive, Balanced, None"):
        topic_keys.UNCLEAN_RECOVERY_STRATEGY.parse("Fastest")


def test_a_security_key_of_one_listener_is_warned_of_once():
    name = "listener.name.plaintext.ssl.keystore.location"
    (warning,) = check_broker_values({name: "/x"}).warnings
    assert warning.startswith("no listener has TLS")
    assert name in warning


@pytest.mark.parametrize("text", ["x", "", "1_000", "9" * 50])
def test_a_dynamic_value_that_cannot_be_parsed_has_no_effect(text):
    static = {"log.retention.hours": "2", "group.max.size": "7"}
    layers = ConfigLayers({"log.retention.minutes": text}, {"group.max.size": text}, static)
    assert layers.topic_value(topic_keys.RETENTION_MS, {}) == 7_200_000
    assert layers.topic_text(topic_keys.RETENTION_MS, {}) == text
    assert layers.broker_config()[log_keys.GROUP_MAX_SIZE] == 7
    assert layers._replace(dynamic_broker={"unknown.key": text}).broker_config().given == {
        **static,
        "unknown.key": text,
    }
