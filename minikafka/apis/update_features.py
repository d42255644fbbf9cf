"""UpdateFeatures (key 57), v0-2.

Broker:      forwards to the active controller.
Controller:  raises or lowers finalized feature levels, either all or none (E12, KIP-584). The
             kraft.version is raised by the quorum: see `raft/voter_changes.py`.
Versions:    v1 upgrade types, validation only; v2 one error for the request.
Errors:      CLUSTER_AUTHORIZATION_FAILED, INVALID_UPDATE_VERSION, NOT_CONTROLLER,
             REQUEST_TIMED_OUT.
"""

from minikafka.controller import feature_control
from minikafka.messages.api_keys import ApiKey
from minikafka.messages.update_features import UpdateFeaturesRequest, UpdateFeaturesResponse
from minikafka.metadata.features import KRAFT_VERSION
from minikafka.security.acl import AclOperation
from minikafka.serving.authorization import require_cluster
from minikafka.serving.commit import commit
from minikafka.serving.context import ControllerContext
from minikafka.serving.operation import forward_to_controller
from minikafka.serving.registry import controller_api
from minikafka.serving.steps import Steps

_VERSIONS = (0, 2)

forward_to_controller(ApiKey.UPDATE_FEATURES, _VERSIONS)


@controller_api(ApiKey.UPDATE_FEATURES, versions=_VERSIONS)
def update_features(
    ctx: ControllerContext, request: UpdateFeaturesRequest
) -> Steps[UpdateFeaturesResponse]:
    """Decide about all updates, finalize them, and answer after the commit."""
    require_cluster(ctx, AclOperation.ALTER)
    services = ctx.services
    result = services.controller.decide(feature_control.update_features, request)
    changes = services.raft.changes
    for update in request.feature_updates:
        if update.feature == KRAFT_VERSION:
            changes.check_upgrade(update.max_version_level)
            if not request.validate_only:
                changes.upgrade(update.max_version_level)
    response: UpdateFeaturesResponse = yield from commit(ctx, result)
    return response
