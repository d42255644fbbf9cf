"""UnregisterBroker (key 64), v0-0.

Broker:      forwards to the active controller.
Controller:  removes the registration of a broker that will not return.
Errors:      BROKER_ID_NOT_REGISTERED, NOT_CONTROLLER.
"""

from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import committed_operation

committed_operation(
    ApiKey.UNREGISTER_BROKER,
    versions=(0, 0),
    decide=lambda controller, request, _: controller.unregister_broker(request),
    forwarded=True,
)
