"""CreatePartitions (key 37), v0-3.

Broker:      forwards to the active controller.
Controller:  adds partitions to topics.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, INVALID_PARTITIONS, INVALID_REPLICA_ASSIGNMENT,
             INVALID_REQUEST, NOT_CONTROLLER.
"""

from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.CREATE_PARTITIONS,
    versions=(0, 3),
    decide=topic_control.create_partitions,
    forwarded=True,
)
