"""A controller's requests to the leader: update its entry as a voter, or add it as one.

Source: `FollowerState.hasUpdateVoterPeriodExpired`, `KafkaRaftClient.maybeSendUpdateVoterRequest`,
`.shouldSendAddOrRemoveVoterRequest`; KIP-853, KIP-1186 (auto-join).
"""

import logging
from dataclasses import dataclass, field
from typing import Any

from minikafka.common.effects import Channel
from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode, error_of
from minikafka.common.ids import ZERO_UUID
from minikafka.common.timers import Timer
from minikafka.messages import add_raft_voter as add_messages
from minikafka.messages import update_raft_voter as update_messages
from minikafka.messages.remove_raft_voter import RemoveRaftVoterRequest
from minikafka.protocol.message import ApiMessage
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.roles import Follower
from minikafka.raft.settings import RaftSettings
from minikafka.raft.voter_changes import DYNAMIC
from minikafka.raft.voter_set import RaftVoter
from minikafka.rpc.calls import Calls

_log = logging.getLogger("minikafka.raft")
_ADD_VERSION = 1
_DONE = (ErrorCode.NONE, ErrorCode.UNSUPPORTED_VERSION)
"""The answers to UpdateRaftVoter after which it is not sent again."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class VoterUpdater:
    """Sends at most one request in each fetch time-out to the leader that this node follows.

    `own_voter` is this node as a voter. With `is_joining` a controller that is none asks to become
    one, and to have the entry of its former directory removed:
    `controller.quorum.auto.join.enable`.
    """

    env: Environment
    calls: Calls
    cluster_id: str
    quorum: QuorumState
    settings: RaftSettings
    own_voter: RaftVoter
    is_joining: bool
    _timer: Timer | None = field(default=None, init=False)
    _told: tuple[int, RaftVoter | None] | None = field(default=None, init=False)
    """The epoch and this node's entry for which an update was answered."""

    def restart(self) -> None:
        """Wait for the time of the next request, in the new role."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self.quorum.is_controller and isinstance(self.quorum.state, Follower):
            self._timer = self.env.after(self.settings.fetch_timeout_ms, self._due)

    def _due(self) -> None:
        state, address = self.quorum.state, self.quorum.leader_address
        if isinstance(state, Follower) and state.has_fetched and address is not None:
            self._send(address)
        self.restart()

    def _send(self, address: tuple[str, int]) -> None:
        request = self._update() if self.quorum.is_voter else self._join()
        if request is None:
            return
        version = _ADD_VERSION if isinstance(request, add_messages.AddRaftVoterRequest) else 0
        about = (self.quorum.epoch, self._entry())
        self.calls.send(
            Channel(*address, "raft-voters", is_to_controller=True),
            request,
            version,
            timeout_ms=self.settings.request_timeout_ms,
            on_done=lambda response, _: self._answered(about, request, response),
            client_id=f"raft-client-{self.quorum.node_id}",
        )

    def _entry(self) -> RaftVoter | None:
        voters = self.quorum.voters
        return None if voters is None else voters.voters.get(self.quorum.node_id)

    def _update(self) -> update_messages.UpdateRaftVoterRequest | None:
        """Describe this voter, once to each leader of a static quorum, else if its entry is old."""
        own, quorum = self.own_voter, self.quorum
        entry = self._entry()
        if entry == own or self._told == (quorum.epoch, entry):
            return None
        return update_messages.UpdateRaftVoterRequest(
            cluster_id=self.cluster_id,
            current_leader_epoch=quorum.epoch,
            voter_id=own.node_id,
            voter_directory_id=quorum.directory_id,
            listeners=[update_messages.Listener(e.name, e.host, e.port) for e in own.endpoints],
            kraft_version_feature=update_messages.KRaftVersionFeature(*own.kraft_versions),
        )

    def _join(self) -> ApiMessage | None:
        """Ask for the next step towards being a voter; None if this node is not to become one."""
        own, quorum = self.own_voter, self.quorum
        if not self.is_joining or quorum.voters is None or quorum.kraft_version < DYNAMIC:
            return None
        former = self._entry()
        if former is not None:
            return RemoveRaftVoterRequest(
                self.cluster_id, former.node_id, former.directory_id or ZERO_UUID
            )
        return add_messages.AddRaftVoterRequest(
            cluster_id=self.cluster_id,
            timeout_ms=self.settings.request_timeout_ms,
            voter_id=own.node_id,
            voter_directory_id=quorum.directory_id,
            listeners=[add_messages.Listener(e.name, e.host, e.port) for e in own.endpoints],
            # This node has to fetch the record, so that it can be committed.
            ack_when_committed=False,
        )

    def _answered(
        self, about: tuple[int, RaftVoter | None], request: ApiMessage, response: Any | None
    ) -> None:
        if response is None:
            return
        if response.error_code:
            _log.info(
                "[raft %d] %s: %s, asking again",
                self.quorum.node_id, type(request).__name__, error_of(response.error_code),
            )  # fmt: skip
        if (
            isinstance(request, update_messages.UpdateRaftVoterRequest)
            and response.error_code in _DONE
        ):
            self._told = about
