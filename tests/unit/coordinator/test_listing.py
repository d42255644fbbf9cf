"""The order of lists; the expected ones are those of Kafka's `TimelineHashMap`."""

import pytest

from minikafka.coordinator.listing import MAX_ORDERED_KEYS, in_order

ORDERS = {
    1: "0",
    2: "1 0",
    5: "2 4 1 3 0",
    6: "2 4 1 3 0 5",
    12: "2 7 4 9 11 1 6 3 8 10 0 5",
    22: "20 12 2 17 7 14 4 19 9 11 1 16 6 21 13 3 18 8 10 0 15 5",
    40: "33 20 12 2 38 25 30 17 7 22 35 27 14 4 32 19 9 11 37 24 1 16 29 6 21 34 26 13 3 39 31 18 "
    "8 36 23 10 0 15 28 5",
}


@pytest.mark.parametrize("count", ORDERS)
def test_keys_are_listed_by_their_slots(count):
    keys = [f"grp-{index}" for index in range(count)]
    expected = [f"grp-{index}" for index in ORDERS[count].split()]
    assert in_order(keys, are_replaced=False) == expected
    assert in_order(keys, are_replaced=True) == expected


def test_a_table_whose_entries_are_replaced_grows_earlier():
    # Two slots have both keys in one of them, four do not.
    assert in_order(["member-2", "member-1"], are_replaced=False) == ["member-1", "member-2"]
    assert in_order(["member-2", "member-1"], are_replaced=True) == ["member-2", "member-1"]


def test_many_keys_stay_as_they_are():
    keys = [str(index) for index in range(MAX_ORDERED_KEYS + 1)]
    assert in_order(keys, are_replaced=True) == keys
