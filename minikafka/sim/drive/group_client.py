"""Common parts of all members of consumer groups: coordinator, requests, commits, lives.

A member sends one request at a time. Its positions are numbers that only grow; no records are read.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple, cast

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.history.operations import Commit, Resume
from minikafka.messages import find_coordinator as coordinators
from minikafka.messages import offset_commit as commits
from minikafka.messages import offset_fetch as offsets
from minikafka.metadata.image import MetadataImage
from minikafka.protocol.message import ApiMessage
from minikafka.sim.checks.group_ownership import GroupOwnership, OwnedPartition
from minikafka.sim.checks.history import History
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.world import US_PER_MS

VANISHING: Final = "shared-c"
"""A topic that is deleted and created again. Nothing is committed for it: offsets have its name."""
BEAT_MS: Final = 500
RETRY_MS: Final = 200
SESSION_MS: Final = 6_000
_REQUEST_MS: Final = 2_000
_COMMIT_SHARE: Final = 0.3
_LEAVE_SHARE: Final = 0.75
_FIND, _COMMIT, _OFFSETS = 3, 9, 9
COORDINATOR_ERRORS: Final = (
    ErrorCode.NETWORK_EXCEPTION,
    ErrorCode.NOT_COORDINATOR,
    ErrorCode.COORDINATOR_NOT_AVAILABLE,
    ErrorCode.COORDINATOR_LOAD_IN_PROGRESS,
)
"""Errors after which a member stays one, and looks for its coordinator again."""


class CoordinatorResponse(NamedTuple):
    """A response. It is certain if the host was the coordinator during the whole request."""

    body: ApiMessage
    is_certain: bool


OnResponse = Callable[[CoordinatorResponse], None]


@dataclass(slots=True)
class GroupSurroundings:
    """The state shared by the members of a run.

    `term` returns the leader epoch in which a host is a coordinator now, or None. After `is_calm`
    no member leaves, after `is_quiet` none commits.
    """

    history: History
    ownership: GroupOwnership
    image: Callable[[], MetadataImage]
    term: Callable[[str], int | None]
    is_calm: bool = False
    is_quiet: bool = False

    def partition(self, topic: str, index: int) -> OwnedPartition | None:
        """Return a partition by the name of its topic; None if there is no such topic now."""
        topic_id = self.image().topic_ids.get(topic)
        return None if topic_id is None else OwnedPartition(topic, topic_id, index)


@dataclass(slots=True, eq=False)
class GroupClient(ABC):
    """One life of one member of `group`; `on_end` is called when it has left.

    `told` is what the coordinator has given; `positions` has what the member still has, with None
    until the committed offset is fetched.
    """

    around: GroupSurroundings
    connections: ClientConnections
    group: str
    name: str
    leaves_at_ms: int
    on_end: Callable[[], None]
    instance_id: str | None = None
    running: bool = True
    heard_ms: int = -1
    failures: int = 0
    member_id: str = ""
    epoch: int = 0
    told: frozenset[OwnedPartition] = frozenset()
    positions: dict[OwnedPartition, int | None] = field(default_factory=dict)
    coordinator: tuple[str, int] | None = None

    @abstractmethod
    def join(self) -> None:
        """Join, or join again."""

    @abstractmethod
    def heartbeat(self) -> None:
        """Send a heartbeat."""

    @abstractmethod
    def leave(self) -> None:
        """Leave the group."""

    @property
    def now_ms(self) -> int:
        """The time of the world."""
        return self.connections.world.now_ms

    def start(self) -> None:
        """Start to join."""
        self.later(self.join, RETRY_MS)

    # Requests

    def later(self, action: Callable[[], None], delay_ms: int) -> None:
        """Do something after a while, once a coordinator is known, unless the life has ended."""
        delay_us = self.connections.rng.randint(delay_ms // 2, delay_ms) * US_PER_MS

        def act() -> None:
            if not self.running:
                return
            if self.coordinator is None:
                self._find(action)
            else:
                action()

        self.connections.world.after(delay_us, act)

    def _find(self, action: Callable[[], None]) -> None:
        request = coordinators.FindCoordinatorRequest(key=self.group, key_type=0)

        def found(answer: ApiMessage | None) -> None:
            if answer is not None:
                named = cast(coordinators.FindCoordinatorResponse, answer)
                if not named.error_code:
                    self.coordinator = (named.host, named.port)
            self.later(action, RETRY_MS)

        where = self.connections.rng.choice(self.connections.bootstrap)
        self.connections.ask(where, request, found, version=_FIND)

    def ask(
        self,
        request: ApiMessage,
        version: int,
        then: OnResponse,
        lost: Callable[[], None],
        timeout_ms: int = _REQUEST_MS,
    ) -> None:
        """Send a request to the coordinator; `lost` is called if no response arrives."""
        assert self.coordinator is not None
        host = self.coordinator[0]
        before = self.around.term(host)

        def answered(answer: ApiMessage | None) -> None:
            if not self.running:
                return
            if answer is None:
                self.failures += 1
                self.coordinator = None
                lost()
            else:
                is_certain = before is not None and before == self.around.term(host)
                then(CoordinatorResponse(answer, is_certain))

        self.connections.ask(
            self.coordinator, request, answered, version=version, timeout_ms=timeout_ms
        )

    # Turns

    def next_turn(self, delay_ms: int = BEAT_MS) -> None:
        """Send the next request after a while."""
        self.later(self._turn, delay_ms)

    def _turn(self) -> None:
        around = self.around
        if self.now_ms >= self.leaves_at_ms and not around.is_calm:
            # A member that stops without leaving may only be paused: it owns what it has.
            leaves = self.connections.rng.random() < _LEAVE_SHARE
            (self.leave if leaves else self.end)()
        elif any(at is None for at in self.positions.values()):
            self._fetch_offsets()
        elif (
            self.positions and not around.is_quiet and self.connections.rng.random() < _COMMIT_SHARE
        ):
            self._commit()
        else:
            self.heartbeat()

    def failed(self, error: int) -> None:
        """Count an error of the coordinator, and look for it again if it says so."""
        self.failures += 1
        if error in COORDINATOR_ERRORS:
            self.coordinator = None

    # What it has

    def given(self, told: frozenset[OwnedPartition]) -> None:
        """Start with the partitions that are new."""
        self.told = told
        for each in sorted(told - self.positions.keys()):
            self.positions[each] = 0 if each.topic == VANISHING else None

    def release(self, partitions: frozenset[OwnedPartition]) -> None:
        """Give partitions up, before it is reported."""
        for each in partitions:
            self.positions.pop(each, None)
        self.around.ownership.release(self.group, self.name, partitions)

    def give_everything_up(self) -> None:
        """Give up everything."""
        self.told = frozenset()
        self.positions.clear()
        self.around.ownership.leave(self.group, self.name)
        self.heard_ms = -1

    def end(self) -> None:
        """End this life."""
        self.running = False
        self.on_end()

    # Offsets

    def _fetch_offsets(self) -> None:
        wanted = sorted(each for each, at in self.positions.items() if at is None)
        topics = [
            offsets.OffsetFetchRequestTopics(
                name=topic, partition_indexes=[x.partition for x in wanted if x.topic == topic]
            )
            for topic in dict.fromkeys(each.topic for each in wanted)
        ]
        group = offsets.OffsetFetchRequestGroup(self.group, self.member_id, self.epoch, topics)
        request = offsets.OffsetFetchRequest(groups=[group], require_stable=True)
        self.ask(request, _OFFSETS, self._fetched, self.next_turn)

    def _fetched(self, response: CoordinatorResponse) -> None:
        (found,) = cast(offsets.OffsetFetchResponse, response.body).groups
        errors = [x.error_code for topic in found.topics for x in topic.partitions if x.error_code]
        if found.error_code or errors:
            self.failed(found.error_code or errors[0])
            # A member whose epoch is not the current one learns it from a heartbeat.
            self.later(self.heartbeat, RETRY_MS)
            return
        for topic in found.topics:
            for each in topic.partitions:
                where = self.around.partition(topic.name, each.partition_index)
                if where is None or where not in self.positions:
                    continue
                at = each.committed_offset
                named = TopicPartition(topic.name, each.partition_index)
                seen = Resume(self.group, named, at, not response.is_certain)
                self.around.history.group.append(seen)
                self.positions[where] = max(at, 0)
        self.next_turn(RETRY_MS)

    def _commit(self) -> None:
        history = self.around.history
        rng = self.connections.rng
        new = {
            each: at + rng.randint(1, 5)
            for each, at in self.positions.items()
            if at is not None and each.topic != VANISHING
        }
        for each, at in new.items():
            where = TopicPartition(each.topic, each.partition)
            history.group.append(Commit(self.group, where, at, acknowledged=False))

        def answered(response: CoordinatorResponse) -> None:
            found = cast(commits.OffsetCommitResponse, response.body)
            error = 0
            for topic in found.topics:
                for each in topic.partitions:
                    error = each.error_code or error
                    where = self.around.partition(topic.name, each.partition_index)
                    if not each.error_code and where in new:
                        named = TopicPartition(topic.name, each.partition_index)
                        done = Commit(self.group, named, new[where], acknowledged=True)
                        history.group.append(done)
            if error:
                self.failed(error)
            self.later(self.heartbeat, BEAT_MS)

        self.positions |= new
        request = self.commit_request(new, self.epoch)
        self.ask(request, _COMMIT, answered, self.next_turn)

    def commit_request(
        self, offsets_of: dict[OwnedPartition, int], epoch: int
    ) -> commits.OffsetCommitRequest:
        """Return a request that commits offsets in an epoch."""
        topics = [
            commits.OffsetCommitRequestTopic(
                name=topic,
                partitions=[
                    commits.OffsetCommitRequestPartition(each.partition, at)
                    for each, at in sorted(offsets_of.items())
                    if each.topic == topic
                ],
            )
            for topic in dict.fromkeys(each.topic for each in sorted(offsets_of))
        ]
        return commits.OffsetCommitRequest(
            group_id=self.group,
            generation_id_or_member_epoch=epoch,
            member_id=self.member_id,
            group_instance_id=self.instance_id,
            topics=topics,
        )

    def try_fenced_commit(
        self, partition: OwnedPartition, epoch: int, why: str, then: Callable[[], None]
    ) -> None:
        """Commit what must be refused, and go on with `then`."""

        def answered(response: CoordinatorResponse) -> None:
            (topic,) = cast(commits.OffsetCommitResponse, response.body).topics
            accepted = not topic.partitions[0].error_code
            if response.is_certain or not accepted:
                ownership = self.around.ownership
                ownership.fenced_commit(self.group, self.name, why, accepted=accepted)
            then()

        self.ask(self.commit_request({partition: 0}, epoch), _COMMIT, answered, then)
