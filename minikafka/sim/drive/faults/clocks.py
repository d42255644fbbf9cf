"""Faults of clocks: jumps of the wall clock, and drift of all clocks of a node."""

from collections.abc import Mapping
from dataclasses import dataclass

from minikafka.sim.drive.faults.fault_context import FaultContext, Inject, Undo
from minikafka.sim.drive.incidents import Fault, Incident

_CLOCK_JUMP_MS = 60_000
_DRIFT_RATES = (0.9, 0.99, 1.01, 1.1)


@dataclass(slots=True)
class ClockFaults:
    """Injects faults of clocks."""

    context: FaultContext

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {Fault.CLOCK: self._clock, Fault.DRIFT: self._drift}

    def _clock(self, incident: Incident) -> None:
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"clock/{incident.at_ms}")
        self.context.effects.record(incident)
        node.clock.offset_ms += rng.randint(-_CLOCK_JUMP_MS, _CLOCK_JUMP_MS)
        self.context.note(node.host, f"has a wall clock offset of {node.clock.offset_ms} ms")

    def _drift(self, incident: Incident) -> Undo:
        node = self.context.node(incident)
        rate = self.context.cluster.world.rng(f"drift/{incident.at_ms}").choice(_DRIFT_RATES)
        self.context.effects.record(incident)
        node.set_clock_rate(rate)
        self.context.note(node.host, f"has a clock rate of {rate}")
        return lambda: node.set_clock_rate(1.0)
