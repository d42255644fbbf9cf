import pytest

from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.page.timeline import (
    Bins,
    acknowledgements,
    bin_width_ms,
    errors,
    latencies,
    latency_ms,
    unavailability,
    windows,
)


def ledger(path, *, acks="all"):
    """Five records sent at 1 s: three to partition 0, two to partition 1; one never answered."""
    with LedgerWriter(path) as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks=acks, idempotent=True
        )
        zeros = [0] * 5
        writer.sent(
            0, 1_000_000, partitions=[0, 0, 0, 1, 1], after_us=zeros, crcs=zeros, sizes=zeros
        )
        ack_us = [1_010_000, 1_020_000, 5_020_000, 1_500_000]
        writer.acked([Acknowledged(seq, seq, at, 0) for seq, at in enumerate(ack_us)])
    return read_ledger(path)


@pytest.fixture
def table(tmp_path):
    return ledger(tmp_path / "l")


def test_bins_are_round_and_not_too_many():
    assert bin_width_ms(0, 30_000) == 250
    assert bin_width_ms(0, 1_000) == 100
    assert bin_width_ms(0, 3_600_000) == 30_000
    assert bin_width_ms(0, 10**9) == 60_000


def test_acknowledgements_are_counted_by_bin_with_the_empty_ones(table):
    rates = acknowledgements([table], Bins(1_000, 2_000))
    assert rates == {"c (p1)": [20, 0, 0, 0, 0, 10, 0, 0, 0, 0]}


def test_errors_are_at_the_time_of_failure_and_unanswered_records_are_not_counted(tmp_path):
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        zeros = [0] * 4
        writer.sent(0, 1_000_000, partitions=zeros, after_us=zeros, crcs=zeros, sizes=zeros)
        writer.failed(1_150_000, [0], "no")
        writer.unknown(1_250_000, [1, 2], "perhaps")
    found = errors([read_ledger(tmp_path / "l")], Bins(1_000, 2_000))
    assert found["failed"] == [0, 10, 0, 0, 0, 0, 0, 0, 0, 0]
    assert found["unknown"] == [0, 0, 20, 0, 0, 0, 0, 0, 0, 0]
    assert errors([], Bins(0, 100)) == {"failed": [0], "unknown": [0]}


def test_latencies_are_those_of_records_acknowledged_in_the_bin(table):
    found = latencies([table], Bins(1_000, 2_000))
    assert found["median"][0] == 15.0
    assert found["longest"][0] == 20.0
    assert found["longest"][5] == 500.0
    assert found["median"][1] is None


def test_windows_are_the_times_of_unanswered_records(table):
    """From the first record sent after an answer to the next answer, or the last record sent."""
    assert windows([table], 1_000) == []
    assert windows([], 1_000) == []
    sent, acked = [0, 0, 2_000, 3_000, 8_000], {0: 100, 1: 5_000, 2: 5_100}
    assert windows([sent_and_acked(table, sent, acked)], 1_000) == [
        {"partition": 0, "began_at_ms": 2_000, "ended_at_ms": 5_000, "answered": True},
        {"partition": 0, "began_at_ms": 8_000, "ended_at_ms": 9_500, "answered": False},
    ]


def test_the_time_before_the_writing_opens_no_window(table):
    """Issue 51: the first record of a client that starts slowly."""
    sent, acked = [0, 0, 2_000, 3_000, 8_000], {0: 100, 1: 5_000, 2: 5_100}
    early = sent_and_acked(table, sent, acked)
    [first, last] = windows([early], 1_000, 3_500)
    assert (first["began_at_ms"], first["ended_at_ms"]) == (3_500, 5_000)
    assert (last["began_at_ms"], last["ended_at_ms"]) == (8_000, 9_500)
    assert windows([sent_and_acked(table, [0], {0: 100})], 1_000, 6_000) == []


def test_a_window_without_an_answer_lasts_until_the_records_fail(tmp_path):
    """The client is full after half a second, waits half a minute, and stops."""
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        more = {"crcs": [0] * 4, "sizes": [0] * 4}
        after_us = [0, 100_000, 300_000, 500_000]
        writer.sent(0, 1_000_000, partitions=[0, 0, 0, 1], after_us=after_us, **more)
        writer.acked([Acknowledged(0, 0, 1_050_000, 0), Acknowledged(3, 0, 31_200_000, 0)])
        writer.unknown(31_100_000, [1, 2], "no answer before the end")
    assert windows([read_ledger(tmp_path / "l")], 1_000) == [
        {"partition": 0, "began_at_ms": 1_100, "ended_at_ms": 31_100, "answered": False},
        {"partition": 1, "began_at_ms": 1_500, "ended_at_ms": 31_200, "answered": True},
    ]


def sent_and_acked(table, sent_ms, acked_ms):
    sent_ms = [*sent_ms, 9_500]
    table.partition = table.partition[[0] * len(sent_ms)]
    table.send_us = table.send_us[[0] * len(sent_ms)] * 0 + [at * 1000 for at in sent_ms]
    acks = [acked_ms.get(seq, 0) * 1000 for seq in range(len(sent_ms))]
    table.ack_us = table.send_us * 0 + acks
    table.status = table.send_us * 0 + [1 if at else 0 for at in acks]
    return table


def test_acknowledgements_without_a_response_open_no_window(tmp_path):
    """With acks=0 the client answers itself."""
    assert windows([ledger(tmp_path / "l", acks="0")], 0) == []


def test_the_longest_gap_of_each_partition_is_named_with_its_beginning(table):
    assert unavailability([table]) == {"0": {"longest_ms": 4_000, "began_at_ms": 1_020}}
    assert unavailability([]) == {}


def test_latency_is_from_send_to_acknowledgement(table):
    assert latency_ms([table])["c (p1)"]["p50"] == 260.0
