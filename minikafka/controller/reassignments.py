"""AlterPartitionReassignments: start, change and cancel reassignments of partitions.

A reassignment is part of the partition's state: `replicas` holds the old and the new replicas,
`adding_replicas` and `removing_replicas` name those that come and go. It ends with the first change
after the new replicas are in sync (`partition_change`, E11), or when it is cancelled here.

Source: `ReplicationControlManager.alterPartitionReassignments`, `PartitionReassignmentReplicas`,
`PartitionReassignmentRevert`, KIP-455, KIP-860; docs/rules.md E11.
"""

from collections.abc import Sequence

from minikafka.common.errors import (
    InvalidReplicaAssignmentError,
    InvalidReplicationFactorError,
    InvalidRequestError,
    KafkaError,
    NoReassignmentInProgressError,
    UnknownTopicOrPartitionError,
)
from minikafka.controller.manual_assignment import check_brokers
from minikafka.controller.partition_change import Target
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import alter_partition_reassignments as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import PartitionRegistration, effective_min_isr
from minikafka.metadata.serde import MetadataRecord


def alter_partition_reassignments(
    view: View, request: messages.AlterPartitionReassignmentsRequest
) -> ControllerResult[messages.AlterPartitionReassignmentsResponse]:
    """Start, change or (null replicas) cancel reassignments, for each partition separately."""
    counts: dict[tuple[str, int], int] = {}
    for topic in request.topics:
        for asked in topic.partitions:
            key = (topic.name, asked.partition_index)
            counts[key] = counts.get(key, 0) + 1
    records: list[MetadataRecord] = []
    responses = []
    for topic in request.topics:
        answers = []
        for asked in topic.partitions:
            answer = messages.ReassignablePartitionResponse(asked.partition_index, 0, None)
            try:
                if counts[topic.name, asked.partition_index] > 1:
                    # Unlike Kafka (row W5): the second change would not see the result of the
                    # first.
                    raise InvalidRequestError("the partition is named twice")
                record = _alter(
                    view, topic.name, asked,
                    resizing_allowed=request.allow_replication_factor_change,
                )  # fmt: skip
            except KafkaError as error:
                answer.error_code, answer.error_message = error.code, error.message
            else:
                records += () if record is None else (record,)
            answers.append(answer)
        responses.append(messages.ReassignableTopicResponse(topic.name, answers))
    response = messages.AlterPartitionReassignmentsResponse(
        allow_replication_factor_change=request.allow_replication_factor_change,
        error_message=None,
        responses=responses,
    )
    return ControllerResult(records, response, atomic=True)


def _alter(
    view: View, name: str, asked: messages.ReassignablePartition, *, resizing_allowed: bool
) -> PartitionChangeRecord | None:
    topic = view.image.topic(name)
    if topic is None:
        raise UnknownTopicOrPartitionError(f"Unable to find a topic named {name}.")
    found = view.find(topic, asked.partition_index)
    if found is None:
        raise UnknownTopicOrPartitionError(
            f"Unable to find partition {name}:{asked.partition_index}."
        )
    if asked.replicas is None:
        return _cancel(view, found)
    # As Kafka: fenced brokers are accepted, they may return.
    check_brokers(view, asked.replicas)
    if not resizing_allowed:
        _check_size(found.registration, asked.replicas)
    return view.change(found, reassigned(found.registration, tuple(asked.replicas)))


def reassigned(current: PartitionRegistration, wanted: tuple[int, ...]) -> Target:
    """Return the state of a partition that is being reassigned to the `wanted` replicas.

    A reassignment of a partition that is being reassigned starts from all its current replicas.
    """
    added = [replica for replica in wanted if replica not in current.replicas]
    # Unlike Kafka (row I10): adding replicas of an unfinished reassignment stay only if they are
    # wanted; a replica in both lists, adding and removing, would prevent the reassignment from
    # ending.
    added += [replica for replica in current.adding_replicas if replica in wanted]
    removed = [replica for replica in current.replicas if replica not in wanted]
    removing = tuple(sorted(removed))
    return Target(
        replicas=wanted + removing,
        adding_replicas=tuple(sorted(added)),
        removing_replicas=removing,
    )


def _cancel(view: View, found: IndexedPartition) -> PartitionChangeRecord | None:
    """Drop what was being added and keep what was being removed, if that is safe (E11)."""
    current = found.registration
    if not current.is_reassigning:
        raise NoReassignmentInProgressError
    adding = current.adding_replicas
    replicas = tuple(x for x in current.replicas if x not in adding)
    isr = tuple(x for x in current.isr if x not in adding)
    if not replicas:
        raise InvalidReplicaAssignmentError(
            "the reassignment cannot be cancelled: every replica is being added, none would be left"
        )
    needed = effective_min_isr(view.min_insync_replicas(found.topic.name), len(replicas))
    if len(isr) < needed:
        # Unlike Kafka (row I9), which requires one ISR member, and with unclean elections none.
        raise InvalidReplicaAssignmentError(
            "the reassignment cannot be cancelled: the ISR without the adding replicas would have "
            f"{len(isr)} of at least {needed} members"
        )
    return view.change(
        found, Target(isr=isr, replicas=replicas, adding_replicas=(), removing_replicas=())
    )


def _check_size(current: PartitionRegistration, wanted: Sequence[int]) -> None:
    """KIP-860: check that the request keeps the (final) number of replicas."""
    size = len(current.replicas) - len(current.removing_replicas)
    if len(wanted) != size:
        raise InvalidReplicationFactorError(
            f"The replication factor is changed from {size} to {len(wanted)}"
        )
