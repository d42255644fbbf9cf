"""Members of a consumer group, as state machines driven by responses.

A member finds its coordinator, joins, gets its assignment, fetches offsets, reads and commits. It
starts over after an error or a timeout. The protocol is the classic one; the assignor distributes
the partitions round robin over the sorted member ids.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Commit, Owned, Resume
from minikafka.messages import find_coordinator as coordinators
from minikafka.messages import heartbeat as heartbeats
from minikafka.messages import join_group as joins
from minikafka.messages import offset_commit as commits
from minikafka.messages import offset_fetch as offsets
from minikafka.messages import sync_group as syncs
from minikafka.protocol.message import ApiMessage
from minikafka.sim.checks.history import History
from minikafka.sim.drive.workload import ClientConnections, SimConsumer
from minikafka.sim.world.world import US_PER_MS

_SESSION_MS = 6_000
_REBALANCE_MS = 10_000
_JOIN_TIMEOUT_MS = 15_000
HEARTBEAT_MS = 500
_COMMIT_EVERY = 2
"""Number of heartbeats between two commits."""
_RETRY_MS = 200
_PROTOCOL = ("consumer", "round")
_JOIN, _SYNC, _HEARTBEAT, _COMMIT, _OFFSETS, _FIND = 9, 5, 4, 8, 7, 3
STRANGER = (ErrorCode.UNKNOWN_MEMBER_ID, ErrorCode.FENCED_INSTANCE_ID)
_REJOIN = (*STRANGER, ErrorCode.ILLEGAL_GENERATION, ErrorCode.REBALANCE_IN_PROGRESS)


@dataclass(slots=True, eq=False)
class SimMember:
    """One member of `group`. `heard_ms` is the time of the last successful heartbeat.

    `is_deposed` is True for the address of a broker that is no longer a coordinator.
    """

    connections: ClientConnections
    history: History
    group: str
    name: str
    partitions: Sequence[TopicPartition]
    is_deposed: Callable[[tuple[str, int]], bool] = lambda _: False
    running: bool = True
    assigned: tuple[TopicPartition, ...] = ()
    generation: int = -1
    heard_ms: int = -1
    rebalances: int = 0
    _member_id: str = ""
    _coordinator: tuple[str, int] | None = None
    _reader: SimConsumer | None = None
    _round: int = 0
    _lives: int = 0

    @property
    def member_id(self) -> str:
        """The id that the coordinator has given; empty before the first join."""
        return self._member_id

    def start(self) -> None:
        """Start to find the coordinator."""
        self._later(self._join, _RETRY_MS)

    # Helpers

    def _later(self, action: Callable[[], None], delay_ms: int) -> None:
        delay_us = self.connections.rng.randint(delay_ms // 2, delay_ms) * US_PER_MS

        def act() -> None:
            if self.running:
                action()

        self.connections.world.after(delay_us, act)

    def _ask(
        self,
        request: ApiMessage,
        version: int,
        then: Callable[[ApiMessage], None],
        timeout_ms: int = 2_000,
    ) -> None:
        """Send a request to the coordinator; start over without a response."""
        assert self._coordinator is not None
        life = self._lives

        def answered(answer: ApiMessage | None) -> None:
            if not self.running or self._lives != life:
                return
            if answer is None:
                self._start_over(ErrorCode.NETWORK_EXCEPTION)
            else:
                then(answer)

        self.connections.ask(
            self._coordinator, request, answered, version=version, timeout_ms=timeout_ms
        )

    def _start_over(self, error: int) -> None:
        """Join again: without member id, at another coordinator, or as the same member."""
        self._lives += 1
        if error in STRANGER:
            self._member_id = ""
        if error not in _REJOIN:
            self._coordinator = None
        self._give_up_partitions()
        self._later(self._join, _RETRY_MS)

    def _give_up_partitions(self) -> None:
        self.assigned = ()
        self.heard_ms = -1
        if self._reader is not None:
            self._reader.running = False
            self._reader = None

    # Joining

    def _join(self) -> None:
        if self._coordinator is None:
            self._find()
            return
        request = joins.JoinGroupRequest(
            group_id=self.group,
            session_timeout_ms=_SESSION_MS,
            rebalance_timeout_ms=_REBALANCE_MS,
            member_id=self._member_id,
            protocol_type=_PROTOCOL[0],
            protocols=[joins.JoinGroupRequestProtocol(_PROTOCOL[1], b"")],
        )
        self._ask(request, _JOIN, self._joined, _JOIN_TIMEOUT_MS)

    def _find(self) -> None:
        request = coordinators.FindCoordinatorRequest(key=self.group, key_type=0)

        def found(answer: ApiMessage | None) -> None:
            if answer is not None:
                named = cast(coordinators.FindCoordinatorResponse, answer)
                if not named.error_code:
                    self._coordinator = (named.host, named.port)
            self._later(self._join, _RETRY_MS)

        where = self.connections.rng.choice(self.connections.bootstrap)
        self.connections.ask(where, request, found, version=_FIND)

    def _joined(self, message: ApiMessage) -> None:
        answer = cast(joins.JoinGroupResponse, message)
        if answer.error_code == ErrorCode.MEMBER_ID_REQUIRED:
            self._member_id = answer.member_id
            self._join()
            return
        if answer.error_code:
            self._start_over(answer.error_code)
            return
        self._member_id = answer.member_id
        self.generation = answer.generation_id
        self.rebalances += 1
        plan = []
        if answer.leader == self._member_id:
            members = sorted(member.member_id for member in answer.members)
            plan = [
                syncs.SyncGroupRequestAssignment(
                    member,
                    b",".join(
                        b"%d" % where.partition for where in self.partitions[at :: len(members)]
                    ),
                )
                for at, member in enumerate(members)
            ]
        request = syncs.SyncGroupRequest(
            group_id=self.group,
            generation_id=self.generation,
            member_id=self._member_id,
            protocol_type=_PROTOCOL[0],
            protocol_name=_PROTOCOL[1],
            assignments=plan,
        )
        self._ask(request, _SYNC, self._synced, _JOIN_TIMEOUT_MS)

    def _synced(self, message: ApiMessage) -> None:
        answer = cast(syncs.SyncGroupResponse, message)
        if answer.error_code:
            self._start_over(answer.error_code)
            return
        indexes = [int(text) for text in bytes(answer.assignment).split(b",") if text]
        self.assigned = tuple(x for x in self.partitions if x.partition in indexes)
        for where in self.assigned:
            self.history.owned.append(Owned(self.group, self.generation, self._member_id, where))
        self._resume()

    def _resume(self) -> None:
        if not self.assigned:
            self._read({})
            return
        topic = self.assigned[0].topic
        wanted = offsets.OffsetFetchRequestTopic(topic, [x.partition for x in self.assigned])
        request = offsets.OffsetFetchRequest(group_id=self.group, topics=[wanted])
        self._ask(request, _OFFSETS, self._fetched_offsets)

    def _fetched_offsets(self, message: ApiMessage) -> None:
        answer = cast(offsets.OffsetFetchResponse, message)
        found = [each for topic in answer.topics for each in topic.partitions]
        error = next((x.error_code for x in found if x.error_code), answer.error_code)
        if error:
            self._start_over(error)
            return
        positions = {}
        assert self._coordinator is not None
        deposed = self.is_deposed(self._coordinator)
        for each in found:
            where = TopicPartition(self.assigned[0].topic, each.partition_index)
            self.history.group.append(Resume(self.group, where, each.committed_offset, deposed))
            positions[where] = max(each.committed_offset, 0)
            committed_by = self.history.committed_at.get((self.group, where))
            self.history.resumed_elsewhere += each.committed_offset >= 0 and committed_by not in (
                None,
                self._coordinator,
            )
        self._read(positions)

    # Reading

    def _read(self, positions: dict[TopicPartition, int]) -> None:
        self.heard_ms = self.connections.world.now_ms
        self._reader = SimConsumer(
            self.connections, self.history, tuple(positions), name=self.name, positions=positions
        )
        self._reader.start()
        self._later(self._beat, HEARTBEAT_MS)

    def _beat(self) -> None:
        if self._reader is None:
            return
        self._round += 1
        if self._round % _COMMIT_EVERY == 0 and self._reader.positions:
            self._commit()
            return
        self._send_heartbeat()

    def _send_heartbeat(self) -> None:
        request = heartbeats.HeartbeatRequest(
            group_id=self.group, generation_id=self.generation, member_id=self._member_id
        )
        self._ask(request, _HEARTBEAT, self._beaten)

    def _beaten(self, message: ApiMessage) -> None:
        error = cast(heartbeats.HeartbeatResponse, message).error_code
        if error:
            self._start_over(error)
            return
        self.heard_ms = self.connections.world.now_ms
        self._later(self._beat, HEARTBEAT_MS)

    def _commit(self) -> None:
        assert self._reader is not None
        positions = dict(self._reader.positions)
        topic = self.assigned[0].topic
        rows = [
            commits.OffsetCommitRequestPartition(where.partition, offset)
            for where, offset in positions.items()
        ]
        request = commits.OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=self.generation,
            member_id=self._member_id,
            topics=[commits.OffsetCommitRequestTopic(name=topic, partitions=rows)],
        )
        for where, offset in positions.items():
            self.history.group.append(Commit(self.group, where, offset, acknowledged=False))

        def answered(message: ApiMessage) -> None:
            answer = cast(commits.OffsetCommitResponse, message)
            found = [each for topic in answer.topics for each in topic.partitions]
            for each in found:
                if not each.error_code:
                    where = TopicPartition(topic, each.partition_index)
                    done = Commit(self.group, where, positions[where], acknowledged=True)
                    self.history.group.append(done)
                    assert self._coordinator is not None
                    self.history.committed_at[self.group, where] = self._coordinator
            error = next((x.error_code for x in found if x.error_code), 0)
            if error:
                self._start_over(error)
                return
            self._later(self._beat, HEARTBEAT_MS)

        self._ask(request, _COMMIT, answered)


def is_stable(members: Sequence[SimMember], partitions: int, now_ms: int) -> bool:
    """Return True if the members of one generation share all partitions, with recent heartbeats."""
    if any(member.heard_ms < now_ms - 4 * HEARTBEAT_MS for member in members):
        return False
    generations = dict.fromkeys(member.generation for member in members)
    owned = [where for member in members for where in member.assigned]
    return len(generations) == 1 and len(owned) == len(dict.fromkeys(owned)) == partitions
