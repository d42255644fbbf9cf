"""CreateTopics (key 19), v2-7.

Broker:      forwards to the active controller.
Controller:  validates, places replicas, answers once the topics are committed.
Errors:      TOPIC_ALREADY_EXISTS, INVALID_TOPIC_EXCEPTION, INVALID_PARTITIONS,
             INVALID_REPLICATION_FACTOR, INVALID_REPLICA_ASSIGNMENT, INVALID_CONFIG,
             INVALID_REQUEST, POLICY_VIOLATION, NOT_CONTROLLER.
"""

from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.CREATE_TOPICS,
    versions=(2, 7),
    decide=topic_control.create_topics,
    forwarded=True,
)
