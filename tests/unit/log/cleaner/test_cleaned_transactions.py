"""Aborted batches go first; a marker goes when no record of its transaction is left."""

from minikafka.log.cleaner.cleaned_transactions import CleanedTransactions
from minikafka.log.segment.transaction_index import AbortedTransaction
from minikafka.records.batch import ControlType, read_header
from minikafka.records.builder import BatchOptions, NewRecord, build_batch


def batch(offset, producer_id=7, *, is_transactional=True):
    options = BatchOptions(
        base_offset=offset, producer_id=producer_id, is_transactional=is_transactional
    )
    return read_header(build_batch([NewRecord(0, b"k", b"v")], options))


ABORTED = AbortedTransaction(7, 10, 20, 25)


def test_batches_of_an_aborted_transaction_go_and_its_marker_stays_once():
    seen = CleanedTransactions()
    seen.add([ABORTED])
    assert not seen.read_batch(batch(5))
    assert not seen.read_marker(batch(6), ControlType.COMMIT)
    assert seen.read_batch(batch(10))
    assert not seen.read_batch(batch(11, producer_id=8))
    assert not seen.read_batch(batch(12, is_transactional=False))
    assert seen.read_batch(batch(13))
    assert not seen.read_marker(batch(20), ControlType.ABORT)
    assert seen.kept == [ABORTED]
    assert not seen.read_batch(batch(21))


def test_a_marker_without_records_goes():
    seen = CleanedTransactions()
    seen.add([ABORTED])
    assert seen.read_marker(batch(20), ControlType.ABORT)
    assert seen.read_marker(batch(30), ControlType.COMMIT)
    assert seen.read_marker(batch(31), None)
    assert seen.kept == []


def test_other_control_records_stay():
    assert not CleanedTransactions().read_marker(batch(5), ControlType.LEADER_CHANGE)


def test_transactions_of_one_producer_follow_one_another():
    seen = CleanedTransactions()
    later = AbortedTransaction(7, 40, 50, 51)
    seen.add([later])
    seen.add([ABORTED])
    assert seen.read_batch(batch(10))
    assert not seen.read_marker(batch(20), ControlType.ABORT)
    assert not seen.read_batch(batch(30))
    assert not seen.read_marker(batch(31), ControlType.COMMIT)
    assert seen.read_batch(batch(40))
    assert not seen.read_marker(batch(50), ControlType.ABORT)
    assert seen.kept == [ABORTED, later]
