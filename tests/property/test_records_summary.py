"""The summary of records, and its compiled twin, against the plain walk over them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minikafka.records import summary
from minikafka.records._walk import walk
from minikafka.records.batch import HEADER_SIZE
from minikafka.records.builder import NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError, TooManyPartsError
from minikafka.records.summary import MAX_PARTS, RecordsSummary
from minikafka.records.validation import UNBOUNDED

_BASE_MS = 1_700_000_000_000

parts = st.none() | st.binary(max_size=200) | st.sampled_from([bytes(9_000), bytes(70_000)])
records = st.lists(
    st.builds(
        NewRecord,
        st.integers(-(2**22), 2**22).map(lambda delta: _BASE_MS + delta),
        parts,
        parts,
        st.lists(st.tuples(st.text(max_size=5), parts), max_size=2).map(tuple),
    ),
    min_size=1,
    max_size=80,
)


def walked(section, count):
    """The summary by the walk, in the same terms; None for bytes that are no records."""
    try:
        spans = list(walk(section, count, MAX_PARTS - count))
    except CorruptRecordsError:
        return None
    except TooManyPartsError:
        return "too many headers"
    if [span.offset_delta for span in spans] != list(range(count)):
        return None
    deltas = [span.timestamp_delta for span in spans]
    return RecordsSummary(
        min(deltas),
        max(deltas),
        sum(span.key_length < 0 for span in spans),
        count + sum(span.header_count for span in spans),
    )


def summarized(section, count):
    """The summary without and with the compiled twin, which must be equal."""
    said = []
    for compiled in (None, summary.compiled):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(summary, "compiled", compiled)
            try:
                said.append(summary.summarize_records(section, count, UNBOUNDED))
            except CorruptRecordsError:
                said.append(None)
            except TooManyPartsError:
                said.append("too many headers")
    assert said[0] == said[1]
    return said[0]


@given(records)
def test_sound_records_have_the_same_summary(rows):
    section = bytes(build_batch(rows)[HEADER_SIZE:])
    found = summarized(section, len(rows))
    assert found is not None
    assert found == walked(section, len(rows))


# The first bytes of a record decide: where they are is known for the first record only.
changes = st.lists(
    st.tuples(st.integers(0, 12) | st.integers(0, 1 << 20), st.integers(0, 255)),
    min_size=1,
    max_size=3,
)


@given(records, changes, st.integers(0, 3), st.sampled_from([0, 0, 0, 1, -1]))
def test_changed_bytes_are_judged_the_same(rows, changed, cut, more):
    section = build_batch(rows)[HEADER_SIZE:]
    for at, value in changed:
        section[at % len(section)] = value
    section = bytes(section[: len(section) - cut])
    count = len(rows) + more
    if count:
        assert summarized(section, count) == walked(section, count)


@given(st.binary(max_size=60), st.integers(1, 5))
def test_any_bytes_are_judged_the_same(section, count):
    assert summarized(section, count) == walked(section, count)
