"""The straightforward fetch session: every fetch checks every partition, and waits for each."""

from dataclasses import dataclass

from minikafka.replica.fetch_session import Session


@dataclass(slots=True, eq=False)
class WalkingSession(Session):
    """Does not skip unchanged partitions; any session must respond as it does."""

    def take(self):
        self.under_way.update(dict.fromkeys(self.partitions.values()))
        return sorted(self.partitions.values(), key=lambda asked: asked.order)

    def unanswered(self):
        return list(self.partitions.values())

    def answered(self, asked, *, is_calm):
        del is_calm
        self.under_way.pop(asked, None)

    def wait_keys(self):
        found = [asked.partition for asked in self.partitions.values() if asked.partition]
        if self.reader.replica_id >= 0:
            return [self.key, *(partition.appended for partition in found)]
        return [self.key, *(partition.committed for partition in found)]
