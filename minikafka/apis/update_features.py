"""UpdateFeatures (key 57), v0-2.

Broker:      forwards to the active controller.
Controller:  raises or lowers finalized feature levels, either all or none (E12, KIP-584).
Versions:    v1 upgrade types, validation only; v2 one error for the request.
Errors:      INVALID_UPDATE_VERSION, FEATURE_UPDATE_FAILED, INVALID_REQUEST, NOT_CONTROLLER.
"""

from typing import Any

from minikafka.messages.api_keys import ApiKey
from minikafka.messages.update_features import UpdateFeaturesRequest
from minikafka.serving.commit import commit
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.forwarding import forward
from minikafka.serving.registry import broker_api, controller_api
from minikafka.serving.steps import Steps


@broker_api(ApiKey.UPDATE_FEATURES, versions=(0, 2))
def forward_update_features(ctx: BrokerContext, _: UpdateFeaturesRequest) -> Steps[Any]:
    """Forward the request to the active controller."""
    return (yield from forward(ctx))


@controller_api(ApiKey.UPDATE_FEATURES, versions=(0, 2))
def update_features(ctx: ControllerContext, request: UpdateFeaturesRequest) -> Steps[Any]:
    """Decide, write the records, and answer after their commit."""
    return (yield from commit(ctx, ctx.server.controller.update_features(request)))
