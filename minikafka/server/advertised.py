"""A check of the names that clients are told."""

import asyncio
import logging
import socket
from collections.abc import Sequence
from ipaddress import ip_address

from minikafka.config.node_config import NodeConfig

_log = logging.getLogger("minikafka.server")


def advertised_names(configs: Sequence[NodeConfig]) -> dict[str, list[str]]:
    """Return the names among the advertised hosts, each with the listeners that have it."""
    found: dict[str, list[str]] = {}
    for config in configs:
        for listener in config.broker_listeners:
            advertised = config.advertised[listener.name]
            if not _is_address(advertised.host):
                found.setdefault(advertised.host, []).append(str(advertised))
    return found


async def warn_of_unknown_names(names: dict[str, list[str]]) -> None:
    """Warn of names that cannot be resolved here: most clients cannot, either."""
    loop = asyncio.get_running_loop()
    for host, listeners in names.items():
        try:
            await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        except OSError as error:
            _log.warning(
                "advertised.listeners: clients are told %s, and its name cannot be resolved here: "
                "%s",
                ", ".join(listeners),
                error.strerror or error,
            )


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True
