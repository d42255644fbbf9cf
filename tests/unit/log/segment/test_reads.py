"""The search by time within one batch, and messages of refused reads."""

import pytest

from minikafka.common.budget import Budget, OverBudgetError
from minikafka.log.segment.reads import OffsetNotInLogError, StoredBatch
from minikafka.records.batch import read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch
from minikafka.records.compression import Codec
from minikafka.records.errors import CorruptRecordsError

TIMES = (10, 30, 20, 40)


def stored(value=b"v", **options):
    rows = [NewRecord(time, None, value) for time in TIMES]
    data = bytes(build_batch(rows, BatchOptions(base_offset=100, leader_epoch=3, **options)))
    return StoredBatch(data, read_header(data))


@pytest.mark.parametrize("codec", list(Codec))
@pytest.mark.parametrize(
    ("timestamp", "start_offset", "found"),
    [(0, 0, (10, 100, 3)), (15, 0, (30, 101, 3)), (15, 102, (20, 102, 3)), (41, 0, None)],
)
def test_first_record_that_is_not_earlier_is_found(codec, timestamp, start_offset, found):
    assert stored(codec=codec).first_record(timestamp, start_offset) == found


def test_records_stamped_by_the_leader_have_its_time():
    assert stored(log_append_time=77).first_record(70, 101) == (77, 101, 3)


def test_bytes_that_are_no_records_are_corrupt():
    batch = stored()
    data = bytearray(batch.data)
    data[61] = 0xFF
    with pytest.raises(CorruptRecordsError):
        StoredBatch(bytes(data), batch.header).first_record(0, 0)


@pytest.mark.parametrize(
    ("batch", "units"), [(stored(), 3), (stored(bytes(60_000), codec=Codec.ZSTD), 10_000)]
)
def test_a_batch_beyond_the_budget_is_not_searched(batch, units):
    with pytest.raises(OverBudgetError):
        batch.first_record(0, 0, Budget(units))


def test_offset_and_range_are_named():
    error = OffsetNotInLogError(9, 1, 5)
    assert (error.offset, error.start_offset, error.end_offset) == (9, 1, 5)
    assert str(error) == "offset 9 is not between 1 and 5"
