import pytest

from minikafka.harness.ledger import Acknowledged, LedgerWriter
from minikafka.harness.ledger_table import read_ledger
from minikafka.harness.timeline import (
    acknowledgements,
    bin_width_ms,
    latency_ms,
    unavailability,
)


@pytest.fixture
def table(tmp_path):
    with LedgerWriter(tmp_path / "l") as writer:
        writer.header(
            run="r", producer=1, client="c", topic="t", topic_id="i", acks="all", idempotent=True
        )
        zeros = [0] * 5
        writer.sent(
            0, 1_000_000, partitions=[0, 0, 0, 1, 1], after_us=zeros, crcs=zeros, sizes=zeros
        )
        ack_us = [1_010_000, 1_020_000, 5_020_000, 1_500_000]
        writer.acked([Acknowledged(seq, seq, at, 0) for seq, at in enumerate(ack_us)])
    return read_ledger(tmp_path / "l")


def test_bins_are_round_and_not_too_many():
    assert bin_width_ms(0, 30_000) == 250
    assert bin_width_ms(0, 1_000) == 100
    assert bin_width_ms(0, 10**8) == 10_000


def test_acknowledgements_are_counted_by_bin_with_the_empty_ones(table):
    rows = acknowledgements([table], 1_000, 2_000)
    assert [row["rate"] for row in rows] == [20, 0, 0, 0, 0, 10, 0, 0, 0, 0]
    assert rows[5] == {"at_ms": 1_500, "client": "c (p1)", "rate": 10}


def test_the_longest_gap_of_each_partition_is_named_with_its_beginning(table):
    assert unavailability([table]) == {"0": {"longest_ms": 4_000, "began_at_ms": 1_020}}
    assert unavailability([]) == {}


def test_latency_is_from_send_to_acknowledgement(table):
    assert latency_ms([table])["c (p1)"]["p50"] == 260.0
