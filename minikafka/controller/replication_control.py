"""Changes of existing partitions: after broker state changes, and by AlterPartition.

Each function is a pure function of a `View`; every change is made by `partition_change`.

Source: `ReplicationControlManager` (`handleBrokerFenced`, `handleBrokerUnfenced`,
`handleBrokerInControlledShutdown`, `handleBrokerShutdown`, `alterPartition`); docs/rules.md E4-E8.
"""

from collections.abc import Iterable

from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.controller.cluster_checks import check_broker_epoch
from minikafka.controller.election import Election
from minikafka.controller.partition_change import Target
from minikafka.controller.replica_index import IndexedPartition
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import alter_partition as messages
from minikafka.messages.metadata_records.partition_change_record import PartitionChangeRecord
from minikafka.metadata.partition_registration import (
    NO_LEADER,
    LeaderRecoveryState,
    PartitionRegistration,
)
from minikafka.metadata.serde import MetadataRecord

_EPOCHS_IN_ISR_FROM = 3


def removal_from_isrs(view: View, broker_id: int) -> list[MetadataRecord]:
    """Return the changes that remove a broker from every ISR; it may join ELRs (E5).

    The broker is fenced, stops, or registers again after a clean shutdown.
    """
    return _changes(
        view.change(
            found,
            Target(isr=_without(found.registration.isr, broker_id)),
            without=broker_id,
        )
        for found in view.index.in_isr(broker_id)
    )


def removal_after_unclean_shutdown(view: View, broker_id: int) -> list[MetadataRecord]:
    """Return the changes that remove a broker from every ISR and ELR: it may lack records (E7)."""
    return _changes(
        view.change(
            found,
            Target(
                isr=_without(found.registration.isr, broker_id),
                unclean_shutdown=(broker_id,),
            ),
            without=broker_id,
        )
        for found in view.index.in_isr_or_elr(broker_id)
    )


def removal_from_isrs_and_stale_elrs(view: View, broker_id: int) -> list[MetadataRecord]:
    """Return the changes after a broker is unregistered, or registers while ELR is off (C5).

    While ELR is off, each change empties the partition's ELR (E12). While ELR is on, the broker may
    join or stay in an ELR.
    """
    return _changes(
        view.change(
            found,
            Target(isr=_without(found.registration.isr, broker_id)),
            without=broker_id,
        )
        for found in view.index.in_isr_or_elr(broker_id)
    )


def elections_after_unfencing(view: View, broker_id: int) -> list[MetadataRecord]:
    """Return the elections that become possible when a broker is unfenced (E6).

    Only partitions without leader change; leaders add the broker to ISRs later.
    """
    return _changes(
        view.change(found, Target(), including=broker_id)
        for found in view.index.led_by(NO_LEADER)
        if broker_id in found.registration.replicas
    )


def removal_from_directory(view: View, broker_id: int, directory: Uuid) -> list[MetadataRecord]:
    """Return the changes after a broker reported a log directory as offline."""
    return _changes(
        view.change(
            found,
            Target(isr=_without(found.registration.isr, broker_id)),
            without=broker_id,
        )
        for found in view.index.in_isr(broker_id)
        if found.registration.directory(broker_id) == directory
    )


def _changes(found: Iterable[PartitionChangeRecord | None]) -> list[MetadataRecord]:
    return [record for record in found if record is not None]


def _without(brokers: tuple[int, ...], broker_id: int) -> tuple[int, ...]:
    return tuple(broker for broker in brokers if broker != broker_id)


def alter_partition(
    view: View, request: messages.AlterPartitionRequest, version: int
) -> ControllerResult[messages.AlterPartitionResponse]:
    """Commit the ISRs that a leader proposes, each partition separately.

    Raises:
        StaleBrokerEpochError: the request is not from the registered incarnation of the broker.
    """
    check_broker_epoch(view.image, request.broker_id, request.broker_epoch)
    records: list[MetadataRecord] = []
    topics = []
    for asked in request.topics:
        topic = view.image.topics.get(asked.topic_id)
        answers = []
        for data in asked.partitions:
            if topic is None:
                answers.append(_refused(data, ErrorCode.UNKNOWN_TOPIC_ID))
                continue
            found = view.find(topic, data.partition_index)
            if found is None:
                answers.append(_refused(data, ErrorCode.UNKNOWN_TOPIC_OR_PARTITION))
                continue
            answer, record = _alter(view, request.broker_id, found, data, version)
            answers.append(answer)
            if record is not None:
                records.append(record)
        topics.append(
            messages.AlterPartitionResponseTopicData(topic_id=asked.topic_id, partitions=answers)
        )
    return ControllerResult(records, messages.AlterPartitionResponse(topics=topics))


_Asked = messages.AlterPartitionRequestPartitionData
_Answer = messages.AlterPartitionResponsePartitionData


def _refused(data: _Asked, error: ErrorCode) -> _Answer:
    return _Answer(partition_index=data.partition_index, error_code=error, isr=[])


def _alter(
    view: View, broker_id: int, found: IndexedPartition, data: _Asked, version: int
) -> tuple[_Answer, PartitionChangeRecord | None]:
    members = _proposed_members(data, version)
    error = _refusal(view, broker_id, found.registration, data, members)
    if error is not ErrorCode.NONE:
        return _refused(data, error), None
    record = view.change(
        found,
        Target(
            isr=tuple(member for member, _ in members),
            recovery_state=LeaderRecoveryState(data.leader_recovery_state),
        ),
    )
    if record is None:
        return _accepted(data, found.registration), None
    after = found.registration.merge(record)
    if after.leader != broker_id:
        # The proposal completed a reassignment that removes the leader: the record is valid.
        return _refused(data, ErrorCode.NEW_LEADER_ELECTED), record
    return _accepted(data, after), record


def _proposed_members(data: _Asked, version: int) -> list[tuple[int, int]]:
    """Return the proposed ISR as (broker, broker epoch); -1 if the leader knows no epoch."""
    if version >= _EPOCHS_IN_ISR_FROM:
        return [(state.broker_id, state.broker_epoch) for state in data.new_isr_with_epochs]
    return [(broker, -1) for broker in data.new_isr]


def _accepted(data: _Asked, registration: PartitionRegistration) -> _Answer:
    return _Answer(
        partition_index=data.partition_index,
        leader_id=registration.leader,
        leader_epoch=registration.leader_epoch,
        isr=list(registration.isr),
        leader_recovery_state=int(registration.leader_recovery_state),
        partition_epoch=registration.partition_epoch,
    )


def _refusal(
    view: View,
    broker_id: int,
    current: PartitionRegistration,
    data: _Asked,
    members: list[tuple[int, int]],
) -> ErrorCode:
    """Return the error that rejects a proposal, checked in Kafka's order, or NONE."""
    if data.leader_epoch > current.leader_epoch or data.partition_epoch > current.partition_epoch:
        # The leader has newer metadata than this controller, so another controller is active now.
        return ErrorCode.NOT_CONTROLLER
    if data.leader_epoch < current.leader_epoch:
        return ErrorCode.FENCED_LEADER_EPOCH
    if current.leader != broker_id:
        return ErrorCode.INVALID_REQUEST
    if data.partition_epoch < current.partition_epoch:
        return ErrorCode.INVALID_UPDATE_VERSION
    if not _is_well_formed(current, data, [member for member, _ in members]):
        return ErrorCode.INVALID_REQUEST
    if any(not _is_eligible(view, member, epoch) for member, epoch in members):
        return ErrorCode.INELIGIBLE_REPLICA
    return ErrorCode.NONE


def _is_well_formed(current: PartitionRegistration, data: _Asked, isr: list[int]) -> bool:
    if len(dict.fromkeys(isr)) != len(isr) or current.leader not in isr:
        return False
    if any(member not in current.replicas for member in isr):
        return False
    if data.leader_recovery_state == LeaderRecoveryState.RECOVERED:
        return True
    # Only the controller sets RECOVERING (L8), and a recovering leader is the only ISR member.
    return (
        data.leader_recovery_state == LeaderRecoveryState.RECOVERING
        and len(isr) == 1
        and current.leader_recovery_state is LeaderRecoveryState.RECOVERING
    )


def _is_eligible(view: View, member: int, epoch: int) -> bool:
    broker = view.image.brokers.get(member)
    return broker is not None and broker.active and epoch in (-1, broker.epoch)


def balancing(view: View, limit: int) -> list[MetadataRecord]:
    """Return elections of preferred leaders, at most `limit` of them."""
    records: list[MetadataRecord] = []
    for found in view.index.without_preferred_leader():
        if len(records) == limit:
            break
        record = view.change(found, Target(), election=Election.PREFERRED)
        if record is not None:
            records.append(record)
    return records


def unclean_elections(view: View) -> list[MetadataRecord]:
    """Return elections for partitions without leader whose topics allow unclean elections.

    Empty if the unclean recovery manager is enabled: it elects instead.
    """
    if view.recovery_enabled:
        return []
    return _changes(
        view.change(found, Target(), election=Election.UNCLEAN)
        for found in view.index.led_by(NO_LEADER)
        if view.unclean_allowed(found.topic.name)
    )


def elections_without_leader(view: View) -> list[MetadataRecord]:
    """Return elections for all partitions without leader, after the election rules changed."""
    return _changes(view.change(found, Target()) for found in view.index.led_by(NO_LEADER))
