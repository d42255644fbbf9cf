"""The follower's half of a fetch session (KIP-227): the requests to one leader.

After the first request of a session, only partitions whose position changed are sent. Source:
`FetchSessionHandler`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from minikafka.common.ids import TopicIdPartition
from minikafka.messages import fetch as messages
from minikafka.metadata.local_broker import BrokerView
from minikafka.replica.partition_fetch_state import FetchState, FollowedPartition, Position
from minikafka.replica.settings import FetchSettings

_FULL_FETCH_EPOCH: Final = 0
_MAX_EPOCH: Final = 2**31 - 1
_FETCHING: Final = FetchState.FETCHING


@dataclass(slots=True, eq=False, repr=False)
class FetchSessionHandler:
    """Makes the fetch requests to one leader."""

    view: BrokerView
    settings: FetchSettings
    positions: dict[TopicIdPartition, Position] = field(default_factory=dict)
    """The partitions of the session, as the leader has them after the next request."""
    _named: dict[TopicIdPartition, Position] = field(default_factory=dict)
    _forgotten: dict[TopicIdPartition, None] = field(default_factory=dict)
    """The partitions that the leader's session still has, but that must not be fetched."""
    _id: int = 0
    _epoch: int = _FULL_FETCH_EPOCH

    def update(
        self,
        moved: Iterable[TopicIdPartition],
        followed: Mapping[TopicIdPartition, FollowedPartition],
    ) -> None:
        """Note the states of the partitions in `moved` for the next request."""
        positions = self.positions
        for key in moved:
            each = followed.get(key)
            if each is None or each.state is not _FETCHING:
                if positions.pop(key, None) is not None:
                    self._forgotten[key] = None
                continue
            self._forgotten.pop(key, None)
            position = each.position
            if positions.get(key) != position:
                self._named[key] = positions[key] = position

    def request(self) -> messages.FetchRequest:
        """Return the next request of the session."""
        settings = self.settings
        named, self._named = self._named, {}
        forgotten, self._forgotten = self._forgotten, {}
        topics: dict[bytes, messages.FetchTopic] = {}
        for key, position in named.items():
            topic = topics.get(key.topic_id)
            if topic is None:
                topic = topics[key.topic_id] = messages.FetchTopic(topic_id=key.topic_id)
            topic.partitions.append(
                messages.FetchPartition(
                    partition=key.partition,
                    current_leader_epoch=position.leader_epoch,
                    fetch_offset=position.fetch_offset,
                    last_fetched_epoch=position.last_fetched_epoch,
                    log_start_offset=position.log_start_offset,
                    partition_max_bytes=settings.partition_max_bytes,
                )
            )
        return messages.FetchRequest(
            replica_state=messages.ReplicaState(
                replica_id=self.view.broker_id, replica_epoch=self.view.broker_epoch
            ),
            max_wait_ms=settings.max_wait_ms,
            min_bytes=settings.min_bytes,
            max_bytes=settings.max_bytes,
            session_id=self._id,
            session_epoch=self._epoch,
            topics=list(topics.values()),
            forgotten_topics_data=_forgotten(forgotten),
        )

    def accepted(self, session_id: int) -> None:
        """Note a successful response; the next request continues the session."""
        self._id = session_id
        self._epoch = 1 if self._epoch == _MAX_EPOCH else self._epoch + 1

    def restart(self) -> None:
        """Begin a new session; `update` must follow with all partitions."""
        self._id = 0
        self._epoch = _FULL_FETCH_EPOCH
        # A new dictionary: the handler of a response may still use the old one.
        self.positions = {}
        self._forgotten = {}


def _forgotten(keys: Iterable[TopicIdPartition]) -> list[messages.ForgottenTopic]:
    topics: dict[bytes, messages.ForgottenTopic] = {}
    for key in keys:
        topic = topics.get(key.topic_id)
        if topic is None:
            topic = topics[key.topic_id] = messages.ForgottenTopic(topic_id=key.topic_id)
        topic.partitions.append(key.partition)
    return list(topics.values())
