"""S2: what the verdict finds in the evidence of transactional loops, each tampered with once."""

import copy
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from minikafka.harness.clients.ledger import FrameWriter
from minikafka.harness.clients.loop_log import (
    ABORTED,
    AFRESH,
    COMMITTED,
    END,
    HEADER,
    LIVE,
    READ,
    UNKNOWN,
    VERSION,
    InputRun,
    LoopLog,
    LoopRecord,
    LoopTransaction,
    Output,
    OutputPass,
)
from minikafka.harness.plan.settings import RunFiles
from minikafka.harness.verdict.loop_checks import (
    LOOP_KINDS,
    judge_loop_files,
    judge_loops,
    loop_promises,
    loop_reasons,
)
from minikafka.harness.verdict.verdict_file import Evidence, decide
from tests.worlds.verdict_evidence import FULL, LOOPS

INPUTS = {0: {0: 10, 1: 11, 2: 12, 4: 14, 5: 15}, 1: {0: 20, 1: 21}}
"""Offset 3 of partition 0 is the marker of a transaction."""


def loops():
    """Loop 1 aborts its second transaction, and loop 2 does it again after a rebalance."""
    return [
        LoopRecord(
            {"loop": 1, "client": "confluent-kafka"},
            {
                1: LoopTransaction([InputRun(0, 0, 2)], COMMITTED),
                2: LoopTransaction([InputRun(0, 4, 5)], ABORTED),
            },
        ),
        LoopRecord(
            {"loop": 2, "client": "kafka-python"},
            {
                1: LoopTransaction([InputRun(1, 0, 1)], COMMITTED),
                2: LoopTransaction([InputRun(0, 4, 5)], COMMITTED),
            },
        ),
    ]


def outputs():
    """Partition 0 has the outputs 4 and 5 of the aborted transaction, which are not read."""
    return {
        0: [
            (0, Output(0, 0, 1, 1, 10)), (1, Output(0, 1, 1, 1, 11)), (2, Output(0, 2, 1, 1, 12)),
            (7, Output(0, 4, 2, 2, 14)), (8, Output(0, 5, 2, 2, 15)),
        ],
        1: [(0, Output(1, 0, 2, 1, 20)), (1, Output(1, 1, 2, 1, 21))],
    }  # fmt: skip


def judged(change=None, *, tampered=AFRESH, drained=True, records=None):
    passes = {number: OutputPass(outputs(), {0: 10, 1: 3}) for number in (LIVE, AFRESH)}
    if change is not None:
        change(passes[tampered].outputs)
    found = judge_loops(INPUTS, passes, records or loops(), drained=drained)
    return {kind: count for kind, count in found.counts.items() if count}, found


def outcome_of(findings):
    """The outcome and the sentence of a run whose evidence is whole except for these findings."""
    verdict = decide(replace(FULL, loop_findings=findings))
    return verdict["outcome"], verdict["sentence"]


def test_whole_evidence_breaks_no_promise():
    counts, found = judged()
    assert counts == {}
    assert outcome_of(found)[0] == "verified"
    assert {row["count"] for row in loop_promises(found).values()} == {0}


def doubled(read):
    read[0].append((11, read[0][1][1]))


def lost(read):
    del read[1][1]


def aborted_read(read):
    read[0].insert(3, (4, Output(0, 4, 1, 2, 14)))


def reordered(read):
    read[0][1], read[0][2] = read[0][2], read[0][1]


def forged(read):
    read[1][0] = (0, read[1][0][1]._replace(crc=99))


def foreign(read):
    read[1].append((5, None))


def of_no_transaction(read):
    read[1][0] = (0, read[1][0][1]._replace(number=77))


def in_another_partition(read):
    read[1].append((5, Output(0, 9, 1, 1, 19)))


@pytest.mark.parametrize("tampered", [LIVE, AFRESH])
@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (doubled, {"loop_doubled": 1}),
        (lost, {"loop_lost": 1, "loop_torn": 1}),
        (aborted_read, {"loop_aborted_read": 1}),
        (reordered, {"loop_reordered": 1}),
        (forged, {"loop_changed": 1}),
        (foreign, {"loop_changed": 1}),
        (of_no_transaction, {"loop_changed": 1, "loop_torn": 1}),
        (in_another_partition, {"loop_changed": 1}),
    ],
)
def test_tampered_outputs_break_a_promise_in_either_read(change, expected, tampered):
    counts, found = judged(change, tampered=tampered)
    assert counts == expected
    outcome, sentence = outcome_of(found)
    assert outcome == "broken"
    assert all(kind.replace("_", " ") in sentence for kind in expected)
    for kind, row in loop_promises(found).items():
        assert row["count"] == expected.get(kind, 0)
        assert len(row["first"]) == row["count"]


def test_an_input_that_was_never_committed_must_not_have_an_output():
    """A loop that was given an aborted record wrote an output that no committed input explains."""
    records = loops()
    records[0].transactions[3] = LoopTransaction([InputRun(1, 7, 7)], COMMITTED)
    counts, _ = judged(lambda read: read[1].append((5, Output(1, 7, 1, 3, 1))), records=records)
    assert counts["loop_changed"] == 1


def test_a_transaction_of_unknown_outcome_may_be_read_or_not():
    records = loops()
    records[0].transactions[2].outcome = UNKNOWN
    assert judged(records=records)[0] == {}

    def committed_after_all(read):
        read[0][3:] = [(4, Output(0, 4, 1, 2, 14)), (5, Output(0, 5, 1, 2, 15))]

    records[1].transactions[2].outcome = ABORTED
    counts, _ = judged(committed_after_all, tampered=AFRESH, records=records)
    assert counts == {"loop_aborted_read": 2}  # in the other read, where nothing was changed


def test_what_was_not_read_to_the_end_is_not_lost():
    assert judged(lost, drained=False)[0] == {"loop_torn": 1}
    passes = {number: OutputPass(outputs(), {}) for number in (LIVE, AFRESH)}
    del passes[LIVE].outputs[0][2:]
    assert not judge_loops(INPUTS, passes, loops()).counts


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"compared": False}, "were not judged"),
        ({"drained": False}, "did not read to the end of every partition"),
        ({"live_complete": False}, "not read to the end while the loops ran"),
        ({"afresh_complete": False}, "not read to the end at the end"),
        ({"committed": 0}, "no transaction of the loops was committed"),
        ({"aborted": 0}, "no transaction of the loops was aborted"),
        ({"transformed": 0}, "no input was transformed"),
        ({"read_live": 0}, "no output was read while the loops ran"),
        ({"read_afresh": 0}, "no output was read at the end"),
        ({"problems": ["Loop 1 ended with status 1."]}, "Loop 1 ended with status 1."),
    ],
)
def test_missing_evidence_leaves_a_run_undecided(changed, said):
    """S2: a run in which the loops did nothing must not be verified."""
    assert list(loop_reasons(LOOPS)) == []
    assert list(loop_reasons({})) == []
    assert [each for each in loop_reasons({**LOOPS, **changed}) if said in each]
    verdict = decide(replace(FULL, loops={**LOOPS, **changed}))
    assert (verdict["outcome"], set(verdict["rules"])) == ("undecided", {"loops"})
    assert said in verdict["sentence"]


def test_every_loop_must_commit_if_there_are_enough_partitions():
    idle = copy.deepcopy(LOOPS)
    idle["members"][1]["committed"] = 0
    assert list(loop_reasons(idle)) == ["A loop committed no transaction: loop 2 (kafka-python)."]
    assert list(loop_reasons({**idle, "partitions": 1})) == []


@pytest.fixture
def files(tmp_path):
    """The files of a run with the evidence above."""
    files = RunFiles(tmp_path)
    files.loops.mkdir()
    files.reread.mkdir()
    for record in loops():
        with FrameWriter(files.loops / f"loop-{record.loop}.msgpack") as frames:
            log = LoopLog(frames)
            log.header(run="r", transactional_id="i", **record.header)
            for number, transaction in record.transactions.items():
                log.begun(number, transaction.runs)
                log.ended(number, transaction.outcome)
            log.renewed("fenced")
            log.end()
    with FrameWriter(files.loop_outputs) as frames:
        frames.append([HEADER, {"version": VERSION, "run": "r"}])
        for number in (LIVE, AFRESH):
            for partition, rows in outputs().items():
                values = [output.pack() for _, output in rows]
                frames.append([READ, number, partition, [at for at, _ in rows], values])
            frames.append([END, number, {0: 10, 1: 3}])
    rows = [(at, offset, crc) for at, offsets in INPUTS.items() for offset, crc in offsets.items()]
    columns = dict(zip(("partition", "offset", "crc"), zip(*rows, strict=True), strict=True))
    pq.write_table(pa.table(columns), files.reread / "part-0.parquet")
    return files


def test_the_files_of_a_run_are_judged(files):
    found = judge_loop_files(files, drained=True, partitions=2, problems=[])
    assert found.findings is not None
    assert not found.findings.counts
    assert list(loop_reasons(found.values)) == []
    numbers = {name: value for name, value in found.values.items() if type(value) is int}
    assert numbers == {
        "partitions": 2, "inputs": 7, "transformed": 7, "committed": 3, "aborted": 1, "unknown": 0,
        "read_live": 7, "read_afresh": 7,
    }  # fmt: skip
    assert found.values["members"][0] == {
        "loop": 1, "client": "confluent-kafka", "instances": 2, "ended": True,
        "committed": 1, "aborted": 1, "unknown": 0,
    }  # fmt: skip


def test_a_loop_whose_process_was_replaced_is_one_member(files):
    with FrameWriter(files.loops / "loop-2-1.msgpack") as frames:
        log = LoopLog(frames)
        log.header(run="r", loop=2, client="kafka-python", transactional_id="i")
        log.begun(1_000_001, [InputRun(1, 0, 1)])
    found = judge_loop_files(files, drained=True, partitions=2, problems=[])
    assert not found.findings.counts
    assert [row["loop"] for row in found.values["members"]] == [1, 2]
    assert found.values["members"][1] == {
        "loop": 2, "client": "kafka-python", "instances": 3, "ended": False,
        "committed": 2, "aborted": 0, "unknown": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["loop-2.msgpack", "outputs.msgpack"])
def test_damaged_evidence_leaves_a_run_undecided(files, name):
    path = files.loops / name
    data = path.read_bytes()
    path.write_bytes(data[:40] + b"?" + data[41:])
    found = judge_loop_files(files, drained=True, partitions=2, problems=[])
    assert found.findings is None
    assert {row["count"] for row in loop_promises(found.findings).values()} == {None}
    assert any("damaged or missing" in each for each in loop_reasons(found.values))


def test_a_missing_log_of_a_loop_breaks_the_verdict(files):
    """Its outputs then belong to no transaction."""
    (files.loops / "loop-2.msgpack").unlink()
    found = judge_loop_files(files, drained=True, partitions=2, problems=[])
    assert found.findings.counts["loop_changed"] == 8


def test_a_run_without_a_second_read_is_not_judged(files):
    (files.reread / "part-0.parquet").unlink()
    files.reread.rmdir()
    found = judge_loop_files(files, drained=True, partitions=2, problems=[])
    assert not found.values["compared"]


def test_every_kind_has_a_meaning_in_the_verdict():
    verdict = decide(Evidence(run={}, settings={}, versions={}))
    assert {kind: verdict["promises"][kind]["meaning"] for kind in LOOP_KINDS} == LOOP_KINDS
    assert {verdict["promises"][kind]["count"] for kind in LOOP_KINDS} == {None}
