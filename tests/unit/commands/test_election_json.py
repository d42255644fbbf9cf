"""The JSON file of `kafka-leader-election` (A6)."""

import json
import re

import pytest

from minikafka.commands.election_json import ElectionFile
from minikafka.commands.options import ToolError
from minikafka.common.ids import TopicPartition

ROW = {"topic": "t", "partition": 1}


def parse(rows, *, designation=False):
    return ElectionFile(json.dumps({"partitions": rows}), designation=designation)


def test_partitions_come_in_the_order_of_the_file():
    """A6."""
    names = [("u", 2), ("t", 0), ("u", 0)]
    found = parse([{"topic": topic, "partition": index} for topic, index in names])
    assert list(found.leaders.items()) == [(TopicPartition(*name), None) for name in names]
    assert not found.has_minimal_replicas


def test_a_designation_names_a_leader_for_each():
    """A6."""
    found = parse([{**ROW, "desiredLeader": 0}], designation=True)
    assert found.leaders == {TopicPartition("t", 1): 0}


def test_a_byte_order_mark_is_ignored():
    text = '\ufeff{"partitions":[{"topic":"t","partition":1}]}'
    assert list(ElectionFile(text, designation=False).leaders) == [TopicPartition("t", 1)]


def test_minimal_replicas_are_noticed_and_mean_nothing():
    """A6."""
    found = parse([ROW, {"topic": "t", "partition": 2, "minimalReplicas": 2}])
    assert found.has_minimal_replicas
    assert list(found.leaders.values()) == [None, None]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Replica election data is empty, or no JSON: line 1 column 1: Expecting value"),
        (
            '{"partitions":',
            "Replica election data is empty, or no JSON: line 1 column 15: Expecting value",
        ),
        ("[" * 100_000, "Replica election data is empty, or no JSON"),
        ("3", "Replica election data is no JSON object"),
        ("{}", 'Replica election data is missing "partitions" field'),
        ('{"partitions":null}', '"partitions" is no list'),
        ('{"partitions":["t-0"]}', '"partitions" holds "t-0", which is no object'),
    ],
)
def test_what_is_no_list_of_partitions_is_named(text, message):
    """A6."""
    with pytest.raises(ToolError, match=f"^{re.escape(message)}$"):
        ElectionFile(text, designation=False)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"partition": 1}, '"topic" is missing in {"partition": 1}'),
        ({"topic": "t"}, '"partition" is missing in {"topic": "t"}'),
        ({"topic": 1, "partition": 1}, '"topic" is no text in'),
        ({"topic": "t", "partition": "1"}, '"partition" is no whole number in'),
        ({"topic": "t", "partition": True}, '"partition" is no whole number in'),
        ({"topic": "t", "partition": 1.0}, '"partition" is no whole number in'),
        ({"topic": "t", "partition": -1}, '"partition" is not between 0 and 2147483647 in'),
        ({"topic": "t", "partition": 2**31}, '"partition" is not between 0 and 2147483647 in'),
        ({**ROW, "desiredLeader": 1}, '"desiredLeader" goes with election type DESIGNATION only'),
    ],
)
def test_a_row_that_is_wrong_is_shown(row, message):
    """A6."""
    with pytest.raises(ToolError, match=f"^{re.escape(message)}") as caught:
        parse([ROW, row])
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("leader", ["1", None, -1, 1.5, 2**31])
def test_a_leader_that_is_no_broker_id_is_named(leader):
    """A6."""
    with pytest.raises(ToolError, match='"desiredLeader" is no'):
        parse([{**ROW, "desiredLeader": leader}], designation=True)


def test_a_designation_without_a_leader_is_named():
    """A6."""
    with pytest.raises(ToolError, match='"desiredLeader" is missing in'):
        parse([{**ROW, "desiredLeader": 1}, {"topic": "t", "partition": 2}], designation=True)


def test_partitions_that_come_twice_are_named_once_each():
    """A6."""
    other = {"topic": "u", "partition": 0}
    with pytest.raises(ToolError, match=r"contains duplicate partitions: \[t-1, u-0\]$"):
        parse([ROW, other, ROW, other, ROW])
