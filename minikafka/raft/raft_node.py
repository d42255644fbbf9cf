"""The node's part in the quorum: leader of the metadata log, or observer that follows the leader.

`RAFT_ROLES` has the transitions. The only voter of a quorum becomes leader at its start. Elections
among several voters, with their RPCs (Vote, BeginQuorumEpoch, EndQuorumEpoch), do not exist yet;
majorities are computed from the voter set already.

Invariants: the epoch never goes back; records below the high watermark are on the disks of a
majority of voters; the state file is written before the state is used.

Source: `KafkaRaftClient`, `LeaderState`, `FollowerState`, KIP-595, KIP-630.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, NamedTuple, Protocol

from minikafka.common.effects import Channel, SyncTarget
from minikafka.common.environment import Environment, FlushCallback
from minikafka.common.errors import ErrorCode, NotControllerError, error_of
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.ids import METADATA_TOPIC_ID, Uuid
from minikafka.common.state_table import StateTable
from minikafka.common.timers import Timer
from minikafka.log.disk import Disk
from minikafka.log.flush import FlushRequest
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.messages import fetch as fetch_messages
from minikafka.messages.data.leader_change_message import LeaderChangeMessage
from minikafka.messages.data.leader_change_message import Voter as LeaderChangeVoter
from minikafka.metadata.serde import MetadataRecord
from minikafka.protocol.message import encode_message
from minikafka.raft.metadata_storage import (
    RECOVERY_POINT,
    REMEDY,
    damaged,
    learn_last_epoch,
    read_recovery_point,
    start_after,
    write_recovery_point,
)
from minikafka.raft.quorum_offset import next_quorum_high_watermark
from minikafka.raft.quorum_state import (
    NO_NODE,
    ElectionState,
    read_election_state,
    write_election_state,
)
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.snapshot_fetch import SnapshotFetch
from minikafka.raft.snapshots import Snapshot, SnapshotId, kraft_version_record, read_snapshot
from minikafka.raft.voter_set import VoterSet
from minikafka.records.batch import ControlType
from minikafka.records.builder import control_record
from minikafka.records.errors import CorruptRecordsError
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")
# KIP-1166: the fetch has the follower's high watermark, so that a leader responds at once if it
# moved between two fetches. Before version 18 that waited for the next record or time-out.
_FETCH_VERSION = 18
_FETCH_WAIT_MS = 500
_RECOVERY_POINT_INTERVAL_MS = 5_000


class RaftRole(Enum):
    """The role of a node in the quorum."""

    UNATTACHED = "unattached"
    OBSERVER = "observer"
    LEADER = "leader"


RAFT_ROLES = StateTable(
    "raft node",
    {
        # It knows no leader.
        RaftRole.UNATTACHED: (RaftRole.UNATTACHED, RaftRole.OBSERVER, RaftRole.LEADER),
        # It follows the leader, of this epoch or of a newer one.
        RaftRole.OBSERVER: (RaftRole.OBSERVER, RaftRole.UNATTACHED),
        # A leader leads until its process ends.
        RaftRole.LEADER: (),
    },
)


class RaftEvent(Enum):
    """Keys that handlers wait for."""

    LOG_CHANGED = "metadata log end"
    COMMITTED = "metadata high watermark"


@dataclass(slots=True)
class Progress:
    """A leader's view of a voter or an observer; times are wall clock (DescribeQuorum)."""

    node_id: int
    directory_id: Uuid
    log_end_offset: int = -1
    last_fetch_ms: int = -1
    last_caught_up_ms: int = -1


class RaftListener(Protocol):
    """What follows the metadata log of a node; `RaftClient.Listener`."""

    def on_commit(self) -> None:
        """Apply new records: the high watermark advanced."""

    def on_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load a snapshot: it replaced the log."""

    def on_leader(self, epoch: int) -> None:
        """Begin to lead: this node has become the leader of `epoch`."""


class RaftSettings(NamedTuple):
    """The configs of the quorum."""

    fetch_timeout_ms: int
    request_timeout_ms: int
    retry_backoff_ms: int
    fetch_max_bytes: int
    snapshot_max_bytes: int


@dataclass(slots=True, kw_only=True)
class RaftNode:
    """One node of the quorum.

    `voters` are those of the configuration (static quorum), or None if the snapshot at offset 0 or
    the log has them. `bootstrap` are addresses to ask for the leader.
    """

    env: Environment
    calls: Calls
    node_id: int
    directory_id: Uuid
    cluster_id: str
    log: RaftLog
    disk: Disk
    voters: VoterSet | None
    bootstrap: Sequence[tuple[str, int]]
    listener: str
    settings: RaftSettings
    is_controller: bool
    role: RaftRole = RaftRole.UNATTACHED
    kraft_version: int = 0
    high_watermark: int = -1
    epoch_start_offset: int = 0
    progress: dict[tuple[int, Uuid], Progress] = field(default_factory=dict)
    _listener: RaftListener = field(init=False)
    _state: ElectionState = field(default_factory=ElectionState)
    _leader_address: tuple[str, int] | None = None
    _flushed_offset: int = 0
    _flushing: bool = False
    _warned: str = field(default="", init=False)
    _recovery_point: int = field(default=0, init=False)
    """The value in its file."""
    adopted_offset: int = field(default=0, init=False)
    """The end offset of the snapshot that was loaded last; 0 without one. Records below it are not
    read from the log."""
    _recovery_point_due_ms: int = field(default=0, init=False)
    _bootstrap_at: int = 0
    _fetch_timer: Timer | None = None
    _voters_are_logged: bool = False

    # Public properties

    @property
    def epoch(self) -> int:
        """The current epoch."""
        return self._state.epoch

    @property
    def leader_id(self) -> int:
        """The leader of the epoch, or -1."""
        return self._state.leader_id

    @property
    def is_leader(self) -> bool:
        """True if this node is the leader."""
        return self.role is RaftRole.LEADER

    @property
    def leader_address(self) -> tuple[str, int] | None:
        """Host and port of the leader's controller listener, or None if unknown."""
        return self._leader_address

    @property
    def end_offset(self) -> int:
        """The end of the local log."""
        return self.log.end_offset

    # Starting

    def start(self, listener: RaftListener) -> None:
        """Read the state file and the voters; the only voter of a quorum becomes leader at once."""
        self._listener = listener
        self._state = read_election_state(self.disk, METADATA_FOLDER)
        if self.log.last_epoch > self._state.epoch:
            self._state = ElectionState(self.log.last_epoch)
        self._load_voters()
        self._flushed_offset = self.log.log.recovery_point
        self._recovery_point = read_recovery_point(self.disk)
        if self._is_only_voter():
            self._become_leader()
        else:
            self._become_unattached()

    def _load_voters(self) -> None:
        """Load the voters of a dynamic quorum, which are not in the configuration.

        They are in the snapshot that was adopted, or else the initial one at offset 0, and in
        control records after it.
        """
        if self.voters is not None and self.kraft_version == 0:
            return
        if self.voters is None:
            first = SnapshotId(0, 0)
            snapshot = read_snapshot(self.disk, f"{METADATA_FOLDER}/{first.file_name}")
            if snapshot is not None:
                self.adopt(first, snapshot)
        start_offset = max(self.log.log.log_start_offset, self.adopted_offset)
        for batch in self.log.batches(start_offset, self.log.end_offset, control_only=True):
            self.learn_control(batch.control)

    def adopt(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Use the voters of a snapshot; control records before it no longer count."""
        self.adopted_offset = snapshot_id.end_offset
        if snapshot.voters is not None:
            self.voters, self.kraft_version = snapshot.voters, snapshot.kraft_version
            self._voters_are_logged = snapshot_id.end_offset > 0

    def learn_control(self, control: list[tuple[int, bytes]]) -> None:
        """Use the voters and the kraft.version of control records."""
        for kind, value in control:
            if kind == ControlType.KRAFT_VOTERS:
                self.voters = VoterSet.from_record(value)
                self._voters_are_logged = True
            elif kind == ControlType.KRAFT_VERSION:
                self.kraft_version = int.from_bytes(value[2:4], "big")

    def _is_only_voter(self) -> bool:
        return (
            self.is_controller
            and self.voters is not None
            and len(self.voters) == 1
            and self.voters.includes(self.node_id, self.directory_id)
        )

    def _become_leader(self) -> None:
        assert self.voters is not None
        epoch = self._state.epoch + 1
        self._persist(ElectionState(epoch, self.node_id))
        self._take(RaftRole.LEADER)
        voter = self.voters.voters[self.node_id]
        self._leader_address = voter.address(self.listener)
        self.epoch_start_offset = self.log.end_offset
        self.log.log.assign_epoch_start_offset(epoch, self.epoch_start_offset)
        _log.info(
            "[raft %d] is leader in epoch %d from offset %d",
            self.node_id, epoch, self.epoch_start_offset,
        )  # fmt: skip
        now = self.env.clock.now
        members = [LeaderChangeVoter(voter_id=voter_id) for voter_id in self.voters.ids]
        message = LeaderChangeMessage(
            leader_id=self.node_id,
            voters=members,
            granting_voters=[LeaderChangeVoter(voter_id=self.node_id)],
        )
        records = [
            control_record(ControlType.LEADER_CHANGE, encode_message(message, 0), now.wall_ms)
        ]
        if self.kraft_version > 0 and not self._voters_are_logged:
            records.append(kraft_version_record(self.kraft_version, now.wall_ms))
            records.append(
                control_record(ControlType.KRAFT_VOTERS, self.voters.to_record(), now.wall_ms)
            )
            self._voters_are_logged = True
        self.log.append_control(records, epoch=epoch, now=now)
        self._appended()
        self._listener.on_leader(epoch)

    def _take(self, role: RaftRole) -> None:
        RAFT_ROLES.require(self.role, role, self.node_id)
        self.role = role

    def _become_unattached(self) -> None:
        self._take(RaftRole.UNATTACHED)
        self._leader_address = None
        self._fetch()

    def _persist(self, state: ElectionState) -> None:
        # Only controllers keep the file: a voter must not forget its epoch. An observer learns the
        # epoch again after a restart.
        if self.is_controller:
            write_election_state(
                self.disk,
                METADATA_FOLDER,
                state,
                kraft_version=self.kraft_version,
                voters=[] if self.voters is None else self.voters.ids,
            )
        self._state = state

    # Leading

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
        self._flush()

    def _flush(self) -> None:
        if self._flushing:
            return
        request = self.log.log.take_flush(everything=True)
        if request is None:
            return
        self._flushing = True
        self.env.flush((request,), lambda fault: self._flush_done(request, fault))

    def _flush_done(self, request: FlushRequest, fault: StorageFault | None) -> None:
        self._flushing = False
        if fault is not None:
            raise fault
        self.log.log.flushed(request)
        self._flushed_offset = request.up_to
        self._advance_high_watermark()
        if self.env.clock.monotonic_ms >= self._recovery_point_due_ms:
            self._save_recovery_point()
        if self._flushed_offset < self.log.end_offset:
            self._flush()

    def flush_with(self, target: SyncTarget, on_done: FlushCallback) -> None:
        """Flush committed records, then `target`, outside of this step and in this order."""
        # The leader has flushed all committed records, and tracks its flushes itself.
        request = None if self.is_leader else self.log.log.take_flush(everything=True)

        def done(fault: StorageFault | None) -> None:
            if fault is None and request is not None:
                self.log.log.flushed(request)
            on_done(fault)
            self._save_recovery_point()

        self.env.flush((target,) if request is None else (request, target), done)

    def _save_recovery_point(self, *, sync: bool = False) -> None:
        """Save the offset below which all is durable and committed. No truncation goes below it."""
        self._recovery_point_due_ms = self.env.clock.monotonic_ms + _RECOVERY_POINT_INTERVAL_MS
        reached = min(self.log.log.recovery_point, self.high_watermark)
        if reached > self._recovery_point:
            write_recovery_point(self.disk, reached, sync=sync)
            # Durable with the next flush, so that a power failure loses only the latest changes.
            self.log.log.flushes.wrote(RECOVERY_POINT, METADATA_FOLDER)
            self._recovery_point = reached

    def close(self) -> None:
        """Flush and close the metadata log.

        Raises:
            StorageFault: the disk reports an error; the log may not be durable.
        """
        self.log.log.close()
        self._save_recovery_point(sync=True)

    def _advance_high_watermark(self) -> None:
        if not self.is_leader:
            return
        assert self.voters is not None
        ends = [
            self._flushed_offset if voter_id == self.node_id else self._voter_end(voter_id)
            for voter_id in self.voters.ids
        ]
        reached = next_quorum_high_watermark(
            ends, epoch_start_offset=self.epoch_start_offset, current=self.high_watermark
        )
        self._committed(reached)

    def _voter_end(self, voter_id: int) -> int:
        assert self.voters is not None
        known = self.voters.voters[voter_id].directory_id
        for (node_id, directory_id), progress in self.progress.items():
            if node_id == voter_id and known in (None, directory_id):
                return progress.log_end_offset
        return -1

    def _committed(self, offset: int) -> None:
        offset = min(offset, self.log.end_offset)
        if offset <= self.high_watermark:
            return
        self.high_watermark = offset
        self.log.log.update_high_watermark(offset)
        self._listener.on_commit()
        self.env.notify(RaftEvent.COMMITTED)

    def fetched(self, node_id: int, directory_id: Uuid, fetch_offset: int) -> None:
        """Note that a voter or observer has everything below `fetch_offset`."""
        now_ms = self.env.clock.wall_ms
        key = (node_id, directory_id)
        progress = self.progress.get(key)
        if progress is None:
            progress = self.progress[key] = Progress(node_id, directory_id)
        progress.log_end_offset = fetch_offset
        progress.last_fetch_ms = now_ms
        if fetch_offset >= self.log.end_offset:
            progress.last_caught_up_ms = now_ms
        self._advance_high_watermark()

    # Following

    def _fetch(self) -> None:
        """Fetch the next records from the leader, or ask a bootstrap server if it is unknown."""
        if self.is_leader:
            return
        address = self._leader_address or self._next_bootstrap()
        request = fetch_messages.FetchRequest(
            cluster_id=self.cluster_id,
            replica_state=fetch_messages.ReplicaState(replica_id=self.node_id, replica_epoch=-1),
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=0,
            max_bytes=self.settings.fetch_max_bytes,
            session_id=0,
            session_epoch=-1,
            topics=[
                fetch_messages.FetchTopic(
                    topic_id=METADATA_TOPIC_ID,
                    partitions=[
                        fetch_messages.FetchPartition(
                            partition=0,
                            current_leader_epoch=self.epoch,
                            fetch_offset=self.log.end_offset,
                            last_fetched_epoch=self.log.last_epoch,
                            log_start_offset=-1,
                            partition_max_bytes=0,
                            replica_directory_id=self.directory_id,
                            high_watermark=self.high_watermark,
                        )
                    ],
                )
            ],
        )
        self.calls.send(
            Channel(address[0], address[1], "raft"),
            request,
            _FETCH_VERSION,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=self._fetch_answered,
            client_id=f"raft-client-{self.node_id}",
        )

    def _next_bootstrap(self) -> tuple[str, int]:
        known = list(self.bootstrap)
        if self.voters is not None:
            addresses = [v.address(self.listener) for v in self.voters.voters.values()]
            known.extend(a for a in addresses if a is not None and a not in known)
        if not known:
            raise InvariantViolation("no controller is known")
        self._bootstrap_at += 1
        return known[self._bootstrap_at % len(known)]

    def _fetch_answered(self, response: Any | None, why: str) -> None:
        if response is None:
            _log.debug("[raft %d] fetch failed: %s", self.node_id, why)
            self._lose_leader()
            return
        if response.error_code or not response.responses:
            refused = str(error_of(response.error_code)) if response.error_code else "no partition"
            self._warn_once(f"fetch refused: {refused}")
            self._lose_leader()
            return
        answer = response.responses[0].partitions[0]
        if not self._learn_leader(response, answer):
            self._again()
            return
        if answer.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH:
            self._warn_once(
                f"the controller is in an epoch before {self.epoch}, the epoch of this node, whose "
                f"metadata log ends at offset {self.log.end_offset}: metadata cannot be fetched. "
                "If an older copy of the controller's metadata was restored, stop it and replace "
                f"its copy by that of this node, or {REMEDY}"
            )
        if answer.error_code:
            self._again()
            return
        if answer.snapshot_id is not None and answer.snapshot_id.epoch >= 0:
            self._fetch_snapshot(
                SnapshotId(answer.snapshot_id.end_offset, answer.snapshot_id.epoch)
            )
            return
        if answer.diverging_epoch is not None and answer.diverging_epoch.epoch >= 0:
            self._truncate(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset)
        elif answer.records and not self._append_fetched(answer.records):
            return
        if answer.high_watermark >= 0:
            self._committed(answer.high_watermark)
        # Deferred, so that a node that always finds new records still does its other work.
        self.env.after(0, self._fetch)

    def _append_fetched(self, records: memoryview) -> bool:
        """Append records from the leader; False if they are damaged and are fetched again."""
        try:
            self.log.append_fetched(records, epoch=self.epoch, now=self.env.clock.now)
        except CorruptRecordsError as error:
            self._warn_once(
                f"the leader {self.leader_id} sent damaged batches of the metadata log from offset "
                f"{self.log.end_offset}, fetching them again: {error}"
            )
            self._again()
            return False
        self._warned = ""
        self.env.notify(RaftEvent.LOG_CHANGED)
        return True

    def _warn_once(self, what: str) -> None:
        """Log a warning once, even if the request is repeated with the same result."""
        if what != self._warned:
            self._warned = what
            _log.warning("[raft %d] %s", self.node_id, what)

    def _lose_leader(self) -> None:
        """Search for the leader: the known one did not respond or says that it is not leader."""
        self._leader_address = None
        self._take(RaftRole.UNATTACHED)
        self._again()

    def _again(self) -> None:
        self.env.after(self.settings.retry_backoff_ms, self._fetch)

    def _learn_leader(self, response: Any, answer: Any) -> bool:
        """Follow the leader that the response names; False if it names no usable one."""
        named = answer.current_leader
        leader_id = named.leader_id if named is not None else NO_NODE
        epoch = named.leader_epoch if named is not None else -1
        if epoch < self.epoch and answer.error_code == 0:
            # A response without error comes from the leader of the requested epoch.
            return self._leader_address is not None or self._leader_by_voters()
        if epoch > self.epoch or (epoch == self.epoch and self.leader_id == NO_NODE):
            self._persist(ElectionState(epoch, leader_id))
        for endpoint in response.node_endpoints or ():
            if endpoint.node_id == leader_id:
                self._follow((endpoint.host, endpoint.port))
                return True
        if leader_id != NO_NODE and self.voters is not None and leader_id in self.voters.voters:
            address = self.voters.voters[leader_id].address(self.listener)
            if address is not None:
                self._follow(address)
                return True
        if answer.error_code == 0:
            return True
        self._leader_address = None
        return False

    def _leader_by_voters(self) -> bool:
        voter = None if self.voters is None else self.voters.voters.get(self.leader_id)
        address = None if voter is None else voter.address(self.listener)
        if address is not None:
            self._follow(address)
        return True

    def _follow(self, address: tuple[str, int]) -> None:
        if self.role is not RaftRole.OBSERVER or self._leader_address != address:
            _log.info(
                "[raft %d] follows %d at %s:%d in epoch %d",
                self.node_id,
                self.leader_id,
                *address,
                self.epoch,
            )
        self._take(RaftRole.OBSERVER)
        self._leader_address = address

    def _truncate(self, epoch: int, end_offset: int) -> None:
        local = self.log.log.end_offset_for_epoch(epoch)
        target = min(end_offset, self.log.end_offset)
        if local.epoch >= 0:
            target = min(target, local.end_offset)
        if target < self._committed_offset:
            raise self._leader_is_older(end_offset)
        _log.info("[raft %d] truncates the metadata log to offset %d", self.node_id, target)
        self.log.truncate_to(target, self.env.clock.now)
        learn_last_epoch(self.disk, self.log.log)

    @property
    def _committed_offset(self) -> int:
        """The offset below which, as this node knows, everything was committed."""
        return max(self.high_watermark, self._recovery_point, self.adopted_offset)

    def _leader_is_older(self, offset: int) -> StorageFault:
        """The fault for a leader that lacks committed metadata, which a quorum never loses.

        Unlike Kafka, where a restarted node does not know which records were committed, and
        truncates them.
        """
        return damaged(
            self.disk,
            f"the metadata log of controller {self.leader_id} differs from {METADATA_FOLDER} here "
            f"from offset {offset}, but everything below offset {self._committed_offset} had been "
            "committed. If an older copy of the controller's metadata was restored: to lose "
            "nothing, stop it and replace its copy by the one here",
        )

    def _fetch_snapshot(self, snapshot_id: SnapshotId) -> None:
        assert self._leader_address is not None
        if snapshot_id.end_offset < self._committed_offset:
            raise self._leader_is_older(snapshot_id.end_offset)
        SnapshotFetch(
            self.env,
            self.calls,
            Channel(*self._leader_address, "raft"),
            self.node_id,
            self.cluster_id,
            self.epoch,
            self.disk,
            snapshot_id,
            self.settings,
            self._snapshot_fetched,
        ).start()

    def _snapshot_fetched(self, snapshot_id: SnapshotId, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self._lose_leader()
            return
        log = self.log.log
        start_after(log, snapshot_id, self.env.clock.now)
        self.high_watermark = snapshot_id.end_offset
        log.update_high_watermark(snapshot_id.end_offset)
        self.adopt(snapshot_id, snapshot)
        self._listener.on_snapshot(snapshot_id, snapshot)
        self._fetch()
