"""Fetches from which a fault takes partitions, also within sessions (KIP-227).

An incremental fetch does not name the partitions that it had named before. To take a partition, the
request is changed so that the session forgets it; when no fault takes it any more, the request is
changed so that the session has it again. The client notices only the errors between.
"""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from minikafka.common.ids import ZERO_UUID
from minikafka.faults.partition_lists import Matches, TakenTopic
from minikafka.messages.fetch import FetchPartition, FetchTopic, ForgottenTopic
from minikafka.replica.fetch_session import FetchSessions, Session, SessionKey, named_partitions

_PRUNE_ABOVE: Final = 100
Partitions = Mapping[SessionKey, FetchPartition]


@dataclass(slots=True, eq=False)
class FetchPartitions:
    """The partitions that are taken out of the sessions of a broker."""

    sessions: FetchSessions | None
    withheld: dict[int, dict[SessionKey, FetchPartition]] = field(default_factory=dict)
    """By session id: partitions that the client believes to be in its session."""

    def of(self, request: Any) -> Partitions:
        """Return every partition that a fetch is about, named or not."""
        found: dict[SessionKey, FetchPartition] = {}
        session = self._session(request)
        if session is not None:
            found.update((key, asked.request) for key, asked in session.partitions.items())
            found.update(self.withheld.get(request.session_id, {}))
            for topic in request.forgotten_topics_data:
                for index in topic.partitions:
                    found.pop(SessionKey(topic.topic_id, topic.topic, index), None)
        found.update(named_partitions(request))
        return found

    def returned(self, request: Any) -> Any:
        """Return a fetch that also names the partitions that were taken from its session before."""
        if request.session_epoch <= 0 or request.session_id not in self.withheld:
            return request
        about = self.of(request)
        before = self.withheld.pop(request.session_id)
        again = {key: about[key] for key in before if key in about}
        again.update(named_partitions(request))
        rest = copy.copy(request)
        rest.topics = _topics(again)
        return rest

    def take(self, request: Any, matches: Matches) -> tuple[Any, list[TakenTopic]]:
        """Take the partitions that match; return the request without them, and those."""
        session = self._session(request)
        if session is None and request.session_epoch > 0:
            # The session does not exist; the answer will say so.
            return request, []
        about = self.of(request)
        taken = dict.fromkeys(
            key for key in about if matches(key.topic, key.topic_id, key.partition)
        )
        known = {} if session is None else session.partitions
        rest = copy.copy(request)
        rest.topics = _topics(
            {key: value for key, value in named_partitions(request) if key not in taken}
        )
        gone = [key for key in taken if key in known]
        rest.forgotten_topics_data = [
            *request.forgotten_topics_data,
            *(ForgottenTopic(key.topic, key.topic_id, [key.partition]) for key in gone),
        ]
        if taken:
            # As with any error, the answer does not wait for records of the other partitions.
            rest.max_wait_ms = 0
        if session is not None and taken:
            self.withheld[session.session_id] = {key: about[key] for key in taken}
        return rest, _taken_topics(taken)

    def opened(self, request: Any, session_id: int, taken: list[TakenTopic]) -> None:
        """Note that a full fetch from which partitions were taken has opened a session."""
        if request.session_epoch != 0 or not session_id or not taken:
            return
        indexes = {(each.name, each.topic_id): each.indexes or () for each in taken}
        self.withheld[session_id] = {
            key: value
            for key, value in named_partitions(request)
            if key.partition in indexes.get((key.topic, key.topic_id), ())
        }
        if len(self.withheld) > _PRUNE_ABOVE:
            self.prune()

    def prune(self) -> None:
        """Forget the sessions that have ended."""
        sessions = self.sessions
        self.withheld = {
            session_id: held
            for session_id, held in self.withheld.items()
            if sessions is not None and sessions.find(session_id) is not None
        }

    def look_again(self, session_id: int, matches: Matches) -> None:
        """Let the session answer again for partitions whose answer was replaced by an error."""
        session = None if self.sessions is None else self.sessions.find(session_id)
        if session is None:
            return
        for key, asked in session.partitions.items():
            if matches(key.topic, key.topic_id, key.partition):
                asked.sent = None
                asked.recheck()

    def _session(self, request: Any) -> Session | None:
        if self.sessions is None or request.session_epoch <= 0:
            return None
        return self.sessions.find(request.session_id)


def _topics(asked: Partitions) -> list[FetchTopic]:
    topics: dict[tuple[str, bytes], FetchTopic] = {}
    for key, value in asked.items():
        topic = topics.get((key.topic, key.topic_id))
        if topic is None:
            topic = topics[key.topic, key.topic_id] = FetchTopic(key.topic, key.topic_id)
        topic.partitions.append(value)
    return list(topics.values())


def _taken_topics(taken: Iterable[SessionKey]) -> list[TakenTopic]:
    topics: dict[tuple[str, bytes], TakenTopic] = {}
    for key in taken:
        made = TakenTopic(None, key.topic, key.topic_id or ZERO_UUID, [])
        topic = topics.setdefault((key.topic, key.topic_id), made)
        assert topic.indexes is not None
        topic.indexes.append(key.partition)
    return list(topics.values())
