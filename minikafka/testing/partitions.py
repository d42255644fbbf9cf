"""Leaders and in-sync replicas of partitions, and elections, for `KafkaOperations`."""

from collections.abc import Mapping, Sequence

from minikafka.admin import topics
from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.elections import elect_leaders
from minikafka.admin.partition_states import PartitionState, read_leaders
from minikafka.admin.reassignments import alter_reassignments
from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import TopicPartition
from minikafka.testing.errors import ClusterError
from minikafka.testing.values import Deadline

NO_LEADER = -1


def create(
    client: AdminClient,
    topic: str,
    *,
    partitions: int,
    replication_factor: int | None,
    config: Mapping[str, object] | None,
    assignment: Sequence[Sequence[int]] | None,
) -> None:
    """Create a topic; an assignment takes precedence over both numbers.

    Raises:
        AdminError: the topic cannot be created.
    """
    topics.create_topic(
        client,
        topic,
        partitions=None if assignment else partitions,
        replication_factor=None if assignment else replication_factor,
        assignment=assignment or (),
        configs={name: str(value) for name, value in (config or {}).items()},
    )


def state_of(client: AdminClient, topic: str, partition: int) -> PartitionState:
    """Return the state of a partition as one broker knows it.

    Raises:
        AdminError: the topic or the partition does not exist.
    """
    states = read_leaders(client, [topic])
    for state in states:
        if state.name.partition == partition:
            return state
    raise AdminError(f"topic {topic} has {len(states)} partitions, no {partition}")


def out_of_sync(client: AdminClient, names: Sequence[str]) -> list[PartitionState]:
    """Return the partitions whose replicas are not all in sync; of all topics without names."""
    return [
        state
        for state in read_leaders(client, names)
        if set(state.isr) != set(state.replicas) or state.leader == NO_LEADER
    ]


def elect(client: AdminClient, at: TopicPartition, kind: str, leader: int | None) -> bool:
    """Elect a leader; return False if the preferred one leads already.

    Raises:
        ClusterError: there is no such kind, or the partition has a leader.
        AdminError: the election was refused.
    """
    if kind.upper() not in ElectionType.__members__:
        kinds = ", ".join(ElectionType.__members__)
        raise ClusterError(f"there is no election {kind!r}; there are {kinds}")
    chosen = ElectionType[kind.upper()]
    before = state_of(client, at.topic, at.partition)
    outcome = elect_leaders(client, chosen, {at: leader})[at]
    if outcome is None:
        return True
    if outcome.code != ErrorCode.ELECTION_NOT_NEEDED:
        raise AdminError(outcome.message, outcome.code)
    if chosen is not ElectionType.PREFERRED:
        raise ClusterError(f"{at} has a leader, {before.leader}; see move_leader")
    return False


def prefer(client: AdminClient, at: TopicPartition, leader: int) -> None:
    """Make an in-sync replica the preferred leader.

    Raises:
        ClusterError: it is not in sync.
        AdminError: the cluster refuses the reassignment.
    """
    before = state_of(client, at.topic, at.partition)
    if leader not in before.isr:
        raise ClusterError(f"{at}: node {leader} is not in the ISR {ids(before.isr)}")
    order = [leader, *(node for node in before.replicas if node != leader)]
    for refused in alter_reassignments(client, {at: order}).values():
        raise AdminError(refused)


def await_leader(
    client: AdminClient, at: TopicPartition, expected: int | None, deadline: Deadline
) -> None:
    """Wait until a broker knows a new leader, any one if none is `expected`.

    Raises:
        AdminError: it does not before the deadline.
    """
    while True:
        found = state_of(client, at.topic, at.partition).leader
        if found == expected or (expected is None and found != NO_LEADER):
            return
        if not deadline.wait():
            raise AdminError("it does not know the new leader")


def table(client: AdminClient) -> str:
    """Return a line for each partition.

    Raises:
        AdminError: no broker answers.
    """
    lines = ["partitions:"]
    for state in read_leaders(client, []):
        leader = "none" if state.leader == NO_LEADER else state.leader
        line = f"{state.name}: leader {leader}, replicas {ids(state.replicas)}"
        line += f", ISR {ids(state.isr)}"
        lines.append(f"{line}, ELR {ids(state.elr)}" if state.elr else line)
    return "\n".join(lines) if len(lines) > 1 else "no partitions"


def ids(nodes: Sequence[int]) -> str:
    """Return node ids as in messages."""
    return ",".join(map(str, nodes)) or "none"
