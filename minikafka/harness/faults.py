"""Which faults, and when: drawn from the seed before the run, carried out during it.

A schedule is data (`PlannedFault`): it is written to a file before anything is broken. Targets are
roles ("leader of partition 0"), since nodes get their roles only when the cluster runs; which node
it was is noted when it happens. A fault that could not be done is listed with the reason, never
left out.
"""

import dataclasses
import json
import random
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from minikafka.harness.cluster import ClusterUnderTest
from minikafka.harness.lines import EventLog, wall_ms
from minikafka.harness.settings import HarnessError

KILL_LEADER = "kill the leader of partition 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedFault:
    """A fault: `at_s` and `heal_at_s` are seconds after the first record."""

    kind: str
    at_s: float
    heal_at_s: float


@dataclass(slots=True, kw_only=True)
class InjectedFault:
    """A fault as it went: wall times are 0 where a step was not done; `problem` says why."""

    plan: PlannedFault
    node: int = -1
    done_at_ms: int = 0
    healed_at_ms: int = 0
    problem: str = ""

    def as_json(self) -> dict[str, object]:
        """Plain values, the plan among them."""
        values = dataclasses.asdict(self)
        return {**values.pop("plan"), **values}


def draw_schedule(seed: int, seconds: float) -> list[PlannedFault]:
    """The faults of a run, in order of time: one leader killed about the middle, back later."""
    rng = random.Random(f"faults/{seed}")
    at_s = seconds * rng.uniform(0.38, 0.5)
    away_s = min(20.0, seconds * rng.uniform(0.2, 0.3))
    return [PlannedFault(kind=KILL_LEADER, at_s=round(at_s, 3), heal_at_s=round(at_s + away_s, 3))]


@dataclass(slots=True)
class FaultInjector:
    """Carries a schedule out, in a thread of its own. `stop` heals at once what is broken."""

    schedule: Sequence[PlannedFault]
    cluster: ClusterUnderTest
    leader_of: Callable[[int], int | None]
    events: EventLog
    started: float
    clock: Callable[[], float]
    injected: list[InjectedFault] = field(default_factory=list)
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self.run, name="faults", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Skip what has not begun, heal what is broken, and return when that is done."""
        self._stop.set()
        self._thread.join()

    def run(self) -> None:
        """Go through the schedule."""
        for plan in self.schedule:
            fault = InjectedFault(plan=plan)
            self.injected.append(fault)
            if not self.cluster.can_break:
                fault.problem = "not done: no --kill-command was given for this cluster"
            elif self._stop.wait(self.started + plan.at_s - self.clock()):
                fault.problem = "not done: the run ended before"
            else:
                self._inject(fault)
            self.events.write("fault", phase="over", **fault.as_json())

    def _inject(self, fault: InjectedFault) -> None:
        node = self.leader_of(0)
        if node is None:
            fault.problem = "not done: partition 0 had no leader"
            return
        fault.node = node
        try:
            fault.done_at_ms = wall_ms()
            self.events.write("fault", phase="begun", **fault.as_json())
            self.cluster.kill(node)
        except HarnessError as error:
            fault.problem = f"not done: {error}"
            return
        self._stop.wait(self.started + fault.plan.heal_at_s - self.clock())
        try:
            self.cluster.start(node)
            fault.healed_at_ms = wall_ms()
            self.events.write("fault", phase="healed", **fault.as_json())
        except HarnessError as error:
            fault.problem = f"not healed: {error}"


def write_schedule(schedule: Sequence[PlannedFault], seed: int, path: Path) -> None:
    """Write the schedule beside the run's other files, before anything is broken."""
    rows = [dataclasses.asdict(plan) for plan in schedule]
    path.write_text(json.dumps({"seed": seed, "faults": rows}, indent=2), encoding="utf-8")
