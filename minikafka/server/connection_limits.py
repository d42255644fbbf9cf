"""The connection and request limits of a node. Source: `ConnectionQuotas`."""

import socket
from collections.abc import Sequence

from minikafka.config import broker as keys
from minikafka.config.broker import per_ip_overrides
from minikafka.config.values import Config
from minikafka.server.connection_quotas import UNBOUNDED, ListenerLimits


class ConnectionLimits:
    """The limits of a node."""

    __slots__ = (
        "descriptors", "idle_ms", "listeners", "overrides", "per_address", "rate", "request_bytes",
        "total",
    )  # fmt: skip

    def __init__(
        self,
        *,
        total: int,
        per_address: int,
        request_bytes: int,
        idle_ms: int,
        descriptors: int = UNBOUNDED,
        overrides: dict[str, int] | None = None,
        rate: int = UNBOUNDED,
        listeners: dict[str, ListenerLimits] | None = None,
    ) -> None:
        """Store the limits. Clients are rejected when the process has `descriptors` connections.

        `overrides` are limits for single addresses, `listeners` those for single listeners. `rate`
        is in connections per second.
        """
        self.rate = rate
        self.listeners = listeners or {}
        self.descriptors = descriptors
        self.total = total
        self.per_address = per_address
        self.overrides = overrides or {}
        self.request_bytes = request_bytes
        self.idle_ms = idle_ms

    def of_address(self, address: str) -> int:
        """Return the maximum number of connections from an address."""
        return self.overrides.get(address, self.per_address)


def overrides_by_address(text: str) -> dict[str, int]:
    """Return the limits of `max.connections.per.ip.overrides`, by address.

    As Kafka: a host name is resolved once, at the start, and its first address counts.

    Raises:
        OSError: a host name cannot be resolved.
    """
    return {
        str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0]): most
        for host, most in per_ip_overrides(text).items()
    }


def configured_limits(
    values: Config, listeners: Sequence[str], descriptors: int
) -> ConnectionLimits:
    """Return the limits that the configuration of a node with these listeners sets.

    Raises:
        OSError: a host name in `max.connections.per.ip.overrides` cannot be resolved.
    """
    return ConnectionLimits(
        total=values[keys.MAX_CONNECTIONS],
        per_address=values[keys.MAX_CONNECTIONS_PER_IP],
        request_bytes=values[keys.SOCKET_REQUEST_MAX_BYTES],
        idle_ms=values[keys.CONNECTIONS_MAX_IDLE_MS],
        descriptors=descriptors,
        overrides=overrides_by_address(values[keys.MAX_CONNECTIONS_PER_IP_OVERRIDES]),
        rate=values[keys.MAX_CONNECTION_CREATION_RATE],
        listeners={
            listener: limits
            for listener in listeners
            if (limits := _of_listener(values, listener)) != ListenerLimits()
        },
    )


def _of_listener(values: Config, listener: str) -> ListenerLimits:
    prefix = f"listener.name.{listener.lower()}."
    own = Config(
        {
            name.removeprefix(prefix): text
            for name, text in values.given.items()
            if name.startswith(prefix)
        }
    )
    return ListenerLimits(own[keys.MAX_CONNECTIONS], own[keys.MAX_CONNECTION_CREATION_RATE])
