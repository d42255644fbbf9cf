"""The single pass over a plain batch against the separate checks: same batch, same refusal."""

from struct import pack_into

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.records import validation
from minikafka.records.batch import HEADER, batch_crc, read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from minikafka.records.errors import RecordValidationError
from minikafka.records.validation import NO_BOUND_MS, AppendOrigin, RecordPolicy, validate_batch

NOW_MS = 1_700_000_000_000
FIELDS = HEADER.format.removeprefix(">")
SIZES = {"b": 8, "h": 16, "i": 32, "I": 32, "q": 64}

rows = st.lists(
    st.builds(
        NewRecord,
        st.integers(-5, 5).map(lambda delta: NOW_MS + delta) | st.sampled_from([-1, 0]),
        st.none() | st.binary(max_size=20),
        st.none() | st.binary(max_size=200),
        st.just(()) | st.just((("name", b"value"),)),
    ),
    min_size=1,
    max_size=20,
)
options = st.builds(
    BatchOptions,
    codec=st.sampled_from([Codec.NONE, Codec.NONE, Codec.GZIP]),
    producer_id=st.sampled_from([-1, 7]),
    producer_epoch=st.sampled_from([-1, 0]),
    base_sequence=st.sampled_from([-1, 0, 5]),
    is_transactional=st.booleans(),
    is_control=st.sampled_from([False, False, True]),
    log_append_time=st.sampled_from([None, None, NOW_MS]),
)
policies = st.builds(
    RecordPolicy,
    max_message_bytes=st.sampled_from([100, 1_048_588]),
    codec=st.sampled_from([None, Codec.NONE, Codec.GZIP]),
    log_append_time=st.booleans(),
    timestamp_before_max_ms=st.sampled_from([NO_BOUND_MS, 3]),
    timestamp_after_max_ms=st.sampled_from([3_600_000, 3]),
    keys_required=st.booleans(),
)
# A header field (its index) and its wrong value.
changes = st.none() | st.tuples(
    st.integers(0, len(FIELDS) - 1), st.sampled_from([-1, 0, 1, 2, 8, 16, 1 << 30])
)


def changed(batch, change, *, seals):
    """The batch with another value in one field; under a right checksum if it `seals`."""
    if change is not None:
        at, value = change
        fields = list(read_header(batch))
        fields[at] = value % (1 << 32) if FIELDS[at] == "I" else _fitting(value, FIELDS[at])
        HEADER.pack_into(batch, 0, *fields)
    if seals:
        pack_into(">I", batch, 17, batch_crc(batch, 0, len(batch)))
    return batch


def _fitting(value, code):
    bound = 1 << SIZES[code] - 1
    return value if -bound <= value < bound else bound - 1


def outcome(batch, policy, units, *, is_read_only):
    """The outcome of the validation (bytes and header, or the refusal) and the budget left."""
    records = memoryview(bytes(batch) if is_read_only else bytearray(batch))
    budget = Budget(units)
    try:
        view, header = validate_batch(records, policy, AppendOrigin.CLIENT, NOW_MS, budget)
    except RecordValidationError as error:
        return error.code, error.message, error.record_errors, budget.units
    except OverBudgetError:
        return "over budget", bytes(records), budget.units
    assert header == read_header(view)
    assert not view.readonly
    return bytes(view), header, budget.units


@given(
    rows,
    options,
    changes,
    policies,
    st.sampled_from([None, None, 4096, 5, 0]),
    st.booleans(),
    st.sampled_from([b"", b"", b"\0", bytes(80)]),
    st.booleans(),
)
@example(
    [NewRecord(NOW_MS, None, b"v")], BatchOptions(), (1, 16), RecordPolicy(), None, True, b"", False
)
@example(
    [NewRecord(NOW_MS, None, b"v")], BatchOptions(), (1, 60), RecordPolicy(), None, True, b"", False
)
def test_plain_batch_is_judged_as_any_other(
    records, given_options, change, policy, units, seals, behind, is_read_only
):
    batch = changed(build_batch(records, given_options), change, seals=seals) + behind
    at_once = outcome(batch, policy, units, is_read_only=is_read_only)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(validation, "_plain_header", lambda *_: None)
        one_by_one = outcome(batch, policy, units, is_read_only=is_read_only)
    assert at_once == one_by_one


def test_plain_batch_is_accepted_at_once(monkeypatch):
    """Otherwise the comparison above compares nothing."""
    if validation.summary.compiled is None:
        monkeypatch.setattr(validation.summary, "compiled", lambda *_: (0, 0, 1, 1))
    monkeypatch.delattr(validation, "_only_header")
    batch = build_batch([NewRecord(NOW_MS, None, b"v")])
    assert outcome(batch, RecordPolicy(), 4096, is_read_only=False) == (
        bytes(batch), read_header(batch), 4095,
    )  # fmt: skip
