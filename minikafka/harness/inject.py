"""Tampering with what was observed, to prove that the verdict can be other than "verified".

Only the frames handed to the verdict are changed, never the cluster or the files. The victim is
an acknowledged record drawn from the seed; the verdict is marked, and a run whose injected fault
was not found is undecided: then the harness itself is broken.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F  # noqa: N812 - Spark's own way to name it

from minikafka.harness.ledger_table import LedgerTable
from minikafka.harness.records import record_name
from minikafka.harness.settings import EXPECTED_KIND, HarnessError, Injection
from minikafka.harness.verdict import Observed

_FAR_AWAY = 1 << 40
"""Added to an offset to make a place where no real record is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Victim:
    """The record tampered with, and a later one of the same producer and partition."""

    pid: int
    seq: int
    offset: int
    next_seq: int
    next_offset: int

    @property
    def name(self) -> str:
        """As the verdict names it."""
        return record_name(self.pid, self.seq)


def choose_victim(tables: Sequence[LedgerTable], seed: int) -> Victim:
    """An acknowledged record that has an acknowledged successor in its partition.

    Raises:
        HarnessError: if there is none.
    """
    rng = random.Random(f"inject/{seed}")
    for table in rng.sample(list(tables), len(tables)):
        acked = np.flatnonzero(table.acked)
        for seq in rng.sample(acked.tolist(), min(20, len(acked))):
            same = acked[(acked > seq) & (table.partition[acked] == table.partition[seq])]
            if same.size:
                later = int(same[0])
                return Victim(
                    pid=table.pid,
                    seq=seq,
                    offset=int(table.ack_offset[seq]),
                    next_seq=later,
                    next_offset=int(table.ack_offset[later]),
                )
    raise HarnessError("nothing to tamper with: no acknowledged record has a successor.")


def tamper(observed: Observed, injection: Injection, victim: Victim) -> Observed:
    """Both reads with the victim lost, doubled, swapped with its successor, or changed."""

    def apply(read: DataFrame) -> DataFrame:
        is_victim = _is(victim.pid, victim.seq)
        match injection:
            case "loss":
                return read.where(~is_victim)
            case "duplicate":
                copy = read.where(is_victim)
                return read.unionByName(copy.withColumn("offset", F.col("offset") + _FAR_AWAY))
            case "reorder":
                swapped = F.when(is_victim, victim.next_offset).when(
                    _is(victim.pid, victim.next_seq), victim.offset
                )
                return read.withColumn("offset", swapped.otherwise(F.col("offset")))
            case "corrupt":
                changed = F.when(is_victim, F.col("crc").bitwiseXOR(F.lit(1)))
                return read.withColumn("crc", changed.otherwise(F.col("crc")))

    return Observed(apply(observed.streamed), apply(observed.reread), observed.stream_is_complete)


def _is(pid: int, seq: int) -> Column:
    return (F.col("pid") == pid) & (F.col("seq") == seq)


def is_found(findings: DataFrame, injection: Injection, victim: Victim) -> bool:
    """Whether the victim is among the findings as the kind that it must be.

    Of two swapped records the earlier one is the one that now comes too late.
    """
    rows = findings.where(F.col("kind") == EXPECTED_KIND[injection])
    return not rows.where(_is(victim.pid, victim.seq)).isEmpty()
