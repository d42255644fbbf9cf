"""The parent's handle of the consume-transform-produce loops of a run.

Two loops with different client libraries are members of one group. A third process reads what they
write. The loops are not asked to stop before they have read to the end of every input partition.

A loop that is silent for too long is killed, and another process with the same transactional id
takes over. librdkafka 2.16.1 needs this: a producer whose broker leaves the metadata may never
return from `begin_transaction`.
"""

import dataclasses
import os
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.common.ids import TopicPartition
from minikafka.harness.clients.loop_client import SILENT_MAX_S, LoopTask
from minikafka.harness.clients.output_reader import OutputTask
from minikafka.harness.clusters.replicas import Expected
from minikafka.harness.lines import EventLog, RunEvent
from minikafka.harness.part_process import close_input, start_part
from minikafka.harness.plan.settings import RunFiles, RunSettings
from minikafka.harness.verdict.loop_checks import LoopVerdict, judge_loop_files
from minikafka.harness.watch.watcher import ClusterWatcher

LOOP_CLIENTS = ("confluent-kafka", "kafka-python")
"""The libraries of the loops. aiokafka cannot send group metadata with the offsets (KIP-447), so a
member that the group has replaced would not be fenced."""

_LOOP = "minikafka.harness.clients.loop"
_READER = "minikafka.harness.clients.output_reader"
_DRAIN_S = 200.0
"""Longer than the timeout of a transaction that a failed producer left open, and than the time in
which two loops are replaced."""
_NUMBERS_PER_PROCESS = 1_000_000
_REPLACED_MAX = 5
_DRAIN_INPUTS_PER_S = 2_000
_END_S = 30.0
_READ_END_S = 250.0
_HEAL_S = 60.0

Wait = Callable[[Callable[[], bool], float], bool]
"""Waits until something is done, up to some seconds; returns False after them."""


@dataclass(slots=True)
class LoopProcess:
    """A process that runs a loop; `place` counts the processes of this loop, starting at 0."""

    task: LoopTask
    log: Path
    place: int = 0
    reached: dict[int, int] = field(default_factory=dict)
    _heard_s: float = field(default_factory=time.monotonic)
    _process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        self._process = start_part(_LOOP, self.task.to_json(), self.log, append=bool(self.place))

    @property
    def name(self) -> str:
        """The loop in words."""
        return f"Loop {self.task.loop} ({self.task.client})"

    @property
    def is_running(self) -> bool:
        """True while the process exists."""
        return self._process.poll() is None

    @property
    def is_stuck(self) -> bool:
        """True if the process exists and has been silent for too long."""
        return self.is_running and time.monotonic() - self._heard_s > SILENT_MAX_S

    def take(self, event: RunEvent) -> None:
        """Process an event of the loop."""
        self._heard_s = time.monotonic()
        if event["event"] == "loop":
            self.reached = {int(number): offset for number, offset in event["reached"].items()}

    def ask_to_finish(self) -> None:
        """Ask the loop to end after its transaction; return at once."""
        close_input(self._process)

    def end(self) -> int:
        """Kill the process if it still exists; return its exit status."""
        close_input(self._process)
        if self.is_running:
            self._process.kill()
        return self._process.wait()

    def replaced(self) -> "LoopProcess":
        """Kill the process, and start the one that takes over."""
        self.end()
        place = self.place + 1
        log = Path(self.task.log)
        task = dataclasses.replace(
            self.task,
            first_number=place * _NUMBERS_PER_PROCESS + 1,
            log=str(log.with_name(f"loop-{self.task.loop}-{place}.msgpack")),
        )
        return LoopProcess(task, self.log, place)


@dataclass(slots=True)
class Loops:
    """The processes of the loops, and of the reader of their outputs."""

    tasks: list[LoopTask]
    reading: OutputTask
    files: RunFiles
    drained: bool = False
    expected: dict[TopicPartition, Expected] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    _loops: dict[int, LoopProcess] = field(default_factory=dict)
    _reader: subprocess.Popen[bytes] | None = None

    @property
    def event_files(self) -> list[Path]:
        """The files into which the loops write their events."""
        return [Path(task.events) for task in self.tasks]

    def start(self) -> None:
        """Start the loops and the reader."""
        for task in self.tasks:
            log = self.files.logs / f"loop-{task.loop}.log"
            self._loops[task.loop] = LoopProcess(task, log)
        self._reader = start_part(_READER, self.reading.to_json(), self._reader_log)

    @property
    def _reader_log(self) -> Path:
        return self.files.logs / "outputs.log"

    def take(self, event: RunEvent) -> None:
        """Process an event of a loop; ignore others."""
        if event["event"] == "loop_note":
            self.notes.append(event["note"])
        elif event["event"] in {"loop", "loop_renewed"} and event["loop"] in self._loops:
            self._loops[event["loop"]].take(event)

    def look(self) -> None:
        """Replace each loop that has been silent for too long."""
        for number, process in self._loops.items():
            if process.is_stuck and process.place < _REPLACED_MAX:
                self.notes.append(
                    f"{process.name} did nothing for {SILENT_MAX_S:.0f} s, was killed, and another"
                    " process took over."
                )
                self._loops[number] = process.replaced()

    def has_reached(self, ends: Mapping[int, int]) -> bool:
        """True if, for every partition, a loop reports a position at its end."""
        return bool(ends) and all(
            any(each.reached.get(number, -1) >= end for each in self._loops.values())
            for number, end in ends.items()
        )

    def finish(self, ends: Mapping[int, int], servers: str, wait: Wait) -> None:
        """Wait for the loops, end them, and let the reader read to the end."""
        patience_s = _DRAIN_S + sum(ends.values()) / _DRAIN_INPUTS_PER_S
        wait(lambda: self.has_reached(ends) or not self._all_run(), patience_s)
        self.drained = self.has_reached(ends)
        for process in self._loops.values():
            process.ask_to_finish()
        wait(lambda: not any(it.is_running for it in self._loops.values()), _END_S)
        self._kill_stuck(wait)
        watcher = ClusterWatcher(servers, self.reading.output, EventLog(Path(os.devnull)))
        watcher.width = self.reading.partitions
        try:
            if not watcher.wait_whole(_HEAL_S):
                self.problems.append(
                    "Not every replica of the loops' output topic returned to the ISR."
                )
            watcher.look_at_ends()
            self.expected = watcher.expected()
        finally:
            watcher.stop()
        reader = self._reader
        if reader is not None:
            close_input(reader)
            wait(lambda: reader.poll() is not None, _READ_END_S)
        self.end()

    def _kill_stuck(self, wait: Wait) -> None:
        """Kill each loop that did not end when asked, and let another process end its transaction.

        While the transaction is open, no output after it can be read at read_committed. The
        evidence of the loop is whole: the log is synced, and the outcome is unknown.
        """
        for number, process in self._loops.items():
            if process.is_running:
                self.notes.append(
                    f"{process.name} did not end within {_END_S:.0f} s, was killed, and another "
                    "process took over to abort its transaction."
                )
                self._loops[number] = process.replaced()
                self._loops[number].ask_to_finish()
        wait(lambda: not any(it.is_running for it in self._loops.values()), _END_S)

    def _all_run(self) -> bool:
        return all(process.is_running for process in self._loops.values())

    def end(self) -> None:
        """Kill the remaining processes, and note each that did not exit with 0."""
        ended = [(process.name, process.log, process.end()) for process in self._loops.values()]
        if self._reader is not None:
            close_input(self._reader)
            if self._reader.poll() is None:
                self._reader.kill()
            name = "The reader of the loops' outputs"
            ended.append((name, self._reader_log, self._reader.wait()))
        self._loops.clear()
        self._reader = None
        self.problems += [
            f"{name} ended with status {status}; see {log}."
            for name, log, status in ended
            if status
        ]


def plan_loops(
    settings: RunSettings, files: RunFiles, *, run: str, bootstrap_servers: str, topic: str
) -> Loops:
    """Plan one loop for each of `LOOP_CLIENTS`, and the reader of their outputs."""
    output = f"verify-{settings.seed}-{run}-loops"
    tasks = [
        LoopTask(
            run=run,
            loop=number,
            client=client,
            bootstrap_servers=bootstrap_servers,
            topic=topic,
            width=settings.partitions,
            output=output,
            log=str(files.loops / f"loop-{number}.msgpack"),
            events=str(files.logs / f"loop-{number}.jsonl"),
            offsets_min_isr=0 if settings.bootstrap_servers else settings.min_isr,
        )
        for number, client in enumerate(LOOP_CLIENTS, start=1)
    ]
    reading = OutputTask(
        run=run,
        bootstrap_servers=bootstrap_servers,
        output=output,
        partitions=settings.partitions * len(topic.split(",")),
        log=str(files.loop_outputs),
    )
    return Loops(tasks, reading, files)


def start_loops(
    settings: RunSettings, files: RunFiles, *, run: str, bootstrap_servers: str, topic: str
) -> Loops | None:
    """Create the output topic and start the loops; return None without transactions.

    Raises:
        HarnessError: if the topic cannot be created.
    """
    if not settings.workload.transactions:
        return None
    loops = plan_loops(settings, files, run=run, bootstrap_servers=bootstrap_servers, topic=topic)
    files.loops.mkdir(exist_ok=True)
    nowhere = EventLog(Path(os.devnull))
    watcher = ClusterWatcher(bootstrap_servers, loops.reading.output, nowhere)
    watcher.create_topic(loops.reading.partitions, settings.replication_factor, settings.min_isr)
    watcher.stop()
    loops.start()
    return loops


def judged(loops: Loops | None) -> LoopVerdict:
    """Judge the loops of a run that has ended, from its files; empty without loops."""
    if loops is None:
        return LoopVerdict({})
    return judge_loop_files(
        loops.files,
        drained=loops.drained,
        partitions=loops.reading.partitions,
        problems=loops.problems,
    )
