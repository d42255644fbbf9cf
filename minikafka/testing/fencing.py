"""Methods of `Cluster` that take away leaders and in-sync replicas by what nodes do to them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from minikafka.testing.errors import ClusterError
from minikafka.testing.fault_handles import names
from minikafka.testing.values import Deadline

if TYPE_CHECKING:
    from minikafka.testing.cluster import Cluster

_FENCED_S = 30.0


def fence(self: "Cluster", *nodes: int) -> None:
    """Pause nodes, and wait until the controller has fenced them; `heal` lets them return.

    Raises:
        ClusterError: no majority of the controllers would be left to fence them.
    """
    voters, answering = self.voters, self.separate(nodes, "fenced").answering
    left = [node for node in voters if node in answering and node not in nodes]
    if len(left) * 2 <= len(voters):
        raise ClusterError(
            f"without {names(nodes)} there is no majority of the controllers, {names(voters)}"
        )
    self.pause(*nodes)
    deadline = Deadline(_FENCED_S)
    while fencing := set(nodes) & set(self.brokers()):
        if not deadline.wait():
            raise ClusterError(f"{names(sorted(fencing))}: not fenced after {_FENCED_S:g} s")


def shrink_isr(self: "Cluster", topic: str, partition: int = 0, *, to: Sequence[int]) -> None:
    """Fence the in-sync replicas of a partition that are not in `to`.

    Raises:
        ClusterError: `to` has other nodes, or too few controllers would be left.
    """
    isr = self.isr(topic, partition)
    if not to or not set(to) <= set(isr):
        raise ClusterError(f"the ISR of {topic}-{partition} is {names(isr)}, not {names(to)}")
    outside = [node for node in isr if node not in to]
    if outside:
        self.fence(*outside)
    self.wait_for(lambda: set(self.isr(topic, partition)) <= set(to), what="the ISR shrinks")


def kill_leader(self: "Cluster", topic: str, partition: int = 0) -> int:
    """Kill the leader of a partition; return its node id.

    Raises:
        ClusterError: the partition has no leader.
    """
    leader = self.leader(topic, partition)
    if leader is None:
        raise ClusterError(f"{topic}-{partition} has no leader")
    self.kill(leader)
    return leader
