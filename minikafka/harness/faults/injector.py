"""The injector, which runs a schedule of faults and records the outcome of each.

Every fault has its own thread, so a slow one delays no other. A fault that was not done is listed
with the reason, never left out.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minikafka.harness.clusters.cluster import FAILURES
from minikafka.harness.faults.kinds import DoneInPartError, FaultAction, FaultStage
from minikafka.harness.faults.quorum_waits import Failover
from minikafka.harness.faults.voter_turns import VoterTurns
from minikafka.harness.interrupts import undisturbed
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.plan.schedule import EXCLUSIVE, PlannedFault

_ENDED_FIRST = "not done: the run ended first"
_SETTLE_S = 3.0
"""The time between the end of an exclusive fault that was late and the next fault."""


@dataclass(slots=True, kw_only=True)
class InjectedFault:
    """A fault and its outcome.

    `nodes` are the node ids of its targets, `node` the first of them or -1; `did` describes what
    was done. Wall times are 0 for a step that was not done; `problem` says why. `failover` has the
    active controllers before and after a fault that must replace the active one.
    """

    plan: PlannedFault
    node: int = -1
    nodes: list[int] = field(default_factory=list)
    did: str = ""
    done_at_ms: int = 0
    healed_at_ms: int = 0
    problem: str = ""
    failover: Failover | None = None

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
            "failover": self.failover.as_json() if self.failover else None,
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
        self._turns = VoterTurns(self._stop)
        self._begun: set[int] = set()
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
        # Nodes of others would stay killed, paused or cut off.
        with undisturbed("healing what is still broken"):
            for fault, thread in zip(self.injected, self._threads, strict=True):
                if thread.ident is None:
                    fault.problem = _ENDED_FIRST
                else:
                    thread.join()

    def carry_out(self, fault: InjectedFault) -> None:
        """Run one fault from its planned time to its end."""
        if not self._await_turn(fault.plan):
            fault.problem = _ENDED_FIRST
        else:
            # Replaced by the next line, unless that raises.
            fault.problem = "the harness failed, see its output"
            try:
                fault.problem = self._carry_out(fault)
            finally:
                self._end_turn(fault.plan)
        self._events.write("fault", phase="over", **fault.as_json())

    def _await_turn(self, plan: PlannedFault) -> bool:
        """Wait for the time and the turn of a fault; False if the run ended first."""
        touches_voters = self._stage.touches_voters(plan)
        while True:
            due_s = plan.at_s + self._turns.shift_s
            if self._wait_until(due_s):
                return False
            if touches_voters and not self._turns.begin(exclusive=plan.kind in EXCLUSIVE):
                return False
            if plan.at_s + self._turns.shift_s <= due_s:
                self._begun.add(id(plan))
                return True
            # An exclusive fault took longer than planned meanwhile.
            if touches_voters:
                self._turns.end(exclusive=plan.kind in EXCLUSIVE)

    def _end_turn(self, plan: PlannedFault) -> None:
        if not self._stage.touches_voters(plan):
            return
        shift_s = 0.0
        if plan.kind in EXCLUSIVE:
            ahead = [it.plan.at_s for it in self.injected if id(it.plan) not in self._begun]
            shift_s = self._now_s + _SETTLE_S - min(ahead) if ahead else 0.0
        self._turns.end(exclusive=plan.kind in EXCLUSIVE, shift_s=shift_s)

    @property
    def _now_s(self) -> float:
        """Seconds since the start of the schedule."""
        return self._clock() - self._started

    def _wait_until(self, at_s: float) -> bool:
        return self._stop.wait(max(0.0, at_s - self._now_s))

    def _carry_out(self, fault: InjectedFault) -> str:
        """Begin, wait, end; return the problem, if any."""
        problem = ""
        heal_at_s = self._now_s + fault.plan.duration_s
        try:
            fault.nodes = self._stage.resolve(fault.plan)
        except FAILURES as error:
            return f"not done: {error}"
        fault.node = fault.nodes[0] if fault.nodes else -1
        under_way = FaultAction(self._stage, fault.plan, fault.nodes)
        began_at_ms = wall_ms()
        try:
            fault.did = under_way.begin()
            fault.failover = under_way.failover
            fault.nodes = list(under_way.nodes)
            fault.node = fault.nodes[0] if fault.nodes else -1
            fault.done_at_ms = began_at_ms
            self._write_event("begun", fault)
            if under_way.undo:
                self._wait_until(heal_at_s)
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
