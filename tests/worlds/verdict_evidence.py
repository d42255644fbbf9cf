"""Evidence for tests of the verdict: Spark's answer, and a run with just enough evidence."""

from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.loop_checks import LoopFindings
from minikafka.harness.verdict.verdict_file import KINDS

RUN = {
    "topic": "t", "topic_id": "A", "topic_id_at_end": "A", "writing_from_ms": 1_000_000,
}  # fmt: skip
SENT, ACKED, UNKNOWN = 10_000, 9_920, 80
"""80 of 10,000 is less than one in a hundred."""


PRODUCER = {"producer": 1, "sent": SENT, "acked": ACKED, "failed": 0, "unknown": UNKNOWN}


def fault(**changes):
    """Two seconds long, begun 10 s after the first record."""
    return {
        "kind": "kill", "at_s": 10.0, "duration_s": 2.0, "targets": ["leader of 0"], "nodes": [1],
        "done_at_ms": 1_010_000, "healed_at_ms": 1_012_000, "problem": "", "failover": None,
        **changes,
    }  # fmt: skip


def failover(**changes):
    """Node 1 led in epoch 4, then node 2 in epoch 5."""
    return {
        "before": 1, "epoch_before": 4, "after": 2, "epoch_after": 5, "seconds": 2.5, **changes,
    }  # fmt: skip


def of_controller(**changes):
    return fault(**{"targets": ["controller"], "failover": failover(), **changes})


def window(length_s, began_s=10.0, partition=0):
    began_ms = 1_000_000 + round(began_s * 1000)
    return {
        "partition": partition,
        "began_at_ms": began_ms,
        "ended_at_ms": began_ms + round(length_s * 1000),
        "answered": True,
    }


def judged(broken=(), **changes):
    """Spark's answer; `broken` are a kind and the name of a record each."""
    promises = {kind: {"meaning": "m", "count": 0, "first": [], "worst": []} for kind in KINDS}
    for kind, record in broken:
        row = {"record": record, "partition": 0, "offset": 1, "severity": 1, "detail": "{}"}
        promises[kind] = {"meaning": "m", "count": 1, "first": [row], "worst": [row]}
    counts = {"acknowledged": ACKED, "failed": 0, "unknown_found": 30, "unknown_absent": 50}
    return {
        "promises": promises,
        "counts": {**counts, "read_by_stream": 9_950, "read_afresh": 9_950},
        "data_loss": [],
        "stream_is_complete": True,
        "stream_problem": "",
        "group_is_complete": True,
        "group_repeated": 0,
        "injected": [],
        "injected_found": False,
        **changes,
    }


LOOPS = {
    "compared": True, "drained": True, "partitions": 2, "inputs": 7, "transformed": 7,
    "committed": 3, "aborted": 1, "unknown": 0, "read_live": 7, "read_afresh": 7,
    "live_complete": True, "afresh_complete": True, "problems": [],
    "members": [
        {"loop": 1, "client": "confluent-kafka", "instances": 1, "ended": True,
         "committed": 1, "aborted": 1, "unknown": 0},
        {"loop": 2, "client": "kafka-python", "instances": 1, "ended": True,
         "committed": 2, "aborted": 0, "unknown": 0},
    ],
}  # fmt: skip
"""Loops that transformed seven inputs."""

FULL = Evidence(
    run=RUN,
    settings={},
    versions={},
    producers=[PRODUCER],
    claimed_acknowledged=ACKED,
    judged=judged(),
    faults=[fault(), of_controller(duration_s=0.0, done_at_ms=1_100_000, healed_at_ms=1_100_000)],
    has_standby=True,
    quorum={"voters": [1, 2, 3], "leaders": []},
    changes={"sent": 9, "acknowledged": 8, "unacknowledged": 1, "compared": True},
    lost_changes=[],
    loops=LOOPS,
    loop_findings=LoopFindings(),
    replicas={"compared": True, "batches": 1, "differences": [], "incomplete": []},
    stream={"starts": 1, "strayed": []},
    group={"protocol": "cooperative"},
    windows=[window(17.0), window(15.0, began_s=40.0)],
    nodes={"ended": [], "tracebacks": []},
    elections={"from_isr": 3, "from_elr": 1, "unclean": 0},
    is_own=True,
    is_whole=True,
    topic_asked=True,
    elr_required=True,
    min_acknowledged=ACKED,
)
"""Just enough, by every rule."""
