"""State and helpers of all kinds of faults: the cluster, effects, delayed actions.

Delayed actions end with the faults: after `is_over` nothing that was scheduled here runs any more.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from minikafka.sim.drive.faults.fault_effects import FaultEffects
from minikafka.sim.drive.incidents import Incident
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import US_PER_MS

Undo = Callable[[], None]
Inject = Callable[[Incident], Undo | None]
"""Injects a fault and returns what undoes it; None if nothing is left to undo."""
START_AGAIN_MS = 500
STUCK_SHARE = 0.5
"""The share of streams that get stuck, and of faults that make streams stuck."""
_POLL_MS = 20


@dataclass(slots=True)
class FaultContext:
    """The cluster that faults are injected into. `effects` counts the faults that had one."""

    cluster: SimCluster
    effects: FaultEffects = field(default_factory=FaultEffects)
    removals: list[int] = field(default_factory=list)
    """Voters whose removal an operator has requested, until the answer."""
    is_over: bool = False
    """Everything is repaired: what was scheduled to be undone later is undone already."""

    def node(self, incident: Incident) -> SimNode:
        """Return the node that an incident happens to."""
        return self.cluster.nodes[incident.node]

    def note(self, who: str, what: str) -> None:
        """Add a line to the transcript."""
        self.cluster.world.note(who, what)

    def later(self, delay_ms: int, action: Undo) -> None:
        """Run an action after a delay, unless everything is repaired before."""

        def act() -> None:
            if not self.is_over:
                action()

        self.cluster.world.after(delay_ms * US_PER_MS, act)

    def when(self, condition: Callable[[], bool], action: Undo) -> None:
        """Run an action as soon as a condition holds."""

        def poll() -> None:
            if self.is_over:
                return
            if condition():
                action()
            else:
                self.cluster.world.after(_POLL_MS * US_PER_MS, poll)

        poll()

    def start_later(self, node: SimNode) -> Undo:
        """Return an action that starts a node, once a shutdown that is under way has ended."""

        def start() -> None:
            if self.is_over:
                return
            if not node.alive:
                node.start()
            elif node.stopping:
                self.cluster.world.after(START_AGAIN_MS * US_PER_MS, start)

        return start

    def put_back(self, node: SimNode) -> None:
        """Kill a node, and put the directories back that were taken out of its `log.dirs`."""
        if node.taken_out:
            node.kill()
            self.note(node.host, f"has {', '.join(node.taken_out)} put back into log.dirs")
            node.use(node.disks | node.taken_out)
            node.failed_directories += tuple(node.taken_out)
            node.taken_out.clear()
