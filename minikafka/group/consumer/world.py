"""What operations on consumer groups depend on beside the group."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from minikafka.common.ids import Uuid
from minikafka.group.consumer.assignors.spec import Assignor
from minikafka.group.consumer.group import ConsumerGroup
from minikafka.group.consumer.member import ConsumerMember
from minikafka.group.consumer.metadata_hash import TopicHashes
from minikafka.group.consumer.settings import GroupSettings
from minikafka.metadata.image import MetadataImage


@dataclass(slots=True, eq=False)
class GroupWorld:
    """The metadata, the time (wall clock), and the configuration of one group."""

    image: MetadataImage
    hashes: TopicHashes
    now_ms: int
    settings: GroupSettings
    assignors: Mapping[str, Assignor]
    """By name; the first is the default."""
    default_assignor: str = field(init=False)

    def __post_init__(self) -> None:
        """Take the first assignor as the default."""
        self.default_assignor = next(iter(self.assignors))

    def topic_ids(self, names: frozenset[str]) -> frozenset[Uuid]:
        """Return the ids of those topics that exist."""
        ids = self.image.topic_ids
        return frozenset(ids[name] for name in names if name in ids)

    def ids_of(self, group: ConsumerGroup, member: ConsumerMember) -> frozenset[Uuid]:
        """Return the ids of the topics that a member subscribes to."""
        return self.topic_ids(group.topics_of(member))

    def hash_of(self, group: ConsumerGroup) -> int:
        """Return the hash of what the targets of a group depend on."""
        return self.hashes.of_group(group.subscribed_topics(), self.image)
