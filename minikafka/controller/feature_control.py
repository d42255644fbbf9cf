"""Finalized feature levels: which ones an operator may raise or lower.

Either all updates of a request are made, or none. A level is accepted only if this controller,
every registered broker and every registered controller supports it.

Source: `FeatureControlManager`, `MetadataVersion`, KIP-584, KIP-1022.
"""

from collections.abc import Mapping

from minikafka.common.errors import InvalidRequestError, InvalidUpdateVersionError
from minikafka.config.topic import MIN_INSYNC_REPLICAS
from minikafka.controller.elr_clearing import leftover_records
from minikafka.controller.result import ControllerResult
from minikafka.controller.view import View
from minikafka.messages import update_features as messages
from minikafka.messages.metadata_records.config_record import ConfigRecord
from minikafka.messages.metadata_records.feature_level_record import FeatureLevelRecord
from minikafka.messages.metadata_records.no_op_record import NoOpRecord
from minikafka.metadata.broker_registration import FeatureRange
from minikafka.metadata.features import (
    ELIGIBLE_LEADER_REPLICAS_VERSION,
    ELR_FROM,
    KRAFT_VERSION,
    METADATA_VERSION,
    SUPPORTED_FEATURES,
)
from minikafka.metadata.image import RESOURCE_BROKER
from minikafka.metadata.serde import MetadataRecord

_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE = 1, 2, 3

# metadata.version levels that changed the records of the metadata log.
_METADATA_CHANGED_AT = (8, 11, 13, 14, 15, 17, 23, 30)


def update_features(
    view: View, request: messages.UpdateFeaturesRequest
) -> ControllerResult[messages.UpdateFeaturesResponse]:
    """Finalize the feature levels of a request.

    Raises:
        InvalidUpdateVersionError: a level is not supported, or not by this kind of update.
        InvalidRequestError: a feature is named twice.
    """
    levels: dict[str, int] = {}
    for update in request.feature_updates:
        if update.feature in levels:
            raise InvalidRequestError(f"{update.feature} is named twice")
        _check(view, update)
        levels[update.feature] = update.max_version_level
    _check_dependencies({**view.image.features, **levels})
    records: list[MetadataRecord] = []
    for name, level in levels.items():
        if level != _finalized(view, name):
            records += _records(view, name, level)
    response = messages.UpdateFeaturesResponse(
        error_message=None,
        results=[
            messages.UpdatableFeatureResult(feature=name, error_message=None) for name in levels
        ],
    )
    return ControllerResult([] if request.validate_only else records, response, atomic=True)


def _finalized(view: View, name: str) -> int:
    return view.kraft_version if name == KRAFT_VERSION else view.image.feature(name)


def _check(view: View, update: messages.FeatureUpdateKey) -> None:
    name, level = update.feature, update.max_version_level
    supported = SUPPORTED_FEATURES.get(name)
    if supported is None:
        raise InvalidUpdateVersionError(f"there is no feature {name}")
    if not supported.includes(level):
        raise InvalidUpdateVersionError(
            f"{name} {level} is not supported; supported levels: {supported.minimum} to "
            f"{supported.maximum}"
        )
    _check_nodes(view, name, level)
    _check_direction(update, _finalized(view, name))
    if name == KRAFT_VERSION and level < view.kraft_version:
        raise InvalidUpdateVersionError(
            f"{name} cannot be downgraded from {view.kraft_version} to {level}"
        )


def _check_nodes(view: View, name: str, level: int) -> None:
    nodes: list[tuple[str, Mapping[str, FeatureRange]]] = [
        (f"broker {broker.broker_id}", broker.features) for broker in view.image.brokers.values()
    ]
    nodes += [
        (f"controller {controller.controller_id}", controller.features)
        for controller in view.image.controllers.values()
    ]
    for node, ranges in nodes:
        if not ranges.get(name, FeatureRange(0, 0)).includes(level):
            raise InvalidUpdateVersionError(f"{node} does not support {name} {level}")


def _check_direction(update: messages.FeatureUpdateKey, current: int) -> None:
    name, level = update.feature, update.max_version_level
    kind = _SAFE_DOWNGRADE if update.allow_downgrade else update.upgrade_type
    if kind not in (_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE):
        raise InvalidUpdateVersionError(f"{name}: unknown upgrade type {kind}")
    if level < current and kind == _UPGRADE:
        raise InvalidUpdateVersionError(
            f"{name} {level} is lower than the current level {current}: the upgrade type must "
            "allow a downgrade"
        )
    if level > current and kind != _UPGRADE:
        raise InvalidUpdateVersionError(
            f"{name} {level} is higher than the current level {current}: this is not a downgrade"
        )
    if name == METADATA_VERSION and level < current:
        undone = [at for at in _METADATA_CHANGED_AT if level < at <= current]
        if undone:
            raise InvalidUpdateVersionError(
                f"{name} cannot be downgraded from {current} to {level}: level {undone[-1]} "
                "changed the metadata format"
            )


def _check_dependencies(levels: Mapping[str, int]) -> None:
    elr = levels.get(ELIGIBLE_LEADER_REPLICAS_VERSION, 0)
    if elr and levels.get(METADATA_VERSION, 0) < ELR_FROM:
        raise InvalidUpdateVersionError(
            f"{ELIGIBLE_LEADER_REPLICAS_VERSION} {elr} needs {METADATA_VERSION} {ELR_FROM} or "
            "higher"
        )


def _records(view: View, name: str, level: int) -> list[MetadataRecord]:
    if name == KRAFT_VERSION:
        # The quorum writes its level as a control record. The answer waits for this one after it.
        return [NoOpRecord()]
    records: list[MetadataRecord] = []
    if name == ELIGIBLE_LEADER_REPLICAS_VERSION and level:
        records += _one_min_isr_for_all(view)
        records += leftover_records(view)
    records.append(FeatureLevelRecord(name=name, feature_level=level))
    return records


def _one_min_isr_for_all(view: View) -> list[MetadataRecord]:
    """Write the cluster's min.insync.replicas to the log, and remove those of single brokers.

    With ELR every controller must decide by the same value.
    """
    key = MIN_INSYNC_REPLICAS.name
    records: list[MetadataRecord] = []
    if key not in view.image.config(RESOURCE_BROKER, ""):
        value = view.layers().topic_value(MIN_INSYNC_REPLICAS, {})
        records.append(
            ConfigRecord(
                resource_type=RESOURCE_BROKER, resource_name="", name=key, value=str(value)
            )
        )
    for (resource_type, name), values in view.image.configs.items():
        if resource_type == RESOURCE_BROKER and name and key in values:
            records.append(
                ConfigRecord(
                    resource_type=RESOURCE_BROKER, resource_name=name, name=key, value=None
                )
            )
    return records
