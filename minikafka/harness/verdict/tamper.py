"""Tampering with the observations, to prove that the verdict can be other than "verified".

Only the relations that are judged (reads, ledger, high watermarks, polls) are changed, never the
cluster or the files. The victim is an acknowledged record drawn from the seed. The verdict is
marked, and a run whose injection was not found is undecided, since then the harness itself is
broken.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from minikafka.harness.clients.ledger_table import LedgerTable
from minikafka.harness.clients.poll_log import POLL_SCHEMA
from minikafka.harness.clients.records import record_name
from minikafka.harness.plan.injections import EXPECTED_KIND, OF_THE_READER, Injection
from minikafka.harness.plan.settings import HarnessError
from minikafka.harness.verdict.engine import Engine, columns
from minikafka.harness.verdict.relations import LEDGER_SCHEMA, OBSERVED_SCHEMA

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


def tamper_stream(injection: Injection, victim: Victim, read: str) -> str:
    """Select the stream's read from `read`, with the victim skipped, duplicated, and so on."""
    if injection == "skip":
        return _drop(read, victim)
    if injection == "vanish":
        return _add_stranger(read, victim)
    if injection == "overwrite":
        return _corrupt(read, victim)
    return tamper_reread(injection, victim, read)


def tamper_reread(injection: Injection, victim: Victim, read: str) -> str:
    """Select the second read from `read`, with the victim lost, duplicated, moved, and so on."""
    change = _IN_BOTH_READS.get(injection, _unchanged)
    return change(read, victim)


def tamper_uncommitted(injection: Injection, victim: Victim, read: str) -> str:
    """Select the read_uncommitted read, changed as the second one, or alone for "isolation"."""
    if injection == "isolation":
        return _drop(read, victim)
    return tamper_reread(injection, victim, read)


def tamper_ledger(injection: Injection, victim: Victim, ledger: str) -> str:
    """Select the ledger; for "refuse" with the victim as failed, although it is in the log."""
    if injection != "refuse":
        return f"select * from {ledger}"
    changes = {"status": "'failed'", "ack_offset": "null"}
    return _set(ledger, LEDGER_SCHEMA, _is(victim.pid, victim.seq), changes)


def tamper_polls(injection: Injection, victim: Victim, polls: str) -> str:
    """Select the consumer group's polls; the victim is polled again, or skipped."""
    if injection not in OF_THE_READER:
        return f"select * from {polls}"
    has_it = (
        f"r.kind = 'polled' and r.partition = {victim.partition}"
        f" and r.first <= {victim.offset} and r.last >= {victim.offset}"
    )
    if injection == "poll-skip":
        before = _copies(polls, POLL_SCHEMA, has_it, {"last": str(victim.offset - 1)})
        after = _copies(polls, POLL_SCHEMA, has_it, {"first": str(victim.offset + 1)})
        return (
            f"select * from {polls} r where not ({has_it}) union all"
            f" select * from ({before} union all {after}) q where q.first <= q.last"
        )
    again = {"first": str(victim.offset), "last": str(victim.offset)}
    if injection == "poll-backward":
        again["position"] = "r.position + 1"
    else:
        # At the very end and by a separate member: every commit comes before it.
        again |= {"position": str(_FAR_AWAY), "member": "-1"}
    added = _copies(polls, POLL_SCHEMA, has_it, again)
    return f"select * from {polls} union all {added}"


def tamper_samples(injection: Injection, victim: Victim, samples: str) -> str:
    """Select the high watermarks seen; for "watermark" with one more that is lower."""
    if injection != "watermark":
        return f"select * from {samples}"
    return f"""
    select * from {samples}
    union all
    select r.witness, r.partition, min(r.end_offset) - 1 as end_offset, max(r.at_ms) + 1 as at_ms,
      max(r.position) + 1 as position
    from {samples} r where r.partition = {victim.partition} group by r.witness, r.partition"""


def _is(pid: int, seq: int) -> str:
    return f"r.pid = {pid} and r.seq = {seq}"


def _copies(relation: str, schema: str, condition: str, changes: Mapping[str, str]) -> str:
    """Select the rows with a condition, with some columns changed."""
    shown = (
        f"cast({changes[name]} as {type_}) as {name}" if name in changes else f"r.{name}"
        for name, type_ in columns(schema).items()
    )
    return f"select {', '.join(shown)} from {relation} r where {condition}"


def _set(relation: str, schema: str, condition: str, changes: Mapping[str, str]) -> str:
    """Select all rows, with some columns changed where a condition is true."""
    changed = {
        name: f"case when {condition} then {value} else r.{name} end"
        for name, value in changes.items()
    }
    return _copies(relation, schema, "true", changed)


def _unchanged(read: str, _victim: Victim) -> str:
    return f"select * from {read}"


def _drop(read: str, victim: Victim) -> str:
    return f"select * from {read} r where not ({_is(victim.pid, victim.seq)})"


def _double(read: str, victim: Victim) -> str:
    return _with_copy(read, victim, ("offset",))


def _add_stranger(read: str, victim: Victim) -> str:
    return _with_copy(read, victim, ("seq", "offset"))


def _with_copy(read: str, victim: Victim, far_away: Sequence[str]) -> str:
    changes = {name: f"r.{name} + {_FAR_AWAY}" for name in far_away}
    copy = _copies(read, OBSERVED_SCHEMA, _is(victim.pid, victim.seq), changes)
    return f"select * from {read} union all {copy}"


def _swap(read: str, victim: Victim) -> str:
    swapped = (
        f"case when {_is(victim.pid, victim.seq)} then {victim.next_offset}"
        f" when {_is(victim.pid, victim.next_seq)} then {victim.offset} else r.offset end"
    )
    return _copies(read, OBSERVED_SCHEMA, "true", {"offset": swapped})


def _corrupt(read: str, victim: Victim) -> str:
    other = "case when r.crc % 2 = 0 then r.crc + 1 else r.crc - 1 end"
    return _set(read, OBSERVED_SCHEMA, _is(victim.pid, victim.seq), {"crc": other})


def _move(read: str, victim: Victim) -> str:
    changes = {"offset": f"r.offset + {_FAR_AWAY}"}
    return _set(read, OBSERVED_SCHEMA, _is(victim.pid, victim.seq), changes)


def _open_gap(read: str, victim: Victim) -> str:
    """Move the victim and everything after it by one offset."""
    after = f"r.partition = {victim.partition} and r.offset >= {victim.offset}"
    return _set(read, OBSERVED_SCHEMA, after, {"offset": "r.offset + 1"})


_IN_BOTH_READS: dict[Injection, Callable[[str, Victim], str]] = {
    "loss": _drop,
    "duplicate": _double,
    "reorder": _swap,
    "corrupt": _corrupt,
    "move": _move,
    "phantom": _add_stranger,
    "gap": _open_gap,
}


def is_found(engine: Engine, findings: str, injection: Injection, victim: Victim) -> bool:
    """True if the findings have the victim with the kind that the injection must lead to.

    Of two swapped records the earlier one is found, since it now comes too late. A record that no
    producer sent has a different sequence, derived from the victim's.
    """
    seq = victim.seq + (_FAR_AWAY if injection in ("phantom", "vanish") else 0)
    rows = engine.rows(
        f"select r.kind from {findings} r where r.kind = '{EXPECTED_KIND[injection]}'"
        f" and {_is(victim.pid, seq)} limit 1"
    )
    return bool(rows)


def is_regression_found(regressions: Sequence[Mapping[str, Any]], victim: Victim) -> bool:
    """True if the regressions have one in the victim's partition."""
    return any(row["partition"] == victim.partition for row in regressions)
