"""Figures over time from the ledgers: outcomes and latency in bins, and unavailability.

Arguments and results are in wall milliseconds; the ledgers' own times are in microseconds.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from minikafka.harness.clients.ledger_table import STATUSES, LedgerTable
from minikafka.harness.page.axis import Row

_BINS_MAX = 240
_WIDTHS_MS = (100, 250, 500, 1000, 2000, 5000, 10_000, 30_000, 60_000)


def bin_width_ms(began_at_ms: int, ended_at_ms: int) -> int:
    """Return a round width for at most 240 bins; one minute for more than four hours."""
    needed = (ended_at_ms - began_at_ms) / _BINS_MAX
    return next((width for width in _WIDTHS_MS if width >= needed), _WIDTHS_MS[-1])


class Bins:
    """Equal bins of a round width over a span of time."""

    def __init__(self, began_at_ms: int, ended_at_ms: int) -> None:
        self.began_at_ms = began_at_ms
        self.width_ms = bin_width_ms(began_at_ms, ended_at_ms)
        self.count = max(1, -(-(ended_at_ms - began_at_ms) // self.width_ms))

    def of(self, at_us: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the bin of each time; for a time outside, below 0 or at least `count`."""
        index: npt.NDArray[np.int64] = (at_us // 1000 - self.began_at_ms) // self.width_ms
        return index

    def per_second(self, at_us: npt.NDArray[np.int64]) -> list[float]:
        """Return the number of times in each bin, per second."""
        index = self.of(at_us)
        inside = index[(index >= 0) & (index < self.count)]
        counted = np.bincount(inside, minlength=self.count) * 1000 / self.width_ms
        values: list[float] = counted.round(1).tolist()
        return values


def client_name(table: LedgerTable) -> str:
    """The name of a producer on the page."""
    return f"{table.header['client']} (p{table.pid})"


def acknowledgements(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float]]:
    """Return acknowledgements per second in each bin, by client."""
    return {client_name(table): bins.per_second(table.ack_us[table.acked]) for table in tables}


def errors(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float]]:
    """Return records per second that failed or got an unknown outcome.

    A record without any outcome has no time, and is in no bin.
    """
    result = {}
    for name in ("failed", "unknown"):
        code = STATUSES.index(name)
        times = [table.ack_us[(table.status == code) & (table.ack_us > 0)] for table in tables]
        result[name] = bins.per_second(np.concatenate([np.empty(0, np.int64), *times]))
    return result


def latencies(tables: Sequence[LedgerTable], bins: Bins) -> dict[str, list[float | None]]:
    """Return median, 99th percentile and longest time from send to ack, in ms, by bin."""
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


def windows(
    tables: Sequence[LedgerTable], threshold_ms: int, writing_from_ms: int = 0
) -> list[Row]:
    """Return the windows of each partition in which records were sent and none acknowledged.

    Only windows longer than `threshold_ms` count. This is `time_checks.unavailability`, computed
    from the ledgers without Spark. Rows have partition, began_at_ms, ended_at_ms and `answered`
    (True if an acknowledgement ended the window). A window without an acknowledgement lasts until
    its last record was sent or failed, whichever is later: a full client sends nothing while it
    waits. The time before `writing_from_ms`, in which clients start, does not count.
    """
    asking = [table for table in tables if table.header["acks"] != "0"]
    if not asking:
        return []
    partition = np.concatenate([table.partition for table in asking])
    send_us = np.concatenate([table.send_us for table in asking])
    send_us = np.maximum(send_us, writing_from_ms * 1000)
    ack_us = np.concatenate([np.where(table.acked, table.ack_us, -1) for table in asking])
    given_up_us = np.concatenate([np.where(table.acked, -1, table.ack_us) for table in asking])
    is_early = (ack_us >= 0) & (ack_us < writing_from_ms * 1000)
    found = []
    for number in np.unique(partition[~is_early]).tolist():
        here = (partition == number) & ~is_early
        sends = np.sort(send_us[here])
        answers = np.sort(ack_us[here & (ack_us >= 0)])
        # For each record sent: the index of the first answer at or after it.
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
    """Return each partition's longest time between two acknowledgements, over all producers."""
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
    """Return, by client, median and 99th percentile of the time from send to acknowledgement."""
    result = {}
    for table in tables:
        acked = table.acked
        if acked.any():
            taken = (table.ack_us[acked] - table.send_us[acked]) / 1000
            p50, p99 = np.percentile(taken, (50, 99)).round(2).tolist()
            result[client_name(table)] = {"p50": p50, "p99": p99}
    return result
