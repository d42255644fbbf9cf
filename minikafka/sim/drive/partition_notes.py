"""A line of the transcript for each visible change of a topic's partitions."""

from dataclasses import dataclass, field

from minikafka.metadata.image import TopicImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.sim.world.world import World


@dataclass(slots=True)
class PartitionNotes:
    """Notes the partitions of one topic; `follow` gets its image after each controller step."""

    world: World
    _lines: dict[str, str] = field(default_factory=dict)
    """The last line of each partition."""
    _topic: TopicImage | None = None

    def follow(self, topic: TopicImage | None) -> None:
        """Add a line for each partition that has changed; None: the topic does not exist."""
        if topic is self._topic:
            return
        self._topic = topic
        if topic is None:
            return
        for index, now in topic.partitions.items():
            line = _described(now)
            where = f"{topic.name}-{index}"
            if self._lines.get(where) != line:
                self._lines[where] = line
                self.world.note(where, line)


def _described(now: PartitionRegistration) -> str:
    parts = [f"leader {now.leader} epoch {now.leader_epoch} ISR {list(now.isr)}"]
    if now.elr:
        parts.append(f"ELR {list(now.elr)}")
    if now.last_known_elr:
        parts.append(f"last known ELR {list(now.last_known_elr)}")
    if now.last_known_leader != NO_LEADER:
        parts.append(f"last known leader {now.last_known_leader}")
    if now.leader_recovery_state:
        parts.append("RECOVERING")
    if now.adding_replicas or now.removing_replicas:
        parts.append(f"adding {list(now.adding_replicas)} removing {list(now.removing_replicas)}")
    return " ".join(parts)
