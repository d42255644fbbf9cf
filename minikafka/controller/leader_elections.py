"""ElectLeaders: elections that an operator requests, for each partition separately.

Preferred, unclean and designated leaders are elected immediately. For the longest log the replicas
must be asked: those partitions are handed to the unclean recovery manager, enabled or not, and
answered when the recovery has ended.

Source: `ReplicationControlManager.electLeaders`, KIP-460, KIP-966; docs/rules.md A1-A5.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.election_type import ElectionType
from minikafka.common.errors import ErrorCode, InvalidRequestError, summary_of
from minikafka.common.ids import TopicIdPartition
from minikafka.common.request_limits import MAX_ELECTIONS
from minikafka.controller.election import Election, Strategy
from minikafka.controller.partition_change import Target
from minikafka.controller.recovery_case import RecoveryRequest
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import elect_leaders as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.serde import MetadataRecord

_NEW_TYPES_FROM = 3
_STRATEGIES: dict[int, Strategy] = {
    ElectionType.LONGEST_LOG_BALANCED: Strategy.BALANCED,
    ElectionType.LONGEST_LOG_AGGRESSIVE: Strategy.AGGRESSIVE,
}


class ElectionOutcome(NamedTuple):
    """The result for one partition; without a message, the error's default message is used."""

    error: ErrorCode
    message: str | None = None


class _Asked(NamedTuple):
    topic: str
    partition: int
    found: IndexedPartition | None
    desired: int = NO_LEADER


@dataclass(slots=True, eq=False, repr=False)
class Elections:
    """The outcomes of one request, in response order; a partition in `recovery` has none yet."""

    recovery: RecoveryRequest
    outcomes: dict[tuple[str, int], ElectionOutcome | TopicIdPartition] = field(
        default_factory=dict
    )

    def response(self, waited: Mapping[TopicIdPartition, str]) -> messages.ElectLeadersResponse:
        """Return the response; `waited` says what each undecided partition was waiting for."""
        results: dict[str, list[messages.PartitionResult]] = {}
        for (topic, index), outcome in self.outcomes.items():
            if isinstance(outcome, TopicIdPartition):
                error = self.recovery.results.get(outcome)
                late = ElectionOutcome(ErrorCode.REQUEST_TIMED_OUT, waited.get(outcome))
                found = late if error is None else ElectionOutcome(error)
            else:
                found = outcome
            results.setdefault(topic, []).append(
                messages.PartitionResult(
                    partition_id=index,
                    error_code=found.error,
                    error_message=found.message or summary_of(found.error),
                )
            )
        return messages.ElectLeadersResponse(
            replica_election_results=[
                messages.ReplicaElectionResult(topic=topic, partition_result=rows)
                for topic, rows in results.items()
            ]
        )


def is_recovery(request: messages.ElectLeadersRequest) -> bool:
    """True if the election needs the log ends of the replicas (longest log)."""
    return request.election_type in _STRATEGIES and request.topic_partitions != []


def elect_leaders(
    view: View, request: messages.ElectLeadersRequest, version: int
) -> ControllerResult[messages.ElectLeadersResponse]:
    """Elect leaders; a null list means every partition that needs this election (A4).

    Raises:
        InvalidRequestError: this version has no such election type, or desired leaders are
            missing, or are given for another election type than a designation.
    """
    if request.topic_partitions == []:
        # As Kafka: the election type does not count then.
        return ControllerResult([], messages.ElectLeadersResponse())
    _check(request, version)
    if is_recovery(request):
        raise InvalidRequestError("an election of the longest log needs a recovery")
    elections = Elections(RecoveryRequest(Strategy.NONE, {}))
    records: list[MetadataRecord] = []
    for asked in _served(view, request, elections):
        outcome, record = _elect(view, asked, request.election_type)
        elections.outcomes[asked.topic, asked.partition] = outcome
        if record is not None:
            records.append(record)
    name = ElectionType(request.election_type).name
    return ControllerResult(records, elections.response({}), requested=f"ElectLeaders {name}")


def ask_for_recoveries(
    view: View, request: messages.ElectLeadersRequest, version: int
) -> Elections:
    """Return the partitions to recover, and the outcomes that are known without a recovery.

    Raises:
        InvalidRequestError: as `elect_leaders`.
    """
    _check(request, version)
    elections = Elections(RecoveryRequest(_STRATEGIES[request.election_type], {}))
    for asked in _served(view, request, elections):
        name = (asked.topic, asked.partition)
        refusal = _refusal(asked, request.election_type)
        if refusal is not None:
            elections.outcomes[name] = refusal
            continue
        assert asked.found is not None
        registration = asked.found.registration
        acceptable = view.acceptable(registration)
        if not any(acceptable(replica) for replica in registration.replicas):
            elections.outcomes[name] = ElectionOutcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)
            continue
        elections.outcomes[name] = asked.found.partition
        elections.recovery.pending[asked.found.partition] = None
    return elections


def _check(request: messages.ElectLeadersRequest, version: int) -> None:
    kind = request.election_type
    last = (
        ElectionType.LONGEST_LOG_AGGRESSIVE if version >= _NEW_TYPES_FROM else ElectionType.UNCLEAN
    )
    if not ElectionType.PREFERRED <= kind <= last:
        raise InvalidRequestError(f"unknown election type {kind} in version {version}")
    if request.topic_partitions is None:
        if kind == ElectionType.DESIGNATION:
            raise InvalidRequestError("a designation must name its partitions")
        return
    for row in request.topic_partitions:
        desired = row.desired_leaders
        if kind != ElectionType.DESIGNATION:
            if desired:
                raise InvalidRequestError("desired leaders are allowed in a designation only")
        elif desired is None or len(desired) != len(row.partitions):
            count = 0 if desired is None else len(desired)
            raise InvalidRequestError(
                f"topic {row.topic!r}: the number of desired leaders ({count}) must equal the "
                f"number of partitions ({len(row.partitions)})"
            )


def _served(
    view: View, request: messages.ElectLeadersRequest, elections: Elections
) -> Iterator[_Asked]:
    """Yield the requested partitions, each once; those over the limit are answered here (A5, R4).

    Unlike Kafka (row I7), which has no limit. For a null list the partitions over the limit are
    named too.
    """
    served = 0
    for asked in _asked(view, request):
        if (asked.topic, asked.partition) in elections.outcomes:
            continue
        if served == MAX_ELECTIONS:
            over = ElectionOutcome(ErrorCode.REQUEST_LIMIT_REACHED)
            elections.outcomes[asked.topic, asked.partition] = over
            continue
        served += 1
        yield asked


def _asked(view: View, request: messages.ElectLeadersRequest) -> Iterator[_Asked]:
    if request.topic_partitions is None:
        for found in _eligible(view, request.election_type):
            yield _Asked(found.topic.name, found.partition.partition, found)
        return
    for row in request.topic_partitions:
        topic = view.image.topic(row.topic)
        leaders = row.desired_leaders or [NO_LEADER] * len(row.partitions)
        for index, desired in zip(row.partitions, leaders, strict=True):
            known = None if topic is None else view.find(topic, index)
            yield _Asked(row.topic, index, known, desired)


def _eligible(view: View, kind: int) -> Iterable[IndexedPartition]:
    """A4: the partitions that need an election of this type."""
    if kind == ElectionType.PREFERRED:
        return view.index.without_preferred_leader()
    return view.index.led_by(NO_LEADER)


def _refusal(asked: _Asked, kind: int) -> ElectionOutcome | None:
    if asked.found is None:
        name = f"{asked.topic}-{asked.partition}"
        return ElectionOutcome(
            ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"partition {name} does not exist"
        )
    if not _is_needed(asked.found.registration, kind):
        return ElectionOutcome(ErrorCode.ELECTION_NOT_NEEDED)
    return None


def _is_needed(registration: PartitionRegistration, kind: int) -> bool:
    if kind == ElectionType.PREFERRED:
        return registration.leader != registration.replicas[0]
    return registration.leader == NO_LEADER


def _elect(
    view: View, asked: _Asked, kind: int
) -> tuple[ElectionOutcome, PartitionChangeRecord | None]:
    refusal = _refusal(asked, kind)
    if refusal is not None:
        return refusal, None
    found = asked.found
    assert found is not None
    if kind == ElectionType.DESIGNATION:
        return _designate(view, found, asked.desired)
    election = Election.PREFERRED if kind == ElectionType.PREFERRED else Election.UNCLEAN
    record = view.change(found, Target(), election=election)
    if record is not None:
        # As Kafka: NONE also if another replica than the preferred one was elected.
        return ElectionOutcome(ErrorCode.NONE), record
    if kind == ElectionType.PREFERRED:
        return ElectionOutcome(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE), None
    return ElectionOutcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE), None


def _designate(
    view: View, found: IndexedPartition, desired: int
) -> tuple[ElectionOutcome, PartitionChangeRecord | None]:
    registration = found.registration
    if desired not in registration.replicas:
        replicas = ", ".join(map(str, registration.replicas))
        why = f"broker {desired} has no replica of the partition; its replicas are: {replicas}"
        return ElectionOutcome(ErrorCode.INVALID_REQUEST, why), None
    if not view.acceptable(registration)(desired):
        broker = view.image.brokers.get(desired)
        state = "not registered" if broker is None else "fenced, or its log directory is offline"
        why = f"broker {desired} cannot lead: it is {state}"
        return ElectionOutcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, why), None
    return ElectionOutcome(ErrorCode.NONE), view.change(found, Target(), designated=desired)
