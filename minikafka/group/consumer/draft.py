"""A change of a group that is being made: its records, and the group as they leave it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.records import ConsumerRecord
from minikafka.group.group import Group


@dataclass(slots=True, eq=False)
class Draft:
    """A change of one group; `group` is a copy after the first record.

    If the group's protocol changes, `former` is the classic group whose place it takes, or
    `successor` the one that takes its place.
    """

    group: ConsumerGroup
    is_new: bool = False
    """True if the group is only here yet, so that it may be changed at once."""
    former: Group | None = None
    successor: Group | None = None
    records: list[ConsumerRecord] = field(default_factory=list)

    def write(self, *found: ConsumerRecord) -> None:
        """Add records, and apply them to the group."""
        self.write_all(found)

    def write_all(self, found: Iterable[ConsumerRecord]) -> None:
        """Add records, and apply them to the group."""
        for record in found:
            if not self.records and not self.is_new:
                self.group = self.group.copy()
            self.records.append(record)
            self.group.apply(record)

    @property
    def is_empty(self) -> bool:
        """True if nothing changes."""
        return not self.records and self.former is None and self.successor is None
