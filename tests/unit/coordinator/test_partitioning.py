"""The partition of a coordinator's key, as Java computes it."""

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


def test_partition_of_a_key_is_the_absolute_value_of_its_hash():
    # The hash is Integer.MIN_VALUE, which has no absolute value in Java.
    assert partition_of("polygenelubricants", 50) == 0
    assert partition_of("hello", 50) == 22
    # -1008770331
    assert partition_of("orders", 50) == 31
    assert partition_of("orders", 1 << 30) == 1008770331
