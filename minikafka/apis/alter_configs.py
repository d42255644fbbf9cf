"""AlterConfigs (key 33), v0-2.

Broker:      forwards to the active controller.
Controller:  replaces the values of topics, brokers, groups and subscriptions to metrics.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED (resource).
"""

from minikafka.controller import configuration_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.ALTER_CONFIGS,
    versions=(0, 2),
    decide=configuration_control.alter_configs,
    forwarded=True,
)
