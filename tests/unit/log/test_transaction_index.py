"""The file of aborted transactions."""

from minikafka.log.transaction_index import ENTRY_SIZE, AbortedTransaction, decode, encode

ENTRIES = [AbortedTransaction(5, 10, 20, 15), AbortedTransaction(6, 12, 30, 31)]


def test_round_trip():
    assert decode(encode(ENTRIES)) == ENTRIES
    assert len(encode(ENTRIES)) == 2 * ENTRY_SIZE == 68


def test_partial_entry_at_the_end_is_left_out():
    assert decode(encode(ENTRIES)[:-1]) == ENTRIES[:1]
