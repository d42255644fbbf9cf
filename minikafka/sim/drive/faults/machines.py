"""Faults of processes and machines: kills, power losses, restarts, pauses, replaced disks."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.sim.drive.faults.disks import StorageFaults
from minikafka.sim.drive.faults.fault_context import (
    START_AGAIN_MS,
    FaultContext,
    Inject,
    Undo,
)
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.crashes import Crash
from minikafka.sim.world.disk_errors import IO_ERROR
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode, last_directories
from minikafka.sim.world.world import US_PER_MS

_CLOSING_OPERATIONS = (20, 60, 120, 240)
"""Disk operations that a node may need to close its logs; it depends on their number."""
_OPERATIONS_BEFORE_CRASH = (5, 50, 500)
_CRASHES_AGAIN_SHARE = 0.5
_POWER_SHARE = 0.5
_REPLACED_SHARE = 0.5


class _Backup(NamedTuple):
    """Copies of the disks of a node, and what `SimNode` knows of its last process with replicas."""

    disks: dict[str, SimDisk]
    failed_directories: tuple[str, ...]
    replicas_online: frozenset[TopicPartition]


@dataclass(slots=True)
class MachineFaults:
    """Injects faults of machines.

    `on_disks_lost` gets the id of a node that loses its disks, `on_disks_forget` that of a voter
    whose disks forget epochs and votes.
    """

    context: FaultContext
    storage: StorageFaults
    on_disks_lost: Callable[[int], None]
    on_disks_forget: Callable[[int], None]
    _copies: dict[int, _Backup] = field(default_factory=dict)
    """Backups of disks, by node."""

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {
            Fault.KILL: self._kill,
            Fault.POWER: self.lose_power,
            Fault.POWER_ALL: self._lose_power_all,
            Fault.BIT_FLIP: self.lose_power,
            Fault.RESTART: self._restart,
            Fault.POWER_IN_STOP: self._lose_power_in_stop,
            Fault.CRASH_IN_STEP: self._crash_in_step,
            Fault.PAUSE: self._pause,
            Fault.WIPE: self._wipe,
            Fault.RESTORE: self._restore,
            Fault.DIRECTORY_ERROR: self._break_directory,
        }

    def _kill(self, incident: Incident) -> Undo:
        node = self.context.node(incident)
        self.context.effects.record(incident, node.alive)
        node.kill()
        return self.context.start_later(node)

    def lose_power(self, incident: Incident) -> Undo:
        """Cut the power of a machine; return what starts it again."""
        node = self.context.node(incident)
        self.context.effects.record(incident, node.alive)
        node.lose_power(flips=incident.what is Fault.BIT_FLIP)
        return self.context.start_later(node)

    def _lose_power_all(self, incident: Incident) -> Undo:
        nodes, world = self.context.cluster.nodes, self.context.cluster.world
        self.context.effects.record(incident, any(x.alive for x in nodes.values()))
        for node in nodes.values():
            node.lose_power()
        rng = world.rng(f"power-all/{incident.at_ms}")

        def start() -> None:
            for node in nodes.values():
                delay_us = rng.randint(0, 20_000) * US_PER_MS
                world.after(delay_us, self.context.start_later(node))

        return start

    def _restart(self, incident: Incident) -> Undo:
        node = self.context.node(incident)
        self.context.effects.record(incident, node.alive and not node.stopping)
        node.shut_down()
        return self.context.start_later(node)

    def _lose_power_in_stop(self, incident: Incident) -> Undo:
        """Cut the power between two disk operations with which a node closes its logs."""
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"power-in-stop/{incident.at_ms}")
        node.lose_power_in_stop(
            rng.randint(0, rng.choice(_CLOSING_OPERATIONS)),
            lambda: self.context.effects.record(incident),
        )
        return self.context.start_later(node)

    def _crash_in_step(self, incident: Incident) -> None:
        """Crash a process, or its machine, at one of its next disk operations.

        Often the next process crashes, too, while it loads its logs.
        """
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"crash-in-step/{incident.at_ms}")

        def draw() -> Crash:
            return Crash(
                rng.randint(0, rng.choice(_OPERATIONS_BEFORE_CRASH)),
                power=rng.random() < _POWER_SHARE,
                share=rng.random(),
                on_crash=crashed,
            )

        def crashed() -> None:
            self.context.effects.record(incident)
            self.context.later(incident.for_ms, start)

        def start() -> None:
            if not node.alive:
                node.start(draw() if rng.random() < _CRASHES_AGAIN_SHARE else None)

        node.crash_within_step(draw())

    def _pause(self, incident: Incident) -> Undo | None:
        node = self.context.node(incident)
        if not node.alive:
            return None
        self.context.effects.record(incident)
        node.pause()
        return node.resume

    def _wipe(self, incident: Incident) -> Undo | None:
        node = self.context.node(incident)
        if node.config.is_controller or node.taken_out:
            return None
        self.lose_disks(node, incident)
        self.context.note(node.host, "loses its disks and gets empty ones")
        cluster = self.context.cluster
        cluster.format_empty(incident.node, cluster.world.rng(f"wipe/{incident.at_ms}"))
        return self.context.start_later(node)

    def _restore(self, incident: Incident) -> Undo | None:
        """Back up the disks of a node; the next incident of the kind brings the backup back.

        Every other backup is made after a clean shutdown, and holds the clean shutdown file.
        """
        node = self.context.node(incident)
        if node.config.is_controller or node.taken_out:
            return None
        backup = self._copies.pop(incident.node, None)
        if backup is None:
            self._back_up(node, incident)
            return None
        self.lose_disks(node, incident)
        self.context.note(node.host, "loses its disks and gets their backup")
        node.disks.update(backup.disks)
        # An operator knows which directories had failed then: one may hold an older folder.
        node.failed_directories = backup.failed_directories
        node.replicas_online = backup.replicas_online
        node.has_old_disks = True
        return self.context.start_later(node)

    def _break_directory(self, incident: Incident) -> Undo | None:
        """Break one of several directories; the broker must go on with the others.

        The directory of the metadata log stays sound. In the end the disk works again, or an empty
        one replaces it, and the broker is restarted.
        """
        node, cluster = self.context.node(incident), self.context.cluster
        paths = [path for path in node.disks if path != node.config.metadata_log_dir]
        if not paths:
            return None
        rng = cluster.world.rng(f"directory-error/{incident.at_ms}")
        path, is_replaced = rng.choice(paths), rng.random() < _REPLACED_SHARE
        self.context.note(node.host, f"has a failed disk {path}")
        disk = node.disks[path]
        disk.broken = IO_ERROR
        start = self.context.start_later(node)

        def undo() -> None:
            self.context.effects.record(incident, node.has_lost_directory)
            may_replace = not node.taken_out and not self.storage.is_rotten(incident.node)
            if is_replaced and may_replace:
                self.on_disks_lost(incident.node)
                node.kill()
                node.ended_cleanly = False
                self.context.note(node.host, f"loses the disk {path} and gets an empty one")
                cluster.replace_disk(incident.node, path, rng)
            else:
                disk.repair()
                if node.has_lost_directory:
                    node.kill()
            start()

        return undo

    def lose_disks(self, node: SimNode, incident: Incident) -> None:
        """Kill a node whose disks are about to be replaced."""
        self.context.effects.record(incident)
        self.on_disks_lost(node.config.node_id)
        self.storage.disks_replaced(node.config.node_id)
        node.kill()
        node.ended_cleanly = False

    def _back_up(self, node: SimNode, incident: Incident) -> None:
        start = self.context.start_later(node)
        world = self.context.cluster.world

        def copy() -> None:
            if self.context.is_over:
                return
            if node.stopping:
                world.after(START_AGAIN_MS * US_PER_MS, copy)
                return
            if not self.storage.is_rotten(incident.node) and not node.taken_out:
                self.context.note(node.host, "has its disks backed up")
                disks = {path: disk.copy() for path, disk in node.disks.items()}
                self._copies[incident.node] = _Backup(disks, *last_directories(node))
            start()

        if incident.at_ms % 2:
            node.shut_down()
        copy()
