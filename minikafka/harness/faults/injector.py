"""The injector, which runs a schedule of faults and records the outcome of each.

Every fault has its own thread, so a slow one delays no other. A fault that was not done is listed
with the reason, never left out.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minikafka.harness.clusters.cluster import FAILURES
from minikafka.harness.faults.kinds import DoneInPartError, FaultAction, FaultStage
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.plan.schedule import PlannedFault


@dataclass(slots=True, kw_only=True)
class InjectedFault:
    """A fault and its outcome.

    `nodes` are the node ids of its targets, `node` the first of them or -1; `did` describes what
    was done. Wall times are 0 for a step that was not done; `problem` says why.
    """

    plan: PlannedFault
    node: int = -1
    nodes: list[int] = field(default_factory=list)
    did: str = ""
    done_at_ms: int = 0
    healed_at_ms: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """Return plain values, including the plan."""
        return {
            **self.plan.as_json(),
            "heal_at_s": self.plan.heal_at_s,
            "node": self.node,
            "nodes": list(self.nodes),
            "did": self.did,
            "done_at_ms": self.done_at_ms,
            "healed_at_ms": self.healed_at_ms,
            "problem": self.problem,
        }


class FaultInjector:
    """A schedule in progress. `stop` heals everything that is broken at once."""

    def __init__(
        self,
        schedule: Sequence[PlannedFault],
        stage: Callable[[Callable[[float], bool]], FaultStage],
        events: EventLog,
        clock: Callable[[], float],
    ) -> None:
        """Prepare one thread for each fault.

        `stage` creates the objects that faults act on. Its argument waits some seconds, or less if
        the run ends, and then returns True.
        """
        self.injected = [InjectedFault(plan=plan) for plan in schedule]
        self._stop = threading.Event()
        self._stage = stage(self._stop.wait)
        self._events = events
        self._clock = clock
        self._started = 0.0
        self._threads = [
            threading.Thread(target=self.carry_out, args=(fault,), name="fault", daemon=True)
            for fault in self.injected
        ]

    def start(self) -> None:
        """Start the schedule; the times of faults count from now."""
        self._started = self._clock()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Skip faults that have not begun and heal the others; return when that is done."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def carry_out(self, fault: InjectedFault) -> None:
        """Run one fault from its planned time to its end."""
        if self._wait_until(fault.plan.at_s):
            fault.problem = "not done: the run ended first"
        else:
            # Replaced by the next line, unless that raises.
            fault.problem = "the harness failed, see its output"
            fault.problem = self._carry_out(fault)
        self._events.write("fault", phase="over", **fault.as_json())

    def _wait_until(self, at_s: float) -> bool:
        return self._stop.wait(max(0.0, self._started + at_s - self._clock()))

    def _carry_out(self, fault: InjectedFault) -> str:
        """Begin, wait, end; return the problem, if any."""
        problem = ""
        try:
            fault.nodes = self._stage.resolve(fault.plan)
        except FAILURES as error:
            return f"not done: {error}"
        fault.node = fault.nodes[0] if fault.nodes else -1
        under_way = FaultAction(self._stage, fault.plan, fault.nodes)
        began_at_ms = wall_ms()
        try:
            fault.did = under_way.begin()
            fault.done_at_ms = began_at_ms
            self._write_event("begun", fault)
            if under_way.undo:
                self._wait_until(fault.plan.heal_at_s)
        except FAILURES as error:
            problem = f"not done: {error}"
            if under_way.undo or isinstance(error, DoneInPartError):
                fault.done_at_ms = began_at_ms
                problem = f"done in part: {error}"
        try:
            under_way.end()
        except FAILURES as error:
            return "; ".join(filter(None, (problem, f"not healed: {error}")))
        if fault.done_at_ms:
            fault.healed_at_ms = wall_ms()
            self._write_event("healed", fault)
        return problem

    def _write_event(self, phase: str, fault: InjectedFault) -> None:
        self._events.write("fault", phase=phase, **{**fault.as_json(), "problem": ""})
