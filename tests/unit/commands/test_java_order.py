"""The order of Java's hash maps, as OpenJDK 17 and the tools of Apache Kafka 4.3.1 printed it."""

import pytest

from minikafka.commands.java_order import hash_map_order, partition_order
from minikafka.common.ids import TopicPartition

FIVE = ["assigned", "t.dot_us", "t1", "u1", "u3"]
NUMBERS_OF_24 = [6, 7, 8, 9, 0, 1, 2, 20, 3, 10, 21, 4, 11, 22, 5, 12, 23, *range(13, 20)]
NUMBERS_OF_25 = [6, 7, 8, 9, 0, 1, 2, 3, 10, 4, 11, 5, 12, 24, *range(20, 24), *range(13, 20)]


def test_a_map_that_expects_its_keys_has_the_smallest_table():
    three = ["assigned", "t.dot_us", "t1"]
    assert hash_map_order(three, expected=3) == ["t1", "assigned", "t.dot_us"]
    assert hash_map_order(FIVE, expected=5) == ["assigned", "t.dot_us", "u1", "t1", "u3"]


def test_a_map_that_expects_nothing_starts_with_sixteen_places():
    assert hash_map_order(FIVE) == ["t.dot_us", "assigned", "u1", "t1", "u3"]


@pytest.mark.parametrize("numbers", [NUMBERS_OF_24, NUMBERS_OF_25])
def test_a_table_grows_when_more_than_three_quarters_are_taken(numbers):
    keys = [f"topic-{number}" for number in range(len(numbers))]
    expected = [f"topic-{number}" for number in numbers]
    assert hash_map_order(keys) == expected
    assert hash_map_order(keys, expected=len(keys)) == expected


def test_hashes_are_of_utf_16_units():
    assert hash_map_order(["\U0001f600", "c"]) == ["c", "\U0001f600"]


def test_a_key_is_there_once():
    assert hash_map_order(["a", "a", "b"]) == ["a", "b"]


def test_keys_of_one_bucket_keep_their_order():
    # "Aa" and "BB" have the same hash in Java.
    assert hash_map_order(["BB", "Aa"]) == ["BB", "Aa"]
    assert hash_map_order(["Aa", "BB"]) == ["Aa", "BB"]


def test_partitions_come_in_the_order_of_a_hash_set():
    """Apache Kafka's tools printed them like that."""
    names = [("moved", 0), ("moved", 1), ("lost", 0), ("gone", 0), ("half", 0), ("t", 16), ("t", 0)]
    found = partition_order(TopicPartition(*name) for name in names)
    assert [str(at) for at in found] == [
        "moved-0", "gone-0", "half-0", "t-16", "t-0", "moved-1", "lost-0",
    ]  # fmt: skip


def test_a_set_of_partitions_grows_as_javas_does():
    found = partition_order(TopicPartition("topic", index) for index in range(30))
    assert [at.partition for at in found] == [
        26, 28, 18, 20, 22, 24, 9, 11, 13, 15, 1, 3, 5, 7, 25, 27, 29, 0, 17, 19, 21, 23, 10, 12,
        14, 16, 2, 4, 6, 8,
    ]  # fmt: skip
