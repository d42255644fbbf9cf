"""Rules for the replicas of an idle cluster after all faults have ended.

Every member of an ISR has the log end offset, high watermark, log start offset and batches of its
leader, and knows the leader epoch of each batch. A follower learns a high watermark one fetch after
the leader moved it, and a fetch waits at most replica.fetch.wait.max.ms.

Source: KIP-392 (the high watermark of followers), KIP-107 (the log start offset), KIP-101 (leader
epochs), docs/rules.md H2.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from minikafka.common.ids import TopicPartition
from minikafka.log.unified_log import UnifiedLog
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import NO_LEADER
from minikafka.sim.checks.compaction_checks import (
    KeyedRecord,
    lost_last_batch,
    repeated_key,
    unlike_values,
)
from minikafka.sim.checks.log_batches import BatchIdentity, batches_of, common_count, epoch_at
from minikafka.sim.world.sim_node import SimNode


class Pair(NamedTuple):
    """The logs of a leader and of another member of its ISR; None for a node without one."""

    where: TopicPartition
    leader: int
    member: int
    leader_log: UnifiedLog | None
    member_log: UnifiedLog | None


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


def unlike_offsets(pair: Pair, *, followers_trim_independently: bool) -> str | None:
    """Return how the offsets of two replicas differ; None if they agree.

    With `followers_trim_independently` a follower may start later than its leader: retention by
    size depends on the segments of each replica.
    """
    leader_log, member_log = pair.leader_log, pair.member_log
    which = f"{pair.where}: n{pair.member} in the ISR of leader n{pair.leader}"
    if leader_log is None or member_log is None:
        return f"{which}: one of them has no log"
    end, leader_end = member_log.log_end_offset, leader_log.log_end_offset
    if end != leader_end:
        return f"{which} ends at {end}, the leader at {leader_end}"
    for name, log in (("the leader", leader_log), (f"n{pair.member}", member_log)):
        if log.high_watermark != log.log_end_offset:
            return (
                f"{which}: {name} has high watermark {log.high_watermark} and ends at "
                f"{log.log_end_offset}"
            )
    start, leader_start = member_log.log_start_offset, leader_log.log_start_offset
    if start < leader_start or (start > leader_start and not followers_trim_independently):
        return f"{which} starts at {start}, the leader at {leader_start}"
    return None


def unlike_batches(pair: Pair) -> str | None:
    """Return the first difference of the batches of two replicas; None if they are the same.

    A leader epoch that is known for a batch, and is not that of the batch, is a difference, too.
    Compacted logs may differ: see `compaction_checks`.
    """
    leader_log, member_log = pair.leader_log, pair.member_log
    assert leader_log is not None
    assert member_log is not None
    if leader_log.config.compacted:
        return None
    start = max(leader_log.log_start_offset, member_log.log_start_offset)
    have, wanted = (batches_of(log, start, log.log_end_offset) for log in (member_log, leader_log))
    if have == wanted:
        for node_id, log in ((pair.member, member_log), (pair.leader, leader_log)):
            batch = _wrong_epoch(log, have)
            if batch is not None:
                return f"{pair.where}: n{node_id} has epochs {log.leader_epochs} and {batch}"
        return None
    at = common_count(have, wanted)
    return (
        f"{pair.where}: n{pair.member} holds {have[at : at + 1]}, its leader n{pair.leader} "
        f"{wanted[at : at + 1]}"
    )


def unlike_when_compacted(
    pair: Pair, may_be_stale: Callable[[int, KeyedRecord], bool]
) -> str | None:
    """Return what compaction has done wrong to one of two replicas, or None.

    `may_be_stale` says if a node may hold a record that a tombstone has deleted.
    """
    leader_log, member_log = pair.leader_log, pair.member_log
    assert leader_log is not None
    assert member_log is not None
    if not leader_log.config.compacted:
        return None
    for log in (leader_log, member_log):
        problem = repeated_key(pair.where, log) or lost_last_batch(pair.where, log)
        if problem is not None:
            return problem
    logs = {pair.leader: leader_log, pair.member: member_log}
    problem = unlike_values(logs, may_be_stale)
    return None if problem is None else f"{pair.where}, leader n{pair.leader}: {problem}"


def _wrong_epoch(log: UnifiedLog, batches: list[BatchIdentity]) -> BatchIdentity | None:
    """Return the first batch for which a log knows another leader epoch; None if there is none."""
    return next((x for x in batches if epoch_at(log, x.base_offset) != x.leader_epoch), None)
