"""The JSON file of `kafka-leader-election`: partitions, and leaders for a designation (A6).

Unlike Kafka (row O4): error messages do not name Java exceptions, and negative numbers are
rejected.
"""

import json
from collections.abc import Mapping
from typing import Any

from minikafka.commands.java_order import partition_order
from minikafka.commands.options import ToolError
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT32_MAX


class ElectionFile:
    """The partitions of a file, each with its new leader or None."""

    def __init__(self, text: str, *, designation: bool) -> None:
        """Parse the file; `desiredLeader` is required for a designation, and rejected otherwise.

        Raises:
            ToolError: the file is invalid; the message names the problem in one line.
        """
        self.leaders: dict[TopicPartition, int | None] = {}
        self.has_minimal_replicas = False
        repeated: list[TopicPartition] = []
        for row in _rows(text):
            partition = _number(row, "partition")
            at = TopicPartition(_topic(row), partition)
            if at in self.leaders:
                repeated.append(at)
            self.leaders[at] = _leader(row, designation=designation)
            self.has_minimal_replicas |= "minimalReplicas" in row
        if repeated:
            names = ", ".join(str(at) for at in partition_order(repeated))
            raise ToolError(f"Replica election data contains duplicate partitions: [{names}]")


def _rows(text: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}: {error.msg}"
        raise ToolError(f"Replica election data is empty, or no JSON: {where}") from None
    except (ValueError, RecursionError):
        raise ToolError("Replica election data is empty, or no JSON") from None
    if not isinstance(found, dict):
        raise ToolError("Replica election data is no JSON object")
    if "partitions" not in found:
        raise ToolError('Replica election data is missing "partitions" field')
    rows = found["partitions"]
    if not isinstance(rows, list):
        raise ToolError('"partitions" is no list')
    for row in rows:
        if not isinstance(row, dict):
            raise ToolError(f'"partitions" holds {_shown(row)}, which is no object')
    return rows


def _topic(row: Mapping[str, Any]) -> str:
    topic = _field(row, "topic")
    if not isinstance(topic, str):
        raise ToolError(f'"topic" is no text in {_shown(row)}')
    return topic


def _number(row: Mapping[str, Any], name: str) -> int:
    value = _field(row, name)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ToolError(f'"{name}" is no whole number in {_shown(row)}')
    if not 0 <= value <= INT32_MAX:
        raise ToolError(f'"{name}" is not between 0 and {INT32_MAX} in {_shown(row)}')
    return value


def _leader(row: Mapping[str, Any], *, designation: bool) -> int | None:
    if designation:
        return _number(row, "desiredLeader")
    if "desiredLeader" in row:
        raise ToolError(f'"desiredLeader" goes with election type DESIGNATION only: {_shown(row)}')
    return None


def _field(row: Mapping[str, Any], name: str) -> Any:
    if name not in row:
        raise ToolError(f'"{name}" is missing in {_shown(row)}')
    return row[name]


def _shown(value: object) -> str:
    return json.dumps(value)
