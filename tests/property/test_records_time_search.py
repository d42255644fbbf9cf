"""The search by time and its compiled twin against a plain walk over the records."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.records import time_search
from minikafka.records._walk import walk
from minikafka.records.batch import HEADER_SIZE
from minikafka.records.builder import build_batch
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.validation import UNBOUNDED
from tests.property.test_records_summary import changes, records

least = st.integers(-(2**23), 2**23) | st.integers(-(2**64), 2**64)
places = st.integers(-2, 90) | st.integers(-(2**64), 2**64)


def walked(section, count, least_timestamp, least_offset):
    """The result of a walk, in the same terms."""
    try:
        for span in walk(section, count, 1 << 20):
            if span.timestamp_delta >= least_timestamp and span.offset_delta >= least_offset:
                return span.offset_delta, span.timestamp_delta
    except CorruptRecordsError:
        return "corrupt"
    return None


def searched(*question):
    """The result without and with the compiled twin, which must be equal."""
    found = []
    for compiled in (None, time_search.compiled):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(time_search, "compiled", compiled)
            try:
                found.append(time_search.search_records(*question, UNBOUNDED))
            except CorruptRecordsError:
                found.append("corrupt")
    assert found[0] == found[1]
    return found[0]


@given(records, least, places)
def test_sound_records_are_searched_the_same(rows, timestamp, offset):
    question = (bytes(build_batch(rows)[HEADER_SIZE:]), len(rows), timestamp, offset)
    found = searched(*question)
    assert found != "corrupt"
    assert found == walked(*question)


@given(records, changes, st.integers(0, 3), st.sampled_from([0, 0, 0, 1, -1]), least, places)
def test_changed_bytes_are_searched_the_same(rows, changed, cut, more, timestamp, offset):
    section = build_batch(rows)[HEADER_SIZE:]
    for at, value in changed:
        section[at % len(section)] = value
    question = (bytes(section[: len(section) - cut]), len(rows) + more, timestamp, offset)
    assert searched(*question) == walked(*question)


@given(st.binary(max_size=60), st.integers(1, 5), least, places)
def test_any_bytes_are_searched_the_same(section, count, timestamp, offset):
    question = (section, count, timestamp, offset)
    assert searched(*question) == walked(*question)
