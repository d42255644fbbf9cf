"""The part of a node that follows: it fetches the metadata log, or a snapshot, from the leader.

Source: `KafkaRaftClient.handleFetchResponse`, `KafkaRaftClient.handleFetchSnapshotResponse`,
KIP-595, KIP-630.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NewType, Protocol

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.events import REFUSED
from minikafka.common.faults import StorageFault
from minikafka.common.ids import METADATA_TOPIC_ID
from minikafka.log.directories.log_directory import METADATA_FOLDER
from minikafka.log.disk import Disk
from minikafka.messages.fetch import (
    EpochEndOffset,
    FetchPartition,
    FetchRequest,
    FetchResponse,
    FetchTopic,
    PartitionData,
    ReplicaState,
)
from minikafka.raft.flusher import DurableEnd, OnDurable
from minikafka.raft.metadata_storage import REMEDY, damaged
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.roles import Follower, Unattached
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
_NOT_COUNTED = -1
ObserverEnd = NewType("ObserverEnd", int)
"""The end of the log of a node that is no controller, flushed or not: it counts for nothing."""


class FollowerListener(Protocol):
    """Receives the events of the fetcher, and knows the committed log."""

    def learn(self, epoch: int, leader_id: int, address: tuple[str, int] | None) -> bool:
        """Follow the epoch and the leader of a response; see `QuorumElections.learn`."""

    @property
    def high_watermark(self) -> int:
        """The offset below which everything is committed; -1 while unknown."""

    @property
    def committed_offset(self) -> int:
        """The offset below which, as this node knows, everything was committed."""

    def on_fetched(self) -> None:
        """Wait for the next fetch: one was successful."""

    def on_leader_stopped(self) -> None:
        """Elect another leader soon: the address of the leader refuses connections."""

    def on_appended(self) -> None:
        """Continue after records of the leader were appended."""

    def on_voters(self) -> None:
        """Use the latest voters of `QuorumState`."""

    def when_durable(self, callback: OnDurable) -> None:
        """Call back when everything in the log is on the disk."""

    def on_high_watermark(self, offset: int) -> None:
        """Commit what is below the leader's high watermark."""

    def on_fetched_snapshot(self, snapshot_id: SnapshotId, snapshot: Snapshot) -> None:
        """Load the snapshot that is to replace the log; its file is durable."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class MetadataFetcher:
    """One fetch after the other, to the leader or, if it is unknown or silent, to another node.

    `bootstrap` are addresses to ask for the leader. A controller fetches on when everything that it
    has appended is on its disk: if it is a voter, or is made one before it knows, the offset of a
    fetch counts for the high watermark.
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
    _round: int = field(default=0, init=False)
    """Counts roles, epochs and leaders: what was asked in an earlier one is not used."""
    _download: SnapshotFetch | None = field(default=None, init=False)
    _durable: DurableEnd = field(init=False)
    """The end of the log when it was flushed before the latest fetch."""
    _is_silent: bool = field(default=False, init=False)
    """True if the leader did not answer as one: another node may know a newer leader."""

    def restart(self) -> None:
        """Fetch in the new role: from the leader, or to find it."""
        self._round += 1
        self.quorum.forgotten.search()
        if self._download is not None:
            self._download.cancel()
            self._download = None
        self._is_silent = False
        if not isinstance(self.quorum.state, Follower | Unattached) or self.quorum.is_only_voter:
            return
        round_ = self._round
        if self.quorum.is_controller:
            # The process before may not have flushed what is in the log.
            self.listener.when_durable(lambda end: self._reached(end, round_))
        else:
            self._fetch()

    def _reached(self, end: DurableEnd, round_: int) -> None:
        """Fetch on from the offset that this controller reports."""
        if round_ == self._round:
            self._durable = end
            self._after(0, round_)

    @property
    def _reported_end(self) -> DurableEnd | ObserverEnd:
        """The offset of the next fetch, which counts for the high watermark if it is a voter's."""
        if self.quorum.is_controller:
            return self._durable
        return ObserverEnd(self.log.end_offset)

    def _fetch(self) -> None:
        state, round_ = self.quorum.state, self._round
        known = isinstance(state, Follower) and not self._is_silent
        address = self.quorum.leader_address if known else self._next_bootstrap()
        if address is None:
            self._again()
            return
        partition = FetchPartition(
            partition=0,
            current_leader_epoch=self.quorum.epoch,
            fetch_offset=self._reported_end,
            last_fetched_epoch=self.log.last_epoch,
            log_start_offset=-1,
            partition_max_bytes=0,
            replica_directory_id=self.quorum.directory_id,
            high_watermark=self.listener.high_watermark,
        )
        request = FetchRequest(
            cluster_id=self.cluster_id,
            replica_state=ReplicaState(replica_id=self._replica_id, replica_epoch=-1),
            max_wait_ms=_FETCH_WAIT_MS,
            min_bytes=0,
            max_bytes=self.settings.fetch_max_bytes,
            session_id=0,
            session_epoch=-1,
            topics=[FetchTopic(topic_id=METADATA_TOPIC_ID, partitions=[partition])],
        )
        self.calls.send(
            Channel(address[0], address[1], "raft", is_to_controller=True),
            request,
            _FETCH_VERSION,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=lambda response, why: self._answered(round_, address, response, why),
            client_id=f"raft-client-{self.quorum.node_id}",
        )

    @property
    def _replica_id(self) -> int:
        """The id with which the leader counts this node; a voter that has forgotten does not count.

        Kafka's consumers have this id, too.
        """
        forgotten = self.quorum.forgotten
        may_count = not (forgotten.is_set or forgotten.is_unsure)
        return self.quorum.node_id if may_count else _NOT_COUNTED

    def _next_bootstrap(self) -> tuple[str, int] | None:
        known = self._known()
        if not known:
            return None
        self._bootstrap_at += 1
        return known[self._bootstrap_at % len(known)]

    def _known(self) -> list[tuple[str, int]]:
        """The addresses of other controllers, without doubles."""
        known = list(self.bootstrap)
        for voter_id in self.quorum.other_voters:
            address = self.quorum.voter_address(voter_id)
            if address is not None and address not in known:
                known.append(address)
        return known

    def _answered(
        self, round_: int, asked: tuple[str, int], response: FetchResponse | None, why: str
    ) -> None:
        if round_ != self._round:
            return
        if response is None:
            _log.debug("[raft %d] fetch failed: %s", self.quorum.node_id, why)
            if why == REFUSED and asked == self.quorum.leader_address:
                self.listener.on_leader_stopped()
            self._search()
            return
        if response.error_code or not response.responses or not response.responses[0].partitions:
            refused = str(error_of(response.error_code)) if response.error_code else "no partition"
            self._warn_once(f"fetch refused: {refused}")
            self._search()
            return
        answer = response.responses[0].partitions[0]
        self._learn_leader(response, answer)
        if round_ != self._round:
            return
        if answer.error_code == ErrorCode.UNKNOWN_LEADER_EPOCH and len(self._known()) == 1:
            # Of several controllers, another one knows this epoch, or a newer one follows.
            self._warn_once(
                f"the controller is in an epoch before {self.quorum.epoch}, the epoch of this "
                f"node, whose metadata log ends at offset {self.log.end_offset}: metadata cannot "
                "be fetched. If an older copy of the controller's metadata was restored, stop it "
                f"and replace its copy by that of this node, or {REMEDY}"
            )
        state = self.quorum.state
        if answer.error_code or not isinstance(state, Follower):
            self._is_silent = not self._is_silent
            self._again()
            return
        state.has_fetched = True
        self._is_silent = False
        self.listener.on_fetched()
        self._take(answer)

    def _learn_leader(self, response: FetchResponse, answer: PartitionData) -> None:
        named = answer.current_leader
        if named is None:
            return
        address = next(
            (
                (each.host, each.port)
                for each in response.node_endpoints or ()
                if each.node_id == named.leader_id
            ),
            None,
        )
        self.listener.learn(named.leader_epoch, named.leader_id, address)

    def _take(self, answer: PartitionData) -> None:
        """Do what the leader says: load a snapshot, truncate, or append and commit."""
        if answer.snapshot_id is not None and answer.snapshot_id.epoch >= 0:
            self._fetch_snapshot(
                SnapshotId(answer.snapshot_id.end_offset, answer.snapshot_id.epoch)
            )
            return
        high_watermark = answer.high_watermark
        diverging = _diverging_epoch(answer)
        if diverging is not None:
            self._truncate(diverging.epoch, diverging.end_offset)
            # What is left may diverge, too, and be below the high watermark of the leader.
            high_watermark = -1
        elif answer.records and not self._append(answer.records):
            return
        if high_watermark >= 0:
            self.listener.on_high_watermark(high_watermark)
        round_ = self._round
        if not self.quorum.is_controller:
            self._after(0, round_)
            return
        has_all = not answer.records and diverging is None

        def durable(end: DurableEnd) -> None:
            if round_ != self._round:
                return
            if self.quorum.fetched(
                has_all=has_all, high_watermark=high_watermark, end_offset=self.log.end_offset
            ):
                # From now on it may stand for election, if this was the last fetch.
                self.listener.on_fetched()
            self._reached(end, round_)

        self.listener.when_durable(durable)

    def _append(self, records: Any) -> bool:
        """Append records from the leader; False if they are damaged and are fetched again."""
        try:
            control = self.log.append_fetched(
                records, epoch=self.quorum.epoch, now=self.env.clock.now
            )
        except CorruptRecordsError as error:
            self._warn_once(
                f"the leader {self.quorum.leader_id} sent damaged batches of the metadata log from "
                f"offset {self.log.end_offset}, fetching them again: {error}"
            )
            self._after(_FETCH_WAIT_MS, self._round)
            return False
        self.quorum.forgotten.appended()
        changes = [self.quorum.history.append(*batch) for batch in control]
        if any(changes):
            self.listener.on_voters()
        self._warned = ""
        self.listener.on_appended()
        return True

    def _warn_once(self, what: str) -> None:
        """Log a warning once, even if the request is repeated with the same result."""
        if what != self._warned:
            self._warned = what
            _log.warning("[raft %d] %s", self.quorum.node_id, what)

    def _search(self) -> None:
        """Ask another node for the leader: this one did not respond, or refused."""
        self._is_silent = True
        self._again()

    def _again(self) -> None:
        self._after(self.settings.retry_backoff_ms, self._round)

    def _after(self, delay_ms: int, round_: int) -> None:
        """Fetch in a later step, so that a node that always finds records does its other work."""
        self.env.after(delay_ms, lambda: self._fetch() if round_ == self._round else None)

    def _truncate(self, epoch: int, end_offset: int) -> None:
        local = self.log.end_offset_for_epoch(epoch)
        target = min(end_offset, self.log.end_offset)
        if local.epoch >= 0:
            target = min(target, local.end_offset)
        if target < self.listener.committed_offset:
            raise self._leader_is_older(target)
        _log.info("[raft %d] truncates the metadata log to offset %d", self.quorum.node_id, target)
        self.log.truncate_to(target, self.env.clock.now)
        if self.quorum.history.truncate(target):
            self.listener.on_voters()

    def _leader_is_older(self, offset: int) -> StorageFault:
        """The fault for a leader that lacks committed metadata, which a quorum never loses.

        Unlike Kafka (row Q1), where a restarted node does not know which records were committed,
        and truncates them.
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
        if (snapshot_id.epoch, snapshot_id.end_offset) <= (
            self.log.last_epoch,
            self.log.end_offset,
        ):
            self._warn_once(
                f"the leader offers snapshot {snapshot_id.file_name}, but the metadata log here "
                f"ends at offset {self.log.end_offset} of epoch {self.log.last_epoch}: not loaded"
            )
            self._after(_FETCH_WAIT_MS, self._round)
            return
        self._download = SnapshotFetch(
            self.env,
            self.calls,
            Channel(*address, "raft", is_to_controller=True),
            self.quorum.node_id,
            self.quorum.directory_id,
            self.cluster_id,
            self.quorum.epoch,
            self.disk,
            snapshot_id,
            self.settings,
            self.listener.on_fetched,
            self._snapshot_fetched,
        )
        self._download.start()

    def _snapshot_fetched(self, snapshot_id: SnapshotId, snapshot: Snapshot | None) -> None:
        self._download = None
        if snapshot is None:
            self._search()
            return
        self.log.start_after(snapshot_id, self.env.clock.now)
        self.quorum.forgotten.appended()
        self.quorum.adopt(snapshot_id, snapshot)
        self.listener.on_voters()
        self.listener.on_fetched_snapshot(snapshot_id, snapshot)
        round_ = self._round
        if self.quorum.is_controller:
            self.listener.when_durable(lambda end: self._reached(end, round_))
        else:
            self._after(0, round_)


def _diverging_epoch(answer: PartitionData) -> EpochEndOffset | None:
    """The last epoch of the leader up to that of the fetch, if the two logs diverge."""
    found = answer.diverging_epoch
    return None if found is None or found.epoch < 0 else found
