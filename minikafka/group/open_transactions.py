"""The open transactions that have offsets in a partition of `__consumer_offsets`.

Source: `OffsetMetadataManager.OpenTransactions`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from minikafka.group.offsets import GroupOffsets
from minikafka.group.transactional_offsets import TopicIndex
from minikafka.messages.coordinator.offset_commit import OffsetCommitValue


@dataclass(slots=True, eq=False)
class OpenTransactions:
    """The groups of each producer with an open transaction."""

    _groups: dict[int, dict[str, GroupOffsets]] = field(default_factory=dict)

    def __len__(self) -> int:
        """The number of open transactions."""
        return len(self._groups)

    def write(
        self,
        producer_id: int,
        group: tuple[str, GroupOffsets],
        at: TopicIndex,
        value: OffsetCommitValue,
        end_offset: int,
    ) -> None:
        """Note an offset in a batch of an open transaction that ends at `end_offset`."""
        group_id, offsets = group
        self._groups.setdefault(producer_id, {})[group_id] = offsets
        offsets.write_transactional(producer_id, at, value, end_offset)

    def end(self, producer_id: int, *, is_commit: bool) -> "EndedOffsets":
        """Note the marker of a transaction; return what its commit in the log must change.

        The offsets of a transaction that commits are written, as if they were in its marker.
        """
        ended = EndedOffsets()
        for group_id, offsets in self._groups.pop(producer_id, {}).items():
            commits = offsets.end_transaction(producer_id, is_commit=is_commit)
            ended.groups[group_id] = offsets
            ended.commits.append(commits)
        return ended


@dataclass(slots=True, eq=False)
class EndedOffsets:
    """The offsets of a transaction whose marker is written, in `groups`."""

    groups: dict[str, GroupOffsets] = field(default_factory=dict)
    commits: list[Callable[[], None]] = field(default_factory=list)

    def committed(self) -> None:
        """Note that the marker is committed."""
        for commit in self.commits:
            commit()
