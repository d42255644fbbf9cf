"""Groups of the consumer protocol, and groups whose members use both protocols in turn.

Each group has three places for members. A life ends when its member leaves; then the place gets
another member, or the same static one. Meanwhile two topics get partitions, and a third is deleted
and created again.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Final, NamedTuple, cast

from minikafka.common.errors import ErrorCode
from minikafka.common.internal_topics import OFFSETS_TOPIC
from minikafka.messages.coordinator.consumer_group_regular_expression import (
    ConsumerGroupRegularExpressionKey,
)
from minikafka.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsTopic
from minikafka.messages.create_topics import (
    CreatableTopic,
    CreateTopicsRequest,
    CreateTopicsResponse,
)
from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicState
from minikafka.protocol.message import ApiMessage
from minikafka.records.reader import read_batch
from minikafka.sim.checks.group_ownership import OwnedPartition
from minikafka.sim.checks.log_batches import stored_batches
from minikafka.sim.drive.consumer_members import SimConsumerMember
from minikafka.sim.drive.group_client import VANISHING, GroupClient, GroupSurroundings
from minikafka.sim.drive.plan import Plan
from minikafka.sim.drive.range_members import SimRangeMember
from minikafka.sim.drive.workload import ClientConnections
from minikafka.sim.world.sim_cluster import SimCluster
from minikafka.sim.world.violation import Violation
from minikafka.sim.world.world import US_PER_MS

_LASTING: Final = ("shared-a", "shared-b")
TOPICS: Final = (*_LASTING, VANISHING)
PLACES: Final = 3
_PATTERN: Final = "shared-[a-c]"
_PATTERN_KEY: Final = ConsumerGroupRegularExpressionKey.API_KEY.to_bytes(2, "big")
"""Patterns are resolved and written again after a topic was created or the coordinator changed, as
in Kafka."""
_ADMIN: Final = "shared-admin"
_PARTITIONS: Final = (2, 1, 2)
_MAX_PARTITIONS: Final = 6
_LIFE_MS: Final = (4_000, 8_000, 20_000, 60_000)
_RETURN_MS: Final = (200, 1_000, 3_000, 9_000)
_CHANGE_MS: Final = (3_000, 9_000)
_VANISH_SHARE: Final = 0.3
_CREATE, _DELETE, _GROW = 7, 6, 3


def group_id(number: int) -> str:
    """Return the id of a group; every second one changes its protocol."""
    return f"shared-{number}"


def host_names(plan: Plan) -> tuple[str, ...]:
    """Return the hosts of these clients."""
    if not plan.load.consumer_groups:
        return ()
    places = range(PLACES * plan.load.consumer_groups)
    return (_ADMIN, *(f"shared-{number}" for number in places))


class SilentLog(NamedTuple):
    """The state before the groups are quiet: what members know, and the end of the log."""

    members: tuple[tuple[object, ...], ...]
    leader: int
    end_offset: int


@dataclass(slots=True)
class ConsumerGroupWorkload:
    """The members of the groups of a plan."""

    plan: Plan
    cluster: SimCluster
    around: GroupSurroundings
    connections: Callable[[str], ClientConnections]
    running: bool = True
    lives: int = 0
    _members: dict[int, GroupClient] = field(default_factory=dict)

    def start(self) -> None:
        """Create the topics, and start all members."""
        request = self._creation(*zip(TOPICS, _PARTITIONS, strict=True))
        answer = self.cluster.client("admin").ask(request, CreateTopicsResponse)
        assert all(each.error_code == ErrorCode.NONE for each in answer.topics), answer
        for place in range(PLACES * self.plan.load.consumer_groups):
            self._live(place)
        self._change_later(self.connections(_ADMIN))

    # Lives

    def _live(self, place: int) -> None:
        """Start the next life of a place."""
        if not self.running:
            return
        self.lives += 1
        connections = self.connections(f"shared-{place}")
        # The connections of each life have their own numbers.
        rng = connections.rng = self.cluster.world.rng(f"shared/{place}/{self.lives}")
        number = place // PLACES
        leaves_at_ms = self.cluster.world.now_ms + rng.choice(_LIFE_MS)
        name = f"m{place}-{self.lives}"

        def ended() -> None:
            delay_us = rng.choice(_RETURN_MS) * US_PER_MS
            self.cluster.world.after(delay_us, lambda: self._live(place))

        member: GroupClient
        if number % 2 and rng.random() < 0.6:
            member = SimRangeMember(
                self.around, connections, group_id(number), name, leaves_at_ms, ended, names=TOPICS
            )
        else:
            has_pattern = place % PLACES == 1 and find_spec("re2") is not None
            member = SimConsumerMember(
                self.around, connections, group_id(number), name, leaves_at_ms, ended,
                instance_id=None if place % PLACES else f"instance-{place}",
                names=None if has_pattern else TOPICS,
                pattern=_PATTERN if has_pattern else None,
            )  # fmt: skip
        self._members[place] = member
        member.start()

    def stop(self) -> None:
        """Stop all members, without a word."""
        self.running = False
        for member in self._members.values():
            member.running = False

    # Topics

    def _creation(self, *topics: tuple[str, int]) -> CreateTopicsRequest:
        return CreateTopicsRequest(
            topics=[
                CreatableTopic(
                    name=name,
                    num_partitions=count,
                    replication_factor=self.plan.cluster.replication_factor,
                )
                for name, count in topics
            ],
            timeout_ms=10_000,
        )

    def _change_later(self, admin: ClientConnections) -> None:
        delay_ms = admin.rng.randint(*_CHANGE_MS)
        admin.world.after(delay_ms * US_PER_MS, lambda: self._change(admin))

    def _change(self, admin: ClientConnections) -> None:
        """Add a partition to a topic; delete the one that vanishes, or create it again."""
        if self.around.is_calm:
            return
        rng, image = admin.rng, self.around.image()
        name = VANISHING if rng.random() < _VANISH_SHARE else rng.choice(_LASTING)
        topic = image.topic(name)
        request: ApiMessage | None = None
        version = 0
        if topic is None:
            request, version = self._creation((name, rng.choice((1, 2, 3)))), _CREATE
        elif name == VANISHING:
            request, version = DeleteTopicsRequest(topics=[DeleteTopicState(name=name)]), _DELETE
        elif len(topic.partitions) < _MAX_PARTITIONS:
            request = CreatePartitionsRequest(
                topics=[CreatePartitionsTopic(name, len(topic.partitions) + 1, None)],
                timeout_ms=5_000,
            )
            version = _GROW
        if request is not None:
            admin.ask(rng.choice(admin.bootstrap), request, _ignore, version=version)
        self._change_later(admin)

    # The end

    def are_stable(self) -> bool:
        """Return True if in each group the members share all partitions, and release none."""
        everything = {
            OwnedPartition(name, topic.topic_id, index)
            for name in TOPICS
            if (topic := self.around.image().topic(name)) is not None
            for index in topic.partitions
        }
        for number in range(self.plan.load.consumer_groups):
            places = range(PLACES * number, PLACES * (number + 1))
            members = [self._members[place] for place in places]
            if not all(each.running and _is_settled(each) for each in members):
                return False
            shared = [where for each in members for where in each.told]
            if len(shared) != len(everything) or set(shared) != everything:
                return False
        return True

    def silent_log(self) -> SilentLog | None:
        """Return what must not change without traffic; None if that is not so now."""
        now = self.around.image().partition(OFFSETS_TOPIC, 0)
        if now is None or now.leader < 0 or not self.are_stable():
            return None
        running = self.cluster.nodes[now.leader].node
        broker = None if running is None else running.broker
        if broker is None:
            return None
        for partition in broker.replicas.partitions.values():
            if partition.topic_partition.topic == OFFSETS_TOPIC:
                # A group may learn of a deleted topic only now: then it gets to another epoch.
                members = tuple((x.name, x.failures, x.epoch) for x in self._members.values())
                return SilentLog(members, now.leader_epoch, partition.log.log_end_offset)
        return None

    def check_silent(self, before: SilentLog | None) -> None:
        """Check that the groups have written nothing since, if nothing failed meanwhile.

        Raises:
            Violation: SilentGroup.
        """
        after = self.silent_log()
        if before is None or after is None or before[:2] != after[:2]:
            return
        now = self.around.image().partition(OFFSETS_TOPIC, 0)
        assert now is not None
        node = self.cluster.nodes[now.leader].node
        assert node is not None
        assert node.broker is not None
        self.around.ownership.coverage.rules["SilentGroup"] += 1
        names = [group_id(x).encode() for x in range(self.plan.load.consumer_groups)]
        for partition in node.broker.replicas.partitions.values():
            if partition.topic_partition.topic != OFFSETS_TOPIC:
                continue
            for data, at, header in stored_batches(
                partition.log, before.end_offset, after.end_offset
            ):
                if header.is_control:
                    continue
                for record in read_batch(data, at, header):
                    key = bytes(record.key or b"")
                    if any(name in key for name in names) and not key.startswith(_PATTERN_KEY):
                        raise Violation(
                            f"SilentGroup: a group without traffic wrote {key!r} at {record.offset}"
                        )


def _is_settled(member: GroupClient) -> bool:
    return cast(SimConsumerMember | SimRangeMember, member).is_settled


def _ignore(_: ApiMessage | None) -> None:
    pass
