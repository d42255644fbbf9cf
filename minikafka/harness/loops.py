"""The parent's handle of the consume-transform-produce loops of a run.

Two loops with different client libraries are members of one group. A third process reads what they
write. The loops are not asked to stop before they have read to the end of every input partition.
"""

import os
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.common.ids import TopicPartition
from minikafka.harness.clients.loop_client import LoopTask
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
_DRAIN_S = 100.0
"""Longer than the timeout of a transaction that a failed producer left open."""
_DRAIN_INPUTS_PER_S = 2_000
_END_S = 30.0
_READ_END_S = 150.0
_HEAL_S = 60.0

Wait = Callable[[Callable[[], bool], float], bool]
"""Waits until something is done, up to some seconds; returns False after them."""


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
    _processes: list[subprocess.Popen[bytes]] = field(default_factory=list)
    _reached: dict[int, dict[int, int]] = field(default_factory=dict)

    @property
    def event_files(self) -> list[Path]:
        """The files into which the loops write their events."""
        return [Path(task.events) for task in self.tasks]

    def start(self) -> None:
        """Start the loops and the reader."""
        for task in self.tasks:
            self._processes.append(start_part(_LOOP, task.to_json(), self._log(task.loop)))
        log = self.files.logs / "outputs.log"
        self._processes.append(start_part(_READER, self.reading.to_json(), log))

    def _log(self, loop: int) -> Path:
        return self.files.logs / f"loop-{loop}.log"

    def take(self, event: RunEvent) -> None:
        """Keep the progress or the note of an event."""
        if event["event"] == "loop":
            reached = {int(number): offset for number, offset in event["reached"].items()}
            self._reached[event["loop"]] = reached
        elif event["event"] == "loop_note":
            self.notes.append(event["note"])

    def has_reached(self, ends: Mapping[int, int]) -> bool:
        """True if, for every partition, a loop reports a position at its end."""
        return bool(ends) and all(
            any(reached.get(number, -1) >= end for reached in self._reached.values())
            for number, end in ends.items()
        )

    def finish(self, ends: Mapping[int, int], servers: str, wait: Wait) -> None:
        """Wait for the loops, end them, and let the reader read to the end."""
        patience_s = _DRAIN_S + sum(ends.values()) / _DRAIN_INPUTS_PER_S
        *loops, reader = self._processes
        self.drained = wait(
            lambda: self.has_reached(ends) or any(it.poll() is not None for it in loops), patience_s
        ) and self.has_reached(ends)
        for process in loops:
            close_input(process)
        wait(lambda: all(it.poll() is not None for it in loops), _END_S)
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
        close_input(reader)
        wait(lambda: reader.poll() is not None, _READ_END_S)
        self.end()

    def end(self) -> None:
        """Kill the remaining processes, and note each that did not exit with 0."""
        names = [
            *((f"Loop {task.loop} ({task.client})", self._log(task.loop)) for task in self.tasks),
            ("The reader of the loops' outputs", self.files.logs / "outputs.log"),
        ]
        for (name, log), process in zip(names, self._processes, strict=False):
            close_input(process)
            if process.poll() is None:
                process.kill()
            status = process.wait()
            if status:
                self.problems.append(f"{name} ended with status {status}; see {log}.")
        self._processes.clear()


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
