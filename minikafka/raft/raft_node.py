"""The node's part in the quorum: it leads the metadata log, or follows the leader.

`QuorumElections` decides who leads, `MetadataFetcher` follows, `MetadataFlusher` makes the log
durable; this module joins them and appends.

Invariant: records below the high watermark are on the disks of a majority of voters.

Source: `KafkaRaftClient`, KIP-595, KIP-630.
"""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from minikafka.common.effects import SyncTarget
from minikafka.common.environment import Environment, FlushCallback
from minikafka.common.errors import NotControllerError
from minikafka.common.ids import Uuid
from minikafka.log.disk import Disk
from minikafka.messages.data.leader_change_message import LeaderChangeMessage
from minikafka.messages.data.leader_change_message import Voter as LeaderChangeVoter
from minikafka.metadata.broker_registration import Endpoint
from minikafka.metadata.serde import MetadataRecord
from minikafka.protocol.message import encode_message
from minikafka.raft.election_state import NO_NODE
from minikafka.raft.elections import QuorumElections
from minikafka.raft.flusher import MetadataFlusher, OnDurable
from minikafka.raft.metadata_fetcher import MetadataFetcher
from minikafka.raft.quorum_calls import QuorumCalls
from minikafka.raft.quorum_offset import next_quorum_high_watermark
from minikafka.raft.quorum_progress import QuorumProgress
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.roles import Follower, Leader, RoleState
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshots import Snapshot, SnapshotId
from minikafka.raft.voter_changes import VoterChanges
from minikafka.raft.voter_set import VoterSet
from minikafka.raft.voter_updater import VoterUpdater
from minikafka.records.batch import ControlType
from minikafka.records.builder import NewRecord, control_record
from minikafka.records.reader import control_type
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")


class RaftEvent(Enum):
    """Keys that handlers wait for."""

    LOG_CHANGED = "metadata log end"
    COMMITTED = "metadata high watermark"
    ROLE_CHANGED = "role in the quorum"


class RaftListener(Protocol):
    """Receives the events of the metadata log; `RaftClient.Listener`."""

    def on_commit(self) -> None:
        """Apply new records: the high watermark advanced."""

    def on_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load a snapshot: it replaced the log."""

    def on_leader(self, epoch: int) -> None:
        """Begin to lead: this node has become the leader of `epoch`."""

    def on_leader_change(self) -> None:
        """Note that this node leads, or follows another leader or in another epoch."""

    def on_resign(self) -> None:
        """Stop leading: another node may have become the leader."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class RaftNode:
    """One node of the quorum, with its log and its state.

    `bootstrap` are addresses to ask for the leader.
    """

    env: Environment
    calls: Calls
    cluster_id: str
    quorum: QuorumState
    log: RaftLog
    disk: Disk
    bootstrap: Sequence[tuple[str, int]]
    settings: RaftSettings
    endpoints: tuple[Endpoint, ...] = ()
    """The controller listeners of this node."""
    is_joining: bool = False
    """True if this controller asks to be made a voter."""
    high_watermark: int = -1
    elections: QuorumElections = field(init=False)
    changes: VoterChanges = field(init=False)
    _flusher: MetadataFlusher = field(init=False)
    _fetcher: MetadataFetcher = field(init=False)
    _updater: VoterUpdater = field(init=False)
    _listener: RaftListener = field(init=False)
    """Passed to `start`: it holds this node, and so is made after it."""
    _on_stopped: Callable[[], None] | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        """Create the parts of this node: all of them are idle before `start`.

        Raises:
            StorageFault: the recovery point cannot be read.
        """
        self._flusher = MetadataFlusher(
            self.env, self.log.unified_log, self.disk, self._advance_high_watermark
        )
        self._fetcher = MetadataFetcher(
            env=self.env,
            calls=self.calls,
            cluster_id=self.cluster_id,
            quorum=self.quorum,
            log=self.log,
            disk=self.disk,
            bootstrap=self.bootstrap,
            settings=self.settings,
            listener=self,
        )
        self.elections = QuorumElections(
            env=self.env,
            quorum=self.quorum,
            log=self.log,
            calls=QuorumCalls(
                self.calls,
                self.cluster_id,
                self.node_id,
                self.quorum.directory_id,
                self.quorum.listener,
                self.endpoints,
                self.settings,
            ),
            settings=self.settings,
            listener=self,
        )
        self.changes = VoterChanges(
            env=self.env,
            calls=self.calls,
            quorum=self.quorum,
            settings=self.settings,
            endpoints=self.endpoints,
            log=self,
        )
        self._updater = VoterUpdater(
            env=self.env,
            calls=self.calls,
            cluster_id=self.cluster_id,
            quorum=self.quorum,
            settings=self.settings,
            own_voter=self.changes.own_voter,
            is_joining=self.is_joining,
        )

    # Properties

    @property
    def node_id(self) -> int:
        """The id of this node."""
        return self.quorum.node_id

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return self.quorum.epoch

    @property
    def leader_id(self) -> int:
        """The leader of the epoch, or -1."""
        return self.quorum.leader_id

    @property
    def is_leader(self) -> bool:
        """True if this node is the leader."""
        return self.quorum.is_leader

    @property
    def leader_address(self) -> tuple[str, int] | None:
        """Host and port of the leader's controller listener, or None if unknown."""
        return self.quorum.leader_address

    @property
    def voters(self) -> VoterSet | None:
        """The voters of the quorum; None if this node has not learned them yet."""
        return self.quorum.voters

    @property
    def kraft_version(self) -> int:
        """The finalized kraft.version."""
        return self.quorum.kraft_version

    @property
    def epoch_start_offset(self) -> int:
        """The offset of the first record of the epoch that this node leads; 0 if it does not."""
        leading = self.quorum.leading
        return 0 if leading is None else leading.start_offset

    @property
    def announced_high_watermark(self) -> int:
        """The high watermark for replicas: -1 before this leader has committed in its epoch.

        Until then a replica may know a greater one from the former leader. A replica of Apache
        Kafka stops if its leader announces a lower one (`FollowerState.updateHighWatermark`).
        """
        known = self.high_watermark
        return known if known > self.epoch_start_offset else -1

    @property
    def progress(self) -> QuorumProgress:
        """The fetch offsets of the other nodes; empty if this node does not lead."""
        leading = self.quorum.leading
        return QuorumProgress() if leading is None else leading.progress

    @property
    def end_offset(self) -> int:
        """The end of the local log."""
        return self.log.end_offset

    @property
    def flushed_offset(self) -> int:
        """The offset below which the local log is on the disk."""
        return self._flusher.flushed_offset

    @property
    def committed_offset(self) -> int:
        """The offset below which, as this node knows, everything was committed."""
        return self.quorum.committed_offset

    # Starting and stopping

    def start(self, listener: RaftListener) -> None:
        """Read the state file and the voters; the only voter of a quorum is elected at once.

        Raises:
            StorageFault: the state file, a snapshot or the log is damaged.
        """
        self._listener = listener
        self.quorum.load(self.log)
        self.quorum.committed(self._flusher.recovery_point)
        self.elections.start()

    def close(self) -> None:
        """Flush and close the metadata log.

        Raises:
            StorageFault: the disk reports an error; the log may not be durable.
        """
        self._flusher.close()

    def resign(self, on_stopped: Callable[[], None]) -> None:
        """Before the node stops: let the voters elect another leader, then call back.

        It calls back at once if this node does not lead, or is the only voter, and after an
        election time-out if no other voter becomes leader.
        """
        if not self.is_leader or not self.quorum.other_voters:
            on_stopped()
            return
        self._on_stopped = on_stopped
        self.env.after(self.settings.election_timeout_ms, self._stopped)
        self.elections.resign()

    def _stopped(self) -> None:
        on_stopped, self._on_stopped = self._on_stopped, None
        if on_stopped is not None:
            on_stopped()

    # Roles: `RoleListener`

    def on_role(self, before: RoleState) -> None:
        """Do what a new role, epoch or leader requires."""
        if isinstance(before, Leader):
            self.changes.resigned()
            self._listener.on_resign()
        self._fetcher.restart()
        self._updater.restart()
        self.env.notify(RaftEvent.ROLE_CHANGED)
        if isinstance(self.quorum.state, Leader):
            self._lead(self.quorum.state)
        elif isinstance(self.quorum.state, Follower):
            self._stopped()
        if self.quorum.leader_id != NO_NODE:
            self._listener.on_leader_change()

    def learn(self, epoch: int, leader_id: int, address: tuple[str, int] | None) -> bool:
        """Follow the epoch and the leader of a response; see `QuorumElections.learn`."""
        return self.elections.learn(epoch, leader_id, address)

    # Leading

    def _lead(self, leader: Leader) -> None:
        epoch = self.quorum.epoch
        self.log.begin_epoch(epoch)
        _log.info(
            "[raft %d] is leader in epoch %d from offset %d",
            self.node_id, epoch, self.epoch_start_offset,
        )  # fmt: skip
        self._append_leader_change(leader)
        self._listener.on_leader(epoch)

    def _append_leader_change(self, leader: Leader) -> None:
        """Append the first batch of the epoch: its leader, and the voters if need be."""
        quorum, now = self.quorum, self.env.clock.now
        assert quorum.voters is not None
        message = LeaderChangeMessage(
            leader_id=self.node_id,
            voters=[LeaderChangeVoter(voter_id=voter_id) for voter_id in quorum.voters.ids],
            granting_voters=[LeaderChangeVoter(voter_id=each) for each in leader.granting],
        )
        value = encode_message(message, 0)
        first = control_record(ControlType.LEADER_CHANGE, value, now.wall_ms)
        self.append_control([first, *self.changes.first_records(now.wall_ms)])

    def append_control(self, records: list[NewRecord]) -> int:
        """Append a control batch, whose voters hold at once; the offset of its last record."""
        base_offset = self.log.end_offset
        last = self.log.append_control(records, epoch=self.epoch, now=self.env.clock.now)
        control = [(control_type(each.key), each.value or b"") for each in records]
        if self.quorum.history.append(base_offset, control):
            self.on_voters()
        self._appended()
        return last

    def append(self, records: Sequence[MetadataRecord], *, metadata_version: int) -> int:
        """Append one batch; return the offset of its last record, which is not committed yet.

        Raises:
            NotControllerError: this node is not the leader.
        """
        if not self.is_leader:
            raise NotControllerError
        offset = self.log.append_records(
            records,
            epoch=self.epoch,
            metadata_version=metadata_version,
            now=self.env.clock.now,
        )
        self._appended()
        return offset

    def _appended(self) -> None:
        # Observers may fetch records that are not flushed here yet: they do not count for the high
        # watermark, which waits for the flush.
        self.env.notify(RaftEvent.LOG_CHANGED)
        self._flusher.flush()

    def fetched(self, node_id: int, directory_id: Uuid, fetch_offset: int) -> None:
        """Note that a voter or observer has everything below `fetch_offset`; this node leads."""
        self.elections.voter_fetched(node_id, directory_id)
        self.progress.fetched(
            node_id,
            directory_id,
            fetch_offset,
            voters=self.voters,
            end_offset=self.log.end_offset,
            now=self.env.clock.now,
        )
        self._advance_high_watermark()

    def _advance_high_watermark(self) -> None:
        if not self.is_leader or self.voters is None:
            return
        ends = self.progress.voter_ends(self.voters, self.node_id, self._flusher.flushed_offset)
        self.on_high_watermark(
            next_quorum_high_watermark(
                ends, epoch_start_offset=self.epoch_start_offset, current=self.high_watermark
            )
        )

    def on_removed(self) -> None:
        """Resign: the set of voters without this leader is committed."""
        _log.info("[raft %d] resigns in epoch %d: it is no voter", self.node_id, self.epoch)
        self.elections.resign()

    # Following: `FollowerListener`

    def on_voters(self) -> None:
        """Use the latest voters, which were appended, truncated, or are those of a snapshot."""
        leading = self.quorum.leading
        if leading is not None and self.voters is not None:
            leading.progress.regroup(self.voters)
        self.elections.voters_changed()

    def on_fetched(self) -> None:
        """Give the leader time for the next fetch: this one was successful."""
        self.elections.fetched()

    def on_leader_stopped(self) -> None:
        """Elect another leader soon, since no process listens at the address of this one."""
        self.elections.leader_stopped()

    def when_durable(self, callback: OnDurable) -> None:
        """Call back when everything in the log is on the disk."""
        self._flusher.flush_then(callback)

    def on_appended(self) -> None:
        """Wake those who wait for records: some of the leader were appended."""
        self.env.notify(RaftEvent.LOG_CHANGED)

    def on_high_watermark(self, offset: int) -> None:
        """Commit what is below `offset` and in this log."""
        offset = min(offset, self.log.end_offset)
        if offset <= self.high_watermark:
            return
        self.high_watermark = offset
        self.quorum.committed(offset)
        self.log.update_high_watermark(offset)
        self._listener.on_commit()
        self.env.notify(RaftEvent.COMMITTED)
        if self.is_leader:
            self.changes.committed(offset)

    def on_fetched_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load a snapshot of the leader, which replaced the log."""
        self.high_watermark = snapshot_id.end_offset
        self._listener.on_snapshot(snapshot_id, snapshot)

    # Snapshots of this node

    def flush_with(self, target: SyncTarget, on_done: FlushCallback) -> None:
        """Flush committed records, then `target`, outside of this step and in this order."""
        # The leader has flushed all committed records.
        self._flusher.flush_with(target, on_done, has_flushed=self.is_leader)
