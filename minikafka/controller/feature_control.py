"""Finalized feature levels: which ones an operator may raise or lower.

Either all updates of a request are made, or none. A level is accepted only if this controller,
every registered broker and every registered controller supports it.

Source: `FeatureControlManager`, `MetadataVersion`, KIP-584, KIP-1022.
"""

from collections.abc import Mapping

from minikafka.common.errors import InvalidUpdateVersionError
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

_ONE_FAILED = "The update failed for all features since the following feature had an error"
# Kafka's clients compare the texts of this module; each feature of a success has this one.
_NO_ERROR = "NONE"

_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE = 1, 2, 3

# metadata.version levels that changed the records of the metadata log.
_METADATA_CHANGED_AT = (8, 11, 13, 14, 15, 17, 23, 30)


def update_features(
    view: View, request: messages.UpdateFeaturesRequest
) -> ControllerResult[messages.UpdateFeaturesResponse]:
    """Finalize the feature levels of a request; of a feature that is named twice the last counts.

    Raises:
        InvalidUpdateVersionError: a level is not supported, or not by this kind of update.
    """
    updates = {update.feature: update for update in request.feature_updates}
    levels = {name: update.max_version_level for name, update in updates.items()}
    try:
        for update in updates.values():
            _check(view, update, {**view.image.features, **levels})
    except InvalidUpdateVersionError as error:
        raise InvalidUpdateVersionError(f"{_ONE_FAILED}: {error.message}") from None
    records: list[MetadataRecord] = []
    for name, level in levels.items():
        if level != _finalized(view, name):
            records += _records(view, name, level)
    response = messages.UpdateFeaturesResponse(
        error_message=None,
        results=[
            messages.UpdatableFeatureResult(feature=name, error_message=_NO_ERROR)
            for name in levels
        ],
    )
    return ControllerResult([] if request.validate_only else records, response, atomic=True)


def _finalized(view: View, name: str) -> int:
    return view.kraft_version if name == KRAFT_VERSION else view.image.feature(name)


def _check(view: View, update: messages.FeatureUpdateKey, levels: Mapping[str, int]) -> None:
    """Check one update; `levels` are those after the request."""
    name, level = update.feature, update.max_version_level
    current = _finalized(view, name)
    reason = (
        _fault_in_kind(update)
        or _fault_in_nodes(view, name, level)
        or _fault_in_direction(update, current)
        or _fault_in_dependencies(name, level, levels)
    )
    if reason:
        raise InvalidUpdateVersionError(
            f"Invalid update version {level} for feature {name}. {reason}"
        )
    if name == METADATA_VERSION and level < current:
        _check_metadata_downgrade(level, current, _kind(update))


def _kind(update: messages.FeatureUpdateKey) -> int:
    return _SAFE_DOWNGRADE if update.allow_downgrade else update.upgrade_type


def _fault_in_kind(update: messages.FeatureUpdateKey) -> str:
    if _kind(update) not in (_UPGRADE, _SAFE_DOWNGRADE, _UNSAFE_DOWNGRADE):
        return "The controller does not support the given upgrade type."
    if update.max_version_level < 0:
        return "A feature version cannot be less than 0."
    return ""


def _fault_in_nodes(view: View, name: str, level: int) -> str:
    """As Kafka: a node that does not have the feature supports its level 0."""
    nodes: list[tuple[str, Mapping[str, FeatureRange]]] = [
        (f"Local controller {view.node_id}", SUPPORTED_FEATURES)
    ]
    nodes += [(f"Broker {each.broker_id}", each.features) for each in view.image.brokers.values()]
    nodes += [
        (f"Controller {each.controller_id}", each.features)
        for each in view.image.controllers.values()
    ]
    for node, ranges in nodes:
        supported = ranges.get(name, FeatureRange(0, 0))
        if not supported.includes(level):
            if supported.maximum == 0:
                return f"{node} does not support this feature."
            return f"{node} only supports versions {supported.minimum}-{supported.maximum}"
    return "" if name in SUPPORTED_FEATURES else f"Feature {name} not found."


def _fault_in_direction(update: messages.FeatureUpdateKey, current: int) -> str:
    level = update.max_version_level
    if level > current and _kind(update) != _UPGRADE:
        return "Can't downgrade to a newer version."
    if level < current and _kind(update) == _UPGRADE:
        return (
            "Can't downgrade the version of this feature without setting the upgrade type to "
            "either safe or unsafe downgrade."
        )
    if level < current and update.feature == KRAFT_VERSION:
        return "Can't downgrade the version of this feature."
    return ""


def _fault_in_dependencies(name: str, level: int, levels: Mapping[str, int]) -> str:
    is_elr = name == ELIGIBLE_LEADER_REPLICAS_VERSION and level > 0
    if is_elr and levels.get(METADATA_VERSION, 0) < ELR_FROM:
        return (
            f"{name} could not be set to {level} because it depends on {METADATA_VERSION} level "
            f"{ELR_FROM}"
        )
    return ""


def _check_metadata_downgrade(level: int, current: int, kind: int) -> None:
    if not any(level < at <= current for at in _METADATA_CHANGED_AT):
        return
    raise InvalidUpdateVersionError(
        f"Unsupported {METADATA_VERSION} downgrade from {current} to {level}. "
        + (
            "Unsafe metadata downgrade is not supported in this version."
            if kind == _UNSAFE_DOWNGRADE
            else "Refusing to perform the requested downgrade because it might delete metadata "
            "information."
        )
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
