"""The part of a node that follows: it fetches the metadata log, or a snapshot, from the leader.

Source: `KafkaRaftClient.handleFetchResponse`, `KafkaRaftClient.handleFetchSnapshotResponse`,
KIP-595, KIP-630.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.faults import InvariantViolation, StorageFault
from minikafka.common.ids import METADATA_TOPIC_ID
from minikafka.log.disk import Disk
from minikafka.log.log_directory import METADATA_FOLDER
from minikafka.messages.fetch import (
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
    ReplicaState,
)
from minikafka.raft.election_state import NO_NODE
from minikafka.raft.metadata_storage import REMEDY, damaged
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshot_fetch import SnapshotFetch
from minikafka.raft.snapshots import Snapshot, SnapshotId
from minikafka.records.errors import CorruptRecordsError
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")
# KIP-1166: the fetch has the follower's high watermark, so that a leader responds at once if it
# moved between two fetches. Before version 18 that waited for the next record or time-out.
_FETCH_VERSION = 18
_FETCH_WAIT_MS = 500


class FollowerListener(Protocol):
    """What the fetcher reports, and what it has to know of the committed log."""

    @property
    def high_watermark(self) -> int:
        """The offset below which everything is committed; -1 while unknown."""

    @property
    def committed_offset(self) -> int:
        """The offset below which, as this node knows, everything was committed."""

    def on_fetched(self) -> None:
        """Continue after records of the leader were appended."""

    def on_high_watermark(self, offset: int) -> None:
        """Commit what is below the leader's high watermark."""

    def on_fetched_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load the snapshot that is to replace the log; its file is durable."""


@dataclass(slots=True, kw_only=True)
class MetadataFetcher:
    """One fetch after the other, to the leader or, while it is unknown, to a bootstrap server.

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
    listener: FollowerListener
    _warned: str = field(default="", init=False)
    _bootstrap_at: int = field(default=0, init=False)

    def fetch(self) -> None:
        """Fetch the next records, unless this node leads."""
        if self.quorum.is_leader:
            return
        address = self.quorum.leader_address or self._next_bootstrap()
        partition = FetchPartition(
            partition=0,
            current_leader_epoch=self.quorum.epoch,
            fetch_offset=self.log.end_offset,
            last_fetched_epoch=self.log.last_epoch,
            log_start_offset=-1,
            partition_max_bytes=0,
            replica_directory_id=self.quorum.directory_id,
            high_watermark=self.listener.high_watermark,
        )
        request = FetchRequest(
            cluster_id=self.cluster_id,
            replica_state=ReplicaState(replica_id=self.quorum.node_id, replica_epoch=-1),
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=0,
            max_bytes=self.settings.fetch_max_bytes,
            session_id=0,
            session_epoch=-1,
            topics=[FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])],
        )
        self.calls.send(
            Channel(address[0], address[1], "raft"),
            request,
            _FETCH_VERSION,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=self._answered,
            client_id=f"raft-client-{self.quorum.node_id}",
        )

    def _next_bootstrap(self) -> tuple[str, int]:
        known = list(self.bootstrap)
        voters = self.quorum.voters
        if voters is not None:
            addresses = [v.address(self.quorum.listener) for v in voters.voters.values()]
            known.extend(a for a in addresses if a is not None and a not in known)
        if not known:
            raise InvariantViolation("no controller is known")
        self._bootstrap_at += 1
        return known[self._bootstrap_at % len(known)]

    def _answered(self, response: FetchResponse | None, why: str) -> None:
        if response is None:
            _log.debug("[raft %d] fetch failed: %s", self.quorum.node_id, why)
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
                f"the controller is in an epoch before {self.quorum.epoch}, the epoch of this "
                f"node, whose metadata log ends at offset {self.log.end_offset}: metadata cannot "
                "be fetched. If an older copy of the controller's metadata was restored, stop it "
                f"and replace its copy by that of this node, or {REMEDY}"
            )
        if answer.error_code:
            self._again()
            return
        self._take(answer)

    def _take(self, answer: PartitionData) -> None:
        """Do what the leader says: load a snapshot, truncate, append or commit."""
        if answer.snapshot_id is not None and answer.snapshot_id.epoch >= 0:
            self._fetch_snapshot(
                SnapshotId(answer.snapshot_id.end_offset, answer.snapshot_id.epoch)
            )
            return
        if answer.diverging_epoch is not None and answer.diverging_epoch.epoch >= 0:
            self._truncate(answer.diverging_epoch.epoch, answer.diverging_epoch.end_offset)
        elif answer.records and not self._append(answer.records):
            return
        if answer.high_watermark >= 0:
            self.listener.on_high_watermark(answer.high_watermark)
        # Deferred, so that a node that always finds new records still does its other work.
        self.env.after(0, self.fetch)

    def _append(self, records: Any) -> bool:
        """Append records from the leader; False if they are damaged and are fetched again."""
        try:
            self.log.append_fetched(records, epoch=self.quorum.epoch, now=self.env.clock.now)
        except CorruptRecordsError as error:
            self._warn_once(
                f"the leader {self.quorum.leader_id} sent damaged batches of the metadata log from "
                f"offset {self.log.end_offset}, fetching them again: {error}"
            )
            self._again()
            return False
        self._warned = ""
        self.listener.on_fetched()
        return True

    def _warn_once(self, what: str) -> None:
        """Log a warning once, even if the request is repeated with the same result."""
        if what != self._warned:
            self._warned = what
            _log.warning("[raft %d] %s", self.quorum.node_id, what)

    def _lose_leader(self) -> None:
        """Search for the leader: the known one did not respond or says that it is not leader."""
        self.quorum.become_unattached()
        self._again()

    def _again(self) -> None:
        self.env.after(self.settings.retry_backoff_ms, self.fetch)

    def _learn_leader(self, response: FetchResponse, answer: PartitionData) -> bool:
        """Follow the leader that the response names; False if it names no usable one."""
        quorum, named = self.quorum, answer.current_leader
        leader_id = named.leader_id if named is not None else NO_NODE
        epoch = named.leader_epoch if named is not None else -1
        if epoch < quorum.epoch and answer.error_code == 0:
            # A response without error comes from the leader of the requested epoch.
            if quorum.leader_address is None:
                self._follow(quorum.voter_address(quorum.leader_id))
            return True
        if epoch > quorum.epoch or (epoch == quorum.epoch and quorum.leader_id == NO_NODE):
            quorum.learn_epoch(epoch, leader_id)
        for endpoint in response.node_endpoints or ():
            if endpoint.node_id == leader_id:
                return self._follow((endpoint.host, endpoint.port))
        if self._follow(quorum.voter_address(leader_id)) or answer.error_code == 0:
            return True
        quorum.leader_address = None
        return False

    def _follow(self, address: tuple[str, int] | None) -> bool:
        """Follow the leader at this address; False if it is not known."""
        if address is not None:
            self.quorum.become_observer(address)
        return address is not None

    def _truncate(self, epoch: int, end_offset: int) -> None:
        local = self.log.end_offset_for_epoch(epoch)
        target = min(end_offset, self.log.end_offset)
        if local.epoch >= 0:
            target = min(target, local.end_offset)
        if target < self.listener.committed_offset:
            raise self._leader_is_older(end_offset)
        _log.info("[raft %d] truncates the metadata log to offset %d", self.quorum.node_id, target)
        self.log.truncate_to(target, self.env.clock.now)

    def _leader_is_older(self, offset: int) -> StorageFault:
        """The fault for a leader that lacks committed metadata, which a quorum never loses.

        Unlike Kafka, where a restarted node does not know which records were committed, and
        truncates them.
        """
        return damaged(
            self.disk,
            f"the metadata log of controller {self.quorum.leader_id} differs from "
            f"{METADATA_FOLDER} here from offset {offset}, but everything below offset "
            f"{self.listener.committed_offset} had been committed. If an older copy of the "
            "controller's metadata was restored: to lose nothing, stop it and replace its copy by "
            "the one here",
        )

    def _fetch_snapshot(self, snapshot_id: SnapshotId) -> None:
        address = self.quorum.leader_address
        assert address is not None
        if snapshot_id.end_offset < self.listener.committed_offset:
            raise self._leader_is_older(snapshot_id.end_offset)
        SnapshotFetch(
            self.env,
            self.calls,
            Channel(*address, "raft"),
            self.quorum.node_id,
            self.cluster_id,
            self.quorum.epoch,
            self.disk,
            snapshot_id,
            self.settings,
            self._snapshot_fetched,
        ).start()

    def _snapshot_fetched(self, snapshot_id: SnapshotId, snapshot: Snapshot | None) -> None:
        if snapshot is None:
            self._lose_leader()
            return
        self.log.start_after(snapshot_id, self.env.clock.now)
        self.quorum.adopt(snapshot_id, snapshot)
        self.listener.on_fetched_snapshot(snapshot_id, snapshot)
        self.fetch()
