"""When the patterns of a group are resolved, and what follows from it.

Source: `GroupMetadataManager.maybeUpdateRegularExpressions`, `handleRegularExpressionsResult`.
"""

from collections.abc import Mapping
from enum import Enum, auto
from typing import Final, NamedTuple

from minikafka.group.consumer import records
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ConsumerMember
from minikafka.group.consumer.patterns import require_valid
from minikafka.group.consumer.records import ResolvedPattern
from minikafka.group.consumer.world import GroupWorld

_MIN_INTERVAL_MS: Final = 10_000
"""Patterns of a group are resolved this seldom at most."""
_NEVER_MS: Final = -(1 << 62)


class PatternChange(Enum):
    """How a heartbeat changed the pattern of its member."""

    NONE = auto()
    UNRESOLVED = auto()
    """The topics of the new pattern must be found first."""
    RESOLVED = auto()
    """The topics of the new pattern are known, or there is none."""


class PatternUpdate(NamedTuple):
    """What follows from a heartbeat; `must_resolve` if its pattern is new to the group."""

    change: PatternChange
    must_resolve: bool


def update(draft: Draft, before: ConsumerMember, member: ConsumerMember) -> PatternUpdate:
    """Follow a change of a member's pattern, which the draft has already.

    Raises:
        InvalidRegularExpressionError: the new pattern is not valid.
    """
    if before.subscribed_regex == member.subscribed_regex:
        return PatternUpdate(PatternChange.NONE, must_resolve=False)
    group = draft.group
    change, must_resolve = PatternChange.UNRESOLVED, False
    pattern = member.pattern
    if not pattern:
        if before.pattern:
            change = PatternChange.RESOLVED
    elif group.patterns[pattern] == 1:
        require_valid(pattern)
        must_resolve = True
    elif pattern in group.resolved:
        change = PatternChange.RESOLVED
    if before.pattern and before.pattern not in group.patterns:
        draft.write(records.pattern_tombstone(group.group_id, before.pattern))
    return PatternUpdate(change, must_resolve)


class Refresh(NamedTuple):
    """What decides when patterns are resolved again.

    `before` has those that were resolved before the heartbeat, `topics_version` is the metadata
    version in which a topic appeared last.
    """

    before: Mapping[str, ResolvedPattern]
    interval_ms: int
    topics_version: int


def is_due(group: ConsumerGroup, now_ms: int, refresh: Refresh, *, must: bool) -> bool:
    """True if the patterns of a group must be resolved now."""
    if not group.patterns:
        return False
    resolved = next(iter(refresh.before.values()), None)
    age_ms = now_ms - (_NEVER_MS if resolved is None else resolved.timestamp_ms)
    if age_ms < 0:
        # The clock of the coordinator that has resolved them was ahead.
        return True
    if age_ms <= _MIN_INTERVAL_MS:
        return False
    return (
        must
        or len(group.patterns) != len(refresh.before)
        or (0 if resolved is None else resolved.version) < refresh.topics_version
        or age_ms > refresh.interval_ms
    )


def write(
    draft: Draft, found: Mapping[str, frozenset[str]], version: int, world: GroupWorld
) -> None:
    """Write the topics of the patterns that members still have; start an epoch if they differ."""
    group = draft.group
    is_bumped = False
    for pattern, topics in found.items():
        if pattern in group.patterns:
            before = group.resolved.get(pattern)
            is_bumped = is_bumped or topics != (frozenset() if before is None else before.topics)
            resolved = ResolvedPattern(topics, version, world.now_ms)
            draft.write(records.pattern_record(group.group_id, pattern, resolved))
    group = draft.group
    metadata_hash = world.hash_of(group)
    if is_bumped or metadata_hash != group.metadata_hash:
        draft.write(records.epoch_record(group.group_id, group.epoch + 1, metadata_hash))
