"""The two kinds of groups."""

from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.group import Group
from minikafka.group.kinds import tombstone_keys, type_of
from minikafka.group.records import parse_record


def test_groups_have_types():
    assert [type_of(each) for each in (Group("g", 0), ConsumerGroup("g"))] == [
        "classic",
        "consumer",
    ]


def test_the_last_tombstone_is_that_of_the_group():
    (classic,) = tombstone_keys(Group("g", 0))
    assert type(parse_record(classic, None).key).__name__ == "GroupMetadataKey"
    last = tombstone_keys(ConsumerGroup("g"))[-1]
    assert type(parse_record(last, None).key).__name__ == "ConsumerGroupMetadataKey"
