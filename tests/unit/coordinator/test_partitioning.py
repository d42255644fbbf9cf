"""The partition of a key is Kafka's."""

import pytest

from minikafka.coordinator.partitioning import java_hash, partition_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("hello", 99162322),
        ("polygenelubricants", 0x80000000),
        ("\N{GRINNING FACE}", 1772899),
    ],
)
def test_hash_is_that_of_java_strings(text, expected):
    assert java_hash(text) == expected


def test_partition_of_a_group_is_never_negative():
    # The hash is Integer.MIN_VALUE, which has no absolute value in Java.
    assert partition_of("polygenelubricants", 50) == 0
    assert partition_of("hello", 50) == 22
