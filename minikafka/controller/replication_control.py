"""Changes of partitions that exist: brokers that come and go, AlterPartition.

Each function is a pure decision over a `View`; every partition goes through `partition_change`.

Source: `ReplicationControlManager` (`handleBrokerFenced`, `handleBrokerUnfenced`,
`handleBrokerInControlledShutdown`, `handleBrokerShutdown`, `alterPartition`); SPEC E4-E8.
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
    """The changes that take a broker that stops out of every ISR; it may stay eligible (E5)."""
    return _changes(
        view.change(
            found,
            Target(isr=_without(found.registration.isr, broker_id)),
            without=broker_id,
        )
        for found in view.index.in_isr(broker_id)
    )


def removal_after_unclean_shutdown(view: View, broker_id: int) -> list[MetadataRecord]:
    """The changes that take a broker out of every ISR and ELR: its logs may have gaps (E7)."""
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


def elections_without(view: View, broker_id: int) -> list[MetadataRecord]:
    """The changes that a broker leaves behind which is forgotten, or ended uncleanly."""
    return _changes(
        view.change(
            found,
            Target(isr=_without(found.registration.isr, broker_id)),
            without=broker_id,
        )
        for found in view.index.in_isr_or_elr(broker_id)
    )


def elections_with(view: View, broker_id: int) -> list[MetadataRecord]:
    """The elections that become possible when a broker is unfenced (E6).

    Only partitions without leader are looked at: no ISR grows here.
    """
    return _changes(
        view.change(found, Target(), including=broker_id)
        for found in view.index.led_by(NO_LEADER)
        if broker_id in found.registration.replicas
    )


def removal_from_directory(view: View, broker_id: int, directory: Uuid) -> list[MetadataRecord]:
    """The changes after a broker reported a log directory as gone."""
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
    """Commit the ISRs that a leader proposes, each partition on its own.

    Raises:
        StaleBrokerEpochError: the request is of an earlier incarnation of the broker.
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
        # The proposal completed a reassignment that removes its own leader: the record stands.
        return _refused(data, ErrorCode.NEW_LEADER_ELECTED), record
    return _accepted(data, after), record


def _proposed_members(data: _Asked, version: int) -> list[tuple[int, int]]:
    """(broker, broker epoch) of the proposed ISR; epoch -1 where the leader does not know it."""
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
    """Why a proposal is not taken, looked at in Kafka's order; NONE if it is."""
    if data.leader_epoch > current.leader_epoch or data.partition_epoch > current.partition_epoch:
        # The leader has seen records that this controller has not: it is no longer the active one.
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
    # RECOVERING is the controller's word (L8), and stands alone in the ISR.
    return (
        data.leader_recovery_state == LeaderRecoveryState.RECOVERING
        and len(isr) == 1
        and current.leader_recovery_state is LeaderRecoveryState.RECOVERING
    )


def _is_eligible(view: View, member: int, epoch: int) -> bool:
    broker = view.image.brokers.get(member)
    return broker is not None and broker.active and epoch in (-1, broker.epoch)


def balancing(view: View, limit: int) -> list[MetadataRecord]:
    """Elections that give partitions back to their first replica, at most `limit` of them."""
    records: list[MetadataRecord] = []
    for found in view.index.without_preferred_leader():
        if len(records) == limit:
            break
        record = view.change(found, Target(), election=Election.PREFERRED)
        if record is not None:
            records.append(record)
    return records


def unclean_elections(view: View) -> list[MetadataRecord]:
    """Elections for partitions without leader whose topics allow unclean ones.

    None where unclean recovery takes their place.
    """
    if view.recovery_enabled:
        return []
    return _changes(
        view.change(found, Target(), election=Election.UNCLEAN)
        for found in view.index.led_by(NO_LEADER)
        if view.unclean_allowed(found.topic.name)
    )


def elections_without_leader(view: View) -> list[MetadataRecord]:
    """Elections for all partitions without leader, by rules that have just changed."""
    return _changes(view.change(found, Target()) for found in view.index.led_by(NO_LEADER))
