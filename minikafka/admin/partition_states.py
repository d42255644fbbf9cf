"""The current state of each partition of a cluster, read by public APIs.

Leaders, ISR and ELR come from DescribeTopicPartitions (D1, D2). The high watermark is the latest
offset that ListOffsets returns to a consumer; the log end offset of a replica is the one that its
broker returns to the debugging replica id (-2), leader or not.

Source: KIP-966; `ReplicaManager.fetchOffset` for the debugging replica id.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from minikafka.admin.client import AdminClient, AdminError, check
from minikafka.admin.group_offsets import GroupProgress, read_groups
from minikafka.admin.quorum import QuorumLeader, read_quorum_leader
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.messages.describe_topic_partitions import (
    DescribeTopicPartitionsRequest,
    DescribeTopicPartitionsRequestCursor,
    DescribeTopicPartitionsResponsePartition,
    DescribeTopicPartitionsResponseTopic,
    TopicRequest,
)
from minikafka.messages.list_offsets import (
    ListOffsetsPartition,
    ListOffsetsRequest,
    ListOffsetsTopic,
)
from minikafka.metadata.partition_registration import LeaderRecoveryState

_PAGE = 2000
_LATEST = -1
_CONSUMER = -1
_DEBUGGER = -2
_QUORUM_TIMEOUT_S = 1.0
"""Brokers forward this question to a controller, which there may not be."""


class PartitionState(NamedTuple):
    """One partition.

    `leader` is -1 for none. `high_watermark` is None if it could not be read; `log_ends` has the
    log end offsets that could be read, by broker; `former_log_ends` those that were read before.
    """

    name: TopicPartition
    leader: int
    leader_epoch: int
    replicas: tuple[int, ...]
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    last_known_elr: tuple[int, ...]
    is_recovering: bool = False
    high_watermark: int | None = None
    log_ends: Mapping[int, int] = {}
    former_log_ends: Mapping[int, int] = {}


class GroupLag(NamedTuple):
    """A group: the number of records that it has not read; None if that is unknown."""

    name: str
    state: str
    lag: int | None


class ClusterState(NamedTuple):
    """The live brokers, the partitions by name, and the errors of brokers that did not answer.

    `quorum` is the leader of the metadata quorum; None if the cluster does not tell it. `groups`
    are the consumer groups of the topics.
    """

    brokers: tuple[int, ...]
    partitions: Mapping[TopicPartition, PartitionState]
    silent: Mapping[int, str]
    quorum: QuorumLeader | None = None
    groups: Sequence[GroupLag] = ()


def read_cluster(client: AdminClient, topics: Sequence[str]) -> ClusterState:
    """Read the state of the named topics; without names, of all topics except internal ones.

    Raises:
        AdminError: no server answers, or a named topic cannot be described.
    """
    brokers = tuple(sorted(client.brokers()))
    known = [topic for topic in _described(client, topics) if topics or not topic.is_internal]
    described = {state.name: state for topic in known for state in _states(topic)}
    silent: dict[int, str] = {}
    high_watermarks: dict[TopicPartition, int] = {}
    log_ends: dict[TopicPartition, dict[int, int]] = {}
    for broker in brokers:
        led = [name for name, state in described.items() if state.leader == broker]
        held = [name for name, state in described.items() if broker in state.replicas]
        try:
            high_watermarks.update(_latest(client, broker, led, _CONSUMER))
            for name, end in _latest(client, broker, held, _DEBUGGER):
                log_ends.setdefault(name, {})[broker] = end
        except AdminError as error:
            silent[broker] = str(error)
    partitions = {
        name: state._replace(
            high_watermark=high_watermarks.get(name), log_ends=log_ends.get(name, {})
        )
        for name, state in sorted(described.items())
    }
    groups = read_groups(client, {topic.topic_id: str(topic.name) for topic in known})
    lags = [lag for each in groups if (lag := _lag(each, high_watermarks)) is not None]
    with client.limited(_QUORUM_TIMEOUT_S):
        quorum = read_quorum_leader(client)
    return ClusterState(brokers, partitions, silent, quorum, lags)


def _lag(group: GroupProgress, ends: Mapping[TopicPartition, int]) -> GroupLag | None:
    """Return the lag of a group; None if it has committed nothing in the partitions with `ends`."""
    if group.committed is None:
        return GroupLag(group.name, group.state, None)
    lags = [max(ends[at] - offset, 0) for at, offset in group.committed.items() if at in ends]
    return GroupLag(group.name, group.state, sum(lags)) if lags else None


def read_partitions(client: AdminClient) -> ClusterState:
    """Read brokers, leaders, ISR and ELR of all topics except internal ones, as one broker knows
    them: without offsets, and without the leader of the quorum.

    Raises:
        AdminError: no server answers.
    """  # noqa: D205 - one sentence
    brokers = tuple(sorted(client.brokers()))
    states = [
        state for topic in _described(client, ()) if not topic.is_internal
        for state in _states(topic)
    ]  # fmt: skip
    return ClusterState(brokers, {state.name: state for state in sorted(states)}, {})


def read_leaders(client: AdminClient, topics: Sequence[str]) -> list[PartitionState]:
    """Read leaders, ISR and ELR of the named topics, as one broker knows them.

    Raises:
        AdminError: no server answers, or a topic cannot be described.
    """
    return [state for topic in _described(client, topics) for state in _states(topic)]


def _described(
    client: AdminClient, topics: Sequence[str]
) -> Iterator[DescribeTopicPartitionsResponseTopic]:
    cursor: DescribeTopicPartitionsRequestCursor | None = None
    while True:
        response = client.ask(
            DescribeTopicPartitionsRequest(
                topics=[
                    TopicRequest(name)
                    for name in sorted(topics)
                    if cursor is None or name >= cursor.topic_name
                ],
                response_partition_limit=_PAGE,
                cursor=cursor,
            )
        )
        for topic in response.topics:
            if topic.error_code != ErrorCode.NONE and topics:
                check(topic.error_code, f"topic {topic.name} cannot be described: {_why(topic)}")
            yield topic
        following = response.next_cursor
        if following is None:
            return
        cursor = DescribeTopicPartitionsRequestCursor(
            following.topic_name, following.partition_index
        )


def _why(topic: DescribeTopicPartitionsResponseTopic) -> str:
    return ErrorCode(topic.error_code).name


def _states(topic: DescribeTopicPartitionsResponseTopic) -> Iterable[PartitionState]:
    assert topic.name is not None, "topics were asked for by name"
    return [_state(topic.name, it) for it in topic.partitions]


def _state(topic: str, it: DescribeTopicPartitionsResponsePartition) -> PartitionState:
    return PartitionState(
        TopicPartition(topic, it.partition_index),
        it.leader_id,
        it.leader_epoch,
        tuple(it.replica_nodes),
        tuple(it.isr_nodes),
        tuple(it.eligible_leader_replicas or ()),
        tuple(it.last_known_elr or ()),
        it.leader_recovery_state == LeaderRecoveryState.RECOVERING,
    )


def _latest(
    client: AdminClient, broker: int, names: Sequence[TopicPartition], asker: int
) -> list[tuple[TopicPartition, int]]:
    """Return the latest offsets from a broker, without the partitions that have an error."""
    if not names:
        return []
    topics: dict[str, ListOffsetsTopic] = {}
    for name in names:
        topic = topics.setdefault(name.topic, ListOffsetsTopic(name.topic))
        topic.partitions.append(ListOffsetsPartition(name.partition, timestamp=_LATEST))
    request = ListOffsetsRequest(replica_id=asker, topics=list(topics.values()))
    response = client.ask_broker(broker, request)
    return [
        (TopicPartition(topic.name, it.partition_index), it.offset)
        for topic in response.topics
        for it in topic.partitions
        if it.error_code == ErrorCode.NONE and it.offset >= 0
    ]
