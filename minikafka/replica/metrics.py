"""The metrics of a broker's replicas: totals, traffic by topic, and values by partition (M1, M2).

Values are read from the current state by generators, so that a caller may pause between two of
them; each value is correct at the time when it is yielded. Unclean leaders: L8.

Source: `ReplicaManager`, `Partition`, `BrokerTopicMetrics`, `LogManager`, KIP-351.
"""

from collections.abc import Iterator

from minikafka.log.directories.log_manager import LogManager
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import LeaderRecoveryState
from minikafka.metrics import catalog
from minikafka.metrics.definition import Sample
from minikafka.replica.log_cleaner import LogCleaner
from minikafka.replica.partition import Partition
from minikafka.replica.replica_manager import ReplicaManager
from minikafka.replica.topic_counts import TopicCounts


def replica_samples(replicas: ReplicaManager) -> Iterator[Sample]:
    """Yield all metrics of the replicas, totals first."""
    partitions = list(replicas.partitions.values())
    led = [each for each in partitions if each.is_leader]
    yield Sample(catalog.PARTITION_COUNT, len(partitions))
    yield Sample(catalog.LEADER_COUNT, len(led))
    yield Sample(catalog.UNDER_REPLICATED, sum(map(is_under_replicated, led)))
    yield Sample(catalog.UNDER_MIN_ISR_COUNT, sum(map(is_under_min_isr, led)))
    yield Sample(catalog.AT_MIN_ISR_COUNT, sum(map(is_at_min_isr, led)))
    yield Sample(catalog.OFFLINE_REPLICA_COUNT, len(replicas.hosted.offline))
    image = replicas.image
    yield Sample(catalog.REASSIGNING, sum(_is_reassigning(image, each) for each in led))
    recovering = LeaderRecoveryState.RECOVERING
    yield Sample(
        catalog.UNCLEAN_LEADER_COUNT, sum(each.recovery_state is recovering for each in led)
    )
    yield from _counts(replicas, dict.fromkeys(each.topic_partition.topic for each in partitions))
    for partition in partitions:
        yield from _partition(partition)


def directory_samples(logs: LogManager) -> Iterator[Sample]:
    """Yield the metrics of the log directories."""
    for home in logs.directories:
        yield Sample(catalog.LOG_DIRECTORY_OFFLINE, not home.is_online, (home.disk.root,))
    yield Sample(
        catalog.OFFLINE_LOG_DIRECTORY_COUNT, sum(not home.is_online for home in logs.directories)
    )


def cleaner_samples(cleaner: LogCleaner) -> Iterator[Sample]:
    """Yield the metrics of the cleaner of compacted logs."""
    last = cleaner.last
    yield Sample(catalog.CLEANER_RECOPY_PERCENT, last.recopied_percent)
    yield Sample(catalog.CLEANER_BUFFER_UTILIZATION, last.map_used_percent)
    yield Sample(catalog.CLEANER_TIME, last.took_ms // 1_000)
    yield Sample(catalog.CLEANER_COMPACTION_DELAY, last.overdue_ms // 1_000)
    yield Sample(catalog.CLEANER_DEAD_THREADS, 0)
    since_ms = cleaner.env.clock.monotonic_ms - cleaner.last_run_ms
    yield Sample(catalog.CLEANER_SINCE_LAST_RUN, since_ms)
    yield Sample(catalog.CLEANER_MAX_DIRTY_PERCENT, last.dirty_percent)
    for home in cleaner.logs.directories:
        root = home.disk.root
        logs = cleaner.uncleanable_logs(root)
        yield Sample(catalog.UNCLEANABLE_PARTITIONS, len(logs), (root,))
        yield Sample(catalog.UNCLEANABLE_BYTES, sum(log.size_bytes for log in logs), (root,))


def _is_reassigning(image: MetadataImage, partition: Partition) -> bool:
    topic = image.topics.get(partition.topic_id)
    if topic is None:
        return False
    registration = topic.partitions.get(partition.topic_partition.partition)
    return registration is not None and registration.is_reassigning


def _counts(replicas: ReplicaManager, topics: dict[str, None]) -> Iterator[Sample]:
    """Yield the totals since the process started, including removed topics, then each topic."""
    total = replicas.topic_stats.total()
    yield Sample(catalog.ISR_SHRINKS, total.isr_shrinks)
    yield Sample(catalog.ISR_EXPANDS, total.isr_expands)
    yield from _traffic(total, ())
    for topic in topics:
        yield from _traffic(replicas.topic_stats.of(topic), (topic,))


def _traffic(counts: TopicCounts, labels: tuple[str, ...]) -> Iterator[Sample]:
    yield Sample(catalog.MESSAGES_IN, counts.messages_in, labels)
    yield Sample(catalog.BYTES_IN, counts.bytes_in, labels)
    yield Sample(catalog.BYTES_OUT, counts.bytes_out, labels)
    yield Sample(catalog.REPLICATION_BYTES_OUT, counts.replication_bytes_out, labels)


def is_under_min_isr(partition: Partition) -> bool:
    """True if this broker is leader and the ISR has fewer members than the minimum (M1)."""
    return partition.is_leader and len(partition.isr.committed) < partition.min_isr


def is_at_min_isr(partition: Partition) -> bool:
    """True if this broker is leader and the ISR has exactly the minimum of members (M1)."""
    return partition.is_leader and len(partition.isr.committed) == partition.min_isr


def is_under_replicated(partition: Partition) -> bool:
    """True if this broker is leader and a replica is out of sync (M1).

    Replicas that a reassignment adds do not count yet (`OngoingReassignmentState`).
    """
    wanted = len(partition.replicas) - partition.adding_count
    return partition.is_leader and len(partition.isr.committed) < wanted


def _partition(partition: Partition) -> Iterator[Sample]:
    topic, index = partition.topic_partition
    labels = (topic, str(index))
    log = partition.log
    yield Sample(catalog.AT_MIN_ISR, is_at_min_isr(partition), labels)
    yield Sample(catalog.UNDER_MIN_ISR, is_under_min_isr(partition), labels)
    yield Sample(catalog.UNDER_REPLICATED_PARTITION, is_under_replicated(partition), labels)
    yield Sample(catalog.IN_SYNC_REPLICAS_COUNT, len(partition.isr.committed), labels)
    yield Sample(catalog.LOG_END_OFFSET, log.log_end_offset, labels)
    yield Sample(catalog.LOG_START_OFFSET, log.log_start_offset, labels)
    yield Sample(catalog.LOG_SIZE, log.size_bytes, labels)
