"""Faults of a voter's disks: wiped, replaced by an older copy, or without `quorum-state`.

A quorum promises nothing to an operator who loses a majority of its disks: one voter at a time has
forgotten what it knew. That an older copy is one, a voter cannot see. So it comes back only while
the other voters are in the same epoch, and have what this one has, and only if no quorum of former
voters could elect a leader with it: they do not know that they were removed, and the copy does not,
either. A copy of the only voter never comes back: it would elect itself, though the quorum has
other voters by now.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from minikafka.common.ids import Uuid
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.raft.election_state import QUORUM_STATE
from minikafka.raft.forgotten_votes import VOTES_FORGOTTEN
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.raft_node import RaftNode
from minikafka.raft.voter_set import VoterSet
from minikafka.sim.drive.faults.fault_context import FaultContext, Inject, Undo
from minikafka.sim.drive.faults.machines import MachineFaults
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.sim_disk import SimDisk
from minikafka.sim.world.sim_node import SimNode


@dataclass(slots=True)
class VoterFaults:
    """Injects them into a voter that is drawn when they happen."""

    context: FaultContext
    machines: MachineFaults
    _copies: dict[int, tuple[Uuid, VoterSet, dict[str, SimDisk]]] = field(default_factory=dict)
    """Copies of disks by node, with the id of the directory and the voters of that time."""

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {
            Fault.WIPE_VOTER: self._wipe,
            Fault.OLD_VOTER: self._restore,
            Fault.LOST_QUORUM_STATE: self._lose_quorum_state,
        }

    def _voters(self) -> VoterSet | None:
        """The voters, if they are committed and none of them has lost its directory."""
        cluster = self.context.cluster
        running = cluster.nodes[cluster.controller_id].node
        if running is None or running.controller is None or not running.controller.is_active:
            return None
        raft, voters = running.raft, running.raft.voters
        if voters is None or raft.quorum.history.voters_offset >= raft.high_watermark:
            return None
        known = cluster.directory_ids
        for voter in voters.voters.values():
            if voter.directory_id not in (None, known[voter.node_id]):
                return None
            if has_forgotten(cluster.nodes[voter.node_id]):
                return None
        return voters

    def _can_spare_one(self, voters: VoterSet) -> bool:
        """True if the others are a majority, also after removals that are under way."""
        left = len(set(voters.ids) - set(self.context.removals))
        return left > 2

    def _drawn(self, incident: Incident, among: list[int]) -> SimNode | None:
        if not among:
            return None
        rng = self.context.cluster.world.rng(f"voter/{incident.at_ms}")
        return self.context.cluster.nodes[rng.choice(among)]

    def _wipe(self, incident: Incident) -> Undo | None:
        """Replace a voter's disks by empty ones, with another directory id.

        It is no voter of a dynamic quorum with it. The next voter is wiped when the entry of this
        one is replaced, or when it counts as a static voter again.
        """
        cluster, voters = self.context.cluster, self._voters()
        if voters is None or not self._can_spare_one(voters):
            return None
        node = self._drawn(incident, voters.ids)
        if node is None or node.taken_out or self.machines.storage.is_rotten(node.config.node_id):
            return None
        node_id = node.config.node_id
        self.machines.lose_disks(node, incident)
        self.context.note(node.host, "loses its disks and gets empty ones: its vote is gone")
        self.machines.on_disks_forget(node_id)
        self._copies.pop(node_id, None)
        cluster.format_empty(node_id, cluster.world.rng(f"wipe-voter/{incident.at_ms}"))
        return self.context.start_later(node)

    def _restore(self, incident: Incident) -> Undo | None:
        """Copy a voter's disks; the next incident brings the copy back once it is safe."""
        voters = self._voters()
        if voters is None:
            return None
        directory_ids = self.context.cluster.directory_ids
        copied = [
            each
            for each in voters.ids
            if each in self._copies and self._copies[each][0] == directory_ids[each]
        ]
        node = self._drawn(incident, copied)
        if node is None:
            node = self._drawn(incident, voters.ids)
            if node is not None:
                self._copy(node, voters)
            return None
        if node.taken_out or not self._others_know(node, voters):
            return None
        if self._former_voters_elect(node, voters):
            return None
        _, _, disks = self._copies.pop(node.config.node_id)
        self.machines.lose_disks(node, incident)
        self.machines.on_disks_forget(node.config.node_id)
        self.context.note(node.host, "loses its disks and gets an older copy of them")
        node.disks.update(disks)
        node.has_old_disks = True
        return self.context.start_later(node)

    def _copy(self, node: SimNode, voters: VoterSet) -> None:
        """Copy the disks of a running voter that can elect no leader alone, now and later."""
        node_id, raft = node.config.node_id, _raft(node)
        if node.taken_out or self.machines.storage.is_rotten(node_id):
            return
        if raft is None or raft.voters != voters or voters.majority == 1:
            return
        self.context.note(node.host, "has its disks copied while it runs")
        disks = {path: disk.copy() for path, disk in node.disks.items()}
        self._copies[node_id] = self.context.cluster.directory_ids[node_id], voters, disks

    def _lose_quorum_state(self, incident: Incident) -> Undo | None:
        voters = self._voters()
        node = None if voters is None else self._drawn(incident, voters.ids)
        if voters is None or node is None or not self._can_spare_one(voters):
            return None
        disk = node.disks[node.config.metadata_log_dir]
        if disk.broken is not None:
            return None
        self.machines.on_disks_forget(node.config.node_id)
        self.context.effects.record(incident)
        node.kill()
        self.context.note(node.host, f"loses its {QUORUM_STATE}")
        disk.remove(f"{METADATA_FOLDER}/{QUORUM_STATE}")
        disk.sync_dir(METADATA_FOLDER)
        return self.context.start_later(node)

    def _others_know(self, node: SimNode, voters: VoterSet) -> bool:
        """True if others are voters, in the voter's epoch, and have flushed all that it has.

        A log that was not truncated yet after an election can be longer and lack its records.
        """
        nodes = self.context.cluster.nodes
        own = _raft(node)
        others = [_raft(nodes[each]) for each in voters.ids if nodes[each] is not node]
        # The only voter is the whole quorum: no other node has what it knew.
        return (
            own is not None
            and len(others) > 0
            and all(
                other is not None
                and other.epoch == own.epoch
                and other.leader_id == own.leader_id >= 0
                and other.flushed_offset >= own.end_offset
                and _has_all_of(other.log, own.log)
                and other.voters == voters
                for other in others
            )
        )

    def _former_voters_elect(self, node: SimNode, voters: VoterSet) -> bool:
        """True if a copy, and nodes that may not know that they were removed, are a majority.

        Of the voters as they were when the copy was made, or as one of these nodes knows them.
        """
        nodes = self.context.cluster.nodes
        _, former, _ = self._copies[node.config.node_id]
        known = {each: _raft(nodes[each]) for each in former.ids if each not in voters.voters}
        views = [former]
        unaware = {node.config.node_id}
        for each, raft in known.items():
            if raft is None or raft.voters != voters:
                unaware.add(each)
                views += [raft.voters] if raft is not None and raft.voters is not None else []
        return any(len(unaware & set(view.ids)) >= view.majority for view in views)


def has_forgotten(node: SimNode) -> bool:
    """True if a voter does not count before the others have committed without it."""
    disk = node.disks[node.config.metadata_log_dir]
    return disk.exists(VOTES_FORGOTTEN) or not disk.exists(f"{METADATA_FOLDER}/{QUORUM_STATE}")


def _raft(node: SimNode) -> RaftNode | None:
    return None if node.node is None else node.node.raft


def _has_all_of(log: RaftLog, other: RaftLog) -> bool:
    end = log.end_offset_for_epoch(other.last_epoch)
    return end.epoch == other.last_epoch and end.end_offset >= other.end_offset
