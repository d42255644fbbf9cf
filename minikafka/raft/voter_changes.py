"""Changes of the voters, decided by the leader: add, remove, update, and kraft.version 1.

A change is a KRAFT_VOTERS record. It holds from its append on, so two majorities overlap only if
each set of voters differs from the one before by one voter: a change waits for the commit of the
one before, and for a record of the leader's own epoch to be committed, since an older leader may
have begun one that this leader does not know.

Source: `AddVoterHandler`, `RemoveVoterHandler`, `UpdateVoterHandler`, `KRaftVersionUpgrade`;
KIP-853, KIP-1186.
"""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import (
    DuplicateVoterError,
    InvalidRequestError,
    InvalidUpdateVersionError,
    KafkaError,
    NotLeaderOrFollowerError,
    RequestTimedOutError,
    UnsupportedVersionError,
    VoterNotFoundError,
    error_of,
)
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.wait_key import WaitKey
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.metadata.broker_registration import Endpoint, FeatureRange
from minikafka.metadata.features import KRAFT_VERSION, SUPPORTED_FEATURES
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.settings import RaftSettings
from minikafka.raft.snapshots import kraft_version_record
from minikafka.raft.voter_set import RaftVoter, VoterSet
from minikafka.records.batch import ControlType
from minikafka.records.builder import NewRecord, control_record
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")
_API_VERSIONS_VERSION = 4
"""The first version with features whose lowest level is 0, as that of kraft.version."""
_CAUGHT_UP_WITHIN_MS = 3_600_000
DYNAMIC = 1
"""The kraft.version from which on the voters are in the log."""


class LeaderLog(Protocol):
    """The log of the leader, as far as changes of voters need it."""

    @property
    def high_watermark(self) -> int:
        """The offset below which everything is committed."""

    @property
    def epoch_start_offset(self) -> int:
        """The offset of the first record of the epoch that this node leads."""

    def append_control(self, records: list[NewRecord]) -> int:
        """Append a control batch, whose voters hold at once; the offset of its last record."""

    def on_removed(self) -> None:
        """Resign: the set of voters without this leader is committed."""


@dataclass(slots=True, eq=False, repr=False)
class VoterChange:
    """A change that was asked for. `offset` is that of its record, or -1 before the append.

    Those who wait for it are woken with `key`; it has failed if there is an `error`.
    """

    what: str
    waits_for_commit: bool = True
    offset: int = -1
    is_done: bool = False
    error: KafkaError | None = None
    key: WaitKey = field(default_factory=lambda: WaitKey("change of the voters"))


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class VoterChanges:
    """The change that is under way, at most one, and what the voters of a static quorum support."""

    env: Environment
    calls: Calls
    quorum: QuorumState
    settings: RaftSettings
    endpoints: tuple[Endpoint, ...]
    """The controller listeners of this node."""
    log: LeaderLog
    _pending: VoterChange | None = field(default=None, init=False)
    _described: dict[int, RaftVoter] = field(default_factory=dict, init=False)
    """Voters of a static quorum, as their UpdateRaftVoter requests to this leader say."""

    @property
    def own_voter(self) -> RaftVoter:
        """This node, as a voter."""
        quorum = self.quorum
        return RaftVoter(
            quorum.node_id,
            quorum.directory_id,
            without_protocols(self.endpoints),
            SUPPORTED_FEATURES[KRAFT_VERSION],
        )

    # Requests

    def add(self, voter: RaftVoter, *, waits_for_commit: bool) -> VoterChange:
        """Ask the node which kraft.version it supports, then append a set with it.

        Raises:
            KafkaError: NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, UNSUPPORTED_VERSION,
                DUPLICATE_VOTER, INVALID_REQUEST.
        """
        address = voter.address(self.quorum.listener)
        if voter.directory_id in (None, ZERO_UUID) or address is None:
            raise InvalidRequestError(
                f"a voter needs a directory id and an endpoint of the listener "
                f"{self.quorum.listener}"
            )
        voters = self._check("add")
        if voter.node_id in voters.voters:
            raise DuplicateVoterError(f"{voter.node_id} is one of the voters {voters.ids}")
        change = self._begin(f"adds voter {voter.node_id}", waits_for_commit=waits_for_commit)
        channel = Channel(*address, "raft-voters", is_to_controller=True)

        def done(response: Any | None, why: str) -> None:
            if response is not None:
                # A client may name any address: the connections would use up the node's files.
                self.calls.close(channel)
            self._described_itself(change, voter, response, why)

        self.calls.send(
            channel,
            ApiVersionsRequest("minikafka", "1.0"),
            _API_VERSIONS_VERSION,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=done,
            client_id=f"raft-client-{self.quorum.node_id}",
        )
        return change

    def remove(self, voter_id: int, directory_id: Uuid) -> VoterChange:
        """Append a set without a voter. A leader that removes itself leads until the commit.

        Raises:
            KafkaError: NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, UNSUPPORTED_VERSION,
                VOTER_NOT_FOUND, INVALID_REQUEST.
        """
        voters = self._check("remove")
        if voter_id not in voters.voters or not voters.includes(voter_id, directory_id):
            raise VoterNotFoundError(
                f"{voter_id} with directory {directory_id} is none of the voters {voters.ids}"
            )
        if len(voters) == 1:
            raise InvalidRequestError(f"{voter_id} is the only voter")
        change = self._begin(f"removes voter {voter_id}")
        self._append(change, [voters.without(voter_id)])
        return change

    def update(self, voter: RaftVoter) -> None:
        """Note, or append, the endpoints and the features of a voter.

        Raises:
            KafkaError: REQUEST_TIMED_OUT, VOTER_NOT_FOUND, INVALID_REQUEST.
        """
        self._require_leader()
        kraft_version = self.quorum.kraft_version
        if (
            voter.directory_id in (None, ZERO_UUID)
            # A leader writes its own entry itself.
            or voter.node_id == self.quorum.node_id
            or voter.address(self.quorum.listener) is None
            or not voter.kraft_versions.includes(kraft_version)
            or voter.kraft_versions.minimum < 0
        ):
            raise InvalidRequestError
        self._check_no_other()
        voters = self.quorum.voters
        assert voters is not None
        known = voters.voters.get(voter.node_id)
        if known is None or known.directory_id not in (None, voter.directory_id):
            raise VoterNotFoundError
        if kraft_version < DYNAMIC:
            self._described[voter.node_id] = voter
        elif known != voter:
            self._append(self._begin(f"updates voter {voter.node_id}"), [voters.with_voter(voter)])

    def check_upgrade(self, level: int) -> None:
        """Check that this leader may finalize a kraft.version.

        Raises:
            KafkaError: NOT_LEADER_OR_FOLLOWER, REQUEST_TIMED_OUT, INVALID_UPDATE_VERSION.
        """
        self._check_no_other()
        if level > self.quorum.kraft_version:
            self._described_voters(level)

    def upgrade(self, level: int) -> None:
        """Append the kraft.version, and the voters with their directories.

        Raises:
            KafkaError: as `check_upgrade`.
        """
        self.check_upgrade(level)
        if level > self.quorum.kraft_version:
            voters = self._described_voters(level)
            self._append(self._begin(f"finalizes {KRAFT_VERSION} {level}"), [level, voters])

    def _described_voters(self, level: int) -> VoterSet:
        """The static voters with what they have said of themselves, which must include `level`."""
        voters = self.quorum.voters
        assert voters is not None
        described = {**self._described, self.quorum.node_id: self.own_voter}
        silent = [each for each in voters.ids if each not in described]
        if silent:
            raise InvalidUpdateVersionError(
                f"{KRAFT_VERSION} {level}: voters {silent} have not described themselves yet"
            )
        for voter_id in voters.ids:
            if not described[voter_id].kraft_versions.includes(level):
                raise InvalidUpdateVersionError(
                    f"voter {voter_id} does not support {KRAFT_VERSION} {level}"
                )
        return VoterSet.of(described[voter_id] for voter_id in voters.ids)

    def first_records(self, now_ms: int) -> list[NewRecord]:
        """The voters for the first batch of an epoch, if the log lacks them or has an old entry."""
        quorum = self.quorum
        voters = quorum.voters
        assert voters is not None
        if quorum.kraft_version < DYNAMIC:
            return []
        if quorum.is_voter and voters.voters[quorum.node_id] != self.own_voter and self.endpoints:
            voters = voters.with_voter(self.own_voter)
        elif quorum.history.voters_offset >= 0:
            return []
        return self._records([quorum.kraft_version, voters], now_ms)

    # Progress of a change

    def committed(self, high_watermark: int) -> None:
        """Note that everything below `high_watermark` is committed."""
        pending = self._pending
        if pending is not None and 0 <= pending.offset < high_watermark:
            self._settle(pending)
        # The leader that removed this voter may have been another one.
        if not self.quorum.is_voter and self.quorum.history.voters_offset < high_watermark:
            self.log.on_removed()

    def resigned(self) -> None:
        """Note that this node no longer leads: whether a change is committed, others decide."""
        self._described.clear()
        if self._pending is not None:
            self._settle(self._pending, NotLeaderOrFollowerError())

    def give_up(self, change: VoterChange) -> None:
        """Stop waiting for a change.

        Its record, if it was appended, still holds, and a next change waits for its commit.
        """
        if change is self._pending and change.offset < 0:
            self._pending = None

    def _described_itself(
        self, change: VoterChange, voter: RaftVoter, response: Any | None, why: str
    ) -> None:
        """Continue `add` with the features of the new voter."""
        if change is not self._pending:
            return
        try:
            if response is None or response.error_code:
                raise RequestTimedOutError(
                    f"node {voter.node_id} has not said which {KRAFT_VERSION} it supports: "
                    f"{why if response is None else error_of(response.error_code)}"
                )
            supported = next(
                (
                    FeatureRange(each.min_version, each.max_version)
                    for each in response.supported_features or ()
                    if each.name == KRAFT_VERSION
                ),
                FeatureRange(0, 0),
            )
            if not supported.includes(self.quorum.kraft_version):
                raise InvalidRequestError(
                    f"node {voter.node_id} does not support {KRAFT_VERSION} "
                    f"{self.quorum.kraft_version}"
                )
            self._check_caught_up(voter)
        except KafkaError as error:
            self._settle(change, error)
            return
        voters = self.quorum.voters
        assert voters is not None
        self._append(change, [voters.with_voter(voter._replace(kraft_versions=supported))])

    def _check_caught_up(self, voter: RaftVoter) -> None:
        """Check that the new voter has the log: a majority with it must be able to commit."""
        leader = self.quorum.leading
        assert leader is not None
        assert voter.directory_id is not None
        found = leader.progress.observer(voter.node_id, voter.directory_id)
        oldest_ms = self.env.clock.wall_ms - _CAUGHT_UP_WITHIN_MS
        if found is None or found.last_caught_up_ms < 0 or found.last_fetch_ms < oldest_ms:
            raise RequestTimedOutError(
                f"node {voter.node_id} with directory {voter.directory_id} has not caught up with "
                "the metadata log"
            )

    def _check(self, what: str) -> VoterSet:
        """The voters that a change may begin with."""
        self._check_no_other()
        if self.quorum.kraft_version < DYNAMIC:
            raise UnsupportedVersionError(
                f"this quorum cannot {what} voters: its {KRAFT_VERSION} is 0"
            )
        voters = self.quorum.voters
        assert voters is not None
        return voters

    def _require_leader(self) -> None:
        if not self.quorum.is_leader:
            raise NotLeaderOrFollowerError

    def _check_no_other(self) -> None:
        self._require_leader()
        if self._pending is not None:
            raise RequestTimedOutError("another change of the voters is under way")
        high_watermark = self.log.high_watermark
        if high_watermark <= self.log.epoch_start_offset:
            raise RequestTimedOutError("the leader has not committed a record of its epoch yet")
        if self.quorum.history.voters_offset >= high_watermark:
            raise RequestTimedOutError("the latest change of the voters is not committed yet")

    def _begin(self, what: str, *, waits_for_commit: bool = True) -> VoterChange:
        self._pending = VoterChange(what, waits_for_commit)
        return self._pending

    def _append(self, change: VoterChange, contents: Sequence[int | VoterSet]) -> None:
        _log.info("[raft %d] %s", self.quorum.node_id, change.what)
        change.offset = self.log.append_control(self._records(contents, self.env.clock.wall_ms))
        if not change.waits_for_commit:
            change.is_done = True
            self.env.notify(change.key)

    def _records(self, contents: Sequence[int | VoterSet], now_ms: int) -> list[NewRecord]:
        return [
            control_record(ControlType.KRAFT_VOTERS, each.to_record(), now_ms)
            if isinstance(each, VoterSet)
            else kraft_version_record(each, now_ms)
            for each in contents
        ]

    def _settle(self, change: VoterChange, error: KafkaError | None = None) -> None:
        self._pending = None
        if not change.is_done:
            change.is_done, change.error = True, error
            self.env.notify(change.key)


def without_protocols(endpoints: Sequence[Endpoint]) -> tuple[Endpoint, ...]:
    """The endpoints as a KRAFT_VOTERS record has them."""
    return tuple(Endpoint(each.name, each.host, each.port) for each in endpoints)
