"""The checks of consume-transform-produce loops, from their logs and two independent reads.

Inputs are what the second read of the run found in the input topics at read_committed. Outputs are
what the output reader read at read_committed, while the loops ran and once more at the end. Every
check holds for both reads of the outputs.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.dataset as ds

from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.loop_log import (
    ABORTED,
    AFRESH,
    COMMITTED,
    LIVE,
    OUTCOMES,
    LoopRecord,
    Output,
    OutputPass,
    read_loop_log,
    read_output_log,
)
from minikafka.harness.plan.settings import RunFiles

Inputs = Mapping[int, Mapping[int, int]]
"""Partition → offset → digest of each committed input."""

LOOP_KINDS = {
    "loop_lost": "a committed input without an output",
    "loop_doubled": "an output that was read although its input had one already",
    "loop_reordered": "an output that was read after the output of a later input",
    "loop_aborted_read": "an output of an aborted transaction, read at read_committed",
    "loop_torn": "a committed transaction of which not every output was read",
    "loop_changed": "an output that is not that of a committed input, or that no loop sent",
}
"""Kind of broken promise of the loops → its meaning."""

PASSES = {LIVE: "while the loops ran", AFRESH: "at the end"}
_ROWS_MAX = 20


@dataclass(slots=True)
class LoopFindings:
    """The broken promises of the loops: the number of each kind, and the first of them."""

    counts: Counter[str] = field(default_factory=Counter)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)

    def add(self, kind: str, partition: int, offset: int, message: str) -> None:
        """Count a finding, and keep it if it is one of the first of its kind."""
        self.counts[kind] += 1
        rows = self.rows.setdefault(kind, [])
        if len(rows) < _ROWS_MAX:
            rows.append({"partition": partition, "offset": offset, "message": message})


def judge_loops(
    inputs: Inputs,
    passes: Mapping[int, OutputPass],
    loops: Sequence[LoopRecord],
    *,
    drained: bool = True,
) -> LoopFindings:
    """Return every broken promise of the loops.

    A pass that did not read to its end shows no loss. Without `drained` the loops did not read to
    the end of the inputs, and an input without an output is none.
    """
    found = LoopFindings()
    for number, when in PASSES.items():
        judge = _PassJudge(when, passes[number], inputs, loops, found)
        judge.find_wrong_outputs()
        if passes[number].ends and drained:
            judge.find_lost()
        if passes[number].ends:
            judge.find_torn()
    return found


@dataclass(slots=True)
class _PassJudge:
    """Judges the outputs that one pass read."""

    when: str
    read: OutputPass
    inputs: Inputs
    loops: Sequence[LoopRecord]
    found: LoopFindings

    def find_wrong_outputs(self) -> None:
        """Judge each output by itself, and by those before it in its partition."""
        outcomes = {
            (record.loop, number): transaction.outcome
            for record in self.loops
            for number, transaction in record.transactions.items()
        }
        for partition, outputs in sorted(self.read.outputs.items()):
            seen: set[int] = set()
            last = -1
            for at, output in outputs:
                for kind, why in self._judge(partition, output, outcomes):
                    self._add(kind, partition, at, output, why)
                if output is None or outcomes.get((output.loop, output.number)) == ABORTED:
                    continue
                if output.offset in seen:
                    why = "its input has an earlier output"
                    self._add("loop_doubled", partition, at, output, why)
                elif output.offset < last:
                    why = f"read after the output of input {partition}:{last}"
                    self._add("loop_reordered", partition, at, output, why)
                seen.add(output.offset)
                last = max(last, output.offset)

    def _judge(
        self, partition: int, output: Output | None, outcomes: Mapping[tuple[int, int], str]
    ) -> Iterator[tuple[str, str]]:
        """Yield kind and reason of what is wrong with an output by itself."""
        if output is None:
            yield "loop_changed", "no loop wrote this content"
            return
        outcome = outcomes.get((output.loop, output.number))
        if outcome == ABORTED:
            yield "loop_aborted_read", "its transaction was aborted"
        elif outcome is None:
            yield "loop_changed", "the loop began no such transaction"
        elif output.partition != partition:
            yield "loop_changed", "its input is of another partition"
        elif self.inputs.get(partition, {}).get(output.offset) != output.crc:
            yield "loop_changed", "its input is not a committed record of the log"

    def _add(self, kind: str, partition: int, at: int, output: Output | None, why: str) -> None:
        said = f"output {partition}:{at}, read {self.when}"
        if output is not None:
            said += (
                f", of input {output.partition}:{output.offset}"
                f" (loop {output.loop}, transaction {output.number})"
            )
        self.found.add(kind, partition, at, f"{said}: {why}")

    def find_lost(self) -> None:
        """Find the inputs without an output."""
        for partition, offsets in sorted(self.inputs.items()):
            having = {
                row.offset
                for _, row in self.read.outputs.get(partition, ())
                if row is not None and row.partition == partition
            }
            for offset in sorted(offsets.keys() - having):
                said = f"input {partition}:{offset}: no output was read {self.when}"
                self.found.add("loop_lost", partition, offset, said)

    def find_torn(self) -> None:
        """Find the committed transactions of which not every output was read."""
        counts = Counter(
            (row.loop, row.number)
            for rows in self.read.outputs.values()
            for _, row in rows
            if row is not None
        )
        for record in self.loops:
            for number, transaction in record.transactions.items():
                count, wanted = counts[record.loop, number], transaction.input_count
                if transaction.outcome == COMMITTED and count < wanted:
                    partition, first, _ = transaction.runs[0]
                    said = f"loop {record.loop}, transaction {number}: {count} of {wanted} outputs"
                    self.found.add("loop_torn", partition, first, f"{said} were read {self.when}")


def read_inputs(reread: Path) -> dict[int, dict[int, int]]:
    """Return the committed inputs of every partition, from the files of the second read."""
    if not reread.is_dir():
        return {}
    table = ds.dataset(reread, format="parquet", exclude_invalid_files=True)
    found: dict[int, dict[int, int]] = {}
    for batch in table.to_batches(columns=["partition", "offset", "crc"]):
        for partition in pc.unique(batch["partition"]).to_pylist():
            rows = batch.filter(pc.equal(batch["partition"], partition))
            offsets, crcs = rows["offset"].to_pylist(), rows["crc"].to_pylist()
            found.setdefault(partition, {}).update(zip(offsets, crcs, strict=True))
    return found


@dataclass(slots=True)
class LoopVerdict:
    """The verdict's `loops` object, and its findings; no findings if nothing was compared."""

    values: dict[str, Any]
    findings: LoopFindings | None = None


def judge_loop_files(
    files: RunFiles, *, drained: bool, partitions: int, problems: Sequence[str]
) -> LoopVerdict:
    """Judge the loops of a run from its files.

    `partitions` is the number of input partitions; `problems` are sentences about the processes.
    """
    said = list(problems)
    loops: list[LoopRecord] = []
    passes = {LIVE: OutputPass(), AFRESH: OutputPass()}
    is_damaged = False
    try:
        loops = [read_loop_log(path) for path in files.loops.glob("loop-*.msgpack")]
        loops.sort(key=lambda record: (record.loop, min(record.transactions, default=0)))
        passes = read_output_log(files.loop_outputs)
    except (LedgerDamagedError, OSError) as error:
        said.append(f"The evidence of the loops is damaged or missing: {error}.")
        is_damaged = True
    inputs = read_inputs(files.reread)
    findings = None
    if inputs and not is_damaged:
        findings = judge_loops(inputs, passes, loops, drained=drained)
    totals = Counter[str]()
    for record in loops:
        totals.update(record.counts())
    values = {
        "compared": findings is not None,
        "drained": drained,
        "partitions": partitions,
        "inputs": sum(map(len, inputs.values())),
        "transformed": sum(
            each.input_count
            for record in loops
            for each in record.transactions.values()
            if each.outcome == COMMITTED
        ),
        **{name: totals[name] for name in OUTCOMES},
        "read_live": passes[LIVE].count,
        "read_afresh": passes[AFRESH].count,
        "live_complete": bool(passes[LIVE].ends),
        "afresh_complete": bool(passes[AFRESH].ends),
        "members": _members(loops),
        "problems": said,
    }
    return LoopVerdict(values, findings)


def _members(records: Sequence[LoopRecord]) -> list[dict[str, Any]]:
    """Return a row for each loop; a loop whose process was replaced has several logs."""
    rows: dict[int, dict[str, Any]] = {}
    for record in records:
        client = str(record.header["client"])
        none = dict.fromkeys(("instances", *OUTCOMES), 0)
        row = rows.setdefault(record.loop, {"loop": record.loop, "client": client, **none})
        row["instances"] += record.renewals + 1
        row["ended"] = record.ended
        for outcome, count in record.counts().items():
            row[outcome] += count
    return list(rows.values())


def loop_promises(findings: LoopFindings | None) -> dict[str, dict[str, Any]]:
    """Return the promises of the loops; the counts are null if they were not judged."""
    unseen: dict[str, Any] = {"count": None, "first": [], "worst": []}
    return {
        kind: {
            "meaning": meaning,
            **(
                unseen
                if findings is None
                else {"count": findings.counts[kind], "first": findings.rows.get(kind, [])[:10]}
            ),
            "worst": [],
        }
        for kind, meaning in LOOP_KINDS.items()
    }


def loop_reasons(loops: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each kind of missing evidence; `loops` is the verdict's object."""
    if not loops:
        return
    yield from loops["problems"]
    if not loops["compared"]:
        yield "The loops were not judged: the run has no input that was read again."
        return
    if not loops["drained"]:
        yield "The loops did not read to the end of every partition."
    for name, when in (("live_complete", PASSES[LIVE]), ("afresh_complete", PASSES[AFRESH])):
        if not loops[name]:
            yield f"The outputs of the loops were not read to the end {when}."
    for name, what in (
        (COMMITTED, "no transaction of the loops was committed"),
        (ABORTED, "no transaction of the loops was aborted"),
        ("transformed", "no input was transformed"),
        ("read_live", f"no output was read {PASSES[LIVE]}"),
        ("read_afresh", f"no output was read {PASSES[AFRESH]}"),
    ):
        if not loops[name]:
            yield f"The loops show nothing: {what}."
    idle = [row for row in loops["members"] if not row[COMMITTED]]
    needed = min(len(loops["members"]), loops["partitions"])
    if len(loops["members"]) - len(idle) < needed:
        names = ", ".join(f"loop {row['loop']} ({row['client']})" for row in idle)
        yield f"A loop committed no transaction: {names}."
