"""DeleteTopics (key 20), v1-6.

Broker:      forwards to the active controller.
Controller:  removes topics by name or id.
Errors:      UNKNOWN_TOPIC_OR_PARTITION, UNKNOWN_TOPIC_ID, TOPIC_DELETION_DISABLED,
             INVALID_REQUEST, NOT_CONTROLLER.
"""

from minikafka.controller import topic_control
from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import committed_operation

committed_operation(
    ApiKey.DELETE_TOPICS,
    versions=(1, 6),
    decide=lambda controller, request, version: controller.decide(
        topic_control.delete_topics, request, version
    ),
    forwarded=True,
)
