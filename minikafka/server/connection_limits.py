"""What a node allows its clients, as numbers. Source: `ConnectionQuotas`."""

import socket

from minikafka.config.broker import per_ip_overrides

_UNBOUNDED = 2**31 - 1


class ConnectionLimits:
    """The limits of a node."""

    __slots__ = ("descriptors", "idle_ms", "overrides", "per_address", "request_bytes", "total")

    def __init__(
        self,
        *,
        total: int,
        per_address: int,
        request_bytes: int,
        idle_ms: int,
        descriptors: int = _UNBOUNDED,
        overrides: dict[str, int] | None = None,
    ) -> None:
        """Keep the limits. With `descriptors` connections in the process, clients are refused.

        `overrides` has a limit of its own for each of some addresses.
        """
        self.descriptors = descriptors
        self.total = total
        self.per_address = per_address
        self.overrides = overrides or {}
        self.request_bytes = request_bytes
        self.idle_ms = idle_ms

    def of_address(self, address: str) -> int:
        """How many connections an address may have."""
        return self.overrides.get(address, self.per_address)


def overrides_by_address(text: str) -> dict[str, int]:
    """The limits of `max.connections.per.ip.overrides`, by address.

    As Kafka: a name is looked up once, at the start, and its first address counts.

    Raises:
        OSError: a name is not known.
    """
    return {
        str(socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0][4][0]): most
        for host, most in per_ip_overrides(text).items()
    }
