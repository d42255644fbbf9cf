"""A second verdict of a run, from its files: without Spark, or on any Spark cluster.

    minikafka judge RUN --out DIR [--engine local]
    minikafka judge RUN --out DIR [--master URL]
    spark-submit --master URL --py-files minikafka.zip bin/minikafka-judge.py RUN --out DIR

On a cluster RUN and DIR must be the same folders on every machine (a shared file system). The
driver collects only counts and a few examples. Executors read the ledgers, one task each, through
the data source `minikafka-ledger`; for this they need the package (the archive) and its `verify`
extra.
"""

import dataclasses
import json
import os
import shutil
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import minikafka
from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.ledger_table import read_ledger
from minikafka.harness.plan.settings import HarnessError, RunFiles
from minikafka.harness.verdict.engine import Engine
from minikafka.harness.verdict.join import Workings
from minikafka.harness.verdict.judging import Case, judge_files
from minikafka.harness.verdict.loop_checks import LOOP_KINDS, judge_loop_files, loop_promises
from minikafka.harness.verdict.stream_files import StreamOrigin, committed_files, stream_ends
from minikafka.harness.verdict.verdict_file import KINDS
from minikafka.verdict import SCHEMA

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ANSWER = "judged.json"
_ERROR_MAX = 2_000
_BESIDE_RECORDS = (
    *(
        "high_watermark_regression",
        "replicas_differ",
        "data_loss_reported",
        "topic_gone",
        "change_lost",
    ),
)
"""The promises that other parts of a run judge, without the join."""
_LOOP_COUNTS = (
    *("inputs", "transformed", "committed", "aborted", "unknown", "read_live", "read_afresh"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class JudgedAgain(RunFiles):
    """A run's files, which are only read, and a separate folder for everything that is written."""

    out: Path

    @property
    def ledger_table(self) -> Path:
        """Path of the new ledger table; the table of the first verdict is not changed."""
        return self.out / "ledger.parquet"

    @property
    def findings(self) -> Path:
        """Path of the new findings."""
        return self.out / "findings.parquet"

    @property
    def polls(self) -> Path:
        """Path of the new table of polls."""
        return self.out / "polls.parquet"


def archive(target: Path) -> None:
    """Write this package as a zip file for `--py-files`."""
    root = Path(minikafka.__file__).parent
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                packed.write(path, path.relative_to(root.parent))


def open_session(master: str, scratch: Path) -> "SparkSession":
    """Return a session of `master`, or, without one, the session of spark-submit."""
    from minikafka.harness.spark.session import make_session, submitted_session

    if not master:
        return submitted_session()
    conf = {}
    if not master.startswith("local"):
        packed = scratch / "minikafka.zip"
        archive(packed)
        conf["spark.submit.pyFiles"] = str(packed)
    return make_session(master, scratch, conf)


@contextmanager
def on_spark(master: str, scratch: Path) -> Iterator[Engine]:
    """Open the engine that judges on Spark.

    Raises:
        HarnessError: if a statement fails.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException

    from minikafka.harness.spark.engine import SparkEngine

    spark = open_session(master, scratch)
    try:
        yield SparkEngine(spark)
    except (PySparkException, Py4JError) as error:
        raise HarnessError(str(error)) from error
    finally:
        spark.stop()


@contextmanager
def on_this_machine(scratch: Path) -> Iterator[Engine]:
    """Open the local engine.

    Raises:
        HarnessError: if a statement fails.
    """
    import duckdb

    from minikafka.harness.local.engine import LocalEngine

    try:
        with LocalEngine(scratch) as engine:
            yield engine
    except duckdb.Error as error:
        raise HarnessError(str(error)) from error


def judge_again(root: Path, out: Path, engine: str, master: str = "") -> dict[str, Any]:
    """Judge the run in `root` again; return the answer, and write it to `out`.

    `engine` is "spark" or "local"; `master` is Spark's.

    Raises:
        HarnessError: if `root` has no finished run, one of its files is missing or damaged, or
            `out` is not empty or cannot be written.
    """
    verdict, judged = _told(root)
    files = JudgedAgain(root.absolute(), out.absolute())
    _require_files(files, verdict, judged)
    try:
        if out.exists() and any(out.iterdir()):
            raise HarnessError(f"{out} is not empty; name an empty folder with --out.")
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HarnessError(f"cannot write to {out}: {error.strerror}.") from error
    scratch = files.out / "scratch"
    opened = on_this_machine(scratch) if engine == "local" else on_spark(master, scratch)
    try:
        with opened as judging:
            answer = _judge(judging, files, verdict, judged)
    except (LedgerDamagedError, HarnessError, OSError, ValueError) as error:
        said = " ".join(str(error).split())[:_ERROR_MAX]
        raise HarnessError(f"{root} cannot be judged: {said}") from error
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    answer["engine"] = engine
    answer["of_the_run"] = of_the_run(verdict)
    answer["differences"] = differences(verdict, answer)
    (files.out / ANSWER).write_text(json.dumps(answer, indent=1) + "\n", encoding="utf-8")
    return answer


def _require_files(files: RunFiles, verdict: Mapping[str, Any], judged: Mapping[str, Any]) -> None:
    """Raise unless all files exist on which the run's verdict is based.

    Raises:
        HarnessError: names the missing files.
    """
    needed = {
        files.events: True,
        files.ledgers: True,
        files.checkpoint: "stream_ends" not in judged and verdict["counts"]["read_by_stream"],
        files.streamed: verdict["counts"]["read_by_stream"],
        files.reread: verdict["counts"]["read_afresh"],
        files.reread_uncommitted: verdict["counts"]["read_afresh"],
        files.poll_log: verdict.get("group"),
        files.loop_outputs: verdict.get("loops"),
    }
    missing = [path.name for path, is_needed in needed.items() if is_needed and not path.exists()]
    for row in verdict["producers"]:
        ledger = files.ledgers / f"producer-{row['producer']}.msgpack"
        if not ledger.exists() or not ledger.stat().st_size:
            missing.append(ledger.name)
    if missing:
        raise HarnessError(
            f"{files.root} lacks {', '.join(missing)}, on which its verdict is based."
        )


def differences(verdict: Mapping[str, Any], answer: Mapping[str, Any]) -> list[str]:
    """Return one sentence for each number that differs between the run's verdict and its files.

    A difference means that files were changed or lost since the run. After `--inject`, records
    read and broken promises are not compared, since an injection changes them.
    """
    counts, producers = answer["counts"], verdict["producers"]
    pairs = {
        name: (sum(row[status] for row in producers), counts[name])
        for name, status in (("acknowledged", "acked"), ("failed", "failed"))
    }
    unknown = counts["unknown_found"] + counts["unknown_absent"]
    pairs["unknown"] = (sum(row["unknown"] for row in producers), unknown)
    if verdict["injected"] is None:
        names = ("read_by_stream", "read_afresh")
        pairs |= {name: (verdict["counts"][name], counts[name]) for name in names}
        now = {kind: answer["promises"].get(kind, {}).get("count") for kind in KINDS}
        now["high_watermark_regression"] = len(answer["regressions"])
        loop_kinds = LOOP_KINDS if "loops" in answer else ()
        now |= {kind: answer["promises"][kind]["count"] for kind in loop_kinds}
        for kind, count in now.items():
            before = verdict["promises"].get(kind, {}).get("count")
            if before is not None:
                pairs[kind] = (before, count)
    group = verdict.get("group") or {}
    pairs |= {
        f"{name} of the group": (group[name], now)
        for name, now in answer["group_counts"].items()
        if name in group
    }
    loops = verdict.get("loops") or {}
    pairs |= {
        f"{name} of the loops": (loops[name], now)
        for name, now in answer.get("loops", {}).items()
        if name in _LOOP_COUNTS and name in loops
    }
    found = [
        f"{name.replace('_', ' ')}: the verdict of the run says {before}, its files show {now}."
        for name, (before, now) in pairs.items()
        if before != now
    ]
    found += answer.get("loops", {}).get("problems", ())
    if group and not answer["group_is_complete"]:
        found.append("The poll log shows that the consumer group did not read to the end.")
    return found


def _judge(
    engine: Engine, files: JudgedAgain, verdict: Mapping[str, Any], judged: Mapping[str, Any]
) -> dict[str, Any]:
    engine.ledgers(files.ledgers, files.ledger_table)
    settings, run = verdict["settings"], verdict["run"]
    origin = StreamOrigin("", run["topic"], int(settings["partitions"]))
    case = Case(
        streamed=_streamed(files, judged),
        stream_is_complete=judged["stream_is_complete"],
        stream_ends=_stream_ends(files, judged, origin),
        workings=Workings(_renewals(files, verdict), bool(settings["workload"]["transactions"])),
    )
    answer = judge_files(engine, files, origin, case)
    loops = verdict.get("loops")
    if loops:
        again = judge_loop_files(
            files, drained=loops["drained"], partitions=loops["partitions"], problems=()
        )
        answer["loops"] = again.values
        answer["promises"] |= loop_promises(again.findings)
    return answer


def _streamed(files: RunFiles, judged: Mapping[str, Any]) -> Path | Sequence[Path]:
    """Return what the stream wrote; the files of a streaming query, even if they were moved."""
    return files.streamed if "stream_ends" in judged else committed_files(files.streamed)


def _stream_ends(
    files: RunFiles, judged: Mapping[str, Any], origin: StreamOrigin
) -> Mapping[int, int]:
    """Return the ends of the stream; Spark's are in its checkpoint, others in the answer."""
    if "stream_ends" in judged:
        return {int(partition): end for partition, end in judged["stream_ends"].items()}
    return stream_ends(files.checkpoint, origin)


def _renewals(files: RunFiles, verdict: Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return (producer, first sequence) of each further client; reads only the ledgers needed."""
    renewed = {row["producer"] for row in verdict["producers"] if row.get("instances", 1) > 1}
    if not renewed:
        return []
    tables = [read_ledger(path) for path in sorted(files.ledgers.glob("*.msgpack"))]
    return [(each.pid, at) for each in tables if each.pid in renewed for at in each.renewals]


def _told(root: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read the run's verdict, and the answer of its engine."""
    files = RunFiles(root)
    try:
        verdict = json.loads(files.verdict.read_text(encoding="utf-8"))
        answers = files.local_events if files.local_events.exists() else files.spark_events
        lines = answers.read_text(encoding="utf-8").splitlines()
        events = [json.loads(line) for line in lines]
    except (OSError, ValueError) as error:
        raise HarnessError(f"{root} holds no finished run: {error}.") from error
    if not isinstance(verdict, dict) or verdict.get("schema") != SCHEMA:
        raise HarnessError(f"{files.verdict} is not a verdict: its schema is not {SCHEMA!r}.")
    judged = [event for event in events if event["event"] == "judged"]
    if not judged:
        raise HarnessError(f"{root} holds a run that was not judged.")
    return verdict, judged[-1]


def of_the_run(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of a run's verdict that only the run itself could see.

    The verdict may be of an older version. `broken` counts broken promises that cannot be judged
    from the files, `reasons` say why the run was undecided, and `lenient` are the rules that it
    left out.
    """
    promises = verdict["promises"]
    counts = {kind: promises.get(kind, {}).get("count") for kind in _BESIDE_RECORDS[1:]}
    return {
        "broken": {kind: count for kind, count in counts.items() if count},
        "reasons": list(verdict["reasons"]),
        "lenient": list(verdict.get("lenient", {}).get("rules", ())),
    }


def broken_promises(answer: Mapping[str, Any]) -> dict[str, int]:
    """Count how often each promise was broken; empty if all were kept."""
    found = {
        kind: row["count"]
        for kind, row in answer["promises"].items()
        if row["count"] and kind not in _BESIDE_RECORDS
    }
    found |= answer.get("of_the_run", {}).get("broken", {})
    if answer["regressions"]:
        found["high_watermark_regression"] = len(answer["regressions"])
    return found


def environment_of_submit() -> bool:
    """True if spark-submit started this process."""
    return "PYSPARK_GATEWAY_PORT" in os.environ
