"""The bound on the time in which a partition acknowledges nothing, derived from the faults.

A window is a time in which records were sent to a partition and none was acknowledged. It may last
for the planned time of the faults that overlap it (or the actual time, if they were cut short),
plus `RECOVERY_S` for each of them: until the failure is detected, a leader is elected, and the
timeouts of clients have passed. A window that no fault overlaps may last `RECOVERY_S`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

RECOVERY_S = 15.0
"""Session timeout 3 s, client request timeout 10 s, and the election."""

_RESTART_S = 5.0
"""Extra time for each broker of a rolling restart, in addition to the planned time."""

_HARMLESS = frozenset({"elr-off", "elect", "clock", "stream-restart", "stream-kill"})
"""Kinds of faults after which every partition must still acknowledge."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A window that lasted longer than its bound."""

    partition: int
    began_at_ms: int
    length_s: float
    bound_s: float

    def began_s(self, run: Mapping[str, Any]) -> float:
        """The begin, in seconds after the first record."""
        return (self.began_at_ms - int(run.get("writing_from_ms", self.began_at_ms))) / 1000


def too_long(
    windows: Sequence[Mapping[str, Any]], faults: Sequence[Mapping[str, Any]]
) -> list[Silence]:
    """Return the longest window of each partition that exceeds its bound, longest first.

    `windows` are rows of `timeline.windows`, `faults` those of the verdict.
    """
    spans = list(_spans(faults))
    worst: dict[int, Silence] = {}
    for window in windows:
        began_ms, ended_ms = window["began_at_ms"], window["ended_at_ms"]
        silence = Silence(
            partition=window["partition"],
            began_at_ms=began_ms,
            length_s=(ended_ms - began_ms) / 1000,
            bound_s=_bound_ms(began_ms, ended_ms, spans) / 1000,
        )
        if silence.length_s <= silence.bound_s:
            continue
        known = worst.get(silence.partition)
        if known is None or known.length_s < silence.length_s:
            worst[silence.partition] = silence
    return sorted(worst.values(), key=lambda it: -it.length_s)


def _spans(faults: Sequence[Mapping[str, Any]]) -> Iterator[tuple[int, int]]:
    """Yield begin and end, in ms, of each fault that was done and may silence a partition.

    The end is the planned one, or earlier if Ctrl-C or the end of writing cut the fault short. A
    node that returns later than planned does not extend it.
    """
    for fault in faults:
        if not fault["done_at_ms"] or fault["kind"] in _HARMLESS:
            continue
        length_s = fault["duration_s"]
        if fault["kind"] == "rolling-restart":
            length_s = (length_s + _RESTART_S) * len(fault["nodes"])
        end_ms = fault["done_at_ms"] + round(length_s * 1000)
        yield fault["done_at_ms"], min(end_ms, fault["healed_at_ms"] or end_ms)


def _bound_ms(began_ms: int, ended_ms: int, spans: Sequence[tuple[int, int]]) -> int:
    recovery_ms = round(RECOVERY_S * 1000)
    touching = sorted(
        (begin, end) for begin, end in spans if begin <= ended_ms and end + recovery_ms >= began_ms
    )
    covered_ms, until_ms = 0, 0
    for begin, end in touching:
        covered_ms += max(0, end - max(begin, until_ms))
        until_ms = max(until_ms, end)
    return covered_ms + recovery_ms * max(1, len(touching))
