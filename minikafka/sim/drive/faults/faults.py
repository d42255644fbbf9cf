"""What goes wrong in a simulated cluster, and how each of it is undone."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import ClassVar

from minikafka.common.ids import Uuid
from minikafka.raft.storage import format_directory
from minikafka.sim.drive.faults.disks import USUAL_FLUSH_US, StorageFaults, Undo
from minikafka.sim.drive.faults.fault_effects import FaultEffects
from minikafka.sim.drive.plan import Fault, Incident
from minikafka.sim.world.network import LinkSpeed
from minikafka.sim.world.sim_cluster import SimCluster, host
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import Crash, SimNode
from minikafka.sim.world.world import US_PER_MS

Wanted = Callable[[int, int], bool]
"""Whether a fault has waited for it that a leader asks for a member; it has begun then."""
_SLOW = LinkSpeed(base_us=20_000, jitter_us=200_000, lost_per_thousand=50)
_START_AGAIN_MS = 500
_POLL_MS = 20
_CLOCK_JUMP_MS = 60_000
_MOMENT_MS = 5_000
_NEXT_ATTEMPT_MS = 500
_CLOSING_OPERATIONS = (20, 60, 120, 240)
"""How many disk operations a node may need to close its logs, by how many logs it has."""
_OPERATIONS_BEFORE_CRASH = (5, 50, 500)
_CRASHES_AGAIN_SHARE = 0.5
_POWER_SHARE = 0.5

STUCK_SHARE = 0.5
"""How much of what is under way is stuck, and how often a fault is of that kind."""


@dataclass(slots=True)
class Faults:
    """Carries faults out. `on_disks_lost` hears whose disks were replaced.

    `effects` counts those that had one.
    """

    cluster: SimCluster
    clients: tuple[str, ...]
    on_disks_lost: Callable[[int], None]
    effects: FaultEffects = field(default_factory=FaultEffects)
    is_over: bool = False
    """Everything is mended: what was to be undone later is undone already."""
    _copies: dict[int, dict[str, SimDisk]] = field(default_factory=dict)
    _waiting: list[Wanted] = field(default_factory=list)
    _retracting: list[Callable[[], bool]] = field(default_factory=list)
    """Each looks whether an unclean recovery has an answer; True: its fault has begun."""
    storage: StorageFaults = field(init=False)

    def __post_init__(self) -> None:
        """Let disks fail as other things do."""
        self.storage = StorageFaults(
            self.cluster, self.effects, self.start_later, self._later, self._when
        )

    def happen(self, incident: Incident) -> None:
        """Let a fault happen, and plan its end."""
        assert isinstance(incident.what, Fault)
        carry_out = self.storage.CARRY_OUT.get(incident.what)
        if carry_out is not None:
            undo = carry_out(self.storage, incident)
        else:
            undo = self._CARRY_OUT[incident.what](self, incident)
        if undo is None:
            return
        held = undo

        def end() -> None:
            if not self.is_over:
                held()
                self.effects.ended(incident)

        self.cluster.world.after(incident.for_ms * US_PER_MS, end)

    def repair_all(self) -> None:
        """Undo everything: links, disks, clocks' rates; every machine runs."""
        self.is_over = True
        self.storage.repair_all()
        self.effects.all_ended()
        self.cluster.network.heal_all()
        for node in self.cluster.nodes.values():
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
                node.start()

    def take_away(self, node_id: int, rng: Random) -> None:
        """Take a broker away after all has been mended, until the run ends."""
        node = self.cluster.nodes[node_id]
        how = rng.choice(("kill", "pause", "isolate"))
        self._note(node.host, f"is gone for good ({how})")
        if how == "kill":
            node.kill()
        elif how == "pause":
            node.pause()
        else:
            others = [host(x) for x in self.cluster.nodes if x != node_id]
            for other in (*others, *self.clients):
                self.cluster.network.cut(node.host, other)

    # Helpers

    def _node(self, incident: Incident) -> SimNode:
        return self.cluster.nodes[incident.node]

    def _note(self, who: str, what: str) -> None:
        self.cluster.world.note(who, what)

    def start_later(self, node: SimNode) -> Undo:
        """Start a node; one that is still shutting down, when it has."""

        def start() -> None:
            if self.is_over:
                return
            if not node.alive:
                node.start()
            elif node.stopping:
                self.cluster.world.after(_START_AGAIN_MS * US_PER_MS, start)

        return start

    # Processes and machines

    def _kill(self, incident: Incident) -> Undo:
        node = self._node(incident)
        self.effects.had(incident, node.alive)
        node.kill()
        return self.start_later(node)

    def _power(self, incident: Incident) -> Undo:
        node = self._node(incident)
        self.effects.had(incident, node.alive)
        node.lose_power(flips=incident.what is Fault.BIT_FLIP)
        return self.start_later(node)

    def _power_all(self, incident: Incident) -> Undo:
        self.effects.had(incident, any(x.alive for x in self.cluster.nodes.values()))
        for node in self.cluster.nodes.values():
            node.lose_power()
        world = self.cluster.world
        rng = world.rng(f"power-all/{incident.at_ms}")

        def start() -> None:
            for node in self.cluster.nodes.values():
                world.after(rng.randint(0, 20_000) * US_PER_MS, self.start_later(node))

        return start

    def _relapse(self, incident: Incident) -> Undo:
        """A broker that has just come back is struck again, and what was said of it comes late.

        The machine loses power. While it comes back, half of what other brokers have sent to the
        controller, and of what it had sent to them, is stuck. Soon after it serves again it loses
        power once more, or is cut off from the other brokers, and only later what was stuck goes
        on. Or only the request of a leader is stuck that wants to let it join.
        """
        node = self._node(incident)
        if node.config.is_controller:
            return self._power(incident)
        network = self.cluster.network
        others = [host(x) for x in self.cluster.broker_ids if x != incident.node]
        controller = host(self.cluster.controller_id)
        stuck = [(other, controller) for other in others if other != controller]
        stuck += [(node.host, other) for other in others]
        rng = self.cluster.world.rng(f"relapse/{incident.at_ms}")
        node.lose_power()

        def crash() -> None:
            self.effects.had(incident)
            self._later(rng.randint(5, 300), lambda: self._crash_again(node, others, rng, release))

        def release() -> None:
            for link in stuck:
                network.unclog(*link)

        def wanted(leader: int, member: int) -> bool:
            if member != incident.node:
                return False
            link = (host(leader), controller)
            self.effects.had(incident)
            self._later(0, lambda: network.clog_under_way(*link))
            reachable = [other for other in others if other != controller]
            self._crash_again(node, reachable, rng, lambda: network.unclog(*link), dark=True)
            return True

        def start() -> None:
            if not node.alive:
                node.start()
            if rng.random() < STUCK_SHARE:
                self._when(lambda: node.started, lambda: self._await(wanted, crash))
                return
            for link in stuck:
                network.clog(*link, STUCK_SHARE)
            self._when(lambda: node.started, crash)

        return start

    def _crash_again(
        self, node: SimNode, others: list[str], rng: Random, release: Undo, *, dark: bool = False
    ) -> None:
        network = self.cluster.network

        def heal() -> None:
            for other in others:
                network.heal(node.host, other)

        def late() -> None:
            self._later(rng.randint(0, 300), release)
            self._later(2_000, heal)

        for other in others:
            network.cut(node.host, other)
        self._note("network", f"{node.host} is cut off from all brokers")

        def go_dark() -> None:
            node.lose_power()
            self._later(100, self.start_later(node))
            self._when(lambda: node.started, late)

        if dark or rng.random() < STUCK_SHARE:
            # Not within a step of another node, in which this may be.
            self._later(1, go_dark)
        else:
            self._later(rng.randint(3_000, 8_000), late)

    def _later(self, delay_ms: int, action: Undo) -> None:
        """Do something then, unless everything is mended before."""

        def act() -> None:
            if not self.is_over:
                action()

        self.cluster.world.after(delay_ms * US_PER_MS, act)

    def _when(self, condition: Callable[[], bool], action: Undo) -> None:
        """Do something as soon as a condition holds."""

        def look() -> None:
            if self.is_over:
                return
            if condition():
                action()
            else:
                self.cluster.world.after(_POLL_MS * US_PER_MS, look)

        look()

    def _retract(self, incident: Incident) -> None:
        """Who has told an unclean recovery what it has loses power before that is over (U8).

        It comes back with less, and under another broker epoch, while others are waited for.
        """
        nodes, controller_id = self.cluster.nodes, self.cluster.controller_id

        def told() -> list[int]:
            controller = nodes[controller_id].node
            if controller is None or controller.controller is None:
                return []
            return [
                broker_id
                for recovery in controller.controller.recovery.running()
                for broker_id in recovery.answers
                if broker_id != controller_id and nodes[broker_id].started
            ]

        def lose_power() -> None:
            node_id = next(iter(told()), None)
            if node_id is None:
                # The recovery was over in the same moment.
                self._retracting.append(look)
                return
            self.effects.had(incident)
            nodes[node_id].lose_power()
            self._later(_START_AGAIN_MS, self.start_later(nodes[node_id]))

        def look() -> bool:
            if not told():
                return False
            # Not within the step of the controller.
            self._later(0, lose_power)
            return True

        self._retracting.append(look)

    def _restart(self, incident: Incident) -> Undo:
        node = self._node(incident)
        self.effects.had(incident, node.alive and not node.stopping)
        node.shut_down()
        return self.start_later(node)

    def _power_in_stop(self, incident: Incident) -> Undo:
        """The power is lost between two disk operations with which a node closes its logs."""
        node = self._node(incident)
        rng = self.cluster.world.rng(f"power-in-stop/{incident.at_ms}")
        node.lose_power_in_stop(
            rng.randint(0, rng.choice(_CLOSING_OPERATIONS)), lambda: self.effects.had(incident)
        )
        return self.start_later(node)

    def _crash_in_step(self, incident: Incident) -> None:
        """A process, or its machine, ends at one of its next disk operations.

        Often the next process ends so, too, while it loads its logs.
        """
        node = self._node(incident)
        rng = self.cluster.world.rng(f"crash-in-step/{incident.at_ms}")

        def draw() -> Crash:
            return Crash(
                rng.randint(0, rng.choice(_OPERATIONS_BEFORE_CRASH)),
                power=rng.random() < _POWER_SHARE,
                share=rng.random(),
                on_crash=crashed,
            )

        def crashed() -> None:
            self.effects.had(incident)
            self._later(incident.for_ms, start)

        def start() -> None:
            if not node.alive:
                node.start(draw() if rng.random() < _CRASHES_AGAIN_SHARE else None)

        node.crash_within_step(draw())

    def _pause(self, incident: Incident) -> Undo | None:
        node = self._node(incident)
        if not node.alive:
            return None
        self.effects.had(incident)
        node.pause()
        return node.resume

    # Links

    def _cut(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        network = self.cluster.network
        self.effects.measure_links(incident, network.held, ((one, other), (other, one)))
        network.cut(one, other, both=incident.what is Fault.CUT)
        self._note("network", f"{one} and {other} are cut off ({incident.what.value})")
        return lambda: network.heal(one, other)

    def _cut_from(self, incident: Incident, others: list[str], whom: str) -> Undo:
        one = host(incident.node)
        network = self.cluster.network
        self._note("network", f"{one} is cut off from {whom}")
        links = [link for other in others for link in ((one, other), (other, one))]
        self.effects.measure_links(incident, network.held, links)
        for other in others:
            network.cut(one, other)

        def undo() -> None:
            for other in others:
                network.heal(one, other)

        return undo

    def _isolate(self, incident: Incident) -> Undo:
        others = [host(node_id) for node_id in self.cluster.nodes if node_id != incident.node]
        return self._cut_from(incident, others, "all others")

    def _cut_clients(self, incident: Incident) -> Undo:
        return self._cut_from(incident, list(self.clients), "its clients")

    def _cut_controller(self, incident: Incident) -> Undo:
        controller = self.cluster.controller_id
        others = [] if incident.node == controller else [host(controller)]
        return self._cut_from(incident, others, "the controller, and from nobody else")

    def _slow(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        slow = self.cluster.network.slow_links
        slowed = self.cluster.network.slowed
        self.effects.measure_links(incident, slowed, ((one, other), (other, one)))
        slow[one, other] = slow[other, one] = _SLOW
        self._note("network", f"{one} and {other} are slow")

        def undo() -> None:
            slow.pop((one, other), None)
            slow.pop((other, one), None)

        return undo

    def _slow_node(self, incident: Incident) -> Undo:
        one = host(incident.node)
        slow = self.cluster.network.slow_links
        links = [
            link
            for other in (
                *[host(x) for x in self.cluster.nodes if x != incident.node],
                *self.clients,
            )
            for link in ((one, other), (other, one))
        ]
        self.effects.measure_links(incident, self.cluster.network.slowed, links)
        slow.update(dict.fromkeys(links, _SLOW))
        self._note("network", f"{one} is slow to reach")

        def undo() -> None:
            for link in links:
                slow.pop(link, None)

        return undo

    def _clog(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        network = self.cluster.network
        self._note("network", f"what {one} has sent to {other} is stuck")
        self.effects.measure_links(incident, network.held, [(one, other)])
        network.clog(one, other, STUCK_SHARE)
        return lambda: network.unclog(one, other)

    # Clocks

    def _clock(self, incident: Incident) -> None:
        node = self._node(incident)
        rng = self.cluster.world.rng(f"clock/{incident.at_ms}")
        self.effects.had(incident)
        node.clock_offset_ms += rng.randint(-_CLOCK_JUMP_MS, _CLOCK_JUMP_MS)
        self._note(node.host, f"wall clock is off by {node.clock_offset_ms} ms")

    def _drift(self, incident: Incident) -> Undo:
        node = self._node(incident)
        rate = self.cluster.world.rng(f"drift/{incident.at_ms}").choice((0.9, 0.99, 1.01, 1.1))
        self.effects.had(incident)
        node.set_clock_rate(rate)
        self._note(node.host, f"clocks run at {rate}")
        return lambda: node.set_clock_rate(1.0)

    # Disks

    def _wipe(self, incident: Incident) -> Undo | None:
        node = self._node(incident)
        if node.config.is_controller:
            return None
        self.effects.had(incident)
        self.on_disks_lost(incident.node)
        self.storage.disks_replaced(incident.node)
        node.kill()
        node.ended_cleanly = False
        self._note(node.host, "loses its disks; they are replaced by empty ones")
        rng = self.cluster.world.rng(f"wipe/{incident.at_ms}")
        for path in node.disks:
            disk = node.disks[path] = SimDisk(path)
            format_directory(
                disk,
                cluster_id=self.cluster.cluster_id,
                node_id=node.config.node_id,
                directory_id=Uuid.draw(rng),
            )
        return self.start_later(node)

    def _restore(self, incident: Incident) -> Undo | None:
        """A backup of the disks: made first, and brought back by the next incident of the kind.

        Every other backup is made of a node that has stopped, so that it says so.
        """
        node = self._node(incident)
        if node.config.is_controller:
            return None
        copies = self._copies.pop(incident.node, None)
        if copies is None:
            self._back_up(node, incident)
            return None
        self.effects.had(incident)
        self.on_disks_lost(incident.node)
        self.storage.disks_replaced(incident.node)
        node.kill()
        node.ended_cleanly = False
        self._note(node.host, "gets old copies of its disks")
        node.disks.update(copies)
        node.has_old_disks = True
        return self.start_later(node)

    def _back_up(self, node: SimNode, incident: Incident) -> None:
        start = self.start_later(node)
        world = self.cluster.world

        def copy() -> None:
            if self.is_over:
                return
            if node.stopping:
                world.after(_START_AGAIN_MS * US_PER_MS, copy)
                return
            if not self.storage.is_rotten(incident.node):
                self._note(node.host, "disks are copied")
                disks = node.disks.items()
                self._copies[incident.node] = {path: disk.copy() for path, disk in disks}
            start()

        if incident.at_ms % 2:
            node.shut_down()
        copy()

    def _abort(self, incident: Incident) -> None:
        """Have a leader give up its connections while it asks the controller for a member.

        The replica joins by the next attempt, and is cut off from its leader before the first one
        arrives. Where nobody asks, a broker gives up what it has.
        """

        def wanted(leader: int, member: int) -> bool:
            self._later(0, lambda: self._abort_link(incident, leader, member))
            return True

        self._await(wanted, lambda: self._abort_link(incident, incident.node, None))

    def _await(self, wanted: Wanted, otherwise: Undo) -> None:
        """Wait until a leader asks for a member that is `wanted`; not for ever."""
        self._waiting.append(wanted)

        def give_up() -> None:
            if wanted in self._waiting:
                self._waiting.remove(wanted)
                otherwise()

        self._later(_MOMENT_MS, give_up)

    def stepped(self, node: SimNode) -> None:
        """Look whether a step of a node was what a fault is waiting for.

        What the step has sent is on its way when what else is to be done now is done.
        """
        if self.is_over:
            return
        if self._retracting and node.config.is_controller:
            self._retracting = [look for look in self._retracting if not look()]
        if not self._waiting:
            return
        member = _asked_for(node)
        if member is None:
            return
        for wanted in self._waiting:
            if wanted(node.config.node_id, member):
                self._waiting.remove(wanted)
                return

    def _abort_link(self, incident: Incident, leader: int, member: int | None) -> None:
        network, world = self.cluster.network, self.cluster.world
        link = (host(leader), host(self.cluster.controller_id))
        if leader == self.cluster.controller_id:
            return
        self.effects.had(incident)
        self._note("network", f"{link[0]} gives up its connections to the controller")
        network.abort(*link)
        after_us = incident.for_ms * US_PER_MS
        world.after(after_us, lambda: network.unclog(*link))
        if member is not None:
            self._cut_soon(link[0], host(member), after_us)

    def _cut_soon(self, one: str, other: str, for_us: int) -> None:
        network, world = self.cluster.network, self.cluster.world

        def cut() -> None:
            if not self.is_over:
                self._note("network", f"{one} and {other} are cut off from each other")
                network.cut(one, other)
                world.after(for_us, lambda: network.heal(one, other))

        world.after(_NEXT_ATTEMPT_MS * US_PER_MS, cut)

    _CARRY_OUT: ClassVar[dict[Fault, Callable[["Faults", Incident], Undo | None]]] = {
        Fault.KILL: _kill,
        Fault.POWER: _power,
        Fault.POWER_ALL: _power_all,
        Fault.BIT_FLIP: _power,
        Fault.RELAPSE: _relapse,
        Fault.RETRACT: _retract,
        Fault.RESTART: _restart,
        Fault.POWER_IN_STOP: _power_in_stop,
        Fault.PAUSE: _pause,
        Fault.CUT: _cut,
        Fault.CUT_ONE_WAY: _cut,
        Fault.CUT_CLIENTS: _cut_clients,
        Fault.CUT_CONTROLLER: _cut_controller,
        Fault.ISOLATE: _isolate,
        Fault.SLOW: _slow,
        Fault.SLOW_NODE: _slow_node,
        Fault.CLOG: _clog,
        Fault.ABORT: _abort,
        Fault.CLOCK: _clock,
        Fault.DRIFT: _drift,
        Fault.CRASH_IN_STEP: _crash_in_step,
        Fault.WIPE: _wipe,
        Fault.RESTORE: _restore,
    }


def _asked_for(node: SimNode) -> int | None:
    """Whom a leader asks the controller to let into an ISR; None where no request is under way."""
    if node.node is None or node.node.broker is None:
        return None
    replicas = node.node.broker.replicas
    if replicas.alter_partition.is_asking:
        for partition in replicas.partitions.values():
            isr = partition.isr
            added = [x for x in isr.proposed or () if x not in isr.committed]
            if partition.is_leader and added:
                return added[0]
    return None
