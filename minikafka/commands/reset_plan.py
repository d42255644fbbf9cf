"""The CSV files of `--reset-offsets`: rows `topic,partition,offset` or with a group before them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from minikafka.commands.options import ToolError
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, whole_number

_FIELDS = 4
_LONGEST_PLAIN = 24

Offsets = Mapping[TopicPartition, int]


def read_plan(path: str, groups: Sequence[str]) -> dict[str, dict[TopicPartition, int]]:
    """Read the offsets of each group. Rows without a group are those of the only one of `groups`.

    Raises:
        ToolError: the file cannot be read, or a row cannot.
    """
    try:
        text = Path(path).read_text("utf-8")
    except OSError:
        raise ToolError(f"java.io.IOException: Unable to read file {path}") from None
    except UnicodeDecodeError as error:
        raise ToolError(f"{path}: {error}") from None
    # As in Kafka's tool: an export ends with an empty line, and no quoted text has several lines.
    lines = text.rstrip("\n").split("\n")
    if lines == [""]:
        raise ToolError(f"{path}: the file is empty")
    has_groups = len(groups) != 1 or not _is_row(lines[0])
    plan: dict[str, dict[TopicPartition, int]] = {}
    for number, line in enumerate(lines, 1):
        try:
            fields = _fields(line) if has_groups else [groups[0], *_fields(line)]
            at, offset = _read_row(fields)
        except (ValueError, csv.Error) as error:
            names = f"{'group,' if has_groups else ''}topic,partition,offset"
            raise ToolError(f"{path}, line {number}: expected {names}: {error}") from None
        plan.setdefault(fields[0], {})[at] = offset
    return plan


def _fields(line: str) -> list[str]:
    """Split one line.

    Raises:
        csv.Error: the line is no CSV.
    """
    return next(csv.reader([line]))


def _is_row(line: str) -> bool:
    """True for a row without a group."""
    try:
        _read_row(["", *_fields(line)])
    except (ValueError, csv.Error):
        return False
    return True


def _read_row(fields: Sequence[str]) -> tuple[TopicPartition, int]:
    """Return the values of `group,topic,partition,offset`.

    As in Kafka's tool, a number that is missing is 0.

    Raises:
        ValueError: there is no topic, there are too many fields, or a number is none.
    """
    if not 1 < len(fields) <= _FIELDS:
        raise ValueError("fields are missing" if len(fields) < _FIELDS else "too many fields")
    topic, partition, offset = (*fields[1:], "0", "0")[:3]
    return (
        TopicPartition(topic, whole_number(partition.strip(), INT32_MIN, INT32_MAX)),
        whole_number(offset.strip(), INT64_MIN, INT64_MAX),
    )


def csv_of(plan: Iterable[tuple[str, Offsets]], *, has_groups: bool) -> str:
    """Return a plan as the text of a file, in the order given."""
    return "".join(
        f"{f'{_field(group)},' if has_groups else ''}{_field(at.topic)},{at.partition},{offset}\n"
        for group, offsets in plan
        for at, offset in offsets.items()
    )


def _field(text: str) -> str:
    """Quote a text as Kafka's library does: if it is long, or has a character before the dash."""
    if len(text) <= _LONGEST_PLAIN and all(character >= "-" for character in text):
        return text
    return '"' + text.replace('"', '""') + '"'
