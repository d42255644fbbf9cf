"""Kafka's camel-case names as Python names."""

import re
from functools import cache

_BOUNDARY = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@cache
def snake(name: str) -> str:
    """`TopicId` -> `topic_id`, `KRaftVersion` -> `kraft_version`."""
    return _BOUNDARY.sub("_", name).lower()


def screaming_snake(name: str) -> str:
    """`DescribeTopicPartitions` -> `DESCRIBE_TOPIC_PARTITIONS`."""
    return snake(name).upper()
