"""AllocateProducerIds (key 67), v0-0.

Controller:  allocates a block of producer ids to a broker.
Errors:      CLUSTER_AUTHORIZATION_FAILED, STALE_BROKER_EPOCH, UNKNOWN_SERVER_ERROR (no ids are
             left), NOT_CONTROLLER.
"""

from minikafka.controller import producer_id_control
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.ALLOCATE_PRODUCER_IDS,
    versions=(0, 0),
    decide=producer_id_control.allocate_producer_ids,
    forwarded=False,
    needs=AclOperation.CLUSTER_ACTION,
)
