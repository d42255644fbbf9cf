"""The kinds of groups that a shard holds."""

from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.group import CLASSIC_TYPE, Group
from minikafka.group.records import consumer_key, group_key

AnyGroup = Group | ConsumerGroup


def type_of(group: AnyGroup) -> str:
    """Return the type of a group, with the name that clients see."""
    return CLASSIC_TYPE if isinstance(group, Group) else group.protocol_type


def tombstone_keys(group: AnyGroup) -> list[bytes]:
    """Return the keys of the records that a group has, the one that makes it a group last."""
    if isinstance(group, Group):
        return [group_key(group.group_id)]
    return [consumer_key(each.key) for each in group.tombstones()]
