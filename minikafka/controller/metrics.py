"""The metrics of a controller.

The counts of the cluster are those of the committed metadata, on every controller. Values that only
the active controller knows (elections, unclean recovery, min ISR) are 0 on the others.

Source: `ControllerMetadataMetrics`, `QuorumControllerMetrics`, KIP-966 "Metrics"; docs/rules.md L8,
M1.
"""

from collections.abc import Iterator

from minikafka.controller.quorum_controller import QuorumController
from minikafka.controller.view import View
from minikafka.metadata.image import MetadataImage
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    effective_min_isr,
)
from minikafka.metrics import catalog
from minikafka.metrics.definition import Sample


def controller_samples(controller: QuorumController) -> Iterator[Sample]:
    """Yield the metrics of a controller; a generator for the reason in `replica/metrics.py`."""
    image = controller.loader.image
    view = controller.view
    applied = image.offset if view is None else view.image.offset
    yield Sample(catalog.ACTIVE_CONTROLLER_COUNT, view is not None)
    yield Sample(catalog.CONTROLLER_APPLIED_OFFSET, applied)
    yield Sample(catalog.CONTROLLER_COMMITTED_OFFSET, image.offset)
    yield from _cluster(image)
    recovery = controller.recovery
    unclean, from_elr = controller.election_counts
    yield Sample(catalog.UNCLEAN_ELECTIONS, unclean)
    yield Sample(catalog.ELR_ELECTIONS, from_elr)
    yield Sample(catalog.RECOVERY_COUNT, recovery.recovering_count)
    yield Sample(catalog.MANUAL_ELECTION_COUNT, recovery.manual_election_required_count)
    yield Sample(catalog.RECOVERIES_FINISHED, recovery.finished_count)
    if view is None:
        yield Sample(catalog.GLOBAL_UNDER_MIN_ISR_COUNT, 0)
        return
    yield Sample(catalog.GLOBAL_UNDER_MIN_ISR_COUNT, under_min_isr_count(view))
    for at, _, registration in view.image.all_partitions():
        electable = len(registration.isr) + len(registration.elr)
        yield Sample(catalog.ELECTABLE_REPLICAS, electable, (at.topic, str(at.partition)))


def _cluster(image: MetadataImage) -> Iterator[Sample]:
    brokers = image.brokers.values()
    partitions = [
        each for topic in image.topics.values() for each in topic.partitions.values()
    ]  # fmt: skip
    fenced = sum(broker.fenced for broker in brokers)
    yield Sample(catalog.ACTIVE_BROKER_COUNT, len(brokers) - fenced)
    yield Sample(catalog.FENCED_BROKER_COUNT, fenced)
    yield Sample(catalog.GLOBAL_TOPIC_COUNT, len(image.topics))
    yield Sample(catalog.GLOBAL_PARTITION_COUNT, len(partitions))
    yield Sample(
        catalog.OFFLINE_PARTITIONS_COUNT, sum(each.leader == NO_LEADER for each in partitions)
    )
    yield Sample(
        catalog.PREFERRED_IMBALANCE_COUNT,
        sum(each.leader != each.replicas[0] for each in partitions),
    )
    recovering = LeaderRecoveryState.RECOVERING
    yield Sample(
        catalog.GLOBAL_UNCLEAN_LEADER_COUNT,
        sum(each.leader_recovery_state is recovering for each in partitions),
    )


def under_min_isr_count(view: View) -> int:
    """Count the partitions of the cluster under min ISR, including those without leader (M1)."""
    count = 0
    for topic in view.image.topics.values():
        configured = view.min_insync_replicas(topic.name)
        count += sum(
            len(each.isr) < effective_min_isr(configured, len(each.replicas))
            for each in topic.partitions.values()
        )
    return count
