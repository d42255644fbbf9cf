"""Leader endpoints for responses to requests that were sent to the wrong broker.

Source: KIP-951; `KafkaApis` (CurrentLeader, NodeEndpoints).
"""

from collections.abc import Callable
from typing import TypeVar

from minikafka.serving.context import BrokerContext

E = TypeVar("E")
NODE_ENDPOINTS_FROM_VERSION = 16
"""The version of Fetch whose responses have them."""


def endpoints_of(
    ctx: BrokerContext, leaders: list[int], make: Callable[[int, str, int, str | None], E]
) -> list[E]:
    """Return a `NodeEndpoint` of each distinct leader that has the request's listener."""
    found = []
    for broker in dict.fromkeys(leaders):
        registration = ctx.broker.image.brokers.get(broker)
        endpoint = None if registration is None else registration.endpoint(ctx.listener)
        if registration is not None and endpoint is not None:
            found.append(make(broker, endpoint.host, endpoint.port, registration.rack))
    return found
