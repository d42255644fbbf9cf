"""BrokerHeartbeat (key 63), v0-2.

Controller:  extends a broker's session; fences and unfences it; lets it shut down.
Errors:      STALE_BROKER_EPOCH, NOT_CONTROLLER.
"""

from minikafka.messages.api_keys import ApiKey
from minikafka.serving.operation import committed_operation

committed_operation(
    ApiKey.BROKER_HEARTBEAT,
    versions=(0, 2),
    decide=lambda controller, request, version: controller.broker_heartbeat(request, version),
    forwarded=False,
)
