"""IncrementalAlterConfigs (key 44), v0-1.

Broker:      forwards to the active controller.
Controller:  sets, deletes, appends and subtracts values of topics, brokers and groups.
Errors:      INVALID_CONFIG, INVALID_REQUEST, UNKNOWN_TOPIC_OR_PARTITION,
             BROKER_ID_NOT_REGISTERED (resource).
"""

from minikafka.controller import configuration_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.INCREMENTAL_ALTER_CONFIGS,
    versions=(0, 1),
    decide=configuration_control.incremental_alter_configs,
    forwarded=True,
)
