"""Work on consumer groups that takes longer than a step: targets of many members, patterns.

A group has at most one computation of each kind at a time. Its result is written to the group as
that is then; what belongs to members that have left meanwhile is dropped.
"""

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from minikafka.common.budget import STEP_BUDGET_US
from minikafka.common.errors import KafkaError
from minikafka.common.ids import Uuid
from minikafka.config import consumer_group_keys
from minikafka.group.consumer import pattern_updates, targets
from minikafka.group.consumer.assignors.spec import Computing
from minikafka.group.consumer.draft import Draft
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.groups import ConsumerGroups
from minikafka.group.consumer.pattern_updates import Refresh
from minikafka.group.consumer.patterns import matching
from minikafka.group.consumer.records import ResolvedPattern
from minikafka.group.consumer.world import GroupWorld
from minikafka.metadata.image import MetadataImage

_log = logging.getLogger("minikafka.group")
_AT_ONCE_US: Final = 1_000
_RIGHT_US: Final = 3
"""A decision about one topic."""


@dataclass(slots=True, eq=False)
class Background:
    """The long work on the groups of one shard."""

    groups: ConsumerGroups
    _computing: set[str] = field(default_factory=set)
    _resolving: set[str] = field(default_factory=set)
    _topic_ids: Mapping[str, Uuid] = field(default_factory=dict)
    _new_topics_version: int = 0

    # Targets

    def update_targets(self, draft: Draft, world: GroupWorld) -> Computing | None:
        """Compute the targets if that is due; return the computation if it takes longer."""
        group = draft.group
        if group.group_id in self._computing or not targets.is_due(group, world):
            return None
        computing = targets.begin(group, world)
        env = self.groups.store.env
        # A member need not wait for its next heartbeat because of other work in this step.
        most_us = max(STEP_BUDGET_US, env.spent_us + _AT_ONCE_US)
        try:
            while env.spent_us < most_us:
                env.spend(next(computing))
        except StopIteration as done:
            targets.write(draft, done.value, group.epoch, world.now_ms)
            return None
        return computing

    def compute_later(self, group: ConsumerGroup, computing: Computing) -> None:
        """Go on with a computation in later steps, and write what it finds."""
        self._computing.add(group.group_id)
        pieces = self._compute(group.group_id, group.epoch, computing)
        self._run(pieces)

    def _compute(self, group_id: str, epoch: int, computing: Computing) -> Iterator[float]:
        try:
            found = yield from computing
            draft = self._draft(group_id)
            if draft is not None:
                targets.write(draft, found, epoch, self.groups.store.env.clock.wall_ms)
                self.groups.commit(draft)
        except KafkaError as error:
            _log.info("[Group %s] the targets cannot be written yet: %s", group_id, error)
        finally:
            self._computing.discard(group_id)

    # Patterns

    def resolve_if_due(
        self,
        group: ConsumerGroup,
        world: GroupWorld,
        before: Mapping[str, ResolvedPattern],
        *,
        must: bool,
        may_see: Callable[[str], bool] | None = None,
    ) -> None:
        """Start to find the topics of the group's patterns, if that is due.

        As Kafka: all patterns of the group match only topics that the member may see whose
        heartbeat is the reason.
        """
        group_id = group.group_id
        interval_ms = self.groups.store.view.config[consumer_group_keys.REGEX_REFRESH_INTERVAL_MS]
        refresh = Refresh(before, interval_ms, self._topics_version(world.image))
        if group_id in self._resolving or not pattern_updates.is_due(
            group, world.now_ms, refresh, must=must
        ):
            return
        self._resolving.add(group_id)
        self._run(self._resolve(group_id, list(group.patterns), world.image, may_see))

    def _topics_version(self, image: MetadataImage) -> int:
        """Return the metadata version in which a topic appeared last."""
        if self._topic_ids is not image.topic_ids:
            if not image.topic_ids.keys() <= self._topic_ids.keys():
                self._new_topics_version = image.offset
            self._topic_ids = image.topic_ids
        return self._new_topics_version

    def _resolve(
        self,
        group_id: str,
        patterns: list[str],
        image: MetadataImage,
        may_see: Callable[[str], bool] | None,
    ) -> Iterator[float]:
        try:
            found = yield from matching(patterns, image.topic_ids)
            if may_see is not None:
                found = yield from _visible(found, may_see)
            draft = self._draft(group_id)
            if draft is not None:
                world = self.groups.world(group_id)
                pattern_updates.write(draft, found, image.offset, world)
                self.groups.commit(draft)
        except KafkaError as error:
            _log.info("[Group %s] patterns cannot be resolved yet: %s", group_id, error)
        finally:
            self._resolving.discard(group_id)

    def _run(self, pieces: Iterator[float]) -> None:
        """Do work in slices from the next step on: the running one answers first."""
        env = self.groups.store.env
        env.later(lambda: env.spread(pieces))

    def _draft(self, group_id: str) -> Draft | None:
        """Return a draft of a group, if it is still a consumer group here."""
        store = self.groups.store
        group = store.groups.get(group_id)
        return Draft(group) if store.shard.serves and isinstance(group, ConsumerGroup) else None


def _visible(
    found: Mapping[str, frozenset[str]], may_see: Callable[[str], bool]
) -> Generator[float, None, dict[str, frozenset[str]]]:
    """Return the topics of each pattern that may be seen; yield the cost of each decision."""
    visible = {}
    for pattern, names in found.items():
        seen = []
        for name in names:
            if may_see(name):
                seen.append(name)
            yield _RIGHT_US
        visible[pattern] = frozenset(seen)
    return visible
