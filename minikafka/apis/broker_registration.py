"""BrokerRegistration (key 62), v0-4.

Controller:  registers an incarnation of a broker (C3, E7).
Errors:      CLUSTER_AUTHORIZATION_FAILED, INCONSISTENT_CLUSTER_ID, DUPLICATE_BROKER_REGISTRATION,
             INVALID_REGISTRATION, UNSUPPORTED_VERSION, BROKER_ID_NOT_REGISTERED (a ZooKeeper
             broker), NOT_CONTROLLER.
"""

from minikafka.controller import cluster_control
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import committed_operation

committed_operation(
    ApiKey.BROKER_REGISTRATION,
    versions=(0, 4),
    decide=lambda controller, request, version: controller.decide(
        cluster_control.register_broker, request, version
    ),
    forwarded=False,
    needs=AclOperation.CLUSTER_ACTION,
)
