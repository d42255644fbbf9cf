"""The names of log folders and of the files of a segment. Source: `LogFileUtils`, `UnifiedLog`."""

from random import Random
from typing import Final

from minikafka.common.ids import TopicPartition

LOG_SUFFIX: Final = ".log"
INDEX_SUFFIX: Final = ".index"
TIME_INDEX_SUFFIX: Final = ".timeindex"
TXN_INDEX_SUFFIX: Final = ".txnindex"
SNAPSHOT_SUFFIX: Final = ".snapshot"
DELETED_SUFFIX: Final = ".deleted"
CLEANED_SUFFIX: Final = ".cleaned"
"""After the suffix of a file: an incomplete copy without obsolete records."""
SWAP_SUFFIX: Final = ".swap"
"""Of a complete copy, which replaces the segments whose records it has."""
UNFLUSHED_SUFFIX: Final = ".unflushed"
"""An empty file beside a segment that began before the previous segment was durable."""
SEGMENT_SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)
DELETE_SUFFIX: Final = "-delete"
STRAY_SUFFIX: Final = "-stray"
FUTURE_SUFFIX: Final = "-future"
"""Suffixes of folders."""

_LONGEST_NAME: Final = 255


def file_name(base_offset: int, suffix: str) -> str:
    """The name of a file: the base offset in 20 digits, and a suffix."""
    return f"{base_offset:020d}{suffix}"


def parse_folder(name: str) -> TopicPartition | None:
    """The partition whose log a folder holds, or None for any other name."""
    if name.endswith((DELETE_SUFFIX, STRAY_SUFFIX, FUTURE_SUFFIX)):
        return None
    topic, dash, partition = name.rpartition("-")
    if not dash or not topic or not partition.isdecimal():
        return None
    return TopicPartition(topic, int(partition))


def retired_name(at: TopicPartition, suffix: str, rng: Random) -> str:
    """A unique folder name of at most 255 characters; a longer topic name is cut."""
    tail = f"-{at.partition}.{rng.getrandbits(128):032x}{suffix}"
    return at.topic[: _LONGEST_NAME - len(tail)] + tail
