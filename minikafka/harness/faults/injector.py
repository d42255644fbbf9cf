"""Carries a schedule out, and keeps what became of each fault.

Every fault has a thread of its own, so that one that takes long holds up no other. A fault that was
not done is listed with the reason, never left out.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from minikafka.harness.faults.kinds import FAILURES, DoneInPartError, Fault, Stage
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.plan.schedule import PlannedFault


@dataclass(slots=True, kw_only=True)
class InjectedFault:
    """A fault as it went.

    `nodes` are what the targets were, `node` the first of them or -1; `did` says what was done.
    Wall times are 0 where a step was not done; `problem` says why.
    """

    plan: PlannedFault
    node: int = -1
    nodes: list[int] = field(default_factory=list)
    did: str = ""
    done_at_ms: int = 0
    healed_at_ms: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """Plain values, the plan among them."""
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
    """A schedule under way. `stop` heals at once what is broken."""

    def __init__(
        self,
        schedule: Sequence[PlannedFault],
        stage: Callable[[Callable[[float], bool]], Stage],
        events: EventLog,
        clock: Callable[[], float],
    ) -> None:
        """`stage` makes what faults act on; it is handed a wait that the end of the run ends."""
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
        """Begin; times count from now."""
        self._started = self._clock()
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Skip what has not begun, heal what is broken, and return when that is done."""
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def carry_out(self, fault: InjectedFault) -> None:
        """One fault from its time to its end."""
        if self._wait_until(fault.plan.at_s):
            fault.problem = "not done: the run ended before"
        else:
            fault.problem = "the harness failed, see its output"  # unless this gets to its end
            fault.problem = self._carry_out(fault)
        self._events.write("fault", phase="over", **fault.as_json())

    def _wait_until(self, at_s: float) -> bool:
        return self._stop.wait(max(0.0, self._started + at_s - self._clock()))

    def _carry_out(self, fault: InjectedFault) -> str:
        """Begin, wait, end; what went wrong."""
        problem = ""
        try:
            fault.nodes = self._stage.resolve(fault.plan)
        except FAILURES as error:
            return f"not done: {error}"
        fault.node = fault.nodes[0] if fault.nodes else -1
        under_way = Fault(self._stage, fault.plan, fault.nodes)
        began_at_ms = wall_ms()
        try:
            fault.did = under_way.begin()
            fault.done_at_ms = began_at_ms
            self._tell("begun", fault)
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
            return f"not healed: {error}"
        if fault.done_at_ms:
            fault.healed_at_ms = wall_ms()
            self._tell("healed", fault)
        return problem

    def _tell(self, phase: str, fault: InjectedFault) -> None:
        self._events.write("fault", phase=phase, **{**fault.as_json(), "problem": ""})
