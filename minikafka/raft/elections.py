"""Elections: when a voter asks for votes, whom it votes for, and when a leader resigns.

A voter that hears of no leader asks for pre-votes first, without a new epoch, so that a voter that
was cut off does not disturb the leader of the others when it comes back (KIP-996). A leader that
hears of fewer voters than a majority resigns (check quorum), since another one may lead already.

Source: `KafkaRaftClient.handleVoteRequest`, `.handleBeginQuorumEpochRequest`,
`.handleEndQuorumEpochRequest`, `.pollCandidate`, `.pollLeader`, …; KIP-595, KIP-853, KIP-996.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

from minikafka.common.environment import Environment
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.common.timers import Timer
from minikafka.raft.election_state import NO_NODE
from minikafka.raft.quorum_calls import Answer, PreVote, QuorumCalls
from minikafka.raft.quorum_state import QuorumState
from minikafka.raft.raft_log import RaftLog
from minikafka.raft.roles import (
    Candidate,
    Follower,
    Leader,
    Prospective,
    Resigned,
    RoleState,
    Unattached,
)
from minikafka.raft.settings import RaftSettings
from minikafka.raft.vote_rules import VoteRequested, grants_vote

_log = logging.getLogger("minikafka.raft")

Transition = Callable[[], None]

_FIRST_ELECTION_MS = 200
"""Within this time a voter that has just started asks for pre-votes."""
_FIRST_RANK_MS = 100
_NEXT_RANK_MS = 100
"""The times after which voters ask for pre-votes if their leader has stopped, by their rank: one
after the other, when all have had time to find it stopped."""
_MAX_DOUBLINGS = 10
"""More are longer than any fetch timeout."""
_MAX_PORT = 65535
_LAST_EPOCH = (1 << 31) - 2
"""The last epoch that is followed. Elections do not reach it, but a request may have any number,
and the epoch after the last one that the protocol has would stop every voter."""
_ANSWERS = (
    ErrorCode.NONE,
    ErrorCode.FENCED_LEADER_EPOCH,
    ErrorCode.UNKNOWN_LEADER_EPOCH,
    ErrorCode.INVALID_REQUEST,
    ErrorCode.INVALID_VOTER_KEY,
    ErrorCode.INCONSISTENT_CLUSTER_ID,
    ErrorCode.UNSUPPORTED_VERSION,
)
"""The codes of answers that repeating the request would not change."""


class RoleListener(Protocol):
    """Receives the changes of a node's role."""

    def on_role(self, before: RoleState) -> None:
        """Do what the new role, epoch or leader requires."""


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class QuorumElections:
    """The election timer of a node, its requests for votes, and its answers to others."""

    env: Environment
    quorum: QuorumState
    log: RaftLog
    calls: QuorumCalls
    settings: RaftSettings
    listener: RoleListener
    _timer: Timer | None = field(default=None, init=False)
    _resend_timer: Timer | None = field(default=None, init=False)
    _warned_epoch: int = field(default=-1, init=False)
    _suspicions: int = field(default=0, init=False)  # Pre-votes in a row for refused connections

    def start(self) -> None:
        """Continue in the role with which the process before ended.

        Unlike Kafka (row Q2): a voter that knows no leader asks for pre-votes soon. They disturb no
        leader, and a cluster that starts as a whole need not wait for an election time-out.
        """
        before = self.quorum.state
        self.quorum.start()
        self._entered(before)
        if isinstance(self.quorum.state, Unattached) and self.quorum.may_be_candidate:
            self._arm(self.env.rng.randrange(_FIRST_ELECTION_MS), self._suspect)

    # Roles

    def learn(self, epoch: int, leader_id: int, address: tuple[str, int] | None) -> bool:
        """Follow the epoch, and the leader if it can be reached; False if they are older.

        Every response and most requests carry them. A leader without an `address` is followed at
        the one that it has as a voter.
        """
        quorum = self.quorum
        if not quorum.epoch <= epoch <= _LAST_EPOCH:
            return False
        if leader_id == quorum.node_id:
            leader_id = NO_NODE
            if epoch > quorum.epoch:
                _warn_of_namesake(quorum.node_id, epoch)
        if address is not None and not 0 < address[1] <= _MAX_PORT:
            address = None
        if address is None and leader_id != NO_NODE:
            address = quorum.voter_address(leader_id)
        if leader_id == NO_NODE or address is None:
            if epoch > quorum.epoch:
                self._change(lambda: quorum.become_unattached(epoch))
            return True
        if epoch == quorum.epoch and quorum.leader_id not in (NO_NODE, leader_id):
            # Two leaders in one epoch cannot be elected: the message is not from this quorum.
            if self._warned_epoch != epoch:
                self._warned_epoch = epoch
                _log.warning(
                    "[raft %d] node %d is named as the leader of epoch %d, which is %d: ignored",
                    quorum.node_id, leader_id, epoch, quorum.leader_id,
                )  # fmt: skip
            return False
        is_new = epoch > quorum.epoch or quorum.leader_id == NO_NODE
        if is_new or isinstance(quorum.state, Unattached):
            self._change(lambda: quorum.become_follower(epoch, leader_id, address))
        return True

    def _change(self, transition: Transition) -> None:
        before = self.quorum.state
        transition()
        if self.quorum.state is not before:
            self._entered(before)

    def _entered(self, before: RoleState) -> None:
        """Start what the new role does, then tell the listener."""
        _cancel(self._timer)
        _cancel(self._resend_timer)
        state = self.quorum.state
        self.listener.on_role(before)
        if self.quorum.state is not state:
            return
        match state:
            case Unattached():
                self._wait_for_leader()
            case Prospective():
                self._start_votes(is_pre_vote=True)
            case Candidate():
                self._start_votes(is_pre_vote=False)
            case Follower():
                self._wait_for_fetch()
            case Leader():
                self._check_quorum()
                self._begin_epoch()
            case Resigned():
                self._arm(self._election_timeout_ms(), self._next_epoch)
                self._end_epoch()

    def _arm(self, delay_ms: int, work: Transition) -> None:
        _cancel(self._timer)
        self._timer = self.env.after(delay_ms, work)

    def _resend(self, delay_ms: int, work: Transition) -> None:
        _cancel(self._resend_timer)
        self._resend_timer = self.env.after(delay_ms, work)

    def _election_timeout_ms(self) -> int:
        timeout_ms = self.settings.election_timeout_ms
        return timeout_ms + self.env.rng.randrange(max(timeout_ms, 1))

    def _wait_for_leader(self) -> None:
        if self.quorum.is_only_voter:
            self._stand()
        elif self.quorum.may_be_candidate:
            self._arm(self._election_timeout_ms(), self._suspect)

    def voters_changed(self) -> None:
        """Use the latest voters in this role; a running election goes on with its own."""
        match self.quorum.state:
            case Unattached():
                _cancel(self._timer)
                self._wait_for_leader()
            case Follower():
                _cancel(self._timer)
                self._wait_for_fetch()
            case Leader():
                self._check_quorum()
            case _:
                pass

    def _suspect(self) -> None:
        """Ask for pre-votes, since this voter hears of no leader."""
        if self.quorum.may_be_candidate:
            self._change(self.quorum.become_prospective)
        elif not isinstance(self.quorum.state, Follower):
            # The voters were changed meanwhile: this node is none of them any more.
            self._lose()

    def _stand(self) -> None:
        if self.quorum.epoch >= _LAST_EPOCH:
            _log.error(
                "[raft %d] cannot stand for election: epoch %d is the last one. A request must "
                "have named it, since elections do not reach it. Restore the metadata of all "
                "controllers from a backup, and let no other clients connect to them",
                self.quorum.node_id, self.quorum.epoch,
            )  # fmt: skip
            return
        self._change(self.quorum.become_candidate)

    def _next_epoch(self) -> None:
        epoch = self.quorum.epoch + 1
        self._change(lambda: self.quorum.become_unattached(epoch))

    # Asking for votes

    def _start_votes(self, *, is_pre_vote: bool) -> None:
        state = self.quorum.state
        assert isinstance(state, Prospective | Candidate)
        self._arm(self._election_timeout_ms(), self._lose if is_pre_vote else self._suspect)
        if state.votes.is_won:
            self._win(state)
        else:
            self._ask(state, state.votes.open)

    def _ask(self, state: Prospective | Candidate, voter_ids: list[int]) -> None:
        for voter_id in voter_ids:
            self.calls.vote(
                state.votes.voters.voters[voter_id],
                PreVote(self.quorum.epoch)
                if isinstance(state, Prospective)
                else self.quorum.durable,
                last_epoch=self.log.last_epoch,
                end_offset=self.log.end_offset,
                on_answer=partial(self._voted, state, voter_id),
            )

    def _voted(self, state: Prospective | Candidate, voter_id: int, answer: Answer | None) -> None:
        if state is not self.quorum.state:
            self._learn(answer)
            return
        if answer is None or answer.error not in _ANSWERS:
            # The voter cannot be reached, or cannot answer yet.
            self.env.after(self.settings.retry_backoff_ms, lambda: self._ask_again(state, voter_id))
            return
        if answer.error == ErrorCode.UNSUPPORTED_VERSION and isinstance(state, Prospective):
            # The voter does not know pre-votes: its leader may be disturbed, as before KIP-996.
            self._stand()
            return
        self._learn(answer)
        if state is not self.quorum.state:
            return
        is_granted = answer.is_granted and answer.epoch == self.quorum.epoch
        state.votes.count(voter_id, is_granted=is_granted)
        if state.votes.is_won:
            self._win(state)
        elif state.votes.is_lost and isinstance(state, Prospective):
            self._lose()

    def _ask_again(self, state: Prospective | Candidate, voter_id: int) -> None:
        if state is self.quorum.state and voter_id in state.votes.open:
            self._ask(state, [voter_id])

    def _win(self, state: Prospective | Candidate) -> None:
        if isinstance(state, Prospective):
            self._stand()
        else:
            self._change(lambda: self.quorum.become_leader(self.log.end_offset))

    def _lose(self) -> None:
        """Follow the leader that the others still hear of, or wait for one."""
        quorum = self.quorum
        address = quorum.leader_address
        if address is not None:
            self._change(lambda: quorum.become_follower(quorum.epoch, quorum.leader_id, address))
        else:
            self._change(lambda: quorum.become_unattached(quorum.epoch))

    def _learn(self, answer: Answer | None) -> None:
        if answer is not None and answer.epoch >= 0:
            self.learn(answer.epoch, answer.leader_id, answer.leader_address)

    # Following

    def fetched(self) -> None:
        """Wait for the next successful fetch from the leader, now that there was one."""
        self._suspicions = 0
        self._wait_for_fetch()

    def _wait_for_fetch(self) -> None:
        if isinstance(self.quorum.state, Follower):
            self.quorum.state.heard_at_ms = self.env.clock.monotonic_ms
        if self.quorum.may_be_candidate:
            self._arm(self.settings.fetch_timeout_ms, self._suspect)

    def leader_stopped(self) -> None:
        """Ask for pre-votes soon: the address of the leader refuses connections.

        Unlike Kafka (row Q2), where a voter waits for the rest of the fetch timeout. Pre-votes
        protect a leader that others reach; each one that fails doubles the time to the next.
        """
        state, timer = self.quorum.state, self._timer
        if not self.settings.detects_stopped_nodes or not isinstance(state, Follower):
            return
        state.has_fetched = False
        rank_ms = _FIRST_RANK_MS + self.quorum.rank_without_leader * _NEXT_RANK_MS
        delay_ms = rank_ms << min(self._suspicions, _MAX_DOUBLINGS)
        now_ms = self.env.clock.monotonic_ms
        is_later = timer is None or not timer.pending or timer.deadline_ms > now_ms + delay_ms
        if self.quorum.may_be_candidate and is_later:
            self._suspicions += 1
            self._arm(delay_ms, self._suspect)

    # Leading

    def _begin_epoch(self) -> None:
        """Tell the voters that do not know it that this node leads; again until they fetch."""
        leader, quorum = self.quorum.leading, self.quorum
        if leader is None or quorum.voters is None:
            return
        for voter_id in quorum.other_voters:
            if voter_id not in leader.acknowledged:
                self.calls.begin_epoch(
                    quorum.voters.voters[voter_id],
                    quorum.durable,
                    on_answer=partial(self._began, leader, voter_id),
                )
        leader.acknowledged.clear()
        self._resend(max(self.settings.fetch_timeout_ms // 2, 1), self._begin_epoch)

    def _began(self, leader: Leader, voter_id: int, answer: Answer | None) -> None:
        self._learn(answer)
        if answer is not None and answer.error == ErrorCode.NONE:
            leader.acknowledged.add(voter_id)

    def voter_fetched(self, voter_id: int, directory_id: Uuid) -> None:
        """Note that a node has fetched; a majority of the voters keeps the leader in office."""
        leader, voters = self.quorum.leading, self.quorum.voters
        if leader is None or voters is None or voter_id == self.quorum.node_id:
            return
        if not voters.includes(voter_id, directory_id):
            return
        leader.acknowledged.add(voter_id)
        leader.heard.add(voter_id)
        if len(leader.heard & set(self.quorum.other_voters)) >= self._needed:
            self._check_quorum()

    @property
    def _needed(self) -> int:
        """The number of other voters that are a majority, with this node if it is a voter."""
        voters = self.quorum.voters
        return 0 if voters is None else voters.majority - self.quorum.is_voter

    def _check_quorum(self) -> None:
        """Give the voters time for their next fetches."""
        leader = self.quorum.leading
        assert leader is not None
        leader.heard.clear()
        if self._needed:
            self._arm(self.settings.fetch_timeout_ms * 3 // 2, self._lost_quorum)
        else:
            _cancel(self._timer)

    def _lost_quorum(self) -> None:
        _log.warning(
            "[raft %d] resigns in epoch %d: no majority of the voters has fetched in time",
            self.quorum.node_id, self.quorum.epoch,
        )  # fmt: skip
        self.resign()

    def resign(self) -> None:
        """Stop leading, and name the voters that may be elected first: those with most records."""
        leader, voters = self.quorum.leading, self.quorum.voters
        assert leader is not None
        assert voters is not None
        ends = leader.progress.ends_of(voters)
        successors = sorted(self.quorum.other_voters, key=lambda each: (-ends[each], each))
        keys = [(each, voters.voters[each].directory_id or ZERO_UUID) for each in successors]
        self._change(lambda: self.quorum.become_resigned(keys))

    def _end_epoch(self) -> None:
        state, voters = self.quorum.state, self.quorum.voters
        if not isinstance(state, Resigned) or voters is None:
            return
        for voter_id in sorted(state.open & set(voters.ids)):
            self.calls.end_epoch(
                voters.voters[voter_id],
                self.quorum.durable,
                successors=state.successors,
                on_answer=partial(self._ended, state, voter_id),
            )
        if state.open:
            self._resend(self.settings.request_timeout_ms, self._end_epoch)

    def _ended(self, state: Resigned, voter_id: int, answer: Answer | None) -> None:
        self._learn(answer)
        if answer is not None and answer.error == ErrorCode.NONE:
            state.open.discard(voter_id)

    # Answering

    def check_vote(self, asked: VoteRequested) -> ErrorCode:
        """Follow the epoch of a request for a vote; the error if it cannot be decided."""
        if (
            asked.end_offset < 0
            or asked.last_epoch < 0
            or asked.last_epoch > asked.replica_epoch
            or (asked.last_epoch == asked.replica_epoch and not asked.is_pre_vote)
        ):
            return ErrorCode.INVALID_REQUEST
        if asked.replica_epoch < self.quorum.epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if asked.replica_id < 0:
            return ErrorCode.INVALID_REQUEST
        if not self.learn(asked.replica_epoch, NO_NODE, None):
            return ErrorCode.INVALID_REQUEST
        return ErrorCode.NONE

    def grant_vote(self, asked: VoteRequested) -> bool:
        """Decide about a request that was checked; a vote is durable when this returns."""
        is_granted = self._grants(asked)
        if is_granted and not asked.is_pre_vote:
            if self.quorum.voted_key is None:
                self.quorum.vote_for(asked.replica_id, asked.replica_directory_id)
            if isinstance(self.quorum.state, Unattached):
                # The candidate has time to win before this voter asks for votes itself.
                self._wait_for_leader()
        return is_granted

    def _grants(self, asked: VoteRequested) -> bool:
        return grants_vote(
            self.quorum,
            asked,
            log_end=(self.log.last_epoch, self.log.end_offset),
            silent_since_ms=self.env.clock.monotonic_ms - self.settings.fetch_timeout_ms,
        )

    def answer_begin_epoch(
        self, epoch: int, leader_id: int, address: tuple[str, int] | None
    ) -> ErrorCode:
        """Follow the leader that says that it leads `epoch`."""
        if leader_id < 0:
            return ErrorCode.INVALID_REQUEST
        if epoch < self.quorum.epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        if not self.learn(epoch, leader_id, address):
            return ErrorCode.INVALID_REQUEST
        return ErrorCode.NONE

    def answer_end_epoch(
        self, epoch: int, leader_id: int, successors: list[tuple[int, Uuid]]
    ) -> ErrorCode:
        """Prepare an election: the leader has resigned. The first of `successors` goes first."""
        if leader_id < 0:
            return ErrorCode.INVALID_REQUEST
        if epoch < self.quorum.epoch:
            return ErrorCode.FENCED_LEADER_EPOCH
        self.learn(epoch, leader_id, None)
        quorum = self.quorum
        if isinstance(quorum.state, Follower) and quorum.leader_id == leader_id:
            quorum.state.has_fetched = False
            if quorum.may_be_candidate:
                own = (quorum.node_id, quorum.directory_id)
                delay_ms = _turn_ms(successors, own, self.settings.election_backoff_max_ms)
                self._arm(delay_ms, self._suspect)
        return ErrorCode.NONE


def _warn_of_namesake(node_id: int, epoch: int) -> None:
    what = "another process runs with this node.id, which must be changed, or the disk was lost"
    _log.warning("[raft %d] epoch %d is led by a node with this id: %s", node_id, epoch, what)


def _cancel(timer: Timer | None) -> None:
    if timer is not None:
        timer.cancel()


def _turn_ms(successors: list[tuple[int, Uuid]], voter: tuple[int, Uuid], most_ms: int) -> int:
    """The time after which a voter asks for votes, by its place among the successors."""
    places = [
        place
        for place, (node_id, directory_id) in enumerate(successors)
        if node_id == voter[0] and directory_id in (ZERO_UUID, voter[1])
    ]
    if not places:
        return most_ms
    if places[0] == 0:
        return 0
    return min(most_ms, (most_ms >> (len(successors) - 1)) << (places[0] - 1))
