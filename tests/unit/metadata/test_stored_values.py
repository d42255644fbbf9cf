"""Stored configuration values that cannot be parsed: who is warned of which, and when."""

import pytest

from minikafka.metadata.image import (
    RESOURCE_BROKER,
    RESOURCE_GROUP,
    RESOURCE_TOPIC,
    ImageBuilder,
    MetadataImage,
)
from minikafka.metadata.stored_values import warn_of_unusable_values

NODE_ID = 1
STRATEGY, MIN_ISR = "unclean.recovery.strategy", "min.insync.replicas"


def stored(image, *values):
    builder = ImageBuilder(image)
    for value in values:
        builder.set_config(*value)
    return builder.build(image.offset + 1, 1)


@pytest.fixture
def warnings(caplog):
    def of_change(before, after):
        caplog.clear()
        warn_of_unusable_values(before, after, NODE_ID)
        return [record.getMessage() for record in caplog.records]

    return of_change


@pytest.mark.parametrize(
    ("resource", "key", "text", "owner"),
    [
        ((RESOURCE_TOPIC, "t"), STRATEGY, "Fastest", "topic t"),
        ((RESOURCE_TOPIC, "t"), "retention.ms", "", "topic t"),
        ((RESOURCE_BROKER, ""), MIN_ISR, "0", "all brokers"),
        ((RESOURCE_BROKER, "1"), "log.retention.hours", "x", "broker 1"),
    ],
)
def test_an_unusable_value_is_named_once(warnings, resource, key, text, owner):
    image = stored(MetadataImage(), (*resource, key, text))
    (line,) = warnings(MetadataImage(), image)
    assert line.startswith(
        f"{owner}: the stored value has no effect: {key}: invalid value {text!r}"
    )
    other = stored(image, (*resource, "segment.bytes", "1048576"))
    assert warnings(image, other) == []


@pytest.mark.parametrize(
    ("resource", "key", "text"),
    [
        ((RESOURCE_TOPIC, "t"), STRATEGY, "PROACTIVE"),
        ((RESOURCE_TOPIC, "t"), "key.of.a.later.release", "x"),
        ((RESOURCE_BROKER, "2"), MIN_ISR, "x"),
        ((RESOURCE_BROKER, ""), "key.of.a.plug-in", "x"),
        ((RESOURCE_GROUP, "g"), MIN_ISR, "x"),
    ],
)
def test_other_values_are_not_named(warnings, resource, key, text):
    assert warnings(MetadataImage(), stored(MetadataImage(), (*resource, key, text))) == []
