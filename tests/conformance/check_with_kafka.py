"""Files that we write, read by Apache Kafka's DumpLogSegments.

A developer's check, not a test of the default run: it needs Java and Kafka's jars.
MINIKAFKA_ORACLE=DIR python tests/conformance/check_with_kafka.py, where DIR has kafka-run-class.
Exits non-zero, with what Kafka said, if it finds anything wrong or prints other than we do.
"""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random

from minikafka.cli.dump_log import main as dump
from minikafka.common.clock import Now
from minikafka.common.ids import TopicPartition, Uuid
from minikafka.log.config import LogConfig
from minikafka.log.producers.verification import UNCHECKED
from minikafka.log.recovery.log_loader import CheckpointedOffsets
from minikafka.log.unified_log import UnifiedLog
from minikafka.records.batch import ControlType
from minikafka.records.builder import (
    BatchOptions,
    NewRecord,
    build_batch,
    control_record,
    end_marker_value,
)
from minikafka.records.compression import Codec
from minikafka.records.validation import AppendOrigin
from minikafka.server.os_disk import OsDisk

ORACLE = Path(os.environ["MINIKAFKA_ORACLE"])
NOW = Now(0, 1_700_000_000_000)


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        os.chdir(home)
        write(home)
        files = [str(path) for path in sorted(Path("t-0").iterdir()) if path.suffix[1:] in (
            "log", "index", "timeindex", "txnindex", "snapshot",
        )]  # fmt: skip
        words = ["--deep-iteration", "--print-data-log", "--files", ",".join(files)]
        theirs = subprocess.run(
            [ORACLE / "kafka-run-class", "org.apache.kafka.tools.DumpLogSegments", *words],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        ours = io.StringIO()
        with contextlib.redirect_stdout(ours):
            dump(words)
    bad = [line for line in theirs.stdout.splitlines() if "isvalid: false" in line]
    complaints = [
        line for line in theirs.stderr.splitlines() if "Mismatch" in line or "Error" in line
    ]
    print(f"{len(files)} files, {len(theirs.stdout.splitlines())} lines of Kafka's dump")
    for line in (*bad, *complaints):
        print(line)
    if theirs.stdout != ours.getvalue():
        print("the two dumps differ")
        for mine, their in zip(
            ours.getvalue().splitlines(), theirs.stdout.splitlines(), strict=False
        ):
            if mine != their:
                print(f"- {mine}\n+ {their}")
                break
    return int(bool(bad or complaints or theirs.returncode or theirs.stdout != ours.getvalue()))


def write(home: str) -> None:
    log = UnifiedLog.open(
        OsDisk(home), "t-0", TopicPartition("t", 0),
        config=LogConfig(segment_bytes=9_000, index_interval_bytes=1_000),
        checkpointed=CheckpointedOffsets(clean=False), now=NOW, rng=Random(0), topic_id=Uuid.of(1, 2),
    )  # fmt: skip
    rng = Random(5)
    sequence = 0
    for round_ in range(60):
        rows = [
            NewRecord(NOW.wall_ms + round_ * 10 + i, b"k%d" % i, b"v" * rng.randrange(200),
                      (("h", b"x"), ("n", None)))
            for i in range(rng.randrange(1, 9))
        ]  # fmt: skip
        transactional = round_ % 10 == 3
        options = BatchOptions(
            codec=round_ % len(Codec), producer_id=77 + transactional, producer_epoch=0,
            base_sequence=round_ // 10 if transactional else sequence,
            is_transactional=transactional,
        )  # fmt: skip
        rows = rows[:1] if transactional else rows
        sequence += 0 if transactional else len(rows)
        append(log, build_batch(rows, options), round_ // 20)
        if transactional:
            kind = ControlType.ABORT if round_ % 20 == 3 else ControlType.COMMIT
            marker = control_record(kind, end_marker_value(1), NOW.wall_ms)
            options = BatchOptions(
                producer_id=78, producer_epoch=0, is_control=True, is_transactional=True
            )
            append(log, build_batch([marker], options), round_ // 20, AppendOrigin.COORDINATOR)
    log.close()


def append(
    log: UnifiedLog, batch: bytearray, epoch: int, origin: AppendOrigin = AppendOrigin.CLIENT
) -> None:
    log.append_as_leader(
        memoryview(batch), leader_epoch=epoch, now=NOW, origin=origin, guard=UNCHECKED
    )


if __name__ == "__main__":
    sys.exit(main())
