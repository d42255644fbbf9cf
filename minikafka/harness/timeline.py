"""Figures over time out of the ledgers: acknowledgements by client, and the gaps between them."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from minikafka.harness.ledger_table import LedgerTable

_BINS_MAX = 240


def bin_width_ms(began_at_ms: int, ended_at_ms: int) -> int:
    """A round width that gives at most 240 bins."""
    needed = (ended_at_ms - began_at_ms) / _BINS_MAX
    return next((width for width in (100, 250, 500, 1000, 2000, 5000) if width >= needed), 10_000)


def acknowledgements(
    tables: Sequence[LedgerTable], began_at_ms: int, ended_at_ms: int
) -> list[dict[str, Any]]:
    """Acknowledgements a second by client, one row for each bin and client, zeros included."""
    width = bin_width_ms(began_at_ms, ended_at_ms)
    count = max(1, -(-(ended_at_ms - began_at_ms) // width))
    rows = []
    for table in tables:
        bins = (table.ack_us[table.acked] // 1000 - began_at_ms) // width
        inside = bins[(bins >= 0) & (bins < count)]
        client = f"{table.header['client']} (p{table.pid})"
        rows += [
            {"at_ms": began_at_ms + index * width, "client": client, "rate": n * 1000 / width}
            for index, n in enumerate(np.bincount(inside, minlength=count).tolist())
        ]
    return rows


def unavailability(tables: Sequence[LedgerTable]) -> dict[str, dict[str, int]]:
    """Each partition's longest time between two acknowledgements, over all producers."""
    if not tables:
        return {}
    partition = np.concatenate([table.partition[table.acked] for table in tables])
    ack_us = np.concatenate([table.ack_us[table.acked] for table in tables])
    longest = {}
    for number in np.unique(partition).tolist():
        times = np.sort(ack_us[partition == number])
        gaps = np.diff(times)
        if gaps.size:
            index = int(gaps.argmax())
            longest[str(number)] = {
                "longest_ms": int(gaps[index]) // 1000,
                "began_at_ms": int(times[index]) // 1000,
            }
    return longest


def latency_ms(tables: Sequence[LedgerTable]) -> dict[str, dict[str, float]]:
    """By client: median and 99th percentile of the time from send to acknowledgement."""
    result = {}
    for table in tables:
        acked = table.acked
        if acked.any():
            taken = (table.ack_us[acked] - table.send_us[acked]) / 1000
            p50, p99 = np.percentile(taken, (50, 99)).round(2).tolist()
            result[f"{table.header['client']} (p{table.pid})"] = {"p50": p50, "p99": p99}
    return result
