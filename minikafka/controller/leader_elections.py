"""ElectLeaders: elections that an operator asks for, partition by partition.

Preferred, unclean and designated leaders are elected at once. For the longest log the replicas are
asked: those partitions are handed to the unclean recovery manager, enabled or not, and answered
when they are decided.

Source: `ReplicationControlManager.electLeaders`, KIP-460, KIP-966; SPEC A1-A5.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.common.errors import ErrorCode, InvalidRequestError, summary_of
from minikafka.common.ids import TopicIdPartition
from minikafka.controller.election import Election, Strategy
from minikafka.controller.partition_change import Target
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.unclean_recovery import RecoveryRequest
from minikafka.controller.view import View
from minikafka.messages import elect_leaders as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import NO_LEADER, PartitionRegistration
from minikafka.metadata.serde import MetadataRecord

PREFERRED, UNCLEAN, DESIGNATION, LONGEST_LOG_BALANCED, LONGEST_LOG_AGGRESSIVE = range(5)
_NAMES = {PREFERRED: "PREFERRED", UNCLEAN: "UNCLEAN", DESIGNATION: "DESIGNATION"}
MAX_PARTITIONS = 1000
_NEW_TYPES_FROM = 3
_STRATEGIES = {
    LONGEST_LOG_BALANCED: Strategy.BALANCED,
    LONGEST_LOG_AGGRESSIVE: Strategy.AGGRESSIVE,
}


class Outcome(NamedTuple):
    """What came of one partition; the message of the error's own where None is said."""

    error: ErrorCode
    message: str | None = None


class _Asked(NamedTuple):
    topic: str
    partition: int
    found: IndexedPartition | None
    desired: int = NO_LEADER


@dataclass(slots=True)
class Elections:
    """The outcomes of one request, in the order of their answer; those of `recovery` come later."""

    recovery: RecoveryRequest
    outcomes: dict[tuple[str, int], Outcome | TopicIdPartition] = field(default_factory=dict)

    def response(self, waited: Mapping[TopicIdPartition, str]) -> messages.ElectLeadersResponse:
        """The answer now; `waited` says what held up those that are not decided."""
        results: dict[str, list[messages.PartitionResult]] = {}
        for (topic, index), outcome in self.outcomes.items():
            if isinstance(outcome, TopicIdPartition):
                error = self.recovery.results.get(outcome)
                late = Outcome(ErrorCode.REQUEST_TIMED_OUT, waited.get(outcome))
                found = late if error is None else Outcome(error)
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
    """Whether replicas are asked before anybody is elected."""
    return request.election_type in _STRATEGIES


def elect_leaders(
    view: View, request: messages.ElectLeadersRequest, version: int
) -> ControllerResult[messages.ElectLeadersResponse]:
    """Elect; a null list means every partition that an election makes sense for (A4).

    Raises:
        InvalidRequestError: there is no such election type in this version, or desired leaders are
            missing, or given where none can be.
    """
    _check(request, version)
    if is_recovery(request):
        raise InvalidRequestError("the longest log is not elected at once")
    elections = Elections(RecoveryRequest(Strategy.NONE, {}))
    records: list[MetadataRecord] = []
    for asked in _served(view, request, elections):
        outcome, record = _elect(view, asked, request.election_type)
        elections.outcomes[asked.topic, asked.partition] = outcome
        if record is not None:
            records.append(record)
    return ControllerResult(
        records, elections.response({}), requested=f"ElectLeaders {_NAMES[request.election_type]}"
    )


def ask_for_recoveries(
    view: View, request: messages.ElectLeadersRequest, version: int
) -> Elections:
    """What the recovery manager is to decide, next to what is clear without it.

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
            elections.outcomes[name] = Outcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE)
            continue
        elections.outcomes[name] = asked.found.partition
        elections.recovery.pending[asked.found.partition] = None
    return elections


def _check(request: messages.ElectLeadersRequest, version: int) -> None:
    kind = request.election_type
    last = LONGEST_LOG_AGGRESSIVE if version >= _NEW_TYPES_FROM else UNCLEAN
    if not PREFERRED <= kind <= last:
        raise InvalidRequestError(f"there is no election type {kind} in version {version}")
    if request.topic_partitions is None:
        if kind == DESIGNATION:
            raise InvalidRequestError("a designation names its partitions")
        return
    for row in request.topic_partitions:
        desired = row.desired_leaders
        if kind != DESIGNATION:
            if desired:
                raise InvalidRequestError("desired leaders go with a designation only")
        elif desired is None or len(desired) != len(row.partitions):
            count = 0 if desired is None else len(desired)
            raise InvalidRequestError(
                f"{row.topic}: {len(row.partitions)} partitions, {count} desired leaders"
            )


def _served(
    view: View, request: messages.ElectLeadersRequest, elections: Elections
) -> Iterator[_Asked]:
    """What is asked for, each partition once; what is over the limit is answered here (A5).

    Unlike Kafka: it has no limit. Of a null list the partitions over it are named, too.
    """
    served = 0
    for asked in _asked(view, request):
        if (asked.topic, asked.partition) in elections.outcomes:
            continue
        if served == MAX_PARTITIONS:
            over = Outcome(ErrorCode.REQUEST_LIMIT_REACHED)
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
    """A4: the partitions that an election of this type makes sense for."""
    if kind == PREFERRED:
        return view.index.without_preferred_leader()
    return view.index.led_by(NO_LEADER)


def _refusal(asked: _Asked, kind: int) -> Outcome | None:
    if asked.found is None:
        name = f"{asked.topic}-{asked.partition}"
        return Outcome(ErrorCode.UNKNOWN_TOPIC_OR_PARTITION, f"there is no partition {name}")
    if not _is_needed(asked.found.registration, kind):
        return Outcome(ErrorCode.ELECTION_NOT_NEEDED)
    return None


def _is_needed(registration: PartitionRegistration, kind: int) -> bool:
    if kind == PREFERRED:
        return registration.leader != registration.replicas[0]
    return registration.leader == NO_LEADER


def _elect(view: View, asked: _Asked, kind: int) -> tuple[Outcome, PartitionChangeRecord | None]:
    refusal = _refusal(asked, kind)
    if refusal is not None:
        return refusal, None
    found = asked.found
    assert found is not None
    if kind == DESIGNATION:
        return _designate(view, found, asked.desired)
    election = Election.PREFERRED if kind == PREFERRED else Election.UNCLEAN
    record = view.change(found, Target(), election=election)
    if record is not None:
        # As Kafka: also where somebody else than the preferred replica was elected.
        return Outcome(ErrorCode.NONE), record
    if kind == PREFERRED:
        return Outcome(ErrorCode.PREFERRED_LEADER_NOT_AVAILABLE), None
    return Outcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE), None


def _designate(
    view: View, found: IndexedPartition, desired: int
) -> tuple[Outcome, PartitionChangeRecord | None]:
    registration = found.registration
    if desired not in registration.replicas:
        replicas = ", ".join(map(str, registration.replicas))
        why = f"broker {desired} has no replica of the partition; these have: {replicas}"
        return Outcome(ErrorCode.INVALID_REQUEST, why), None
    if not view.acceptable(registration)(desired):
        broker = view.image.brokers.get(desired)
        state = "not registered" if broker is None else "fenced, or its log directory is offline"
        why = f"broker {desired} cannot lead: it is {state}"
        return Outcome(ErrorCode.ELIGIBLE_LEADERS_NOT_AVAILABLE, why), None
    return Outcome(ErrorCode.NONE), view.change(found, Target(), designated=desired)
