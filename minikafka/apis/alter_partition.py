"""AlterPartition (key 56), v2-3.

Controller:  commits the ISR that a leader proposes (E4, E5).
Errors:      CLUSTER_AUTHORIZATION_FAILED, STALE_BROKER_EPOCH; per partition UNKNOWN_TOPIC_ID,
             UNKNOWN_TOPIC_OR_PARTITION, NOT_CONTROLLER, FENCED_LEADER_EPOCH, INVALID_REQUEST,
             INVALID_UPDATE_VERSION, INELIGIBLE_REPLICA, NEW_LEADER_ELECTED.
"""

from minikafka.controller import replication_control
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import committed_operation

committed_operation(
    ApiKey.ALTER_PARTITION,
    versions=(2, 3),
    decide=lambda controller, request, version: controller.decide(
        replication_control.alter_partition, request, version
    ),
    forwarded=False,
    needs=AclOperation.CLUSTER_ACTION,
)
