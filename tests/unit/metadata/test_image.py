import pytest

from minikafka.common.ids import TopicPartition, Uuid
from minikafka.metadata.image import RESOURCE_TOPIC, ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration

A, B = Uuid.of(1, 1), Uuid.of(1, 2)


def partition(leader=1):
    return PartitionRegistration(
        replicas=(1, 2),
        directories=(Uuid.of(0, 1),) * 2,
        isr=(1, 2),
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
    )


@pytest.fixture
def image():
    builder = ImageBuilder(MetadataImage())
    for name, topic_id in (("a", A), ("b", B)):
        builder.put_topic(name, topic_id)
        builder.put_partition(topic_id, 0, partition())
    builder.set_config(RESOURCE_TOPIC, "a", "retention.ms", "1")
    return builder.build(5, 1)


def test_topics_and_partitions_are_found_by_name(image):
    assert image.topic("a").topic_id == A
    assert image.topic("c") is None
    assert image.partition("a", 0).leader == 1
    assert image.partition("a", 1) is None
    assert image.partition("c", 0) is None


def test_all_partitions_come_in_the_order_of_their_topics(image):
    assert [(name, topic_id) for name, topic_id, _ in image.all_partitions()] == [
        (TopicPartition("a", 0), A),
        (TopicPartition("b", 0), B),
    ]


def test_absent_values_are_neutral(image):
    assert image.config(RESOURCE_TOPIC, "b") == {}
    assert image.feature("no.such.version") == 0
    assert not image.broker_is_active(1)


def test_unchanged_parts_are_the_same_object(image):
    builder = ImageBuilder(image)
    builder.put_partition(B, 0, partition(leader=2))
    after = builder.build(6, 1)
    assert after.topics[A] is image.topics[A]
    assert after.topics[B] is not image.topics[B]
    assert after.configs is image.configs
    assert after.brokers is image.brokers
    assert after.offset == 6


def test_an_image_never_changes(image):
    before = dict(image.topics)
    builder = ImageBuilder(image)
    builder.put_partition(A, 1, partition())
    builder.remove_topic(B)
    builder.set_config(RESOURCE_TOPIC, "a", "retention.ms", None)
    after = builder.build(6, 1)
    assert image.topics == before
    assert list(image.topics[A].partitions) == [0]
    assert image.config(RESOURCE_TOPIC, "a") == {"retention.ms": "1"}
    assert list(after.topics[A].partitions) == [0, 1]
    assert list(after.topic_ids) == ["a"]
    assert after.configs == {}


def test_a_deleted_topic_takes_its_configuration_along(image):
    builder = ImageBuilder(image)
    builder.remove_topic(A)
    after = builder.build(6, 1)
    assert after.topic("a") is None
    assert after.config(RESOURCE_TOPIC, "a") == {}


def test_features_at_level_zero_are_gone():
    builder = ImageBuilder(MetadataImage())
    builder.set_feature("x", 2)
    builder.set_feature("y", 1)
    builder.set_feature("x", 0)
    assert builder.build(0, 0).features == {"y": 1}
