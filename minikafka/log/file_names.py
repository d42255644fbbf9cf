"""The names of the files of a segment. Source: `LogFileUtils`, `UnifiedLog`."""

from typing import Final

LOG_SUFFIX: Final = ".log"
INDEX_SUFFIX: Final = ".index"
TIME_INDEX_SUFFIX: Final = ".timeindex"
TXN_INDEX_SUFFIX: Final = ".txnindex"
DELETED_SUFFIX: Final = ".deleted"
UNFLUSHED_SUFFIX: Final = ".unflushed"
"""An empty file beside a segment that began before the previous segment was durable."""
SEGMENT_SUFFIXES: Final = (LOG_SUFFIX, INDEX_SUFFIX, TIME_INDEX_SUFFIX, TXN_INDEX_SUFFIX)


def file_name(base_offset: int, suffix: str) -> str:
    """The name of a file: the base offset in 20 digits, and a suffix."""
    return f"{base_offset:020d}{suffix}"
