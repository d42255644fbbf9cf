"""The names of log folders and of a segment's files."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.file_names import (
    DELETE_SUFFIX,
    SEGMENT_SUFFIXES,
    file_name,
    parse_folder,
    retired_name,
)


def test_names_sort_as_their_offsets():
    """A start lists a folder and takes its segments in that order."""
    offsets = [0, 9, 10, 101, 1 << 31, (1 << 63) - 1]
    for suffix in SEGMENT_SUFFIXES:
        names = [file_name(offset, suffix) for offset in offsets]
        assert sorted(names) == names


def test_names_are_those_of_kafka():
    assert file_name(368769, ".log") == "00000000000000368769.log"


@pytest.mark.parametrize(
    ("name", "at"),
    [
        ("t-0", ("t", 0)),
        ("a-b-12", ("a-b", 12)),
        ("__cluster_metadata-0", ("__cluster_metadata", 0)),
        ("t-0.abc-delete", None),
        ("t-0.abc-stray", None),
        ("t-0.abc-future", None),
        ("t", None),
        ("-1", None),
        ("t-x", None),
        ("meta.properties", None),
    ],
)
def test_partition_is_read_from_the_folder(name, at):
    assert parse_folder(name) == at


def test_retired_name_is_unique_and_not_too_long():
    at = TopicPartition("t" * 249, 123)
    rng = Random(1)
    names = [retired_name(at, DELETE_SUFFIX, rng) for _ in range(2)]
    assert len(names[0]) == 255
    assert names[0] != names[1]
    assert "-123." in names[0]
    assert retired_name(TopicPartition("t", 0), DELETE_SUFFIX, rng).startswith("t-0.")
