"""Tampering with the observations, to prove that the verdict can be other than "verified".

Only the frames that are judged (reads, ledger, high watermarks, polls) are changed, never the
cluster or the files. The victim is an acknowledged record drawn from the seed. The verdict is
marked, and a run whose injection was not found is undecided, since then the harness itself is
broken.
"""

import dataclasses
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.clients.records import record_name
from minikafka.harness.plan.injections import EXPECTED_KIND, OF_THE_READER, Injection
from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.verdict.join import Observed

_FAR_AWAY = 1 << 40
"""Added to an offset or sequence to get one that no real record has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """The record tampered with, and a later one of the same producer and partition."""

    pid: int
    seq: int
    partition: int
    offset: int
    next_seq: int
    next_offset: int

    @property
    def name(self) -> str:
        """The record's name in the verdict."""
        return record_name(self.pid, self.seq)


def choose_victim(tables: Sequence[LedgerTable], seed: int) -> Victim:
    """Choose a record acknowledged with acks=all that has such a successor in its partition.

    Raises:
        HarnessError: if there is no such record.
    """
    rng = random.Random(f"inject/{seed}")
    for table in rng.sample(list(tables), len(tables)):
        acked = np.flatnonzero(table.acked) if table.is_promised else np.empty(0, np.int64)
        for seq in rng.sample(acked.tolist(), min(20, len(acked))):
            same = acked[(acked > seq) & (table.partition[acked] == table.partition[seq])]
            if same.size:
                later = int(same[0])
                return Victim(
                    pid=table.pid,
                    seq=seq,
                    partition=int(table.partition[seq]),
                    offset=int(table.ack_offset[seq]),
                    next_seq=later,
                    next_offset=int(table.ack_offset[later]),
                )
    raise HarnessError("nothing to tamper with: no acknowledged record has a successor.")


def tamper(observed: Observed, injection: Injection, victim: Victim) -> Observed:
    """Return both reads with the victim lost, duplicated, swapped with its successor, and so on."""
    is_victim = _is(victim.pid, victim.seq)
    streamed, reread = observed.streamed, observed.reread
    if injection == "skip":
        streamed = streamed.where(~is_victim)
    elif injection == "vanish":
        streamed = streamed.unionByName(_stranger(streamed.where(is_victim)))
    elif injection == "overwrite":
        streamed = _set(streamed, is_victim, "crc", F.col("crc").bitwiseXOR(F.lit(1)))
    elif injection in _IN_BOTH_READS:
        change = _IN_BOTH_READS[injection]
        streamed, reread = change(streamed, victim), change(reread, victim)
    return dataclasses.replace(observed, streamed=streamed, reread=reread)


def tamper_ledger(ledger: DataFrame, injection: Injection, victim: Victim) -> DataFrame:
    """Return the ledger; for "refuse" with the victim as failed, although it is in the log."""
    if injection != "refuse":
        return ledger
    refused = _set(ledger, _is(victim.pid, victim.seq), "status", F.lit("failed"))
    return _set(refused, _is(victim.pid, victim.seq), "ack_offset", F.lit(None))


def tamper_uncommitted(read: DataFrame, injection: Injection, victim: Victim) -> DataFrame:
    """Return the read_uncommitted read, changed as the other reads, or alone for "isolation"."""
    if injection == "isolation":
        return _drop(read, victim)
    if injection in _IN_BOTH_READS:
        return _IN_BOTH_READS[injection](read, victim)
    return read


def tamper_polls(polls: DataFrame, injection: Injection, victim: Victim) -> DataFrame:
    """Return the consumer group's polls; the victim is polled again, or skipped."""
    if injection not in OF_THE_READER:
        return polls
    has_it = (
        (F.col("kind") == "polled")
        & (F.col("partition") == victim.partition)
        & (F.col("first") <= victim.offset)
        & (F.col("last") >= victim.offset)
    )
    at = F.lit(victim.offset).cast("bigint")
    if injection == "poll-skip":
        return polls.where(~has_it).unionByName(
            polls.where(has_it)
            .withColumn("last", at - 1)
            .unionByName(polls.where(has_it).withColumn("first", at + 1))
            .where("first <= last")
        )
    again = polls.where(has_it).withColumn("first", at).withColumn("last", at)
    if injection == "poll-backward":
        return polls.unionByName(again.withColumn("position", F.col("position") + 1))
    # At the very end and by a separate member: every commit comes before it.
    return polls.unionByName(
        again.withColumn("position", F.lit(_FAR_AWAY)).withColumn("member", F.lit(-1))
    )


def tamper_samples(samples: DataFrame, injection: Injection, victim: Victim) -> DataFrame:
    """Return the high watermarks seen; for "watermark" with one more that is lower."""
    if injection != "watermark":
        return samples
    lower = samples.where(F.col("partition") == victim.partition).groupBy("witness", "partition")
    added = lower.agg(
        (F.min("end") - 1).alias("end"),
        (F.max("at_ms") + 1).alias("at_ms"),
        (F.max("position") + 1).alias("position"),
    )
    return samples.unionByName(added)


def _is(pid: int, seq: int) -> Column:
    return (F.col("pid") == pid) & (F.col("seq") == seq)


def _set(frame: DataFrame, condition: Column, column: str, value: Column) -> DataFrame:
    return frame.withColumn(column, F.when(condition, value).otherwise(F.col(column)))


def _stranger(rows: DataFrame) -> DataFrame:
    """Return copies of the rows with another sequence and another offset."""
    for column in ("seq", "offset"):
        rows = rows.withColumn(column, F.col(column) + _FAR_AWAY)
    return rows


def _drop(read: DataFrame, victim: Victim) -> DataFrame:
    return read.where(~_is(victim.pid, victim.seq))


def _double(read: DataFrame, victim: Victim) -> DataFrame:
    copy = read.where(_is(victim.pid, victim.seq))
    return read.unionByName(copy.withColumn("offset", F.col("offset") + _FAR_AWAY))


def _swap(read: DataFrame, victim: Victim) -> DataFrame:
    swapped = F.when(_is(victim.pid, victim.seq), victim.next_offset).when(
        _is(victim.pid, victim.next_seq), victim.offset
    )
    return read.withColumn("offset", swapped.otherwise(F.col("offset")))


def _corrupt(read: DataFrame, victim: Victim) -> DataFrame:
    changed = F.col("crc").bitwiseXOR(F.lit(1))
    return _set(read, _is(victim.pid, victim.seq), "crc", changed)


def _move(read: DataFrame, victim: Victim) -> DataFrame:
    return _set(read, _is(victim.pid, victim.seq), "offset", F.col("offset") + _FAR_AWAY)


def _add_stranger(read: DataFrame, victim: Victim) -> DataFrame:
    return read.unionByName(_stranger(read.where(_is(victim.pid, victim.seq))))


def _open_gap(read: DataFrame, victim: Victim) -> DataFrame:
    """Move the victim and everything after it by one offset."""
    after = (F.col("partition") == victim.partition) & (F.col("offset") >= victim.offset)
    return _set(read, after, "offset", F.col("offset") + 1)


_IN_BOTH_READS: dict[Injection, Callable[[DataFrame, Victim], DataFrame]] = {
    "loss": _drop,
    "duplicate": _double,
    "reorder": _swap,
    "corrupt": _corrupt,
    "move": _move,
    "phantom": _add_stranger,
    "gap": _open_gap,
}


def is_found(findings: DataFrame, injection: Injection, victim: Victim) -> bool:
    """True if the findings have the victim with the kind that the injection must lead to.

    Of two swapped records the earlier one is found, since it now comes too late. A record that no
    producer sent has a different sequence, derived from the victim's.
    """
    rows = findings.where(F.col("kind") == EXPECTED_KIND[injection])
    seq = victim.seq + (_FAR_AWAY if injection in ("phantom", "vanish") else 0)
    return not rows.where(_is(victim.pid, seq)).isEmpty()


def is_regression_found(regressions: Sequence[Mapping[str, Any]], victim: Victim) -> bool:
    """True if the regressions have one in the victim's partition."""
    return any(row["partition"] == victim.partition for row in regressions)
