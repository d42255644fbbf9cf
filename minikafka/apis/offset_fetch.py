"""OffsetFetch (key 9), v1-10.

Broker:      the coordinator returns committed offsets; an unknown group has none.
Versions:    v2 all topics (null), group-level error; v5 leader epoch; v6 flexible;
             v7 require stable; v8 several groups; v9 member epoch (KIP-848); v10 topic ids.
Errors:      GROUP_AUTHORIZATION_FAILED, TOPIC_AUTHORIZATION_FAILED, COORDINATOR_LOAD_IN_PROGRESS,
             NOT_COORDINATOR (per group, per partition before v2); UNSTABLE_OFFSET_COMMIT,
             UNKNOWN_TOPIC_ID (per partition).
"""

from typing import NamedTuple

from minikafka.common.errors import ErrorCode, KafkaError
from minikafka.common.ids import ZERO_UUID, Uuid
from minikafka.group.consumer.commits import require_may_fetch
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.offsets import GroupOffsets
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue
from minikafka.messages.offset_fetch import (
    OffsetFetchRequest,
    OffsetFetchRequestGroup,
    OffsetFetchRequestTopics,
    OffsetFetchResponse,
    OffsetFetchResponseGroup,
    OffsetFetchResponsePartition,
    OffsetFetchResponsePartitions,
    OffsetFetchResponseTopic,
    OffsetFetchResponseTopics,
)
from minikafka.security.acl import AclOperation, AclResourceType
from minikafka.serving.authorization import AllowedTopics, allows
from minikafka.serving.context import BrokerContext
from minikafka.serving.registry import broker_api

_GROUP_ERROR_FROM = 2
_GROUPS_FROM = 8
_TOPIC_IDS_FROM = 10
_NOTHING = OffsetCommitValue(offset=-1, leader_epoch=-1, metadata="")


class Wanted(NamedTuple):
    """The partitions of one topic; `name` is None if the request's topic id is unknown."""

    name: str | None
    topic_id: Uuid
    partitions: list[int]
    is_denied: bool = False


@broker_api(ApiKey.OFFSET_FETCH, versions=(1, 10))
def offset_fetch(ctx: BrokerContext, request: OffsetFetchRequest) -> OffsetFetchResponse:
    """Return the offsets of each group."""
    if ctx.version >= _GROUPS_FROM:
        return OffsetFetchResponse(
            groups=[
                _group(ctx, group, require_stable=request.require_stable)
                for group in _without_repeats(request.groups)
            ]
        )
    topics = None
    if request.topics is not None:
        topics = [
            OffsetFetchRequestTopics(each.name, partition_indexes=each.partition_indexes)
            for each in request.topics
        ]
    group = _group(
        ctx,
        OffsetFetchRequestGroup(request.group_id, topics=topics),
        require_stable=request.require_stable,
    )
    return _single(ctx.version, request, group)


def _without_repeats(groups: list[OffsetFetchRequestGroup]) -> list[OffsetFetchRequestGroup]:
    """Return the groups, each once if all its offsets are requested; unlike Kafka (row W5)."""
    named: dict[tuple[str, int], OffsetFetchRequestGroup] = {}
    for place, group in enumerate(groups):
        named.setdefault((group.group_id, -1 if group.topics is None else place), group)
    return list(named.values())


def _group(
    ctx: BrokerContext, group: OffsetFetchRequestGroup, *, require_stable: bool
) -> OffsetFetchResponseGroup:
    if not allows(ctx, AclOperation.DESCRIBE, AclResourceType.GROUP, group.group_id):
        return OffsetFetchResponseGroup(
            group.group_id, error_code=ErrorCode.GROUP_AUTHORIZATION_FAILED
        )
    try:
        shard = ctx.broker.groups.shard_of(group.group_id)
        known = shard.store.groups.get(group.group_id)
        if isinstance(known, ConsumerGroup):
            require_may_fetch(known, group.member_id, group.member_epoch)
        offsets = shard.committed_offsets(group.group_id)
    except KafkaError as error:
        return OffsetFetchResponseGroup(group.group_id, error_code=error.code)
    wanted = _all(ctx, offsets) if group.topics is None else _named(ctx, group.topics)
    return OffsetFetchResponseGroup(
        group.group_id,
        [
            OffsetFetchResponseTopics(
                topic.name or "",
                topic.topic_id,
                [
                    _partition(offsets, topic, index, require_stable=require_stable)
                    for index in topic.partitions
                ],
            )
            for topic in wanted
        ],
    )


def _named(ctx: BrokerContext, topics: list[OffsetFetchRequestTopics]) -> list[Wanted]:
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    if ctx.version < _TOPIC_IDS_FROM:
        ids = ctx.broker.image.topic_ids
        named = [
            Wanted(
                each.name,
                ids.get(each.name, ZERO_UUID),
                each.partition_indexes,
                each.name not in allowed,
            )
            for each in topics
        ]
        return sorted(named, key=lambda each: each.is_denied)
    known = ctx.broker.image.topics
    found = [
        Wanted(
            known[each.topic_id].name if each.topic_id in known else None,
            each.topic_id,
            each.partition_indexes,
            each.topic_id in known and known[each.topic_id].name not in allowed,
        )
        for each in topics
    ]
    # As Kafka: topics with errors are last.
    return sorted(found, key=lambda each: each.name is None or each.is_denied)


def _all(ctx: BrokerContext, offsets: GroupOffsets) -> list[Wanted]:
    """Return all committed partitions; in versions with topic ids, only of existing topics."""
    ids = ctx.broker.image.topic_ids
    wanted = []
    allowed = AllowedTopics(ctx, AclOperation.DESCRIBE)
    for name, committed in offsets.committed.items():
        if name not in allowed:
            continue
        topic_id = ids.get(name, ZERO_UUID)
        indexes = [index for index in committed if offsets.find(name, index, topic_id)]
        if indexes and (topic_id != ZERO_UUID or ctx.version < _TOPIC_IDS_FROM):
            wanted.append(Wanted(name, topic_id, indexes))
    return wanted


def _partition(
    offsets: GroupOffsets, topic: Wanted, index: int, *, require_stable: bool
) -> OffsetFetchResponsePartitions:
    if topic.name is None:
        return _answer(index, _NOTHING, ErrorCode.UNKNOWN_TOPIC_ID)
    if topic.is_denied:
        return _answer(index, _NOTHING, ErrorCode.TOPIC_AUTHORIZATION_FAILED)
    if require_stable and offsets.is_unstable(topic.name, index):
        return _answer(index, _NOTHING, ErrorCode.UNSTABLE_OFFSET_COMMIT)
    value = offsets.find(topic.name, index, topic.topic_id)
    return _answer(index, value or _NOTHING, ErrorCode.NONE)


def _answer(index: int, value: OffsetCommitValue, code: ErrorCode) -> OffsetFetchResponsePartitions:
    return OffsetFetchResponsePartitions(
        index, value.offset, value.leader_epoch, value.metadata, code
    )


def _single(
    version: int, request: OffsetFetchRequest, group: OffsetFetchResponseGroup
) -> OffsetFetchResponse:
    """Return the response in versions with a single group."""
    topics = [
        OffsetFetchResponseTopic(
            topic.name,
            [
                OffsetFetchResponsePartition(
                    each.partition_index,
                    each.committed_offset,
                    each.committed_leader_epoch,
                    each.metadata,
                    each.error_code,
                )
                for each in topic.partitions
            ],
        )
        for topic in group.topics
    ]
    if not group.error_code:
        return OffsetFetchResponse(topics=topics)
    if version >= _GROUP_ERROR_FROM:
        return OffsetFetchResponse(error_code=group.error_code)
    return OffsetFetchResponse(
        topics=[
            OffsetFetchResponseTopic(
                topic.name,
                [
                    OffsetFetchResponsePartition(index, -1, -1, "", group.error_code)
                    for index in topic.partition_indexes
                ],
            )
            for topic in request.topics or ()
        ]
    )
