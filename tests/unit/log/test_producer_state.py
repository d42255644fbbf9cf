"""Idempotence and transactions, by the order of checks that Kafka has."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.producer_state import MOST_PRODUCERS, ProducerState, is_marker
from minikafka.records.batch import CONTROL, TRANSACTIONAL, BatchHeader
from minikafka.records.errors import RecordValidationError
from minikafka.records.reader import EndMarker

LAST = 2**31 - 1


def header(sequence, count=1, *, epoch=0, offset=0, attributes=0, producer_id=1, timestamp=100):
    return BatchHeader(
        offset, 100, 0, 2, 0, attributes, count - 1, timestamp, timestamp,
        producer_id, epoch, sequence, count,
    )  # fmt: skip


def written(*headers, now_ms=0):
    state = ProducerState()
    for one in headers:
        state.written(one, now_ms)
    return state


def refusal(state, one):
    with pytest.raises(RecordValidationError) as caught:
        state.check(one)
    return caught.value.code


def test_unknown_producer_may_start_anywhere():
    assert ProducerState().check(header(1234)) is None


def test_next_sequence_is_accepted():
    assert written(header(0, 3)).check(header(3)) is None


def test_gap_is_out_of_order():
    assert refusal(written(header(0, 3)), header(4)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_sequence_goes_on_at_zero_after_the_largest():
    state = written(header(LAST - 1, 2))
    assert state.check(header(0)) is None
    assert written(header(LAST, 3)).check(header(2)) is None


def test_each_of_the_last_five_batches_is_recognised():
    state = written(*(header(i * 2, 2, offset=i * 2) for i in range(6)))
    for i in range(1, 6):
        batch = state.check(header(i * 2, 2))
        assert (batch.first_offset, batch.last_offset) == (i * 2, i * 2 + 1)
    assert refusal(state, header(0, 2)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_same_start_with_another_count_is_no_duplicate():
    state = written(header(0, 2))
    assert refusal(state, header(0, 1)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_older_epoch_is_fenced():
    state = written(header(0, epoch=3))
    assert refusal(state, header(1, epoch=2)) == ErrorCode.INVALID_PRODUCER_EPOCH


def test_newer_epoch_starts_at_zero():
    state = written(header(7, epoch=3))
    assert state.check(header(0, epoch=4)) is None
    assert refusal(state, header(8, epoch=4)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_batches_of_an_older_epoch_are_no_duplicates():
    state = written(header(0, epoch=3), header(0, epoch=4, offset=9))
    assert state.check(header(0, epoch=4)).last_offset == 9


def test_plain_batch_within_a_transaction_is_refused():
    state = written(header(0, attributes=TRANSACTIONAL))
    assert refusal(state, header(1)) == ErrorCode.INVALID_TXN_STATE


def marker(epoch=0, offset=0):
    return header(-1, epoch=epoch, offset=offset, attributes=TRANSACTIONAL | CONTROL)


def test_marker_ends_the_transaction():
    state = written(header(0, 3, offset=10, attributes=TRANSACTIONAL))
    assert state.first_unstable_offset == 10
    aborted = state.ended(marker(offset=13), EndMarker(False, 0), high_watermark=0, now_ms=0)
    assert aborted == (1, 10, 13, 14)
    assert state.first_unstable_offset == 10
    state.high_watermark_reached(13)
    assert state.first_unstable_offset == 10
    state.high_watermark_reached(14)
    assert state.first_unstable_offset is None


def test_commit_leaves_no_aborted_transaction():
    state = written(header(0, attributes=TRANSACTIONAL))
    assert state.ended(marker(offset=1), EndMarker(True, 0), high_watermark=9, now_ms=0) is None
    assert state.first_unstable_offset is None


def test_marker_without_transaction_creates_none():
    state = ProducerState()
    assert state.ended(marker(epoch=5), EndMarker(False, 2), high_watermark=0, now_ms=0) is None
    assert state.first_unstable_offset is None
    assert state.producers[1].coordinator_epoch == 2


def test_stable_offset_at_an_abort_is_the_start_of_another_open_transaction():
    state = written(
        header(0, offset=3, attributes=TRANSACTIONAL, producer_id=1),
        header(0, offset=4, attributes=TRANSACTIONAL, producer_id=2),
    )
    aborted = state.ended(marker(offset=8), EndMarker(False, 0), high_watermark=0, now_ms=0)
    assert aborted.last_stable_offset == 4


def test_marker_of_an_older_epoch_or_coordinator_is_refused():
    state = written(header(0, epoch=3, attributes=TRANSACTIONAL))
    state.ended(marker(epoch=3), EndMarker(True, 5), high_watermark=0, now_ms=0)
    with pytest.raises(RecordValidationError) as caught:
        state.check_marker(marker(epoch=2), EndMarker(True, 5))
    assert caught.value.code == ErrorCode.INVALID_PRODUCER_EPOCH
    with pytest.raises(RecordValidationError) as caught:
        state.check_marker(marker(epoch=3), EndMarker(True, 4))
    assert caught.value.code == ErrorCode.TRANSACTION_COORDINATOR_FENCED
    state.check_marker(marker(epoch=3), EndMarker(True, 5))


def test_marker_with_a_higher_epoch_makes_the_next_sequence_zero():
    state = written(header(7, epoch=3, attributes=TRANSACTIONAL))
    state.ended(marker(epoch=4), EndMarker(True, 0), high_watermark=0, now_ms=0)
    assert state.check(header(0, epoch=4)) is None
    assert refusal(state, header(8, epoch=4)) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


def test_idle_producers_are_forgotten_but_not_within_a_transaction():
    state = ProducerState()
    state.written(header(0, producer_id=1), 100)
    state.written(header(0, producer_id=3, attributes=TRANSACTIONAL), 100)
    state.written(header(0, producer_id=2), 200)
    assert state.expire(now_ms=250, expiration_ms=150) == 1
    assert list(state.producers) == [3, 2]


def test_the_time_of_the_append_counts_and_not_the_timestamp_of_the_records():
    """A backfill writes records that are older than the expiration."""
    state = ProducerState()
    state.written(header(0, timestamp=1), 10_000)
    assert state.expire(now_ms=10_050, expiration_ms=100) == 0
    assert state.check(header(0)) is not None
    assert state.expire(now_ms=10_100, expiration_ms=100) == 1


def test_an_append_makes_a_producer_the_last_one_to_expire():
    state = ProducerState()
    for producer_id, now_ms in ((1, 0), (2, 10), (1, 20)):
        state.written(header(0, producer_id=producer_id), now_ms)
    assert list(state.producers) == [2, 1]
    assert state.expire(now_ms=110, expiration_ms=100) == 1
    assert list(state.producers) == [1]


def test_a_marker_is_an_append_too():
    state = ProducerState()
    state.written(header(0, attributes=TRANSACTIONAL), 0)
    state.ended(marker(), EndMarker(True, 0), high_watermark=0, now_ms=50)
    assert state.expire(now_ms=120, expiration_ms=100) == 0
    assert state.expire(now_ms=150, expiration_ms=100) == 1


class Counted(dict):
    """How many entries were visited."""

    visited = 0

    def items(self):
        for item in super().items():
            self.visited += 1
            yield item


def test_a_check_visits_only_expired_producers():
    state = ProducerState(producers=Counted())
    for producer_id in range(1_000):
        state.written(header(0, producer_id=producer_id), producer_id)
    assert state.expire(now_ms=1_002, expiration_ms=1_000) == 3
    assert state.producers.visited == 4


def test_clear_forgets_everything():
    state = written(header(0, attributes=TRANSACTIONAL))
    state.clear(40)
    assert (state.producers, state.first_unstable_offset, state.end_offset) == ({}, None, 40)


def test_only_transactional_control_batches_are_markers():
    assert is_marker(marker())
    assert not is_marker(header(0, attributes=CONTROL))
    assert not is_marker(header(0, attributes=TRANSACTIONAL))


def test_producers_beyond_the_bound_take_the_place_of_those_idle_for_longest():
    state = written(header(0, attributes=TRANSACTIONAL))
    for producer_id in range(2, MOST_PRODUCERS + 2):
        state.written(header(0, producer_id=producer_id), 0)
    assert len(state.producers) <= MOST_PRODUCERS
    assert state.forgotten_early == MOST_PRODUCERS + 1 - len(state.producers)
    gone = range(2, 2 + state.forgotten_early)
    assert not any(producer_id in state.producers for producer_id in gone)
    assert 1 in state.producers, "its transaction is open"
    assert MOST_PRODUCERS + 1 in state.producers
