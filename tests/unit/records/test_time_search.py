"""The search by time among records; tests/property has any bytes."""

import pytest

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.records import time_search
from minikafka.records.batch import HEADER_SIZE, read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from minikafka.records.errors import CorruptRecordsError
from minikafka.records.time_search import first_not_earlier, search_records
from minikafka.records.validation import UNBOUNDED

ROWS = [
    NewRecord(1_000, b"key", b"value"),
    NewRecord(400, None, None, (("h", None), ("i", b"x"))),
    NewRecord(70_000_000, None, bytes(9_000)),
]
SECTION = bytes(build_batch(ROWS)[HEADER_SIZE:])
FAR = 1 << 70


@pytest.fixture(params=["compiled", "interpreted"], autouse=True)
def twin(request, monkeypatch):
    if request.param == "interpreted":
        monkeypatch.setattr(time_search, "compiled", None)


@pytest.mark.parametrize(
    ("timestamp_delta", "offset_delta", "found"),
    [
        (0, 0, (0, 0)),
        (1, 0, (2, 69_999_000)),
        (-600, 1, (1, -600)),
        (-FAR, -FAR, (0, 0)),
        (69_999_001, 0, None),
        (0, 3, None),
        (FAR, FAR, None),
    ],
)
def test_the_first_record_that_has_both_deltas_is_found(timestamp_delta, offset_delta, found):
    assert search_records(SECTION, 3, timestamp_delta, offset_delta, UNBOUNDED) == found


def test_records_behind_the_one_that_is_found_are_not_read():
    assert search_records(SECTION[:-1], 3, -600, 1, UNBOUNDED) == (1, -600)
    with pytest.raises(CorruptRecordsError):
        search_records(SECTION[:-1], 3, FAR, 0, UNBOUNDED)


@pytest.mark.parametrize("section", [SECTION + b"\0", SECTION[2:], b""])
def test_bytes_with_another_number_of_records_are_corrupt(section):
    with pytest.raises(CorruptRecordsError):
        search_records(section, 3, FAR, 0, UNBOUNDED)


def test_only_records_read_are_taken_from_the_budget():
    whole, part = Budget(1_000), Budget(1_000)
    search_records(SECTION, 3, FAR, 0, whole)
    search_records(SECTION, 3, 0, 0, part)
    assert (1_000 - whole.units) == 5 * (1_000 - part.units)


@pytest.mark.parametrize("units", [0, 2, 4])
def test_a_budget_that_is_too_small_is_an_error(units):
    with pytest.raises(OverBudgetError):
        search_records(SECTION, 3, FAR, 0, Budget(units))


def test_there_is_a_bound_without_a_budget_too(monkeypatch):
    monkeypatch.setattr(time_search, "MAX_PARTS", 1)
    with pytest.raises(CorruptRecordsError, match="at most 4"):
        search_records(SECTION, 3, FAR, 0, UNBOUNDED)


def test_a_batch_over_the_step_limit_costs_its_decompressed_bytes():
    batch = build_batch([NewRecord(0, None, bytes(300_000))], BatchOptions(codec=Codec.ZSTD))
    budget = Budget(131_072)
    with pytest.raises(OverBudgetError):
        first_not_earlier(bytes(batch), read_header(batch), 0, 0, budget)
    assert budget.units == 131_072 - 128 * 1024 // 8
