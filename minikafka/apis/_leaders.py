"""Leader endpoints for responses to requests that were sent to the wrong broker.

Source: KIP-951; `KafkaApis` (CurrentLeader, NodeEndpoints).
"""

from collections.abc import Callable
from typing import Any

from minikafka.metadata.broker_registration import Endpoint
from minikafka.serving.context import BrokerContext

NODE_ENDPOINTS_FROM_VERSION = 16
"""The version of Fetch whose responses have them."""


def endpoints_of(
    ctx: BrokerContext, leaders: list[int], make: Callable[[int, Endpoint, str | None], Any]
) -> list[Any]:
    """Return an endpoint, built by `make`, of each distinct leader with the request's listener."""
    found = []
    for broker in dict.fromkeys(leaders):
        registration = ctx.broker.image.brokers.get(broker)
        endpoint = None if registration is None else registration.endpoint(ctx.listener)
        if registration is not None and endpoint is not None:
            found.append(make(broker, endpoint, registration.rack))
    return found
