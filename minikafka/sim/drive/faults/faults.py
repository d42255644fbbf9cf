"""Injects the faults of a plan, and repairs everything at its end."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from minikafka.sim.drive.faults.choreographies import Choreographies
from minikafka.sim.drive.faults.clocks import ClockFaults
from minikafka.sim.drive.faults.disks import USUAL_FLUSH_US, StorageFaults
from minikafka.sim.drive.faults.fault_context import FaultContext, Inject
from minikafka.sim.drive.faults.fault_effects import FaultEffects
from minikafka.sim.drive.faults.links import LinkFaults
from minikafka.sim.drive.faults.machines import MachineFaults
from minikafka.sim.drive.faults.older_folders import OlderFolders
from minikafka.sim.drive.faults.voters import VoterFaults
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.sim_cluster import SimCluster, host
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.world import US_PER_MS


@dataclass(slots=True)
class Faults:
    """Dispatches incidents. `on_disks_lost` gets the id of a node that loses its disks.

    `effects` counts the faults that had one.
    """

    cluster: SimCluster
    clients: tuple[str, ...]
    on_disks_lost: Callable[[int], None]
    on_disks_forget: Callable[[int], None] = lambda _: None
    effects: FaultEffects = field(default_factory=FaultEffects)
    storage: StorageFaults = field(init=False)
    older_folders: OlderFolders = field(init=False)
    _context: FaultContext = field(init=False)
    _choreographies: Choreographies = field(init=False)
    _actions: Mapping[Fault, Inject] = field(init=False)

    def __post_init__(self) -> None:
        """Set up all kinds of faults."""
        context = self._context = FaultContext(self.cluster, self.effects)
        self.storage = StorageFaults(context)
        self.older_folders = OlderFolders(self.cluster)
        machines = MachineFaults(context, self.storage, self.on_disks_lost, self.on_disks_forget)
        self._choreographies = Choreographies(context, machines.lose_power, self.storage.is_rotten)
        self._actions = {
            **self.storage.actions,
            **machines.actions,
            **VoterFaults(context, machines).actions,
            **LinkFaults(context, self.clients).actions,
            **ClockFaults(context).actions,
            **self._choreographies.actions,
        }

    @property
    def removals(self) -> list[int]:
        """Voters whose removal an operator has requested, until the answer."""
        return self._context.removals

    @property
    def is_over(self) -> bool:
        """True after `repair_all`: no fault happens any more."""
        return self._context.is_over

    def inject(self, incident: Incident) -> None:
        """Inject a fault, and schedule its end."""
        assert isinstance(incident.what, Fault)
        undo = self._actions[incident.what](incident)
        if undo is None:
            return
        held = undo

        def end() -> None:
            if not self.is_over:
                held()
                self.effects.ended(incident)

        self.cluster.world.after(incident.for_ms * US_PER_MS, end)

    def stepped(self, node: SimNode) -> None:
        """Inject the faults that wait for what a step of a node has done.

        What the step has sent is on its way by then.
        """
        self._choreographies.stepped(node)

    def repair_all(self) -> None:
        """Undo everything: links, disks, rates of clocks; start every machine."""
        self._context.is_over = True
        self.storage.repair_all()
        self.effects.all_ended()
        self.cluster.network.heal_all()
        for node in self.cluster.nodes.values():
            self._context.put_back(node)
            node.flush_us = USUAL_FLUSH_US
            node.set_clock_rate(1.0)
            node.crash_within_step(None)
            for disk in node.disks.values():
                disk.repair()
            node.resume()
        self.start_all()

    def start_all(self) -> None:
        """Start every machine whose process does not run, or runs without one of its disks."""
        for node in self.cluster.nodes.values():
            if node.has_lost_directory:
                node.kill()
            if not node.alive:
                self.storage.repair(node)
                self.older_folders.move(node)
                node.start()

    def remove_broker(self, node_id: int, rng: Random) -> None:
        """Remove a broker until the run ends, after everything was repaired."""
        node = self.cluster.nodes[node_id]
        how = rng.choice(("kill", "pause", "isolate"))
        self._context.note(node.host, f"is removed until the end of the run ({how})")
        if how == "kill":
            node.kill()
        elif how == "pause":
            node.pause()
        else:
            others = [host(x) for x in self.cluster.nodes if x != node_id]
            for other in (*others, *self.clients):
                self.cluster.network.cut(node.host, other)
