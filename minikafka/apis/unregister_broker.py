"""UnregisterBroker (key 64), v0-0.

Broker:      forwards to the active controller.
Controller:  removes the registration of a broker that will not return.
Errors:      CLUSTER_AUTHORIZATION_FAILED, BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from minikafka.controller import cluster_control
from minikafka.messages.api_keys import ApiKey
from minikafka.security.acl import AclOperation
from minikafka.serving.operation import controller_operation

controller_operation(
    ApiKey.UNREGISTER_BROKER,
    versions=(0, 0),
    decide=cluster_control.unregister_broker,
    forwarded=True,
    needs=AclOperation.ALTER,
)
