"""The table of releases, as Apache Kafka 4.3.1's `kafka-features version-mapping` prints it."""

import pytest

from minikafka.metadata.features import LATEST_METADATA_VERSION, MINIMUM_METADATA_VERSION
from minikafka.metadata.release_levels import (
    LATEST,
    dependency,
    has_level,
    is_known,
    level_of,
    levels_of,
    release_of,
)


@pytest.mark.parametrize(
    ("release", "level", "others"),
    [
        ("3.3-IV3", 7, [0, 0, 0, 0, 0, 0]),
        ("3.9-IV0", 21, [1, 0, 0, 0, 0, 0]),
        ("4.0-IV0", 22, [1, 0, 1, 0, 0, 0]),
        ("4.0", 25, [1, 2, 1, 0, 0, 0]),
        ("4.1", 27, [1, 2, 1, 1, 0, 0]),
        ("4.2-IV0", 28, [1, 2, 1, 1, 1, 0]),
        ("4.3-IV0", 30, [1, 2, 1, 1, 1, 1]),
    ],
)
def test_levels_of_releases(release, level, others):
    assert level_of(release) == level
    assert list(levels_of(level).values()) == others


def test_the_lowest_and_highest_levels_are_those_of_this_cluster():
    assert level_of("3.3-IV3") == MINIMUM_METADATA_VERSION
    assert level_of(LATEST) == LATEST_METADATA_VERSION


def test_names_of_levels():
    assert (release_of(30), release_of(99)) == ("4.3-IV0", "99")
    assert level_of("1.0") is None


def test_known_levels_and_their_dependencies():
    elr = "eligible.leader.replicas.version"
    assert dependency(elr, 1) == ("metadata.version", 23)
    assert dependency(elr, 0) is None
    assert (is_known(elr), is_known("nope")) == (True, False)
    assert (has_level("transaction.version", 2), has_level(elr, 2)) == (True, False)
    assert has_level("metadata.version", 30)
