"""ElectLeaders: elections that an operator asks for, partition by partition.

Source: `ReplicationControlManager.electLeaders`, KIP-460; SPEC A1-A4.
"""

from collections.abc import Iterator

from minikafka.common.errors import ErrorCode, InvalidRequestError, summary_of
from minikafka.controller.election import Election
from minikafka.controller.partition_change import Target
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import elect_leaders as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.serde import MetadataRecord

_TYPES = {0: Election.PREFERRED, 1: Election.UNCLEAN}


def elect_leaders(
    view: View, request: messages.ElectLeadersRequest
) -> ControllerResult[messages.ElectLeadersResponse]:
    """Elect; a null list means every partition that an election makes sense for (A4).

    Raises:
        InvalidRequestError: there is no such election type.
    """
    election = _TYPES.get(request.election_type)
    if election is None:
        raise InvalidRequestError(f"there is no election type {request.election_type}")
    everywhere = request.topic_partitions is None
    records: list[MetadataRecord] = []
    results: dict[str, list[messages.PartitionResult]] = {}
    for topic, index, found in _asked(view, request):
        error, record = _elect(view, found, election)
        if everywhere and error is ErrorCode.ELECTION_NOT_NEEDED:
            continue
        if record is not None:
            records.append(record)
        results.setdefault(topic, []).append(
            messages.PartitionResult(
                partition_id=index, error_code=error, error_message=summary_of(error)
            )
        )
    response = messages.ElectLeadersResponse(
        replica_election_results=[
            messages.ReplicaElectionResult(topic=topic, partition_result=rows)
            for topic, rows in results.items()
        ]
    )
    return ControllerResult(records, response)


def _asked(
    view: View, request: messages.ElectLeadersRequest
) -> Iterator[tuple[str, int, IndexedPartition | None]]:
    if request.topic_partitions is None:
        for topic in view.image.topics.values():
            for index in topic.partitions:
                yield topic.name, index, view.find(topic, index)
        return
    seen: dict[tuple[str, int], None] = {}
    for row in request.topic_partitions:
        known = view.image.topic(row.topic)
        for index in row.partitions:
            if (row.topic, index) not in seen:
                seen[row.topic, index] = None
                yield row.topic, index, None if known is None else view.find(known, index)


def _elect(
    view: View, found: IndexedPartition | None, election: Election
) -> tuple[ErrorCode, PartitionChangeRecord | None]:
    if found is None:
        return ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, None
    if not _is_needed(found.registration, election):
        return ErrorCode.ELECTION_NOT_NEEDED, None
    record = view.change(found, Target(), election=election)
    if record is not None:
        # As Kafka: also where somebody else than the preferred replica was elected.
        return ErrorCode.NONE, record
    if election is Election.PREFERRED:
        return ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE, None
    return ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, None


def _is_needed(registration: PartitionRegistration, election: Election) -> bool:
    if election is Election.PREFERRED:
        return registration.leader != registration.replicas[0]
    return registration.leader == NO_LEADER
