"""The transcript of a scenario: what its commands have changed, one line for each event.

Events at the same time in two places have no order, and the order in which replicas join an ISR is
random. The transcript gives them one, so that shifts in time do not change it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.sim.world.sim_cluster import CONTROLLER_ID
from minikafka.sim.world.world import World

_SECOND_US = 1_000_000
_LISTED_LAST = ("operator", "reader", "BROKEN")
# Lines that repeat the command.
_ECHOES = ("starts", "is killed", "loses power", "receives SIGTERM", "is paused", "is resumed")


class TranscriptLine(NamedTuple):
    """One line of a transcript."""

    time: str
    who: str
    what: str

    def __str__(self) -> str:
        return f"{self.time:<8}{self.who:<8} {self.what}"


@dataclass(slots=True)
class Transcript:
    """Collects the lines of one command after another. All topics have one partition."""

    world: World
    known: dict[str, PartitionRegistration] = field(default_factory=dict)
    """The last committed registration of each topic's partition."""
    fenced: tuple[int, ...] = ()
    """The brokers that are fenced."""
    _lines: list[TranscriptLine] = field(default_factory=list)
    _grown: dict[str, TranscriptLine] = field(default_factory=dict)
    """Topics whose last line is an expansion of the ISR, and that line."""
    _topics_seen: dict[str, None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self._lines)

    def take(self) -> list[str]:
        """Remove and return the lines: nodes, topics, operators and readers, each by time."""
        lines, self._lines = self._lines, []
        return [str(line) for line in sorted(lines, key=self._rank)]

    def note(self, who: str, what: str) -> None:
        """Add a line with the current time."""
        at = f"{self.world.now_us / _SECOND_US:.1f}s"
        self._lines.append(TranscriptLine(at, who, what))

    def add_line(self, line: str) -> None:
        """Add a line of the world, unless it repeats the command."""
        _, who, what = line.split(None, 2)
        if what not in _ECHOES:
            self.note(who, what)

    def follow(self, image: MetadataImage) -> None:
        """Add a line for each topic that has changed in the controller's image."""
        if image.brokers:
            self.fenced = tuple(x for x, broker in image.brokers.items() if broker.fenced)
        for name in [each for each in self.known if each not in image.topic_ids]:
            if image.brokers:
                del self.known[name]
                self.note(name, "is deleted")
        for topic in image.topics.values():
            now = topic.partitions[0]
            if self.known.get(topic.name) != now:
                self._changed(topic.name, now)

    def _changed(self, topic: str, now: PartitionRegistration) -> None:
        former = self.known.get(topic)
        self.known[topic] = now
        # Partition epochs and directories may change without a visible change.
        if former is not None and described(former) == described(now):
            return
        self._topics_seen[topic] = None
        grew = former is not None and _only_grew(former, now)
        if grew and (told := self._grown.pop(topic, None)) in self._lines:
            # The order in which members come back is random: only the last line is kept.
            self._lines.remove(told)
        self.note(topic, described(now))
        if grew:
            self._grown[topic] = self._lines[-1]
        else:
            self._grown.pop(topic, None)

    def _rank(self, line: TranscriptLine) -> int:
        """Return the position of a line: nodes, topics, operators and readers."""
        topics = list(self._topics_seen)
        if line.who in topics:
            return topics.index(line.who)
        if line.who in _LISTED_LAST:
            return len(topics) + _LISTED_LAST.index(line.who)
        return int(line.who[1:]) - CONTROLLER_ID - 1


def described(now: PartitionRegistration) -> str:
    """Format a partition in one line; lists are sorted, empty ones except the ISR are omitted."""
    leader = "no leader" if now.leader == NO_LEADER else f"leader {now.leader}"
    parts = [f"{leader}, epoch {now.leader_epoch}, ISR {numbers(now.isr) or 'empty'}"]
    for name, members in (("ELR", now.elr), ("last known ELR", now.last_known_elr)):
        if members:
            parts.append(f"{name} {numbers(members)}")
    if now.last_known_leader != NO_LEADER:
        parts.append(f"last known leader {now.last_known_leader}")
    if now.leader_recovery_state:
        parts.append("unclean")
    if now.adding_replicas:
        parts.append(f"adding {numbers(now.adding_replicas)}")
    if now.removing_replicas:
        parts.append(f"removing {numbers(now.removing_replicas)}")
    return ", ".join(parts)


def _only_grew(former: PartitionRegistration, now: PartitionRegistration) -> bool:
    """Return True if the only change is an expansion of the ISR."""
    return (
        (former.leader, former.leader_epoch) == (now.leader, now.leader_epoch)
        and former.replicas == now.replicas
        and former.leader_recovery_state == now.leader_recovery_state
        and all(member in now.isr for member in former.isr)
        and len(now.isr) > len(former.isr) > 0
    )


def numbers(members: Sequence[int]) -> str:
    """Format node ids in rising order."""
    return ",".join(str(each) for each in sorted(members))
