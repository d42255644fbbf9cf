"""AlterPartitionReassignments: giving partitions other replicas, and taking that back.

A reassignment is state of the partition itself: `replicas` holds the old and the new ones, and
`adding_replicas` and `removing_replicas` say which are which. It ends with the change that finds
the new ones in sync (`partition_change`, E11), or here, where it is cancelled.

Source: `ReplicationControlManager.alterPartitionReassignments`, `PartitionReassignmentReplicas`,
`PartitionReassignmentRevert`, KIP-455, KIP-860; SPEC E11.
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
    """Begin, change or (null replicas) cancel reassignments, each partition on its own."""
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
                    # Unlike Kafka: two changes of one partition would not know of each other.
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
        raise UnknownTopicOrPartitionError(f"there is no topic {name!r}")
    found = view.find(topic, asked.partition_index)
    if found is None:
        raise UnknownTopicOrPartitionError(f"{name!r} has no partition {asked.partition_index}")
    if asked.replicas is None:
        return _cancel(view, found)
    _check_replicas(view, asked.replicas)
    if not resizing_allowed:
        _check_size(found.registration, asked.replicas)
    return view.change(found, reassigned(found.registration, tuple(asked.replicas)))


def reassigned(current: PartitionRegistration, wanted: tuple[int, ...]) -> Target:
    """What a partition becomes on its way to the replicas that are wanted.

    A partition that moves already goes on from all the replicas that it has now.
    """
    added = [replica for replica in wanted if replica not in current.replicas]
    # Unlike Kafka: those of an unfinished reassignment stay in the list only while they are wanted;
    # one that were both being added and removed would keep it from ever ending.
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
        raise InvalidReplicaAssignmentError("every replica is being added: none would be left")
    needed = effective_min_isr(view.min_insync_replicas(found.topic.name), len(replicas))
    if len(isr) < needed:
        # Unlike Kafka: it asks for one member, and with unclean elections for none.
        raise InvalidReplicaAssignmentError(
            f"without the replicas that are being added {len(isr)} would be in sync; the minimum "
            f"is {needed}"
        )
    return view.change(
        found, Target(isr=isr, replicas=replicas, adding_replicas=(), removing_replicas=())
    )


def _check_replicas(view: View, replicas: Sequence[int]) -> None:
    """Whether brokers can be replicas. As Kafka: fenced ones can, they may come back."""
    if not replicas:
        raise InvalidReplicaAssignmentError("a partition cannot be without replicas")
    for replica in sorted(replicas):
        if replica not in view.image.brokers:
            raise InvalidReplicaAssignmentError(f"broker {replica} is not registered")
        if replicas.count(replica) > 1:
            raise InvalidReplicaAssignmentError(f"broker {replica} is named more than once")


def _check_size(current: PartitionRegistration, wanted: Sequence[int]) -> None:
    """KIP-860: the number of replicas stays, or becomes what an earlier reassignment said."""
    size = len(current.replicas) - len(current.removing_replicas)
    if len(wanted) != size:
        raise InvalidReplicationFactorError(
            f"{len(wanted)} replicas are asked for where there are {size}; the request says that "
            "their number must stay"
        )
