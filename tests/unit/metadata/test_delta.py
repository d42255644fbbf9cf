from dataclasses import replace

from minikafka.common.ids import TopicIdPartition, TopicPartition, Uuid
from minikafka.metadata.delta import changed_topics, local_changes
from minikafka.metadata.image import ImageBuilder, MetadataImage
from minikafka.metadata.partition_registration import PartitionRegistration

A, B = Uuid.of(1, 1), Uuid.of(1, 2)


def partition(replicas=(1, 2), leader=1):
    return PartitionRegistration(
        replicas=replicas,
        directories=(Uuid.of(0, 1),) * len(replicas),
        isr=replicas,
        leader=leader,
        leader_epoch=0,
        partition_epoch=0,
    )


def changed(image, change):
    builder = ImageBuilder(image)
    change(builder)
    return builder.build(image.offset + 1, 1)


def with_topic(name="a", topic_id=A, partitions=None, image=None):
    def change(builder):
        builder.put_topic(name, topic_id)
        for index, registration in enumerate(partitions or (partition(),)):
            builder.put_partition(topic_id, index, registration)

    return changed(image or MetadataImage(), change)


def names(rows):
    return [row.topic_partition for row in rows]


def test_equal_images_have_no_changes():
    image = with_topic()
    assert changed_topics(image, replace(image, offset=77)) == []


def test_only_topics_with_a_changed_partition_are_listed():
    before = with_topic("b", B, image=with_topic())
    after = changed(before, lambda builder: builder.put_partition(B, 0, partition(leader=2)))
    assert changed_topics(before, after) == [(before.topics[B], after.topics[B])]


def test_new_replicas_lead_or_follow():
    after = with_topic(partitions=(partition(), partition(leader=2), partition((2, 3), 2)))
    found = local_changes(MetadataImage(), after, 1)
    assert names(found.leaders) == [TopicPartition("a", 0)]
    assert names(found.followers) == [TopicPartition("a", 1)]
    assert found.leaders[0].topic_id == A
    assert found.removed == []


def test_partitions_that_did_not_change_are_left_alone():
    before = with_topic(partitions=(partition(), partition()))
    after = changed(before, lambda builder: builder.put_partition(A, 1, partition(leader=2)))
    found = local_changes(before, after, 1)
    assert found.leaders == []
    assert names(found.followers) == [TopicPartition("a", 1)]


def test_a_replica_that_moved_away_is_removed():
    before = with_topic()
    after = changed(before, lambda builder: builder.put_partition(A, 0, partition((2, 3), 2)))
    removed = [(TopicPartition("a", 0), TopicIdPartition(A, 0))]
    assert local_changes(before, after, 1).removed == removed
    assert local_changes(before, after, 3).removed == []


def test_a_deleted_topic_removes_its_replicas():
    before = with_topic(partitions=(partition(), partition((2, 3), 2)))
    after = changed(before, lambda builder: builder.remove_topic(A))
    assert local_changes(before, after, 1).removed == [
        (TopicPartition("a", 0), TopicIdPartition(A, 0))
    ]


def test_a_topic_of_the_same_name_is_another_topic():
    before = with_topic()

    def recreate(builder):
        builder.remove_topic(A)
        builder.put_topic("a", B)
        builder.put_partition(B, 0, partition())

    found = local_changes(before, changed(before, recreate), 1)
    assert found.removed == [(TopicPartition("a", 0), TopicIdPartition(A, 0))]
    assert [row.topic_id for row in found.leaders] == [B]


def test_a_topic_that_is_created_and_deleted_between_two_images_leaves_nothing():
    before = with_topic()

    def both(builder):
        builder.put_topic("b", B)
        builder.put_partition(B, 0, partition())
        builder.remove_topic(B)

    assert changed_topics(before, changed(before, both)) == []
