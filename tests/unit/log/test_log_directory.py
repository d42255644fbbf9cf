"""Folder names."""

from random import Random

import pytest

from minikafka.common.ids import TopicPartition
from minikafka.log.log_directory import DELETE_SUFFIX, parse_folder, retired_name


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
