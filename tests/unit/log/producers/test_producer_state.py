"""Idempotence and transactions, by the order of checks that Kafka has."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.producers.producer_state import MAX_PRODUCERS, ProducerState, is_marker
from minikafka.log.producers.verification import NOT_VERIFIED, UNCHECKED, VerificationGuard
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


def begin(state, *, producer_id=1, epoch=0, sequence=0, bumps=False):
    return state.begin_verification(producer_id, epoch, sequence, bumps_epochs=bumps)


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


def test_producer_without_an_epoch_may_leave_gaps_but_not_repeat():
    assert ProducerState().check(header(5, epoch=-1)) is None
    state = written(header(0, 2, epoch=-1))
    assert state.check(header(9, epoch=-1)) is None
    assert state.check(header(0, 2, epoch=-1)).last_offset == 1
    assert state.check(header(3, epoch=0)) is None


@pytest.mark.parametrize("epoch", [-2, -32768])
def test_epoch_below_none_is_stale(epoch):
    assert refusal(ProducerState(), header(0, epoch=epoch)) == ErrorCode.INVALID_PRODUCER_EPOCH


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
    for producer_id in range(2, MAX_PRODUCERS + 2):
        state.written(header(0, producer_id=producer_id), 0)
    assert len(state.producers) - len(state.ongoing) <= MAX_PRODUCERS
    assert state.forgotten_early == MAX_PRODUCERS + 1 - len(state.producers)
    gone = range(2, 2 + state.forgotten_early)
    assert not any(producer_id in state.producers for producer_id in gone)
    assert 1 in state.producers, "its transaction is open"
    assert MAX_PRODUCERS + 1 in state.producers


def transactional(sequence, count=1, **options):
    return header(sequence, count, attributes=TRANSACTIONAL, **options)


def rejected(state, one, guard):
    with pytest.raises(RecordValidationError) as caught:
        state.check(one, guard)
    return caught.value.code


def test_transactional_batch_needs_an_ongoing_transaction_or_its_guard():
    state = ProducerState()
    assert refusal(state, transactional(0)) == ErrorCode.INVALID_TXN_STATE
    guard = begin(state)
    assert refusal(state, transactional(0)) == ErrorCode.INVALID_TXN_STATE
    foreign = VerificationGuard(0, 0, bumps_epochs=False)
    assert rejected(state, transactional(0), foreign) == ErrorCode.INVALID_TXN_STATE
    assert state.check(transactional(0), guard) is None
    state.written(transactional(0), 0)
    assert not state.unverified
    assert state.has_ongoing(1, 0)
    assert state.check(transactional(1)) is None


def test_ongoing_transaction_of_an_older_epoch_does_not_count():
    state = written(transactional(0, epoch=3))
    assert not state.has_ongoing(1, 4)
    assert refusal(state, transactional(0, epoch=4)) == ErrorCode.INVALID_TXN_STATE


@pytest.mark.parametrize("is_verified", [False, True])
def test_a_transactional_batch_of_an_older_epoch_is_fenced_and_not_out_of_its_transaction(
    is_verified,
):
    """KAFKA-19690: INVALID_TXN_STATE is fatal for a producer that its coordinator has aborted."""
    state = written(transactional(0, epoch=3))
    guard = begin(state, epoch=3, sequence=1) if is_verified else NOT_VERIFIED
    state.ended(marker(epoch=4, offset=1), EndMarker(False, 0), high_watermark=9, now_ms=0)
    late = transactional(1, epoch=3)
    assert rejected(state, late, guard) == ErrorCode.INVALID_PRODUCER_EPOCH
    with pytest.raises(RecordValidationError) as caught:
        state.check_coordinator_batch(late, guard)
    assert caught.value.code == ErrorCode.INVALID_PRODUCER_EPOCH


def test_marker_removes_the_guard():
    state = ProducerState()
    guard = begin(state)
    state.ended(marker(epoch=1), EndMarker(False, 0), high_watermark=0, now_ms=0)
    assert rejected(state, transactional(0, epoch=1), guard) == ErrorCode.INVALID_TXN_STATE


def test_one_guard_covers_all_verifications_until_the_first_append():
    state = ProducerState()
    guard = begin(state, sequence=5)
    assert begin(state, sequence=3) is guard
    assert guard.lowest_sequence == 3


def test_duplicate_needs_no_transaction():
    """As Kafka: a retried batch may arrive after the end of its transaction."""
    state = written(transactional(0, 2, offset=10))
    state.ended(marker(offset=12), EndMarker(True, 0), high_watermark=20, now_ms=0)
    assert state.check(transactional(0, 2)).last_offset == 11


def test_batch_may_not_overtake_the_first_one_that_was_verified():
    state = written(header(4, epoch=0))
    guard = begin(state, sequence=5)
    begin(state, sequence=6)
    late = transactional(6)
    assert rejected(state, late, guard) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert state.check(transactional(5), guard) is None


def test_unknown_producer_starts_at_zero_where_epochs_are_bumped():
    state = ProducerState()
    guard = begin(state, sequence=5, bumps=True)
    assert rejected(state, transactional(5), guard) == ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    old = ProducerState()
    assert old.check(transactional(5), begin(old, sequence=5)) is None


def test_unchecked_guard_stands_for_disabled_verification():
    assert ProducerState().check(transactional(0), UNCHECKED) is None


def test_sequences_go_on_after_a_marker_that_keeps_the_epoch():
    state = written(transactional(0, 2))
    state.ended(marker(offset=2), EndMarker(True, 0), high_watermark=9, now_ms=0)
    assert state.check(transactional(2), begin(state, sequence=2)) is None
    assert state.check(header(2)) is None


def coordinator_batch(**options):
    return transactional(-1, **options)


def test_batch_of_a_coordinator_has_no_sequence_but_an_epoch_and_a_guard():
    state = written(coordinator_batch(epoch=3))
    state.check_coordinator_batch(coordinator_batch(epoch=3), NOT_VERIFIED)
    for one, guard, code in (
        (coordinator_batch(epoch=2), UNCHECKED, ErrorCode.INVALID_PRODUCER_EPOCH),
        (coordinator_batch(epoch=4), NOT_VERIFIED, ErrorCode.INVALID_TXN_STATE),
        (header(-1, epoch=3), NOT_VERIFIED, ErrorCode.INVALID_TXN_STATE),
    ):
        with pytest.raises(RecordValidationError) as caught:
            state.check_coordinator_batch(one, guard)
        assert caught.value.code == code
    guard = begin(state, epoch=4)
    state.check_coordinator_batch(coordinator_batch(epoch=4), guard)


@pytest.mark.parametrize(
    ("version", "epoch", "is_open", "accepted"),
    [
        (0, 3, True, True),
        (1, 3, True, True),
        (1, 2, True, False),
        (2, 3, True, False),
        (2, 4, True, True),
        (2, 3, False, True),
        (2, 2, False, False),
    ],
)
def test_epoch_of_a_marker_by_transaction_version(version, epoch, is_open, accepted):
    """Version 2 bumps the epoch; its repeated marker has the epoch of the first one."""
    state = written(transactional(0, epoch=3))
    if not is_open:
        state.ended(marker(epoch=3, offset=1), EndMarker(True, 0), high_watermark=9, now_ms=0)
    if accepted:
        state.check_marker(marker(epoch=epoch), EndMarker(True, 0), version)
        return
    with pytest.raises(RecordValidationError) as caught:
        state.check_marker(marker(epoch=epoch), EndMarker(True, 0), version)
    assert caught.value.code == ErrorCode.INVALID_PRODUCER_EPOCH


def test_transaction_with_the_lowest_start_holds_back_until_its_marker_is_replicated():
    state = written(
        transactional(0, producer_id=1, offset=0),
        transactional(0, producer_id=2, offset=1),
        transactional(0, producer_id=3, offset=2),
    )
    ends = EndMarker(True, 0)
    for producer_id, offset in ((2, 3), (3, 4), (1, 5)):
        one = header(-1, producer_id=producer_id, offset=offset, attributes=TRANSACTIONAL | CONTROL)
        state.ended(one, ends, high_watermark=0, now_ms=0)
        assert state.first_unstable_offset == 0
    state.high_watermark_reached(5)
    assert state.first_unstable_offset == 0
    state.high_watermark_reached(6)
    assert state.first_unstable_offset is None


def test_many_open_transactions_are_neither_forgotten_nor_searched():
    state = ProducerState()
    for producer_id in range(MAX_PRODUCERS + 10):
        state.written(transactional(0, producer_id=producer_id, offset=producer_id), 0)
    assert len(state.ongoing) == MAX_PRODUCERS + 10
    assert state.forgotten_early == 0
    for producer_id in range(1000):
        one = header(-1, producer_id=producer_id, offset=10**6, attributes=TRANSACTIONAL | CONTROL)
        state.ended(one, EndMarker(True, 0), high_watermark=10**7, now_ms=0)
        assert state.first_unstable_offset == producer_id + 1


def test_guards_are_bounded_and_expire():
    state = ProducerState()
    for producer_id in range(MAX_PRODUCERS + 1):
        begin(state, producer_id=producer_id)
    assert len(state.unverified) == MAX_PRODUCERS
    state.expire(now_ms=100, expiration_ms=100)
    assert not state.unverified


def test_a_producer_with_an_open_transaction_is_not_forgotten_for_lack_of_room():
    state = written(header(0, producer_id=1, attributes=TRANSACTIONAL), header(0, producer_id=2))
    assert state.forget_longest_idle(5) == 1
    assert list(state.producers) == [1]
    assert state.first_unstable_offset == 0
