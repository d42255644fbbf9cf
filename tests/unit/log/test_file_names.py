"""The names of a segment's files."""

from minikafka.log.file_names import SEGMENT_SUFFIXES, file_name


def test_names_sort_as_their_offsets():
    """A start lists a folder and takes its segments in that order."""
    offsets = [0, 9, 10, 101, 1 << 31, (1 << 63) - 1]
    for suffix in SEGMENT_SUFFIXES:
        names = [file_name(offset, suffix) for offset in offsets]
        assert sorted(names) == names


def test_names_are_those_of_kafka():
    assert file_name(368769, ".log") == "00000000000000368769.log"
