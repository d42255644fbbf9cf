"""AlterPartitionReassignments (key 45), v0-1.

Broker:      forwards to the active controller.
Controller:  starts, changes or cancels reassignments (E11, KIP-455).
Versions:    v1 may require that the number of replicas stays the same (KIP-860).
Errors:      CLUSTER_AUTHORIZATION_FAILED, NOT_CONTROLLER; per partition UNKNOWN_TOPIC_OR_PARTITION,
             INVALID_REPLICA_ASSIGNMENT, INVALID_REPLICATION_FACTOR, NO_REASSIGNMENT_IN_PROGRESS,
             INVALID_REQUEST.
"""

from minikafka.controller import reassignments
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.ALTER_PARTITION_REASSIGNMENTS,
    versions=(0, 1),
    decide=reassignments.alter_partition_reassignments,
    forwarded=True,
    needs=AclOperation.ALTER,
)
