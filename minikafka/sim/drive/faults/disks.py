"""Faults of disks in a simulated cluster, and their repair."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Final

from minikafka.common.ids import TopicPartition
from minikafka.log.checkpoints import RECOVERY_POINTS
from minikafka.log.file_names import parse_folder
from minikafka.log.unified_log import UnifiedLog
from minikafka.sim.drive.faults.damage import Damage, Damager
from minikafka.sim.drive.faults.fault_context import FaultContext, Inject, Undo
from minikafka.sim.drive.faults.rot import Rot, rot
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.disk_errors import IO_ERROR, draw_error
from minikafka.sim.world.sim_node import SimNode

USUAL_FLUSH_US: Final = (100, 3_000)
SLOWEST_FLUSH_MS: Final = 2_000
_SLOW_FLUSH_US = (200_000, SLOWEST_FLUSH_MS * 1_000)
_STOP_SHARE = 0.3
_STOP_AFTER_MS = 200
_LEADS_AFTER_MS = 1_000
_KILLED_SHARE = 0.3
_MOVED_AWAY_SHARE = 0.5


@dataclass(slots=True)
class StorageFaults:
    """Injects faults of disks, and repairs what they have damaged."""

    context: FaultContext
    lead: Callable[[int, TopicPartition, Random], None] = lambda *_: None
    """Makes a replica the leader, so that damage is read."""
    on_removed: Callable[[int, TopicPartition], None] = lambda *_: None
    """Gets the node and the partition of a log whose folder an operator removes."""
    _rotten: dict[int, list[Rot]] = field(default_factory=dict)
    """The flipped bits of each node that are not repaired, oldest first."""
    _damages: list[Damage] = field(default_factory=list)
    """Damage to data that may not be repaired yet."""

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {
            Fault.ROT: self._rot,
            Fault.SLOW_DISK: self._slow_disk,
            Fault.FULL_DISK: self._break_disks,
            Fault.DISK_ERROR: self._break_disks,
            Fault.FEW_FILES: self._few_files,
            Fault.ERROR_ONCE: self._fail_once,
            Fault.NO_SPACE_ONCE: self._fail_once,
            Fault.DATA_ROT: self._damage,
            Fault.LOST_WRITE: self._damage,
            Fault.MISDIRECTED_WRITE: self._damage,
        }

    def _rot(self, incident: Incident) -> Undo:
        """Flip a bit of the metadata directory while the node is down."""
        node = self.context.node(incident)
        node.kill()
        self.repair(node)
        rng = self.context.cluster.world.rng(f"rot/{incident.at_ms}")
        rotten = rot(node, rng)
        if rotten is not None:
            self.context.effects.record(incident)
            self.context.note(node.host, f"has bit rot: {rotten.what}")
            self._rotten.setdefault(incident.node, []).append(rotten)
        return self._start_and_repair(node)

    def _start_and_repair(self, node: SimNode) -> Undo:
        """Return an action that starts a node, and repairs its disks if the start fails."""
        start = self.context.start_later(node)

        def start_and_repair() -> None:
            start()
            self.context.when(lambda: not node.alive and node.exit_code == 1, restart)

        def restart() -> None:
            self.repair(node)
            start()

        return start_and_repair

    def is_rotten(self, node_id: int) -> bool:
        """Return True if the disks of a node have damage that was not repaired."""
        return node_id in self._rotten or any(x.node_id == node_id for x in self._present())

    def is_damaged(self, node_id: int, where: TopicPartition) -> bool:
        """Return True if records of a replica are damaged."""
        return any(
            each.node_id == node_id and where in each.replicas and each.is_there
            for each in self._damages
        )

    def is_log_damaged(self, log: UnifiedLog) -> bool:
        """Return True if files of a log are damaged, also after its folder was renamed."""
        return any(each.is_in_log(log.disk.root, log.folder) for each in self._damages)

    def _present(self) -> list[Damage]:
        self._damages = [each for each in self._damages if each.may_come_back]
        return self._damages

    def disks_replaced(self, node_id: int) -> None:
        """Forget the damage on former disks of a node."""
        self._rotten.pop(node_id, None)
        self._damages = [each for each in self._damages if each.node_id != node_id]

    def repair_all(self) -> None:
        """Restore all damaged data, as an operator with backups would."""
        for each in self._present():
            each.undo()
        self._damages.clear()

    def repair(self, node: SimNode) -> None:
        """Repair the disks of a node that stopped because of them."""
        for each in self._present():
            if each.node_id == node.config.node_id and each.is_there:
                self._restore(node, each)
        rotten = self._rotten.get(node.config.node_id, [])
        while rotten and rotten[-1].repair():
            self.context.note(node.host, f"has damage repaired: {rotten.pop().what}")
        if not rotten:
            self._rotten.pop(node.config.node_id, None)

    def _restore(self, node: SimNode, damage: Damage) -> None:
        """Restore damaged files, or move replicas away that have a copy elsewhere."""
        rng = self.context.cluster.world.rng(f"repair/{self.context.cluster.world.now_us}")
        is_whole = not node.taken_out and all(disk.broken is None for disk in node.disks.values())
        can_go = (
            is_whole and damage.replicas and all(self._has_copy(node, x) for x in damage.replicas)
        )
        if can_go and rng.random() < _MOVED_AWAY_SHARE:
            for disk, folder in list(damage.folders()):
                self.context.note("operator", f"removes damaged {folder} from {node.host}")
                disk.remove(folder)
                disk.sync_names()
                where = parse_folder(folder)
                if where is not None:
                    self.on_removed(node.config.node_id, where)
        damage.undo()
        self.context.note(node.host, f"has damage repaired: {damage.what}")

    def _damage(self, incident: Incident) -> None:
        """Stop or kill a node, and damage its data."""
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"damage/{incident.at_ms}")
        if rng.random() < _KILLED_SHARE:
            node.kill()
        else:
            node.shut_down()
        start = self._start_and_repair(node)

        def may_damage(where: TopicPartition) -> bool:
            return self._has_copy(node, where) and not self._is_touched(node, where)

        def carry_out() -> None:
            damager = Damager(
                incident.node, node.disks, node.closed_directories, may_damage, rng,
                any(x.node_id == incident.node and x.replicas for x in self._present()),
                self._registered_epoch(incident.node),
            )  # fmt: skip
            damage = None
            if node.taken_out or any(disk.broken is not None for disk in node.disks.values()):
                pass  # The disk cannot be read.
            elif incident.what is Fault.DATA_ROT:
                damage = damager.flip()
            elif incident.what is Fault.LOST_WRITE:
                damage = damager.lose_write()
            else:
                damage = damager.misdirect()
            if damage is not None:
                self.context.effects.record(incident)
                self.context.note(node.host, f"has silent data corruption: {damage.what}")
                damage.continue_from(self._damages)
                self._damages.append(damage)
            self.context.later(incident.for_ms, start)
            for where in () if damage is None else damage.replicas:
                self.context.later(
                    incident.for_ms + _LEADS_AFTER_MS,
                    partial(self.lead, incident.node, where, rng),
                )

        self.context.when(lambda: not node.alive, carry_out)

    def _is_touched(self, node: SimNode, where: TopicPartition) -> bool:
        """Return True if a file of a replica is damaged already, or the recovery points are."""
        here = [each for each in self._present() if each.node_id == node.config.node_id]
        return any(patch.path == RECOVERY_POINTS for each in here for patch in each.patches) or any(
            folder == str(where) for each in here for _, folder in each.folders()
        )

    def _registered_epoch(self, node_id: int) -> int | None:
        controller = self.context.cluster.nodes[self.context.cluster.controller_id].node
        now = None if controller is None else controller.loader.image.brokers.get(node_id)
        return None if now is None else now.epoch

    def _has_copy(self, node: SimNode, where: TopicPartition) -> bool:
        """Return True if another member of the ISR is alive and has a sound copy."""
        controller = self.context.cluster.nodes[self.context.cluster.controller_id].node
        node_id = node.config.node_id
        if controller is None or any(
            where in each.replicas and each.node_id != node_id for each in self._present()
        ):
            return False
        now = controller.loader.image.partition(where.topic, where.partition)
        return now is not None and any(
            each != node_id and self._hosts(each, where) for each in now.isr
        )

    def _hosts(self, broker_id: int, where: TopicPartition) -> bool:
        """True if a broker is alive and has the log: a member of the ISR may have lost it."""
        node = self.context.cluster.nodes[broker_id]
        if not node.started or node.node is None or node.node.broker is None:
            return False
        return where in node.node.broker.replicas.hosted.online

    def _slow_disk(self, incident: Incident) -> Undo:
        node = self.context.node(incident)
        self.context.effects.measure(incident, lambda: node.flushes)
        node.flush_us = _SLOW_FLUSH_US
        self.context.note(node.host, "flushes slowly")

        def undo() -> None:
            node.flush_us = USUAL_FLUSH_US

        return undo

    def _break_disks(self, incident: Incident) -> Undo:
        node = self.context.node(incident)
        is_full = incident.what is Fault.FULL_DISK
        rng = self.context.cluster.world.rng(f"disk/{incident.at_ms}")
        self.context.note(node.host, "has a nearly full disk" if is_full else "has a failed disk")
        self.context.effects.measure(
            incident, lambda: sum(disk.refusals for disk in node.disks.values())
        )
        for disk in node.disks.values():
            if is_full:
                disk.fill(rng.choice((0, 10, 1_000)))
            else:
                disk.broken = IO_ERROR
        start = self.context.start_later(node)

        def undo() -> None:
            for disk in node.disks.values():
                disk.repair()
            start()

        return undo

    def _few_files(self, incident: Incident) -> Undo:
        """Refuse half of the opens of a node: it has too many files open."""
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"few-files/{incident.at_ms}")
        self.context.note(node.host, "has few free file descriptors")
        self.context.effects.measure(
            incident, lambda: sum(disk.files_refused for disk in node.disks.values())
        )
        for disk in node.disks.values():
            disk.few_files = rng if node.started else None

        def undo() -> None:
            for disk in node.disks.values():
                disk.few_files = None

        return undo

    def _fail_once(self, incident: Incident) -> None:
        """Fail one operation of a disk; a retry of it would succeed.

        The failure may happen during a start, or just before a shutdown. A node that ends, or runs
        without the directory, is restarted after `for_ms`.
        """
        node = self.context.node(incident)
        rng = self.context.cluster.world.rng(f"fail-once/{incident.at_ms}")
        disk = node.disks[rng.choice(list(node.disks))]
        error = draw_error(rng, is_full=incident.what is Fault.NO_SPACE_ONCE)
        stops = rng.random() < _STOP_SHARE
        start = self.context.start_later(node)

        def failed(operation: str) -> None:
            self.context.effects.record(incident)
            self.context.note(node.host, f"has one failed {operation}: {error.reason}")
            if stops and node.alive:
                self.context.later(rng.randint(0, _STOP_AFTER_MS), node.shut_down)
            self.context.later(incident.for_ms, restart)

        def restart() -> None:
            if node.has_lost_directory:
                node.kill()
            start()

        error.on_error = failed
        disk.error = error
