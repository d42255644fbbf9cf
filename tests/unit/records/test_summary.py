"""The summary of all records of a batch; tests/property has any bytes."""

import pytest

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.records import summary
from minikafka.records.batch import HEADER_SIZE
from minikafka.records.builder import NewRecord, build_batch
from minikafka.records.errors import CorruptRecordsError, TooManyPartsError
from minikafka.records.summary import RecordsSummary, summarize_records
from minikafka.records.validation import UNBOUNDED

ROWS = [
    NewRecord(1_000, b"key", b"value"),
    NewRecord(400, None, None, (("h", None), ("i", b"x"))),
    NewRecord(70_000_000, None, bytes(9_000)),
]
SECTION = bytes(build_batch(ROWS)[HEADER_SIZE:])


@pytest.fixture(params=["compiled", "interpreted"], autouse=True)
def twin(request, monkeypatch):
    if request.param == "interpreted":
        monkeypatch.setattr(summary, "compiled", None)


def test_summary_has_the_bounds_of_all_records():
    assert summarize_records(SECTION, 3, UNBOUNDED) == RecordsSummary(-600, 69_999_000, 2, 5)


@pytest.mark.parametrize(
    ("section", "count"),
    [
        (SECTION, 2),
        (SECTION, 4),
        (SECTION, 2**31 - 1),
        (SECTION[:-1], 3),
        (SECTION + b"\x00", 3),
        (SECTION[2:], 3),
        (b"", 1),
    ],
)
def test_bytes_with_another_number_of_records_are_corrupt(section, count):
    with pytest.raises(CorruptRecordsError):
        summarize_records(section, count, UNBOUNDED)


def test_records_and_headers_are_taken_from_the_budget():
    budget = Budget(6)
    summarize_records(SECTION, 3, budget)
    assert budget.units == 1


@pytest.mark.parametrize("units", [0, 2, 4])
def test_a_budget_that_is_too_small_is_an_error(units):
    budget = Budget(units)
    with pytest.raises(OverBudgetError):
        summarize_records(SECTION, 3, budget)


def test_there_is_a_bound_without_a_budget_too(monkeypatch):
    monkeypatch.setattr(summary, "MAX_PARTS", 4)
    with pytest.raises(TooManyPartsError, match="at most"):
        summarize_records(SECTION, 3, UNBOUNDED)


def test_a_step_may_check_more_where_the_check_is_compiled(monkeypatch):
    monkeypatch.setattr(summary, "compiled", None)
    interpreted = summary.units_per_step()
    monkeypatch.setattr(summary, "compiled", lambda *_: None)
    assert summary.units_per_step() > interpreted
