"""Fetch sessions of a leader's clients: consumers and followers that send only changed partitions.

A session remembers the last request and the last response for each partition. An incremental
response has a partition only if it has records or an error, or if its high watermark, log start
offset or other fields changed. The cache is bounded: if it is full, new sessions are refused
(session id 0, which every client understands). Unlike Kafka (row B1), the limit counts
partitions as well as sessions, and a session that was not used for two minutes ends.

The cost of a fetch depends on the changed partitions, not on all partitions of the session: a
partition whose client has received everything is quiet. It is not checked again before the client
names it or the partition reports a change (`RequestedPartition.changed`). Each fetch also proves
that the follower still has the whole log of each quiet partition. That is noted when the partition
stops being quiet, since nothing depends on it before.

Source: KIP-227; `FetchSession`, `FetchSessionCache`, `FullFetchContext`, `IncrementalFetchContext`.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from operator import attrgetter
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    FetchSessionIdNotFoundError,
    FetchSessionTopicIdError,
    InvalidFetchSessionEpochError,
)
from minikafka.common.ids import Uuid
from minikafka.common.wait_key import WaitKey
from minikafka.messages import fetch as messages
from minikafka.replica.partition import Partition
from minikafka.replica.partition_event import PartitionEvent

FINAL_EPOCH = -1
INITIAL_EPOCH = 0
_FULL_FETCH_EPOCHS = (FINAL_EPOCH, INITIAL_EPOCH)
_MAX_EPOCH = 2**31 - 1
_EVICT_AFTER_MS = 120_000
TOPIC_IDS_FROM_VERSION = 13
MAX_PARTITIONS = 100_000
"""The limit for all sessions of a broker together, about 80 MB."""
_SWEEP_MS = 60_000


class SessionKey(NamedTuple):
    """A partition as requests name it: by topic id since version 13, by name before."""

    topic_id: Uuid
    topic: str
    partition: int


class FetchClient(NamedTuple):
    """The client of a fetch. If it changes, all partitions of the session are checked again."""

    version: int
    replica_id: int
    replica_epoch: int
    isolation_level: int
    rack: str


@dataclass(slots=True, eq=False)
class RequestedPartition:
    """A partition of a fetch; in a session, its last request and its last response.

    Partitions are read in ascending `order`. `partition` is the one that is watched for changes.
    """

    key: SessionKey
    request: messages.FetchPartition
    session: "Session | None" = None
    order: int = 0
    partition: Partition | None = None
    is_quiet: bool = False
    sent: tuple[int, int] | None = None
    """The high watermark and the log start offset that the client has; None if it needs all."""
    must_note: bool = False
    """True if the follower moved in another session: the next fetch here must note its offset."""

    def must_send(self, answer: messages.PartitionData) -> bool:
        """True if an incremental response must contain `answer`; remember it as sent."""
        diverging = answer.diverging_epoch
        truncates = diverging is not None and diverging.epoch >= 0
        offsets = (answer.high_watermark, answer.log_start_offset)
        must_send = (
            bool(answer.records)
            or answer.error_code != 0
            or self.sent != offsets
            or answer.preferred_read_replica != -1
            or truncates
        )
        # An error is sent again until it is over. Unlike Kafka (row G2): so are the fields beside a
        # diverging epoch, since a follower that truncates ignores the rest of that response.
        self.sent = None if answer.error_code or truncates else offsets
        return must_send

    def watch(self, partition: Partition) -> None:
        """Watch a partition for changes, and no other one, as long as the session is open."""
        session = self.session
        if self.partition is not partition and session is not None and not session.is_closed:
            self._stop_watching()
            self.partition = partition
            partition.watchers[self] = None

    def detach(self) -> None:
        """Stop watching the partition."""
        self.recheck()
        self._stop_watching()

    def _stop_watching(self) -> None:
        if self.partition is not None:
            self.partition.watchers.pop(self, None)
            self.partition = None

    def changed(self, event: PartitionEvent) -> None:
        """Note a change of the partition that a response could show."""
        self.recheck()
        session = self.session
        assert session is not None
        if session.waiting:
            if event in (PartitionEvent.ALL, session.woken_by):
                session.env.notify(session.key)
        elif self not in session.under_way:
            # The next fetch checks and watches the partition again. Until then a session whose
            # client is gone costs nothing.
            self._stop_watching()

    def follower_moves(self, broker: int) -> None:
        """Note that a follower fetched at another offset, in this session or another one."""
        session = self.session
        if session is not None and broker == session.reader.replica_id:
            self.recheck()
            self.must_note = True

    def recheck(self) -> None:
        """Let the next fetch check the partition."""
        session = self.session
        assert session is not None
        if self.is_quiet:
            self.is_quiet = False
            self._note_progress(session)
        session.noisy[self] = None

    def _note_progress(self, session: "Session") -> None:
        partition = self.partition
        if session.reader.replica_id >= 0 and partition is not None:
            partition.follower_was_idle(session.reader.replica_id, session.last_used_ms)


_order = attrgetter("order")


@dataclass(slots=True, eq=False)
class Session:
    """One client's session."""

    env: Environment
    session_id: int
    uses_topic_ids: bool
    is_follower: bool
    reader: FetchClient
    last_used_ms: int
    epoch: int = 1
    partitions: dict[SessionKey, RequestedPartition] = field(default_factory=dict)
    noisy: dict[RequestedPartition, None] = field(default_factory=dict)
    """The partitions that the next fetch checks."""
    under_way: dict[RequestedPartition, None] = field(default_factory=dict)
    """The partitions that the current fetch has checked and not answered yet."""
    key: WaitKey = field(default_factory=lambda: WaitKey("fetch session"))
    waiting: int = 0
    """The number of fetches that wait for a change."""
    is_closed: bool = False
    rights: Hashable = None
    """What the rights of the last client depend on, if there is an authorizer."""
    _places: int = 0

    @property
    def woken_by(self) -> PartitionEvent:
        """The change that a fetch waits for: appends for followers, commits for consumers."""
        return PartitionEvent.APPENDED if self.reader.replica_id >= 0 else PartitionEvent.COMMITTED

    def update(self, request: messages.FetchRequest) -> None:
        """Add, change and remove the partitions that an incremental request names."""
        for key, wanted in named_partitions(request):
            known = self.partitions.get(key)
            if known is None:
                known = self.partitions[key] = RequestedPartition(key, wanted, self, self._place())
            elif wanted.current_leader_epoch != known.request.current_leader_epoch:
                # Unlike Kafka (row G2): a follower that learned of another epoch has ignored the
                # responses of the epoch before.
                known.sent = None
            known.request = wanted
            known.recheck()
        for topic in request.forgotten_topics_data:
            for index in topic.partitions:
                gone = self.partitions.pop(SessionKey(topic.topic_id, topic.topic, index), None)
                if gone is not None:
                    self._forget(gone)

    def read_as(self, reader: FetchClient) -> None:
        """Note the client of this fetch; if it changed, check all partitions again."""
        if reader != self.reader:
            for row in self.partitions.values():
                row.recheck()
            self.reader = reader

    def read_with(self, rights: Hashable) -> None:
        """Note what the client's rights depend on; if that changed, check all partitions again."""
        if rights != self.rights:
            for row in self.partitions.values():
                row.recheck()
            self.rights = rights

    def take(self) -> list[RequestedPartition]:
        """Take the partitions that this fetch must check, in order.

        The caller must call `answered` for each of them; otherwise the next fetch takes it again.
        """
        self.under_way.update(self.noisy)
        self.noisy.clear()
        return sorted(self.under_way, key=_order)

    def wait_keys(self) -> list[WaitKey]:
        """The keys that a fetch with nothing to send waits for."""
        return [self.key]

    def unanswered(self) -> list[RequestedPartition]:
        """The partitions that may have something to send to a waiting fetch."""
        return list({**self.under_way, **self.noisy})

    def answered(self, row: RequestedPartition, *, is_calm: bool) -> None:
        """Note that the response has the partition; a calm one becomes quiet until it changes."""
        self.under_way.pop(row, None)
        if self.partitions.get(row.key) is not row:
            return
        if is_calm and row not in self.noisy and not row.must_note:
            row.is_quiet = True
        else:
            self.noisy[row] = None

    def served(self, row: RequestedPartition) -> None:
        """Move a partition that returned data to the end, so that each gets its turn."""
        row.order = self._place()

    def close(self) -> None:
        """Stop watching all partitions, and answer a waiting fetch, since it would not wake up."""
        for row in self.partitions.values():
            row.detach()
        self.is_closed = True
        if self.waiting:
            self.env.notify(self.key)

    def _forget(self, row: RequestedPartition) -> None:
        row.detach()
        self.noisy.pop(row, None)
        self.under_way.pop(row, None)

    def _place(self) -> int:
        self._places += 1
        return self._places


def named_partitions(
    request: messages.FetchRequest,
) -> Iterator[tuple[SessionKey, messages.FetchPartition]]:
    """Yield the partitions that a request names, in its order."""
    for topic in request.topics:
        for partition in topic.partitions:
            yield SessionKey(topic.topic_id, topic.topic, partition.partition), partition


def replica_id_of(request: messages.FetchRequest) -> int:
    """The broker that fetches, or -1 for a consumer. It moved into a tagged field in version 15."""
    state = request.replica_state
    return request.replica_id if state is None or state.replica_id < 0 else state.replica_id


@dataclass(slots=True, eq=False, repr=False)
class FetchSessions:
    """The sessions of a broker."""

    env: Environment
    slots: int
    kind: type[Session] = Session
    most_partitions: int = MAX_PARTITIONS
    partition_count: int = 0
    """The number of partitions in all sessions together."""
    _sessions: dict[int, Session] = field(default_factory=dict)
    # In the order of their last use, oldest first.
    _consumers: OrderedDict[int, Session] = field(default_factory=OrderedDict)
    _followers: OrderedDict[int, Session] = field(default_factory=OrderedDict)

    def __len__(self) -> int:
        return len(self._sessions)

    def find(self, session_id: int) -> Session | None:
        """Return a session, or None."""
        return self._sessions.get(session_id)

    def sweep(self) -> None:
        """Drop sessions that were not used for two minutes, now and once a minute.

        Unlike Kafka (row B1), where they stay until another session needs the place. A client that
        comes back must send all its partitions again.
        """
        if self._evict(is_follower=False):
            self.env.later(self.sweep)
        else:
            self.env.after(_SWEEP_MS, self.sweep)

    def resolve(self, request: messages.FetchRequest, version: int) -> Session | None:
        """Find and update the session of a request, or open one; None for a fetch without one.

        Raises:
            FetchSessionIdNotFoundError, InvalidFetchSessionEpochError, FetchSessionTopicIdError:
                the client must start again with a full fetch.
        """
        epoch = request.session_epoch
        if epoch in _FULL_FETCH_EPOCHS:
            if request.session_id:
                self._drop(request.session_id)
            return None if epoch == FINAL_EPOCH else self._open(request, version)
        session = self._sessions.get(request.session_id)
        if session is None:
            raise FetchSessionIdNotFoundError
        if epoch != session.epoch:
            raise InvalidFetchSessionEpochError
        if session.uses_topic_ids != (version >= TOPIC_IDS_FROM_VERSION):
            raise FetchSessionTopicIdError
        session.epoch = 1 if epoch == _MAX_EPOCH else epoch + 1
        session.read_as(_reader(request, version))
        # Before `last_used_ms` changes: a partition that is named was quiet until the last fetch.
        before = len(session.partitions)
        session.update(request)
        self.partition_count += len(session.partitions) - before
        if not self._has_room(0, is_follower=session.is_follower, but=session):
            self._drop(session.session_id)
            raise FetchSessionIdNotFoundError
        session.last_used_ms = self.env.clock.monotonic_ms
        (self._followers if session.is_follower else self._consumers).move_to_end(
            session.session_id
        )
        if not session.partitions:
            # As Kafka: a session without partitions ends with this response.
            self._remove(session.session_id)
            session.session_id = 0
        return session

    def _open(self, request: messages.FetchRequest, version: int) -> Session | None:
        is_follower = replica_id_of(request) >= 0
        named_count = sum(len(topic.partitions) for topic in request.topics)
        # Checked before the session is built: a partition that is named twice counts twice here.
        if (
            not named_count
            or not self._make_room(is_follower=is_follower)
            or not self._has_room(named_count, is_follower=is_follower)
        ):
            return None
        session = self.kind(
            self.env,
            self._free_id(),
            version >= TOPIC_IDS_FROM_VERSION,
            is_follower,
            _reader(request, version),
            self.env.clock.monotonic_ms,
        )
        session.update(request)
        self._sessions[session.session_id] = session
        (self._followers if is_follower else self._consumers)[session.session_id] = session
        self.partition_count += len(session.partitions)
        return session

    def _drop(self, session_id: int) -> None:
        session = self._remove(session_id)
        if session is not None:
            self.partition_count -= len(session.partitions)
            session.close()

    def _remove(self, session_id: int) -> Session | None:
        self._consumers.pop(session_id, None)
        self._followers.pop(session_id, None)
        return self._sessions.pop(session_id, None)

    def _make_room(self, *, is_follower: bool) -> bool:
        return len(self._sessions) < self.slots or self._evict(is_follower=is_follower)

    def _has_room(self, more: int, *, is_follower: bool, but: Session | None = None) -> bool:
        """True if so many more partitions fit, if necessary after evicting other sessions."""
        if more > self.most_partitions:
            return False
        while self.partition_count + more > self.most_partitions:
            if not self._evict(is_follower=is_follower, but=but):
                return False
        return True

    def _evict(self, *, is_follower: bool, but: Session | None = None) -> bool:
        """Drop an idle session, or for a follower that of a consumer; False if there is none."""
        now_ms = self.env.clock.monotonic_ms
        consumer, follower = _first(self._consumers, but), _first(self._followers, but)
        for each in (consumer, follower):
            if each is not None and now_ms - each.last_used_ms > _EVICT_AFTER_MS:
                self._drop(each.session_id)
                return True
        if consumer is None or not is_follower:
            return False
        self._drop(consumer.session_id)
        return True

    def _free_id(self) -> int:
        while True:
            session_id = self.env.rng.randrange(1, 2**31 - 1)
            if session_id not in self._sessions:
                return session_id


def _first(sessions: OrderedDict[int, Session], but: Session | None) -> Session | None:
    return next((each for each in sessions.values() if each is not but), None)


def _reader(request: messages.FetchRequest, version: int) -> FetchClient:
    state = request.replica_state
    return FetchClient(
        version,
        replica_id_of(request),
        -1 if state is None else state.replica_epoch,
        request.isolation_level,
        request.rack_id,
    )
