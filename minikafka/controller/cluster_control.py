"""Registrations of brokers and controllers, heartbeats, fencing, controlled shutdown.

Invariants: a new incarnation of a broker starts fenced; its epoch is the end offset of the metadata
log at its registration, so epochs grow; records that take leaderships away from a broker precede
the record that fences or registers it (E7), records that give it leaderships follow it.

Source: `ClusterControlManager`, `ReplicationControlManager.processBrokerHeartbeat`, KIP-631,
KIP-966; docs/rules.md C3, C5, E6, E7.
"""

import logging

from minikafka.common.errors import (
    BrokerIdNotRegisteredError,
    DuplicateBrokerRegistrationError,
    InconsistentClusterIdError,
    InvalidRegistrationError,
    UnsupportedVersionError,
)
from minikafka.common.ids import Uuid
from minikafka.controller.broker_heartbeats import (
    BrokerControlState,
    HeartbeatRequests,
    control_state,
    next_control_state,
)
from minikafka.controller.cluster_checks import check_broker_epoch
from minikafka.controller.replication_control import (
    elections_after_unfencing,
    removal_after_unclean_shutdown,
    removal_from_directory,
    removal_from_isrs,
    removal_from_isrs_and_stale_elrs,
)
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import broker_heartbeat as heartbeat_messages
from minikafka.messages import broker_registration as registration_messages
from minikafka.messages import controller_registration as controller_messages
from minikafka.messages import unregister_broker as unregister_messages
from minikafka.messages.metadata_records import register_broker_record as broker_record
from minikafka.messages.metadata_records import register_controller_record as controller_record
from minikafka.messages.metadata_records.broker_registration_change_record import (
    BrokerRegistrationChangeRecord,
)
from minikafka.messages.metadata_records.unregister_broker_record import UnregisterBrokerRecord
from minikafka.metadata.broker_registration import BrokerRegistration, FeatureRange
from minikafka.metadata.features import (
    CONTROLLERS_FROM,
    CORDONED_DIRECTORIES_FROM,
    DIRECTORIES_FROM,
    KRAFT_VERSION,
    METADATA_VERSION,
)
from minikafka.metadata.serde import MetadataRecord

_log = logging.getLogger("minikafka.controller")

_PREVIOUS_EPOCH_FROM = 3
_OFFLINE_DIRS_FROM = 1
_CORDONED_DIRS_FROM = 2


def register_broker(
    view: View,
    request: registration_messages.BrokerRegistrationRequest,
    version: int,
) -> ControllerResult[registration_messages.BrokerRegistrationResponse]:
    """Register an incarnation of a broker.

    A new incarnation leaves every ISR, and after an unclean shutdown also every ELR (E7).

    Raises:
        InconsistentClusterIdError: the broker belongs to another cluster.
        DuplicateBrokerRegistrationError: another incarnation of the broker has a live session.
        InvalidRegistrationError: log directories or features are missing or wrong.
        UnsupportedVersionError: the broker does not support a finalized feature level.
    """
    if request.cluster_id != view.cluster_id:
        raise InconsistentClusterIdError(
            f"this is cluster {view.cluster_id}, but broker {request.broker_id} belongs to cluster "
            f"{request.cluster_id}"
        )
    known = view.image.brokers.get(request.broker_id)
    same_incarnation = known is not None and known.incarnation_id == request.incarnation_id
    if known is not None and not same_incarnation:
        _check_session_over(view, known)
    if request.is_migrating_zk_broker:
        raise BrokerIdNotRegisteredError("brokers that use ZooKeeper cannot be registered")
    _check_log_dirs(view, request)
    _check_features(view, request)
    records: list[MetadataRecord] = []
    record = _registration_record(request, view.next_offset)
    if known is not None and same_incarnation:
        record.broker_epoch = known.epoch
        record.fenced = known.fenced
        record.in_controlled_shutdown = known.in_controlled_shutdown
    else:
        records += _end_former_incarnation(view, known, request, version)
    if view.metadata_version < DIRECTORIES_FROM:
        record.log_dirs = []
    records.append(record)
    view.heartbeats.touch(request.broker_id, record.broker_epoch, view.now_ms)
    _log.info(
        "broker %d is registered, incarnation %s, epoch %d",
        request.broker_id,
        request.incarnation_id,
        record.broker_epoch,
    )
    return ControllerResult(
        records, registration_messages.BrokerRegistrationResponse(broker_epoch=record.broker_epoch)
    )


def _check_session_over(view: View, known: BrokerRegistration) -> None:
    """As Kafka: a killed broker cannot register again until its old session has ended."""
    if not known.fenced and view.heartbeats.has_session(known.broker_id, known.epoch, view.now_ms):
        raise DuplicateBrokerRegistrationError(
            f"another incarnation of broker {known.broker_id} is registered and its session has "
            "not ended"
        )


def _end_former_incarnation(
    view: View,
    known: BrokerRegistration | None,
    request: registration_messages.BrokerRegistrationRequest,
    version: int,
) -> list[MetadataRecord]:
    """Return the changes that end the former incarnation of the broker (C3, C5).

    A broker that was unregistered may still be in an ELR; its shutdown counts as unclean.
    """
    if not view.elr_enabled:
        # C5, E12: a stale ELR would count again if ELR is enabled.
        return removal_from_isrs_and_stale_elrs(view, request.broker_id)
    is_clean = (
        known is not None
        and version >= _PREVIOUS_EPOCH_FROM
        and request.previous_broker_epoch == known.epoch
    )
    if is_clean:
        return removal_from_isrs(view, request.broker_id)
    records = removal_after_unclean_shutdown(view, request.broker_id)
    if known is not None:
        _log.info(
            "broker %d had an unclean shutdown (the registration names previous epoch %d): %s",
            request.broker_id,
            request.previous_broker_epoch,
            "1 partition changes" if len(records) == 1 else f"{len(records)} partitions change",
        )
    return records


def _check_log_dirs(view: View, request: registration_messages.BrokerRegistrationRequest) -> None:
    if view.metadata_version < DIRECTORIES_FROM:
        return
    if not request.log_dirs:
        raise InvalidRegistrationError("the registration names no log directory")
    if len(dict.fromkeys(request.log_dirs)) != len(request.log_dirs):
        raise InvalidRegistrationError("the registration names a log directory twice")
    for log_dir in request.log_dirs:
        if log_dir.is_reserved:
            raise InvalidRegistrationError(f"log directory id {log_dir} is reserved")
    for broker in view.image.brokers.values():
        if broker.broker_id == request.broker_id:
            continue
        for log_dir in request.log_dirs:
            if log_dir in broker.log_dirs:
                raise InvalidRegistrationError(
                    f"log directory {log_dir} belongs to broker {broker.broker_id}"
                )


def _check_features(view: View, request: registration_messages.BrokerRegistrationRequest) -> None:
    """Check that every finalized level is in the broker's range; a missing feature means 0-0."""
    ranges = {
        feature.name: FeatureRange(feature.min_supported_version, feature.max_supported_version)
        for feature in request.features
    }
    if METADATA_VERSION not in ranges:
        raise InvalidRegistrationError(f"the registration does not name {METADATA_VERSION}")
    finalized = {**view.image.features, KRAFT_VERSION: view.kraft_version}
    for name in {**ranges, **finalized}:
        level = finalized.get(name, 0)
        supported = ranges.get(name, FeatureRange(0, 0))
        if not supported.includes(level):
            raise UnsupportedVersionError(
                f"{name} is finalized at level {level}; broker {request.broker_id} supports "
                f"levels {supported.minimum} to {supported.maximum}"
            )


def _registration_record(
    request: registration_messages.BrokerRegistrationRequest, epoch: int
) -> broker_record.RegisterBrokerRecord:
    return broker_record.RegisterBrokerRecord(
        broker_id=request.broker_id,
        incarnation_id=request.incarnation_id,
        broker_epoch=epoch,
        end_points=[
            broker_record.BrokerEndpoint(
                name=x.name, host=x.host, port=x.port, security_protocol=x.security_protocol
            )
            for x in request.listeners
        ],
        features=[
            broker_record.BrokerFeature(
                name=x.name,
                min_supported_version=x.min_supported_version,
                max_supported_version=x.max_supported_version,
            )
            for x in request.features
        ],
        rack=request.rack,
        fenced=True,
        log_dirs=sorted(request.log_dirs),
    )


def heartbeat(
    view: View,
    request: heartbeat_messages.BrokerHeartbeatRequest,
    version: int,
) -> ControllerResult[heartbeat_messages.BrokerHeartbeatResponse]:
    """Extend a broker's session, and make the state change that its heartbeat asks for.

    Raises:
        StaleBrokerEpochError: the heartbeat is not from the registered incarnation.
    """
    broker = check_broker_epoch(view.image, request.broker_id, request.broker_epoch)
    broker_id, heartbeats = broker.broker_id, view.heartbeats
    heartbeats.touch(broker_id, broker.epoch, view.now_ms)
    active = [other for other in view.image.brokers.values() if other.active]
    asked = HeartbeatRequests(
        request.want_fence, request.want_shut_down, request.current_metadata_offset
    )
    now = control_state(broker)
    after = next_control_state(
        broker,
        asked,
        leads=view.index.leads(broker_id),
        others_have_moved_on=heartbeats.others_have_moved_on(broker_id, active),
    )
    records = _transition(view, broker, now, after)
    heartbeats.progressed(broker_id, request.current_metadata_offset)
    if after is BrokerControlState.CONTROLLED_SHUTDOWN:
        heartbeats.shutting_down(broker_id, view.next_offset + len(records) - 1)
    elif after is not BrokerControlState.UNFENCED:
        heartbeats.fenced(broker_id)
    if now is after or after is not BrokerControlState.UNFENCED:
        # Skipped while a broker is being unfenced: its next heartbeat reports the same directories.
        records += _directory_changes(view, broker, request, version, moved=after is not now)
    if after is not now:
        _log.info("broker %d: %s -> %s", broker_id, now.value, after.value)
    return ControllerResult(
        records,
        heartbeat_messages.BrokerHeartbeatResponse(
            is_caught_up=request.current_metadata_offset >= broker.registered_at,
            is_fenced=after in (BrokerControlState.FENCED, BrokerControlState.SHUTDOWN_NOW),
            should_shut_down=after is BrokerControlState.SHUTDOWN_NOW,
        ),
    )


def _transition(
    view: View, broker: BrokerRegistration, now: BrokerControlState, after: BrokerControlState
) -> list[MetadataRecord]:
    if after is BrokerControlState.CONTROLLED_SHUTDOWN:
        return _controlled_shutdown(view, broker, now)
    if after is now:
        return []
    if after is BrokerControlState.UNFENCED:
        return unfencing(view, broker)
    return [] if broker.fenced else fencing(view, broker)


def _controlled_shutdown(
    view: View, broker: BrokerRegistration, now: BrokerControlState
) -> list[MetadataRecord]:
    records: list[MetadataRecord] = []
    if now is not BrokerControlState.CONTROLLED_SHUTDOWN:
        records.append(
            BrokerRegistrationChangeRecord(
                broker_id=broker.broker_id,
                broker_epoch=broker.epoch,
                in_controlled_shutdown=1,
                log_dirs=[],
            )
        )
    return records + removal_from_isrs(view, broker.broker_id)


def fencing(view: View, broker: BrokerRegistration) -> list[MetadataRecord]:
    """Return the records that fence a broker: first its partitions, then its registration."""
    change = BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=1, log_dirs=[]
    )
    return [*removal_from_isrs(view, broker.broker_id), change]


def unfencing(view: View, broker: BrokerRegistration) -> list[MetadataRecord]:
    """Return the record that unfences a broker, then the elections that this allows (E6)."""
    change = BrokerRegistrationChangeRecord(
        broker_id=broker.broker_id, broker_epoch=broker.epoch, fenced=-1, log_dirs=[]
    )
    return [change, *elections_after_unfencing(view, broker.broker_id)]


def _directory_changes(
    view: View,
    broker: BrokerRegistration,
    request: heartbeat_messages.BrokerHeartbeatRequest,
    version: int,
    *,
    moved: bool,
) -> list[MetadataRecord]:
    """Return the records for log directories that went offline or were cordoned.

    `moved`: the state change of the same heartbeat already removes the broker from every ISR.
    """
    records: list[MetadataRecord] = []
    level = view.metadata_version
    if version >= _OFFLINE_DIRS_FROM and level >= DIRECTORIES_FROM:
        records += _offline_directories(view, broker, request.offline_log_dirs, moved=moved)
    cordoned = request.cordoned_log_dirs
    if (
        version >= _CORDONED_DIRS_FROM
        and level >= CORDONED_DIRECTORIES_FROM
        and cordoned is not None
    ):
        before = broker.cordoned_log_dirs
        if before is None or sorted(before) != sorted(cordoned):
            records.append(
                BrokerRegistrationChangeRecord(
                    broker_id=broker.broker_id,
                    broker_epoch=broker.epoch,
                    log_dirs=[],
                    cordoned_log_dirs=sorted(cordoned),
                )
            )
    return records


def _offline_directories(
    view: View, broker: BrokerRegistration, offline: list[Uuid], *, moved: bool
) -> list[MetadataRecord]:
    gone = [directory for directory in broker.log_dirs if directory in offline]
    if not gone:
        return []
    records: list[MetadataRecord] = []
    for directory in () if moved else gone:
        records += removal_from_directory(view, broker.broker_id, directory)
    kept = [directory for directory in broker.log_dirs if directory not in gone]
    if kept:
        records.append(
            BrokerRegistrationChangeRecord(
                broker_id=broker.broker_id, broker_epoch=broker.epoch, log_dirs=kept
            )
        )
    return records


def unregister_broker(
    view: View,
    request: unregister_messages.UnregisterBrokerRequest,
) -> ControllerResult[unregister_messages.UnregisterBrokerResponse]:
    """Remove the registration of a broker that will not return.

    Raises:
        BrokerIdNotRegisteredError: no broker with this id is registered.
    """
    broker = view.image.brokers.get(request.broker_id)
    if broker is None:
        raise BrokerIdNotRegisteredError(f"broker {request.broker_id} is not registered")
    view.heartbeats.forget(broker.broker_id)
    record = UnregisterBrokerRecord(broker_id=broker.broker_id, broker_epoch=broker.epoch)
    return ControllerResult(
        [*removal_from_isrs_and_stale_elrs(view, broker.broker_id), record],
        unregister_messages.UnregisterBrokerResponse(error_message=None),
    )


def register_controller(
    view: View, request: controller_messages.ControllerRegistrationRequest
) -> ControllerResult[controller_messages.ControllerRegistrationResponse]:
    """Register an incarnation of a controller.

    Raises:
        UnsupportedVersionError: the cluster's metadata.version has no controller registrations.
    """
    if view.metadata_version < CONTROLLERS_FROM:
        raise UnsupportedVersionError(
            f"controller registration needs metadata.version {CONTROLLERS_FROM} or higher"
        )
    record = controller_record.RegisterControllerRecord(
        controller_id=request.controller_id,
        incarnation_id=request.incarnation_id,
        zk_migration_ready=request.zk_migration_ready,
        end_points=[
            controller_record.ControllerEndpoint(
                name=x.name, host=x.host, port=x.port, security_protocol=x.security_protocol
            )
            for x in request.listeners
        ],
        features=[
            controller_record.ControllerFeature(
                name=x.name,
                min_supported_version=x.min_supported_version,
                max_supported_version=x.max_supported_version,
            )
            for x in request.features
        ],
    )
    return ControllerResult(
        [record],
        controller_messages.ControllerRegistrationResponse(error_message=None),
        atomic=True,
    )
