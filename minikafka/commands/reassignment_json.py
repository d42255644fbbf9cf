"""The JSON files of `kafka-reassign-partitions`: topics to move, and assignments of replicas.

Source: `ReassignPartitionsCommand` (`parsePartitionReassignmentData`, `parseTopicsData`,
`formatAsReassignmentJson`).
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from minikafka.commands.options import ToolError
from minikafka.common.ids import TopicPartition
from minikafka.common.whole_numbers import INT32_MAX

ANY_DIRECTORY = "any"
_VERSION = 1


class Proposal(NamedTuple):
    """One partition of a file: its replicas and the log directory of each."""

    at: TopicPartition
    replicas: Sequence[int]
    log_dirs: Sequence[str]


def read_file(path: str) -> str:
    """Read the text of a file.

    Raises:
        ToolError: if it cannot be read.
    """
    try:
        return Path(path).read_text()
    except FileNotFoundError:
        raise ToolError(f"Unable to read file {path}") from None
    except OSError as error:
        raise ToolError(f"Unable to read file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ToolError(f"Unable to read file {path}: it is not UTF-8 text") from None


def parse_topics(text: str) -> list[str]:
    """Return the topics of a `--topics-to-move-json-file`.

    Raises:
        ToolError: the text is invalid; the message names the problem.
    """
    names = [_field(row, "topic", str) for row in _rows(text, "topics")]
    repeated = _repeated(names)
    if repeated:
        raise ToolError(
            f"List of topics to reassign contains duplicate entries: {','.join(repeated)}"
        )
    return names


def parse_proposals(text: str) -> list[Proposal]:
    """Return the partitions of a `--reassignment-json-file`.

    Raises:
        ToolError: the text is invalid; the message names the problem.
    """
    proposals = []
    for row in _rows(text, "partitions"):
        at = TopicPartition(_field(row, "topic", str), _field(row, "partition", int))
        replicas = _list(row, "replicas", int)
        log_dirs = _list(row, "log_dirs", str) if "log_dirs" in row else None
        if log_dirs is not None and len(log_dirs) != len(replicas):
            raise ToolError(
                f"Size of replicas list {replicas} is different from size of log dirs list "
                f"{log_dirs} for partition {at}"
            )
        proposals.append(Proposal(at, replicas, log_dirs or [ANY_DIRECTORY] * len(replicas)))
    return proposals


def parse_executable(text: str) -> list[Proposal]:
    """Return the partitions of a `--reassignment-json-file` for `--execute`.

    Raises:
        ToolError: the list is empty, a partition is named twice, or lacks or repeats replicas.
    """
    proposals = parse_proposals(text)
    if not proposals:
        raise ToolError("Partition reassignment list cannot be empty")
    if any(not it.replicas for it in proposals):
        raise ToolError("Partition replica list cannot be empty")
    repeated = _repeated(str(it.at) for it in proposals)
    if repeated:
        raise ToolError(
            f"Partition reassignment contains duplicate topic partitions: {','.join(repeated)}"
        )
    faults = [
        f"{it.at} contains multiple entries for {','.join(twice)}"
        for it in proposals
        if (twice := _repeated(map(str, it.replicas)))
    ]
    if faults:
        raise ToolError(
            f"Partition replica lists may not contain duplicate entries: {'. '.join(faults)}"
        )
    return proposals


def to_json(
    replicas: Mapping[TopicPartition, Sequence[int]],
    directories: Mapping[tuple[TopicPartition, int], str],
) -> str:
    """Return a file's content with these assignments."""
    partitions = [
        {
            "topic": at.topic,
            "partition": at.partition,
            "replicas": list(replicas[at]),
            "log_dirs": [directories.get((at, x), ANY_DIRECTORY) for x in replicas[at]],
        }
        for at in sorted(replicas)
    ]
    return json.dumps({"version": _VERSION, "partitions": partitions}, separators=(",", ":"))


def _rows(text: str, name: str) -> list[dict[str, Any]]:
    try:
        found = json.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise ToolError(f"The input string is not a valid JSON: {error}") from None
    if not isinstance(found, dict):
        raise ToolError("The input string is not a valid JSON")
    version = found.get("version", _VERSION)
    if version != _VERSION:
        raise ToolError(f"Not supported version field value {version}")
    rows = found.get(name, [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ToolError(f'"{name}" is no list of objects')
    return rows


def _field(row: Mapping[str, Any], name: str, kind: type) -> Any:
    value = row.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ToolError(f'"{name}" is missing or no {_KINDS[kind]} in {json.dumps(row)}')
    if isinstance(value, int) and not 0 <= value <= INT32_MAX:
        raise ToolError(f'"{name}" is not between 0 and {INT32_MAX} in {json.dumps(row)}')
    return value


def _list(row: Mapping[str, Any], name: str, kind: type) -> Any:
    values = row.get(name)
    if not isinstance(values, list):
        raise ToolError(f'"{name}" is missing or no list in {json.dumps(row)}')
    return [_field({name: value}, name, kind) for value in values]


_KINDS = {str: "text", int: "number"}


def _repeated(words: Iterable[str]) -> list[str]:
    listed = list(words)
    return [word for word in dict.fromkeys(listed) if listed.count(word) > 1]
