"""One verification run from beginning to end.

    engine starts ─┐
    cluster starts ┴ topic ─ stream and producers ─ faults ─ healed ─ second read ─ verdict ─ page

This process only observes and coordinates. Every part that could crash it (clients, JVM, brokers)
has its own process and process session, so that Ctrl-C reaches only this process. The first Ctrl-C
ends the writing early and leads to a verdict on the run so far; the second aborts the run.
"""

import os
import random
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from minikafka.common.ids import TopicPartition
from minikafka.harness import preflight
from minikafka.harness.clients.ledger import LedgerDamagedError
from minikafka.harness.clients.ledger_table import LedgerTable, read_ledgers, torn_notes
from minikafka.harness.clients.metadata_changes import MetadataChanges
from minikafka.harness.clients.reader_process import END_TIMEOUT_S, ReaderProcess, start_reader
from minikafka.harness.clients.transactions import require_transactions
from minikafka.harness.clients.workload import READY_TIMEOUT_S, Workload, plan_workload
from minikafka.harness.clusters import replicas
from minikafka.harness.clusters.cluster import ClusterUnderTest
from minikafka.harness.clusters.external_cluster import ExternalCluster
from minikafka.harness.clusters.kafka_cluster import KafkaCluster
from minikafka.harness.clusters.own_cluster import OwnCluster
from minikafka.harness.clusters.quorum import QuorumClient
from minikafka.harness.clusters.replicas import Expected
from minikafka.harness.faults.injector import FaultInjector, InjectedFault
from minikafka.harness.faults.kinds import FaultStage
from minikafka.harness.faults.operator_actions import Operator
from minikafka.harness.interrupts import Interrupt, RunAbortedError, interrupts
from minikafka.harness.lines import EventLog, RunEvent, Tail, wall_ms
from minikafka.harness.live import LiveView, RunState, print_verdict
from minikafka.harness.local.process import LocalProcess
from minikafka.harness.loops import Loops, judged, start_loops
from minikafka.harness.page import timeline
from minikafka.harness.plan.engines import LOCAL, SPARK, describe
from minikafka.harness.plan.schedule import Schedule
from minikafka.harness.plan.settings import HarnessError, RunFiles, RunSettings
from minikafka.harness.plan.workload_options import SENT_TIME
from minikafka.harness.spark.process import SparkProcess
from minikafka.harness.verdict import verdict_file
from minikafka.harness.verdict.engine_process import EngineProcess
from minikafka.harness.verdict.evidence import Evidence
from minikafka.harness.verdict.partition_history import read_history
from minikafka.harness.verdict.verdict_file import Verdict
from minikafka.harness.versions import versions
from minikafka.harness.watch import node_watch, watermarks
from minikafka.harness.watch.node_watch import NodeWatch
from minikafka.harness.watch.quorum_watcher import QuorumWatcher, quorum_as_json, quorum_terms
from minikafka.harness.watch.watcher import ClusterWatcher

ENGINE_PROCESSES: Mapping[str, type[EngineProcess]] = {SPARK: SparkProcess, LOCAL: LocalProcess}

_LOOK_EVERY_S = 0.1
_SESSION_TIMEOUT_S = 300.0
_HEAL_TIMEOUT_S = 60.0
_WINDOW_MS = 1_000
_TOPIC_PATIENCE_S = 10.0
_JUDGE_TIMEOUT_S = 600.0
_JUDGE_RECORDS_PER_S = 10_000


def verify(settings: RunSettings, schedule: Schedule, console: Console) -> int:
    """Run, print the verdict, and return the exit status.

    Raises:
        HarnessError: if something is missing; then nothing was started.
    """
    java = preflight.check(settings.engine)
    preflight.check_run(settings)
    if settings.bootstrap_servers:
        _check_cluster(settings)
    files = RunFiles(settings.out)
    files.prepare()
    schedule.write(files.schedule)
    console.print(f"engine: {describe(settings.engine)}", highlight=False)
    run = VerificationRun(settings, schedule, files, console, java)
    with interrupts(run.interrupted):
        run.carry_out()
        verdict = run.conclude()
    print_verdict(console, verdict, files)
    status: int = verdict["exit_status"]
    return status


def _check_cluster(settings: RunSettings) -> None:
    """Check that an external cluster has what the run needs.

    Raises:
        HarnessError: names what it lacks.
    """
    if settings.workload.transactions:
        require_transactions(settings.bootstrap_servers)
    if settings.topic:
        nowhere = EventLog(Path(os.devnull))
        watcher = ClusterWatcher(settings.bootstrap_servers, settings.topic, nowhere)
        watcher.require_fitting(settings.topic, settings.partitions)


@dataclass(slots=True)
class VerificationRun:
    """The parts of a run, and its state so far."""

    settings: RunSettings
    schedule: Schedule
    files: RunFiles
    console: Console
    java: str
    interrupted: Interrupt = field(default_factory=Interrupt)
    events: EventLog = field(init=False)
    view: LiveView = field(init=False)
    engine: EngineProcess = field(init=False)
    reader: ReaderProcess | None = None
    loops: Loops | None = None
    meta: dict[str, Any] = field(init=False)
    obstacles: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    injected: list[InjectedFault] = field(default_factory=list)
    producer_failures: list[str] = field(default_factory=list)
    shutdown_problem: str = ""
    replicas: dict[str, Any] = field(
        default_factory=lambda: replicas.not_compared("There was no cluster.")
    )
    elections: dict[str, int] = field(default_factory=dict)
    voters: list[int] = field(default_factory=list)
    changes: MetadataChanges | None = None
    expected: dict[TopicPartition, Expected] = field(default_factory=dict)
    is_own: bool = False
    is_whole: bool | None = None
    topic_asked: bool = False
    timestamps: str = SENT_TIME
    _nodes: NodeWatch | None = None
    _tails: list[Tail] = field(default_factory=list)
    _past: list[RunEvent] = field(default_factory=list)

    def __post_init__(self) -> None:
        name = random.SystemRandom().randbytes(3).hex()
        self.events = EventLog(self.files.events)
        self.view = LiveView(self.console, RunState(self.settings.seconds))
        answers = (self.files.spark_events, self.files.local_events)
        self._tails = [Tail(path) for path in (self.files.events, *answers)]
        self.meta = {
            "id": name,
            "seed": self.settings.seed,
            "started_at_ms": wall_ms(),
            "replay": self.settings.replay_command(),
            "topic": ",".join(self.settings.topic_names(name)),
            "engine": self.settings.engine,
            "cluster": "",
            "network": "",
            "topic_id": "",
            "topic_id_at_end": "",
        }

    def carry_out(self) -> None:
        """Run up to Spark's answer; obstacles are noted, not raised."""
        with ExitStack() as parts:
            parts.enter_context(self.view)
            self.engine = ENGINE_PROCESSES[self.settings.engine](self.settings, self.files)
            parts.callback(self.engine.end)
            try:
                self._phase(f"starting {self.engine.name} and the cluster")
                cluster = self._open_cluster()
                parts.callback(self._close_cluster, cluster)
                self.meta["cluster"] = cluster.name
                self.meta["network"] = cluster.network.way if cluster.network else "nothing"
                cluster.wait_ready()
                self._phase(f"waiting for {self.engine.name}")
                self.is_own = bool(cluster.log_dirs())
                self.voters = list(cluster.voters)
                self._nodes = NodeWatch(cluster, self.events)
                self._go(cluster)
            except HarnessError as error:
                self.obstacles.append(str(error))
            except RunAbortedError:
                self.obstacles.append("A second interrupt aborted the run.")
            finally:
                self._look()

    def _open_cluster(self) -> ClusterUnderTest:
        settings, log = self.settings, self.files.logs / "cluster.log"
        if settings.bootstrap_servers:
            return ExternalCluster(settings.bootstrap_servers, log, settings.templates())
        home = (self.files.root / "cluster").absolute()
        kinds = [fault.kind for fault in self.schedule.faults]
        if settings.kafka_tools:
            return KafkaCluster(settings, home, kinds)
        return OwnCluster(settings, home, kinds)

    def _close_cluster(self, cluster: ClusterUnderTest) -> None:
        self._look()
        closing_at_ms = wall_ms()
        problem = cluster.close()
        # A node's last log lines may follow: they become a note, not part of the sentence.
        sentence, _, log_lines = problem.partition(":\n")
        self.shutdown_problem = f"{sentence}." if log_lines else problem
        if log_lines:
            self.notes.append(problem)
        if self._nodes is not None:
            self._nodes.check(ended=True)
        self._look()
        self._compare_replicas(cluster)
        self._read_elections(cluster, closing_at_ms)

    def _read_elections(self, cluster: ClusterUnderTest, closing_at_ms: int) -> None:
        """Read the changes of partitions; the cluster must be stopped."""
        if not self.meta["topic_id"]:
            return
        found = read_history(
            cluster.metadata_log_dirs(),
            self.meta["topic"].split(","),
            self.settings.partitions,
            self.injected,
            quorum_terms(self._past),
            transactional_ids=sorted(
                {each["id"] for each in self._past if each["event"] == "transaction"}
            ),
        )
        self.notes += found.notes
        self.elections = found.elections_before(closing_at_ms)
        self._past += [
            self.events.append(change) for change in [*found.changes, *found.coordinators]
        ]

    def _compare_replicas(self, cluster: ClusterUnderTest) -> None:
        """Compare the replicas; the cluster must be stopped."""
        topics = self.meta["topic"].split(",") if self.meta["topic_id"] else []
        topics += [self.loops.reading.output] if self.loops is not None else []
        self.replicas = replicas.compare_stopped(cluster.log_dirs(), topics, self.expected)

    def _go(self, cluster: ClusterUnderTest) -> None:
        settings, topic = self.settings, self.meta["topic"]
        if settings.workload.transactions:
            require_transactions(cluster.bootstrap_servers)
        watcher = ClusterWatcher(cluster.bootstrap_servers, topic, self.events)
        self.meta["topic_id"] = watcher.create_topic(
            settings.partitions,
            settings.replication_factor,
            settings.min_isr,
            settings.topic_config(),
        )
        if not self._wait(
            lambda: self.engine.session is not None or self.interrupted.has_come, _SESSION_TIMEOUT_S
        ):
            raise HarnessError(f"The process of {self.engine.name} did not start in time.")
        if self.interrupted.has_come:
            raise HarnessError("The run was interrupted before anything was written.")
        if settings.stream == "live":
            self._begin_stream(cluster)
        self.timestamps = watcher.timestamps()
        workload = plan_workload(
            settings,
            self.files,
            run=self.meta["id"],
            bootstrap_servers=cluster.bootstrap_servers,
            topic=topic,
            topic_id=self.meta["topic_id"],
            timestamps=self.timestamps,
        )
        self._tails += [Tail(path) for path in workload.event_files]
        self._start_readers(cluster.bootstrap_servers)
        quorum = QuorumClient(cluster.bootstrap_servers)
        quorum_watcher = QuorumWatcher(quorum.ask, self.events)
        watcher.start()
        quorum_watcher.start()
        if self.is_own:
            name = f"{topic.split(',')[0]}-changes"
            self.changes = MetadataChanges(cluster.bootstrap_servers, name, self.events)
        try:
            self._write(workload, cluster, watcher, quorum)
            self._phase("waiting until every replica is in sync again")
            self.is_whole = watcher.wait_whole(_HEAL_TIMEOUT_S)
            self._ask_topic(watcher)
            if self.changes is not None:
                self.changes.compare(time.sleep)
            self._end_reader()
            watcher.look()
            watcher.look_at_ends()
            self.expected = watcher.expected()
            self._end_loops(watcher.high_watermarks, cluster.bootstrap_servers)
        finally:
            watcher.stop()
            quorum_watcher.stop()
            quorum.close()
            if self.reader is not None:
                self.reader.end()
            if self.loops is not None:
                self.loops.end()
        if settings.stream != "live":
            self._begin_stream(cluster)
        self._judge()

    def _start_readers(self, servers: str) -> None:
        """Start the consumer group, and with transactions the loops."""
        run, topic = self.meta["id"], self.meta["topic"]
        self.reader = start_reader(
            self.settings, self.files, run=run, bootstrap_servers=servers, topic=topic
        )
        if self.reader is not None:
            self._tails.append(Tail(Path(self.reader.task.events)))
        self.loops = start_loops(
            self.settings, self.files, run=run, bootstrap_servers=servers, topic=topic
        )
        if self.loops is not None:
            self._tails += [Tail(path) for path in self.loops.event_files]

    def _ask_topic(self, watcher: ClusterWatcher) -> None:
        """Fetch the topic's id; without an answer everything else is judged nevertheless."""
        try:
            self.meta["topic_id_at_end"] = watcher.topic_id(_TOPIC_PATIENCE_S)
        except HarnessError as error:
            self.obstacles.append(str(error))
        else:
            self.topic_asked = True

    def _begin_stream(self, cluster: ClusterUnderTest) -> None:
        self.engine.begin_stream(
            bootstrap_servers=cluster.bootstrap_servers,
            topic=self.meta["topic"],
            width=self.settings.partitions,
        )

    def _end_reader(self) -> None:
        reader = self.reader
        if reader is not None:
            self._phase("waiting for the consumer group")
            reader.ask_to_finish()
            if not self._wait(lambda: not reader.is_running, END_TIMEOUT_S):
                reader.explain()
            self.notes += reader.notes

    def _end_loops(self, ends: Mapping[int, int], servers: str) -> None:
        loops = self.loops
        if loops is not None:
            self._phase("waiting for the transactional loops")
            loops.finish(ends, servers, self._wait)
            self.notes += loops.notes
            self.expected |= loops.expected

    def _write(
        self,
        workload: Workload,
        cluster: ClusterUnderTest,
        watcher: ClusterWatcher,
        quorum: QuorumClient,
    ) -> None:
        """Run producers and faults."""
        operator = Operator(lambda: cluster.bootstrap_servers, *self.meta["topic"].split(","))
        is_live = self.settings.stream == "live"
        spark = self.engine if is_live and isinstance(self.engine, SparkProcess) else None
        injector = FaultInjector(
            self.schedule.faults,
            lambda wait: FaultStage(
                cluster, operator, watcher, self.settings.min_isr, wait, spark, quorum.ask
            ),
            self.events,
            time.monotonic,
        )
        self.injected = injector.injected
        workload.prepare()
        try:
            if not workload.is_ready:
                self._phase("starting the clients")
                self._wait(lambda: workload.is_ready or self.interrupted.has_come, READY_TIMEOUT_S)
            self.view.state.began_at_ms = self.meta["writing_from_ms"] = wall_ms()
            self._phase("writing")
            workload.start()
            injector.start()
            if self.changes is not None:
                self.changes.start()
            self._wait(
                lambda: not workload.is_running or self.interrupted.has_come,
                self.settings.seconds,
            )
            workload.ask_to_stop()
            self._phase("waiting for the last answers")
            injector.stop()
            remaining = workload.end_deadline() - time.monotonic()
            self._wait(lambda: not workload.is_running, remaining)
        finally:
            injector.stop()
            if self.changes is not None:
                self.changes.stop()
            self.producer_failures = workload.end()
            self.meta["writing_to_ms"] = wall_ms()

    def _judge(self) -> None:
        self._phase("reading to the end of the stream")
        self.engine.command("finish")
        patience_s = _JUDGE_TIMEOUT_S + self.view.state.total("sent") / _JUDGE_RECORDS_PER_S
        if not self._wait(lambda: self.engine.judged is not None, patience_s):
            raise HarnessError(f"{self.engine.name} gave no answer within {patience_s:.0f} s.")

    def _phase(self, name: str) -> None:
        self.events.write("phase", name=name)
        self._look()

    def _look(self) -> None:
        """Process the events that were written since the last call."""
        if self._nodes is not None:
            self._nodes.check()
        for tail in self._tails:
            for event in tail.read():
                self._past.append(event)
                self.engine.take(event)
                if self.reader is not None:
                    self.reader.take(event)
                if self.loops is not None:
                    self.loops.take(event)
                self.view.take(event)
        if self.loops is not None:
            self.loops.look()
        self.view.tick()

    def _wait(self, is_done: Callable[[], bool], timeout_s: float) -> bool:
        """Process events until something is done; return False after the timeout.

        Raises:
            HarnessError: if the engine's process ended without an answer.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            engine_lives = self.engine.is_running
            self._look()
            if is_done():
                return True
            if not engine_lives and self.engine.judged is None:
                raise HarnessError(self.engine.why_ended())
            if time.monotonic() >= deadline:
                return False
            time.sleep(_LOOK_EVERY_S)

    def conclude(self) -> Verdict:
        """Decide, write verdict and page, and return the verdict."""
        self.meta["ended_at_ms"] = wall_ms()
        self.meta["interrupted"] = self.interrupted.has_come
        tables = self._ledgers()
        seen = watermarks.samples(self._past, self.meta["topic"])
        loops = judged(self.loops)
        evidence = Evidence(
            run=self.meta,
            settings=self.settings.as_json(),
            versions=versions(self.settings.engine, self.engine.session, self.java),
            claimed_acknowledged=self.view.state.total("acked"),
            producers=[table.summary() for table in tables],
            producer_failures=self.producer_failures,
            judged=self.engine.judged,
            regressions=[row.as_json() for row in watermarks.regressions(seen)],
            faults=[fault.as_json() for fault in self.injected],
            replicas=self.replicas,
            stream=self.engine.stream(self._past),
            group=self.reader.as_json() if self.reader is not None else {},
            unavailability=timeline.unavailability(tables),
            windows=timeline.windows(tables, _WINDOW_MS, self.meta.get("writing_from_ms", 0)),
            nodes=node_watch.as_json(self._past),
            shutdown_problem=self.shutdown_problem,
            elections=self.elections,
            quorum=quorum_as_json(self.voters, self._past),
            has_standby=len(self.voters) > 1,
            changes=self.changes.as_json() if self.changes is not None else {},
            lost_changes=self.changes.lost if self.changes is not None else None,
            loops=loops.values,
            loop_findings=loops.findings,
            is_own=self.is_own,
            is_whole=self.is_whole,
            topic_asked=self.topic_asked,
            timestamps=self.timestamps,
            elr_required=self.settings.profile == "harsh" and self.settings.elr == "on",
            min_acknowledged=self.settings.min_acknowledged,
            lenient=self.settings.lenient,
            obstacles=self.obstacles,
            notes=[*self.notes, *torn_notes(tables)],
            files=self.files.of_the_verdict(),
            inject=self.settings.inject,
        )
        verdict = verdict_file.decide(evidence)
        verdict_file.write(verdict, self.files.verdict)
        if preflight.can_draw():
            from minikafka.harness.page import report

            page = report.render(verdict, self._past, tables, self.files.root)
            self.files.report.write_text(page, encoding="utf-8")
        return verdict

    def _ledgers(self) -> list[LedgerTable]:
        try:
            return read_ledgers(self.files.ledgers)
        except LedgerDamagedError as error:
            self.obstacles.append(f"A ledger is damaged: {error}.")
            return []
