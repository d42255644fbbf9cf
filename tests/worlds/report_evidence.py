"""Made-up evidence of runs, with ledgers, findings and logs: for the page.

Twenty seconds, three nodes, three partitions, two producers. Node 1 is killed at 5 s and comes back
at 9 s; in the broken run node 2 leads from 7 s on without what node 1 had acknowledged alone.
"""

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from minikafka.harness.clients.ledger import Acknowledged, LedgerWriter
from minikafka.harness.clients.ledger_table import LedgerTable, read_ledgers
from minikafka.harness.clusters.replicas import not_compared
from minikafka.harness.page import timeline
from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.loop_checks import LoopFindings
from minikafka.harness.verdict.verdict_file import KINDS, Verdict, decide
from minikafka.harness.watch.watermarks import regressions, samples
from tests.worlds.verdict_evidence import LOOPS

ZERO_MS = 1_795_000_000_000
SECONDS = 20
RATE = 60
PARTITIONS = 3
KILLED_S, LED_S, BACK_S = 5.0, 7.0, 9.0
LOST_FROM_S = 3.0

NASTY = "</script><script>alert(1)</script>"


@dataclass(frozen=True, slots=True)
class Run:
    """The arguments of `report.render`."""

    verdict: Verdict
    events: list[dict[str, Any]]
    tables: list[LedgerTable]
    folder: Path


def ms(at_s: float) -> int:
    return ZERO_MS + round(at_s * 1000)


def verified(folder: Path) -> Run:
    """Every promise was kept: acknowledgements stop from the kill to the election."""
    return _run(folder, lost=[])


def broken(folder: Path) -> Run:
    """Records acknowledged between 3 s and the kill are lost, and the high watermark went back."""
    lost = [
        (pid, seq)
        for seq in range(SECONDS * RATE)
        for pid in (1, 2)
        if LOST_FROM_S <= seq / RATE < KILLED_S
    ]
    return _run(folder, lost=lost)


def large(folder: Path, seconds: int, partitions: int) -> Run:
    """A long run of many partitions, in which something changes about every twelve seconds."""
    events = []
    for at_s in range(0, seconds, 12):
        for number in range(partitions):
            away = at_s // 12 % 3 + 1
            isr = [node for node in (1, 2, 3) if node != away or (at_s + number) % 24 < 12]
            leader = isr[number % len(isr)]
            events.append(_look(at_s + number / 50, number, leader, isr, elr=[away]))
    for at_s in range(seconds * 2):
        ends = {str(number): at_s * 40 + number for number in range(partitions)}
        events.append({"at_ms": ms(at_s / 2), "event": "high_watermarks", "ends": ends})
    faults = [_fault(at_s, at_s + 5, at_s // 12 % 3 + 1) for at_s in range(6, seconds - 6, 12)]
    tables = _ledgers(folder, seconds)
    verdict = decide(_evidence(folder, tables, faults=faults, judged=_judged(tables, [])))
    return Run(verdict, events, tables, folder)


def _run(folder: Path, lost: list[tuple[int, int]]) -> Run:
    tables = _ledgers(folder, SECONDS)
    went_back = bool(lost)
    events = [
        *_partition_events(went_back),
        *_end_events(went_back),
        *_progress_events(),
        *_transaction_events(),
    ]
    faults = [
        _fault(KILLED_S, BACK_S, 1),
        {
            **_fault(14, 16, 3),
            "kind": "full-disk",
            "done_at_ms": 0,
            "healed_at_ms": 0,
            "did": "",
            "problem": "not done: mounting is not permitted here",
        },
    ]
    judged = _judged(tables, lost)
    seen = samples(events, "verify")
    evidence = _evidence(folder, tables, faults=faults, judged=judged)
    evidence.loops = LOOPS
    evidence.loop_findings = LoopFindings()
    evidence.regressions = [row.as_json() for row in regressions(seen)]
    if went_back:
        evidence.nodes = {"ended": [_ENDED], "tracebacks": [_TRACEBACK]}
        evidence.replicas = {
            **not_compared(""),
            "compared": True,
            "batches": 9,
            "incomplete": [_INCOMPLETE],
        }
    _write_logs(folder)
    _write_findings(folder, tables, lost)
    return Run(decide(evidence), events, tables, folder)


def _evidence(
    folder: Path, tables: list[LedgerTable], *, faults: list[dict], judged: dict[str, Any]
) -> Evidence:
    return Evidence(
        run={
            "id": "abcdef",
            "seed": 7,
            "started_at_ms": ms(-8),
            "writing_from_ms": ZERO_MS,
            "writing_to_ms": ms(SECONDS),
            "ended_at_ms": ms(SECONDS + 12),
            "interrupted": False,
            "replay": "minikafka verify --seed 7 --config unclean.leader.election.enable=true",
            "topic": "verify",
            "topic_id": "b2FEllTJQXuRdKjUlzcYTA",
            "topic_id_at_end": "b2FEllTJQXuRdKjUlzcYTA",
            "cluster": "minikafka, 3 brokers and a controller",
            "network": "nothing",
        },
        settings={"nodes": 3, "min_isr": 2, "cluster_config": ["a=b"], "schedule": ""},
        versions={"python": "3.11", "java": "17"},
        producers=[table.summary() for table in tables],
        judged=judged,
        faults=faults,
        unavailability=timeline.unavailability(tables),
        notes=["Something <odd> happened."],
        lenient=("faults",),
        elections={"from_isr": 5, "from_elr": 1, "unclean": 1},
        files={"findings": "findings.parquet", "logs": "logs"},
    )


def _ledgers(folder: Path, seconds: int) -> list[LedgerTable]:
    """One record every 1/60 s from each producer; from the kill on they wait for the election.

    Records of the last quarter of a second of the second producer stay unknown.
    """
    (folder / "ledger").mkdir(parents=True, exist_ok=True)
    for pid, client in ((1, "confluent-kafka"), (2, "aiokafka")):
        with LedgerWriter(folder / "ledger" / f"p{pid}.msgpack") as writer:
            writer.header(
                run="abcdef",
                producer=pid,
                client=client,
                topic="verify",
                topic_id="i",
                acks="all",
                idempotent=True,
            )
            count = seconds * RATE
            sent_us = [ZERO_MS * 1000 + seq * 1_000_000 // RATE for seq in range(count)]
            writer.sent(
                0,
                sent_us[0],
                partitions=[seq % PARTITIONS for seq in range(count)],
                after_us=[at - sent_us[0] for at in sent_us],
                crcs=[seq * 7919 % 2**32 for seq in range(count)],
                sizes=[100] * count,
            )
            answered = count - RATE // 4 if pid == 2 else count
            acked = [
                Acknowledged(
                    seq, seq // PARTITIONS, _answered_us(sent_us[seq], seq), sent_us[seq] // 1000
                )
                for seq in range(answered)
            ]
            writer.acked(acked)
            if answered < count:
                writer.unknown(ms(seconds - 1) * 1000, list(range(answered, count)), "no answer")
            writer.end(ms(seconds) * 1000)
    return read_ledgers(folder / "ledger")


def _answered_us(sent_us: int, seq: int) -> int:
    is_waiting = ms(KILLED_S) * 1000 <= sent_us < ms(LED_S) * 1000
    return ms(LED_S) * 1000 + seq % 50 * 1000 if is_waiting else sent_us + 3_000 + seq % 40 * 200


def _look(at_s: float, number: int, leader: int | None, isr: list[int], **more: Any) -> dict:
    event = {"at_ms": ms(at_s), "event": "partition", "partition": number, "leader": leader}
    return {**event, "isr": isr, **more}


def _partition_events(went_back: bool) -> list[dict]:
    events = [
        _look(-4, number, number + 1, [1, 2, 3], elr=[], last_known_elr=[])
        for number in range(PARTITIONS)
    ]
    for number in range(PARTITIONS):
        isr = [2] if went_back else [2, 3]
        elr = [1] if went_back else []
        events.append(_look(KILLED_S + 0.5, number, None, [1], elr=elr, last_known_elr=[]))
        events.append(_look(LED_S, number, 2, isr, elr=elr, last_known_elr=[]))
        events.append(_look(BACK_S + 1, number, 2, [1, 2, 3], elr=[], last_known_elr=[]))
    return events


def _transaction_events() -> list[dict]:
    """A producer and a loop write in transactions; node 1 coordinates both until it is killed.

    The transaction of the producer that is open at that time has an unknown outcome.
    """
    events: list[dict] = []
    for name in ("p1", "loop 1"):
        for second in range(SECONDS):
            if KILLED_S <= second < LED_S and name != "p1":
                continue
            is_open = KILLED_S <= second < LED_S
            outcome = "aborted" if second % 5 == 2 else "committed"
            events.append(
                {
                    "at_ms": ms(second + 0.3),
                    "event": "transaction",
                    "id": f"id of {name}",
                    "name": name,
                    "began_at_ms": ms(second),
                    "outcome": "unknown" if is_open else outcome,
                    "records": 1_000 + second,
                }
            )
        for at_s, leader in ((-5, 1), (KILLED_S + 0.5, None), (LED_S, 2)):
            events.append(
                {
                    "at_ms": ms(at_s),
                    "event": "coordinator",
                    "id": f"id of {name}",
                    "leader": leader,
                }
            )
    return events


def _end_events(went_back: bool) -> list[dict]:
    events = []
    for half in range(SECONDS * 2):
        at_s = half / 2
        if KILLED_S <= at_s < LED_S:
            continue
        end = int(at_s * 2 * RATE / PARTITIONS)
        if went_back and at_s >= LED_S:
            end -= int((KILLED_S - LOST_FROM_S) * 2 * RATE / PARTITIONS) + 81
        ends = {str(number): end + number for number in range(PARTITIONS)}
        events.append({"at_ms": ms(at_s), "event": "high_watermarks", "ends": ends})
    return events


def _progress_events() -> list[dict]:
    events = []
    for batch in range(6):
        progress = {
            "batchId": batch,
            "numInputRows": 350,
            "durationMs": {"triggerExecution": 900},
            "sources": [],
        }
        events.append({"at_ms": ms(2 + 3 * batch), "event": "progress", "progress": progress})
    for second in range(1, SECONDS):
        for pid in (1, 2):
            acked = {"event": "produced", "pid": pid, "acked": second * RATE}
            events.append({"at_ms": ms(second), **acked})
    return events


def _fault(from_s: float, to_s: float, node: int) -> dict[str, Any]:
    return {
        "kind": "kill",
        "at_s": from_s,
        "duration_s": to_s - from_s,
        "heal_at_s": to_s,
        "targets": ["leader of 0"],
        "parameters": {},
        "node": node,
        "nodes": [node],
        "did": f"SIGKILL to node {node}",
        "done_at_ms": ms(from_s),
        "healed_at_ms": ms(to_s),
        "problem": "",
    }


_ENDED = {
    "node": 3, "at_ms": ms(12), "how": "signal 9", "log": f"its last words {NASTY}",
}  # fmt: skip
_TRACEBACK = {
    "node": 2, "at_ms": ms(8), "error": f"KeyError: {NASTY}", "log": f"Traceback {NASTY}",
}  # fmt: skip
_INCOMPLETE = {
    "message": "verify-0: the log of node 3 is empty", "topic": "verify", "partition": 0,
    "nodes": [3], "offset": 0,
}  # fmt: skip
_ELECTION = {"at_ms": ms(LED_S), "leader": 2, "before": 1, "unclean": True}
_DETAIL = (
    '{{"status":"acked","sent_crc":1,"ack_place":{{"partition":{p},"offset":{o}}},'
    '"seen_crc":{{"count":0}},"stream_place":{{"count":0}},"reread_place":{{"count":0}}}}'
)


def _judged(tables: list[LedgerTable], lost: list[tuple[int, int]]) -> dict[str, Any]:
    counts = {
        name: sum(table.counts()[status] for table in tables)
        for name, status in (("acknowledged", "acked"), ("failed", "failed"))
    }
    rows = [
        {
            "record": f"p{pid}#{seq}",
            "partition": seq % PARTITIONS,
            "offset": seq // PARTITIONS,
            "severity": 0,
            "detail": _DETAIL.format(p=seq % PARTITIONS, o=seq // PARTITIONS),
            "election": _ELECTION,
        }
        for pid, seq in lost[:10]
    ]
    promises = {
        kind: {"meaning": meaning, "count": 0, "first": [], "worst": []}
        for kind, meaning in KINDS.items()
    }
    if lost:
        promises["lost"] |= {"count": len(lost), "first": rows, "worst": rows}
    read = counts["acknowledged"] - len(lost)
    windows = {
        "windows": 1, "total_ms": 2_000, "longest_ms": 2_000, "began_at_ms": ms(KILLED_S)
    }  # fmt: skip
    return {
        "promises": promises,
        "counts": {
            **counts,
            "unknown_found": 0,
            "unknown_absent": sum(table.counts()["unknown"] for table in tables),
            "read_by_stream": read,
            "read_afresh": read,
        },
        "latency_ms": {"send_to_ack": {"all": [6.0, 9.5, 1_900.0, 1_990.0, 2_049.0]}},
        "percentiles": [0.5, 0.9, 0.99, 0.999, 1.0],
        "windows": {str(number): windows for number in range(PARTITIONS)},
        "data_loss": [],
        "stream_is_complete": True,
        "stream_problem": "",
    }


def _write_logs(folder: Path) -> None:
    """Logs of two nodes and a client, and a segment, which is none."""
    for node in (1, 2):
        home = folder / "cluster" / f"node-{node}"
        home.mkdir(parents=True)
        lines = [
            f"{_local(second)} INFO [node {node}] minikafka.replica: tick {second}"
            for second in range(SECONDS)
        ]
        lines.insert(9, f"{_local(7.5)} WARN [node {node}] truncates {NASTY}")
        (home / "node.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    segment = folder / "cluster" / "node-1" / "data" / "verify-0" / "00000000000000000000.log"
    segment.parent.mkdir(parents=True)
    segment.write_bytes(b"\0\xff" * 100)
    (folder / "logs").mkdir()
    said = f"%3|{ms(5.2) // 1000}.200|FAIL|p1| Connection refused\n  second line of it\n"
    (folder / "logs" / "producer-1.log").write_text(said, encoding="utf-8")


def _local(at_s: float) -> str:
    whole, part = divmod(ms(at_s), 1000)
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(whole)) + f",{part:03d}"


def _write_findings(folder: Path, tables: list[LedgerTable], lost: list[tuple[int, int]]) -> None:
    """As Spark's join leaves them."""
    acked_us = {table.pid: table.ack_us for table in tables}
    count = len(lost)
    columns = {
        "kind": pa.array(["lost"] * count, pa.string()),
        "pid": pa.array([pid for pid, _ in lost], pa.int64()),
        "seq": pa.array([seq for _, seq in lost], pa.int64()),
        "partition": pa.array([seq % PARTITIONS for _, seq in lost], pa.int32()),
        "offset": pa.array([seq // PARTITIONS for _, seq in lost], pa.int64()),
        "severity": pa.array([0] * count, pa.int64()),
        "detail": pa.array(
            [_DETAIL.format(p=seq % PARTITIONS, o=seq // PARTITIONS) for _, seq in lost],
            pa.string(),
        ),
        "election": pa.array([None] * count, pa.string()),
        "at_us": pa.array([int(acked_us[pid][seq]) for pid, seq in lost], pa.int64()),
    }
    (folder / "findings.parquet").mkdir()
    pq.write_table(pa.table(columns), folder / "findings.parquet" / "part-0.parquet")
    (folder / "findings.parquet" / "_SUCCESS").touch()
