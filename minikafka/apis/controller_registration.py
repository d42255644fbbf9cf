"""ControllerRegistration (key 70), v0-0.

Controller:  registers an incarnation of a controller.
Errors:      CLUSTER_AUTHORIZATION_FAILED, UNSUPPORTED_VERSION, NOT_CONTROLLER.
"""

from minikafka.controller import cluster_control
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.CONTROLLER_REGISTRATION,
    versions=(0, 0),
    decide=cluster_control.register_controller,
    forwarded=False,
    needs=AclOperation.CLUSTER_ACTION,
)
