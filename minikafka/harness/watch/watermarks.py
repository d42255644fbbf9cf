"""High watermarks as clients saw them, and where they went back (SPEC H7).

Two witnesses: the watcher's ListOffsets answers, and `latestOffset` in Spark's progress. Each asks
one question after another, so within one witness a lower answer is a step back; between the two
nothing is known of the order. A query that was started again is a witness of its own.
"""

import dataclasses
import json
from collections.abc import Iterable
from dataclasses import dataclass

from minikafka.harness.lines import Event


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """What one witness saw at one time: the end of each partition."""

    at_ms: int
    witness: str
    ends: dict[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Regression:
    """A high watermark that was shown, and then a lower one."""

    witness: str
    partition: int
    before: int
    after: int
    before_at_ms: int
    after_at_ms: int

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        return dataclasses.asdict(self)


def samples(events: Iterable[Event], topic: str) -> list[Sample]:
    """The samples among the events of a run, in their order; see `offsets_of`."""
    found = []
    for event in events:
        if event["event"] == "high_watermarks":
            ends = {int(partition): end for partition, end in event["ends"].items()}
            found.append(Sample(at_ms=event["at_ms"], witness="watcher", ends=ends))
        elif event["event"] == "progress":
            ends = offsets_of(event["progress"], "latestOffset", topic)
            if ends:
                witness = event.get("witness", "spark")
                found.append(Sample(at_ms=event["at_ms"], witness=witness, ends=ends))
    return found


def offsets_of(progress: Event, name: str, topic: str) -> dict[int, int]:
    """Offsets by partition out of a streaming query's progress; empty where it has none.

    `topic` may be several, with commas between them; partitions are numbered through all of them.
    All have as many partitions, and all of them are named whenever offsets are.
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


def regressions(seen: Iterable[Sample]) -> list[Regression]:
    """Every step back, in order. After one, the lower value is what the next is compared with."""
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
