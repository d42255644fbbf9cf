"""Removal of expired offsets, offsets of deleted topics, and empty groups of a partition.

A group or an offset is removed by writing its tombstone. The groups are searched in slices, so that
other work can run between them.

Source: `GroupMetadataManager.maybeDeleteGroup`, `OffsetMetadataManager.cleanupExpiredOffsets`.
"""

import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.errors import KafkaError
from minikafka.config import log_keys
from minikafka.coordinator.journal import Write
from minikafka.group.kinds import AnyGroup, tombstone_keys
from minikafka.group.offsets import GroupOffsets
from minikafka.group.records import offset_key
from minikafka.group.store import GroupStore
from minikafka.records.builder import NewRecord

_log = logging.getLogger("minikafka.group")
_TOMBSTONES_A_BATCH = 1000
_MINUTE_MS = 60_000
_GROUP_US = 10
_OFFSET_US = 1
_TOMBSTONE_US = 20
_APPEND_US = 60


@dataclass(slots=True, eq=False)
class GroupExpiration:
    """Removes groups and offsets of a shard."""

    store: GroupStore
    _is_cleaning: bool = False
    _gone: dict[str, frozenset[str]] = field(default_factory=dict)
    """Deleted topics, by the groups whose offsets were not searched for them yet."""

    def close(self) -> None:
        """Stop the removal: the shard no longer serves."""
        self._gone.clear()

    def clean(self) -> None:
        """Remove expired offsets, and groups without members and offsets."""
        if self.store.shard.serves and not self._is_cleaning:
            self.store.env.spread(self._clean_groups())

    def _clean_groups(self) -> Iterator[float]:
        self._is_cleaning = True
        retention_ms = self.store.view.config[log_keys.OFFSETS_RETENTION_MINUTES] * _MINUTE_MS
        for group in list(self.store.groups.values()):
            if not self.store.shard.serves:
                break
            if self.store.groups.get(group.group_id) is not group:
                continue
            offsets = self.store.offsets.get(group.group_id) or GroupOffsets()
            looked_at = offsets.written_count
            expired = offsets.expired(group, self.store.env.clock.wall_ms, retention_ms)
            is_over = (
                group.may_be_over
                and not offsets.transactional
                and len(expired) == offsets.written_count
            )
            if expired or is_over:
                self._try_forget(group, expired, with_group=is_over)
            yield _cost_us(looked_at, len(expired) + is_over)
        self._is_cleaning = False

    def forget_topics(self, topics: frozenset[str]) -> None:
        """Remove the offsets of deleted topics, group by group in later steps."""
        if not self.store.shard.serves:
            return
        if self._gone:
            for group_id in self.store.offsets:
                self._gone[group_id] = topics | self._gone.get(group_id, frozenset())
        else:
            self._gone = dict.fromkeys(self.store.offsets, topics)
            self.store.env.spread(self._forget_all_gone())

    def _forget_all_gone(self) -> Iterator[float]:
        while self._gone and self.store.shard.serves:
            group_id, topics = self._gone.popitem()
            yield self._forget_topics_of(group_id, topics)

    def forget_gone(self, group_id: str) -> None:
        """Remove a group's offsets of deleted topics now: a new topic may have the same name."""
        topics = self._gone.pop(group_id, None)
        if topics is not None:
            self._forget_topics_of(group_id, topics)

    def _forget_topics_of(self, group_id: str, topics: frozenset[str]) -> float:
        offsets = self.store.offsets.get(group_id)
        group = self.store.groups.get(group_id)
        if offsets is None or group is None:
            return _GROUP_US
        looked_at = offsets.written_count
        gone = [at for at in offsets.all_partitions() if at[0] in topics]
        if gone:
            self._try_forget(group, gone, with_group=False)
        return _cost_us(looked_at, len(gone))

    def _try_forget(
        self, group: AnyGroup, partitions: list[tuple[str, int]], *, with_group: bool
    ) -> None:
        try:
            self.forget(group, partitions, with_group=with_group)
        except KafkaError as error:
            _log.info(
                "[Group %s] offsets or the group cannot be removed yet: %s", group.group_id, error
            )

    def forget(
        self, group: AnyGroup, partitions: list[tuple[str, int]], *, with_group: bool
    ) -> Write | None:
        """Write tombstones in batches of bounded size; return the last write, or None.

        Unlike Kafka (row G7), which fails if the tombstones do not fit into one batch. The group's
        own one is the last: until then the group has the offsets that are left.

        Raises:
            The errors of `Journal.append`; what the batches before it have removed is gone.
        """
        keys = [_Tombstone(offset_key(group.group_id, *at), at) for at in partitions]
        if with_group:
            keys += [_Tombstone(key) for key in tombstone_keys(group)]
            keys[-1] = keys[-1]._replace(ends_group=True)
        write = None
        for some in self.store.journal.batches(keys, self._record, _TOMBSTONES_A_BATCH):
            write = self._forget_some(group, some)
        return write

    def _record(self, tombstone: "_Tombstone") -> NewRecord:
        return self.store.record(tombstone.key, None)

    def _forget_some(self, group: AnyGroup, keys: list["_Tombstone"]) -> Write:
        group_id = group.group_id
        offsets = self.store.offsets.get(group_id) or GroupOffsets()

        def committed() -> None:
            for each in keys:
                if each.at is not None:
                    offsets.commit(*each.at, None)
            self.store.drop_if_empty(group_id, offsets)

        # `expect` comes last: if the write is committed already, it calls `committed`, which may
        # remove the offsets of the group.
        write = self.store.journal.append([self._record(each) for each in keys])
        offsets.end_offset = write.end_offset
        for each in keys:
            if each.at is not None:
                offsets.write(*each.at, None)
            if each.ends_group:
                self.store.end(group, "it is deleted")
                self.store.groups.pop(group_id, None)
        self.store.journal.expect(write.end_offset, on_committed=committed)
        return write


class _Tombstone(NamedTuple):
    """A key, and the partition whose offset it removes; the group is gone after its last one."""

    key: bytes
    at: tuple[str, int] | None = None
    ends_group: bool = False


def _cost_us(looked_at: int, tombstones: int) -> float:
    """Return the cost of searching a group's offsets."""
    appended_us = _APPEND_US if tombstones else 0
    return _GROUP_US + looked_at * _OFFSET_US + tombstones * _TOMBSTONE_US + appended_us
