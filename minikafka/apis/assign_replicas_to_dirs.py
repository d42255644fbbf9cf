"""AssignReplicasToDirs (key 73), v0.

Controller:  records which log directory holds each replica of a broker (KIP-858).
Errors:      CLUSTER_AUTHORIZATION_FAILED, STALE_BROKER_EPOCH, UNSUPPORTED_VERSION; per partition
             UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION, NOT_LEADER_OR_FOLLOWER (the broker has no
             replica).
"""

from minikafka.controller import directory_assignments
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.ASSIGN_REPLICAS_TO_DIRS,
    versions=(0, 0),
    decide=directory_assignments.assign_replicas_to_dirs,
    forwarded=False,
    needs=AclOperation.CLUSTER_ACTION,
)
