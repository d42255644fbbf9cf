"""The high watermarks that clients saw, and their regressions (H7).

There are two witnesses: the watcher's ListOffsets answers, and `latestOffset` in Spark's progress.
Each sends one request after another, so a lower answer to the same witness is a regression. The
order between two witnesses is unknown. A query that was restarted is a separate witness.
"""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass

from minikafka.harness.lines import RunEvent


@dataclass(frozen=True, slots=True, kw_only=True)
class WatermarkSample:
    """The high watermark of each partition that one witness saw at one time."""

    at_ms: int
    witness: str
    ends: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A high watermark that a witness saw, and a lower one that it saw next."""

    witness: str
    partition: int
    before: int
    after: int
    before_at_ms: int
    after_at_ms: int

    def as_json(self) -> dict[str, object]:
        """Return plain values."""
        return dataclasses.asdict(self)


def samples(events: Iterable[RunEvent], topic: str) -> list[WatermarkSample]:
    """Return the samples among the events of a run in order; `topic` is as in `offsets_of`."""
    found = []
    for event in events:
        if event["event"] == "high_watermarks":
            ends = {int(partition): end for partition, end in event["ends"].items()}
            found.append(WatermarkSample(at_ms=event["at_ms"], witness="watcher", ends=ends))
        elif event["event"] == "progress":
            ends = offsets_of(event["progress"], "latestOffset", topic)
            if ends:
                witness = event.get("witness", "spark")
                found.append(WatermarkSample(at_ms=event["at_ms"], witness=witness, ends=ends))
    return found


def offsets_of(progress: RunEvent, name: str, topic: str) -> dict[int, int]:
    """Return the offsets by partition in a streaming query's progress; empty if it has none.

    `topic` may be several names, separated by commas; partitions are numbered through all topics.
    All topics must have the same number of partitions. Progress that names offsets must name all
    partitions.
    """
    offsets: dict[int, int] = {}
    for source in progress["sources"]:
        value = source.get(name)
        by_topic = (json.loads(value) if isinstance(value, str) else value) or {}
        found = [by_topic.get(each) or {} for each in topic.split(",")]
        width = max(map(len, found))
        for index, ends in enumerate(found):
            for partition, offset in ends.items():
                offsets[index * width + int(partition)] = offset
    return offsets


def regressions(seen: Iterable[WatermarkSample]) -> list[Regression]:
    """Return every regression in order; each sample is compared with the witness's previous one."""
    highest: dict[tuple[str, int], tuple[int, int]] = {}
    found = []
    for sample in seen:
        for partition, end in sorted(sample.ends.items()):
            key = (sample.witness, partition)
            before, before_at_ms = highest.get(key, (end, sample.at_ms))
            if end < before:
                found.append(
                    Regression(
                        witness=sample.witness,
                        partition=partition,
                        before=before,
                        after=end,
                        before_at_ms=before_at_ms,
                        after_at_ms=sample.at_ms,
                    )
                )
            highest[key] = (end, sample.at_ms)
    return found
