"""Rules for the replicas of an idle cluster after all faults have ended.

Every member of an ISR has the log end offset, high watermark, log start offset and batches of its
leader. A follower learns a high watermark one fetch after the leader moved it, and no fetch is
longer away than replica.fetch.wait.max.ms.

Source: KIP-392 (the high watermark of followers), KIP-107 (the log start offset), docs/rules.md H2.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.sim.checks.log_batches import batches_of, common_count
from minikafka.sim.world.sim_node import SimNode


class Pair(NamedTuple):
    """The logs of a leader and of another member of its ISR; None for a node without one."""

    where: TopicPartition
    leader: int
    member: int
    leader_log: UnifiedLog | None
    log: UnifiedLog | None


def pairs(nodes: Mapping[int, SimNode], image: MetadataImage) -> Iterator[Pair]:
    """Yield each leader with each other member of its ISR."""
    for topic in image.topics.values():
        for index, now in topic.partitions.items():
            where = TopicPartition(topic.name, index)
            if now.leader == NO_LEADER:
                continue
            leader_log = _log(nodes, now.leader, where)
            for member in now.isr:
                if member != now.leader:
                    yield Pair(where, now.leader, member, leader_log, _log(nodes, member, where))


def _log(nodes: Mapping[int, SimNode], node_id: int, where: TopicPartition) -> UnifiedLog | None:
    node = nodes.get(node_id)
    if node is None or node.node is None or node.node.broker is None:
        return None
    held = node.node.broker.replicas.partitions.get(where)
    return None if held is None else held.log


def unlike_offsets(pair: Pair, *, trims_alone: bool) -> str | None:
    """Return how the offsets of two replicas differ; None if they agree.

    With `trims_alone` a follower may start later than its leader: retention by size depends on the
    segments of each replica.
    """
    mine, its = pair.leader_log, pair.log
    who = f"{pair.where}: n{pair.member} in the ISR of leader n{pair.leader}"
    if mine is None or its is None:
        return f"{who}: one of them has no log"
    if its.log_end_offset != mine.log_end_offset:
        return f"{who} ends at {its.log_end_offset}, the leader at {mine.log_end_offset}"
    for name, log in (("the leader", mine), (f"n{pair.member}", its)):
        if log.high_watermark != log.log_end_offset:
            return (
                f"{who}: {name} has high watermark {log.high_watermark} and ends at "
                f"{log.log_end_offset}"
            )
    begins_late = its.log_start_offset > mine.log_start_offset and not trims_alone
    if its.log_start_offset < mine.log_start_offset or begins_late:
        return f"{who} starts at {its.log_start_offset}, the leader at {mine.log_start_offset}"
    return None


def unlike_batches(pair: Pair) -> str | None:
    """Return the first difference of the batches of two replicas; None if they are the same."""
    mine, its = pair.leader_log, pair.log
    assert mine is not None
    assert its is not None
    start = max(mine.log_start_offset, its.log_start_offset)
    have, wanted = (batches_of(log, start, log.log_end_offset) for log in (its, mine))
    if have == wanted:
        return None
    at = common_count(have, wanted)
    return (
        f"{pair.where}: n{pair.member} holds {have[at : at + 1]}, its leader n{pair.leader} "
        f"{wanted[at : at + 1]}"
    )
