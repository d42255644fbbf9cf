"""Fetch sessions of a leader's clients: consumers and followers that name only what changed.

A session remembers, by partition, what was asked and what was last answered. An incremental
response holds a partition only if it has records or an error, or if its high watermark, log start
or other fields changed. The cache is bounded: a full one refuses new sessions (session id 0, which
every client understands), or drops one that was not used for two minutes.

Source: KIP-227; `FetchSession`, `FetchSessionCache`, `FullFetchContext`, `IncrementalFetchContext`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.environment import Environment
from minikafka.common.errors import (
    FetchSessionIdNotFoundError,
    FetchSessionTopicIdError,
    InvalidFetchSessionEpochError,
)
from minikafka.common.ids import Uuid
from minikafka.messages import fetch as messages

FINAL_EPOCH = -1
INITIAL_EPOCH = 0
_MAX_EPOCH = 2**31 - 1
_EVICT_AFTER_MS = 120_000
TOPIC_IDS_FROM_VERSION = 13


class SessionKey(NamedTuple):
    """A partition as requests name it: by topic id from version 13 on, by name before."""

    topic_id: Uuid
    topic: str
    partition: int


@dataclass(slots=True)
class Asked:
    """What a session asks of one partition, and what it was last told."""

    request: messages.FetchPartition
    high_watermark: int = -1
    log_start_offset: int = -1
    told: bool = False

    def is_news(self, answer: messages.PartitionData) -> bool:
        """Whether an incremental response must hold this answer; remembers it as told."""
        diverging = answer.diverging_epoch
        news = (
            not self.told
            or bool(answer.records)
            or answer.error_code != 0
            or answer.high_watermark != self.high_watermark
            or answer.log_start_offset != self.log_start_offset
            or answer.preferred_read_replica != -1
            or (diverging is not None and diverging.epoch >= 0)
        )
        self.high_watermark = answer.high_watermark
        self.log_start_offset = answer.log_start_offset
        # An error is told again until it is over.
        self.told = answer.error_code == 0
        return news


@dataclass(slots=True)
class Session:
    """One client's session; partitions in the order in which they are read."""

    session_id: int
    uses_topic_ids: bool
    is_follower: bool
    last_used_ms: int
    epoch: int = 1
    partitions: dict[SessionKey, Asked] = field(default_factory=dict)

    def update(self, request: messages.FetchRequest) -> None:
        """Add, change and forget what an incremental request names."""
        for key, wanted in named_partitions(request):
            known = self.partitions.get(key)
            if known is None:
                self.partitions[key] = Asked(wanted)
            else:
                known.request = wanted
        for topic in request.forgotten_topics_data:
            for index in topic.partitions:
                self.partitions.pop(SessionKey(topic.topic_id, topic.topic, index), None)

    def served(self, key: SessionKey) -> None:
        """Move a partition that gave data to the end, so that each gets its turn."""
        self.partitions[key] = self.partitions.pop(key)


def named_partitions(
    request: messages.FetchRequest,
) -> Iterator[tuple[SessionKey, messages.FetchPartition]]:
    """The partitions that a request names, in its order."""
    for topic in request.topics:
        for partition in topic.partitions:
            yield SessionKey(topic.topic_id, topic.topic, partition.partition), partition


def replica_id_of(request: messages.FetchRequest) -> int:
    """The broker that fetches, or -1 for a consumer. It moved into a tagged field in version 15."""
    state = request.replica_state
    return request.replica_id if state is None or state.replica_id < 0 else state.replica_id


@dataclass(slots=True)
class FetchSessions:
    """The sessions of a broker."""

    env: Environment
    slots: int
    _sessions: dict[int, Session] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._sessions)

    def resolve(self, request: messages.FetchRequest, version: int) -> Session | None:
        """The session that a request belongs to, brought up to date; None for a fetch without one.

        Raises:
            FetchSessionIdNotFoundError, InvalidFetchSessionEpochError, FetchSessionTopicIdError:
                the client starts over with a full fetch.
        """
        epoch = request.session_epoch
        if epoch in (FINAL_EPOCH, INITIAL_EPOCH):
            if request.session_id:
                self._sessions.pop(request.session_id, None)
            return None if epoch == FINAL_EPOCH else self._open(request, version)
        session = self._sessions.get(request.session_id)
        if session is None:
            raise FetchSessionIdNotFoundError
        if epoch != session.epoch:
            raise InvalidFetchSessionEpochError
        if session.uses_topic_ids != (version >= TOPIC_IDS_FROM_VERSION):
            raise FetchSessionTopicIdError
        session.epoch = 1 if epoch == _MAX_EPOCH else epoch + 1
        session.last_used_ms = self.env.clock.monotonic_ms
        session.update(request)
        if not session.partitions:
            # As Kafka: a session without partitions ends with its answer.
            del self._sessions[session.session_id]
            session.session_id = 0
        return session

    def _open(self, request: messages.FetchRequest, version: int) -> Session | None:
        is_follower = replica_id_of(request) >= 0
        if not any(topic.partitions for topic in request.topics) or not self._make_room(
            is_follower=is_follower
        ):
            return None
        session = Session(
            self._free_id(),
            version >= TOPIC_IDS_FROM_VERSION,
            is_follower,
            self.env.clock.monotonic_ms,
        )
        session.update(request)
        self._sessions[session.session_id] = session
        return session

    def _make_room(self, *, is_follower: bool) -> bool:
        if len(self._sessions) < self.slots:
            return True
        now_ms = self.env.clock.monotonic_ms
        for session_id, session in self._sessions.items():
            idle = now_ms - session.last_used_ms > _EVICT_AFTER_MS
            if idle or (is_follower and not session.is_follower):
                del self._sessions[session_id]
                return True
        return False

    def _free_id(self) -> int:
        while True:
            session_id = self.env.rng.randrange(1, 2**31 - 1)
            if session_id not in self._sessions:
                return session_id
