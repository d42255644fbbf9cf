"""Figures over time out of the ledgers: outcomes and latency in bins, and unavailability.

All times in are wall milliseconds; a ledger's own are microseconds.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from minikafka.harness.clients.ledger_table import STATUSES, LedgerTable

_BINS_MAX = 240
_WIDTHS_MS = (100, 250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000)

Row = dict[str, Any]


def bin_width_ms(began_at_ms: int, ended_at_ms: int) -> int:
    """A round width that gives at most 240 bins in four hours, and a minute for what is longer."""
    needed = (ended_at_ms - began_at_ms) / _BINS_MAX
    return next((width for width in _WIDTHS_MS if width >= needed), _WIDTHS_MS[-1])


class Bins:
    """Equal bins over a time, of a round width."""

    def __init__(self, began_at_ms: int, ended_at_ms: int) -> None:
        self.began_at_ms = began_at_ms
        self.width_ms = bin_width_ms(began_at_ms, ended_at_ms)
        self.count = max(1, -(-(ended_at_ms - began_at_ms) // self.width_ms))

    def of(self, at_us: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """The bin of each time; one outside is below zero or `count` and more."""
        index: npt.NDArray[np.int64] = (at_us // 1000 - self.began_at_ms) // self.width_ms
        return index

    def per_second(self, at_us: npt.NDArray[np.int64]) -> list[float]:
        """How many of the times fall into each bin, for one second."""
        index = self.of(at_us)
        inside = index[(index >= 0) & (index < self.count)]
        counted = np.bincount(inside, minlength=self.count) * 1000 / self.width_ms
        values: list[float] = counted.round(1).tolist()
        return values


def client_name(table: LedgerTable) -> str:
    """How a producer is called on the page."""
    return f"{table.header['client']} (p{table.pid})"


def acknowledgements(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float]]:
    """Acknowledgements a second in each bin, by client."""
    return {client_name(table): bins.per_second(table.ack_us[table.acked]) for table in tables}


def errors(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float]]:
    """Records a second that were given up, as failed or with an unknown outcome.

    A record of which nobody heard again has no time, and is in no bin.
    """
    result = {}
    for name in ("failed", "unknown"):
        code = STATUSES.index(name)
        times = [table.ack_us[(table.status == code) & (table.ack_us > 0)] for table in tables]
        result[name] = bins.per_second(np.concatenate([np.empty(0, np.int64), *times]))
    return result


def latencies(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float | None]]:
    """Time from sending to acknowledgement in each bin: median, 99th percentile, longest, in ms."""
    empty = np.empty(0, np.int64)
    sent = np.concatenate([empty, *(table.send_us[table.acked] for table in tables)])
    acked = np.concatenate([empty, *(table.ack_us[table.acked] for table in tables)])
    index = bins.of(acked)
    order = np.argsort(index, kind="stable")
    index, taken = index[order], ((acked - sent) / 1000)[order]
    edges = np.searchsorted(index, np.arange(bins.count + 1))
    names = ("median", "p99", "longest")
    result: dict[str, list[float | None]] = {name: [None] * bins.count for name in names}
    for number in range(bins.count):
        values = taken[edges[number] : edges[number + 1]]
        if values.size:
            shown = np.percentile(values, (50, 99, 100)).round(2).tolist()
            for name, value in zip(names, shown, strict=True):
                result[name][number] = value
    return result


def windows(tables: Sequence[LedgerTable], threshold_ms: int) -> list[Row]:
    """Times in which records were sent to a partition and none acknowledged for too long.

    What `verdict_time.unavailability` finds in Spark, found from the ledgers alone: rows of
    partition, began_at_ms, ended_at_ms and `answered`, whether an acknowledgement ended it. One
    that none ended lasts until the last of its records was sent or given up, whichever is later: a
    full client sends nothing while it waits.
    """
    asking = [table for table in tables if table.header["acks"] != "0"]
    if not asking:
        return []
    partition = np.concatenate([table.partition for table in asking])
    send_us = np.concatenate([table.send_us for table in asking])
    ack_us = np.concatenate([np.where(table.acked, table.ack_us, -1) for table in asking])
    given_up_us = np.concatenate([np.where(table.acked, -1, table.ack_us) for table in asking])
    found = []
    for number in np.unique(partition).tolist():
        here = partition == number
        sends = np.sort(send_us[here])
        answers = np.sort(ack_us[here & (ack_us >= 0)])
        # For each record sent: which answer is the first at or after it.
        following = np.searchsorted(answers, sends)
        starts = np.flatnonzero(np.diff(following, prepend=-1))
        for start, end in zip(starts, [*starts[1:], len(sends)], strict=True):
            index = following[start]
            is_answered = bool(index < len(answers))
            if is_answered:
                ended_us = answers[index]
            else:
                given_up = given_up_us[here & (send_us >= sends[start])]
                ended_us = max(sends[end - 1], given_up.max())
            if ended_us - sends[start] > threshold_ms * 1000:
                row = {"partition": number, "began_at_ms": int(sends[start]) // 1000}
                found.append({**row, "ended_at_ms": int(ended_us) // 1000, "answered": is_answered})
    return found


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
            result[client_name(table)] = {"p50": p50, "p99": p99}
    return result
