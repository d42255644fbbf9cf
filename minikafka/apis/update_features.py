"""UpdateFeatures (key 57), v0-2.

Broker:      forwards to the active controller.
Controller:  raises or lowers finalized feature levels, either all or none (E12, KIP-584).
Versions:    v1 upgrade types, validation only; v2 one error for the request.
Errors:      INVALID_UPDATE_VERSION, INVALID_REQUEST, NOT_CONTROLLER.
"""

from minikafka.controller import feature_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.UPDATE_FEATURES,
    versions=(0, 2),
    decide=feature_control.update_features,
    forwarded=True,
)
