"""Feature levels of a cluster: describe supported and finalized levels, and change them."""

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from minikafka import __version__
from minikafka.admin.client import AdminClient, error_text
from minikafka.common.errors import ErrorCode
from minikafka.messages.api_versions import ApiVersionsRequest
from minikafka.messages.update_features import FeatureUpdateKey, UpdateFeaturesRequest


class UpgradeType(IntEnum):
    """The permitted kind of change (`FeatureUpdate.UpgradeType`)."""

    UPGRADE = 1
    SAFE_DOWNGRADE = 2
    UNSAFE_DOWNGRADE = 3


class FeatureDescription(NamedTuple):
    """One feature; `finalized` is 0 if it is disabled or was never finalized."""

    name: str
    minimum: int
    maximum: int
    finalized: int


class Features(NamedTuple):
    """All features, sorted by name; `epoch` is None if the server reports none."""

    features: list[FeatureDescription]
    epoch: int | None


def describe_features(client: AdminClient, node_id: int | None = None) -> Features:
    """Return the features of the cluster, or of one of its nodes.

    Raises:
        AdminError: no broker, or not that node, answers.
    """
    request = ApiVersionsRequest("minikafka", __version__)
    response = client.ask(request) if node_id is None else client.ask_broker(node_id, request)
    finalized = {it.name: it.max_version_level for it in response.finalized_features}
    found = [
        FeatureDescription(it.name, it.min_version, it.max_version, finalized.get(it.name, 0))
        for it in response.supported_features
    ]
    epoch = response.finalized_features_epoch
    return Features(sorted(found), None if epoch < 0 else epoch)


def update_features(
    client: AdminClient, levels: Mapping[str, int], kind: UpgradeType, *, dry_run: bool
) -> dict[str, str | None]:
    """Finalize levels; return for each feature the cluster's error, or None for success.

    Raises:
        AdminError: the cluster does not answer.
    """
    request = UpdateFeaturesRequest(
        timeout_ms=client.timeout_ms,
        feature_updates=[
            FeatureUpdateKey(name, level, upgrade_type=kind) for name, level in levels.items()
        ],
        validate_only=dry_run,
    )
    response = client.settle(lambda: client.ask_active(request), lambda it: int(it.error_code))
    if response.error_code != ErrorCode.NONE:
        return dict.fromkeys(levels, error_text(response.error_code, response.error_message))
    told = {
        it.feature: None if it.error_code == ErrorCode.NONE
        else error_text(it.error_code, it.error_message)
        for it in response.results
    }  # fmt: skip
    # As Kafka: in v2 and later a successful response names no feature.
    return {name: told.get(name) for name in levels}
