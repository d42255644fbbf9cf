"""The host of a cluster for tests, and the addresses by which this machine reaches it."""

import re
from collections.abc import Mapping
from ipaddress import ip_address
from typing import Final

from minikafka.dev.client_host import LOOPBACKS, ClientHost, server_text
from minikafka.testing.errors import ClusterError

_SEPARATORS: Final = re.compile(r"[\s,:/\[\]]")


def check_host(host: object, advertised_host: object) -> ClientHost:
    """Return the host that the arguments of a cluster describe; None is no advertised host.

    Raises:
        ClusterError: one of them is no host, or clients cannot reach it.
    """
    address = _checked("host", host)
    if advertised_host is None:
        if address in LOOPBACKS:
            raise ClusterError(
                f"host={host!r}: add advertised_host, the name by which clients reach this host"
            )
        return ClientHost(address)
    advertised = _checked("advertised_host", advertised_host)
    if advertised in LOOPBACKS:
        raise ClusterError(
            f"advertised_host={advertised_host!r}: clients cannot connect to it; give the name by "
            "which they reach this host"
        )
    return ClientHost(address, advertised)


def _checked(name: str, value: object) -> str:
    """Return a host; an address in its usual form."""
    if isinstance(value, str):
        try:
            return str(ip_address(value))
        except ValueError:
            if value and not _SEPARATORS.search(value):
                return value
    raise ClusterError(
        f"{name}={value!r}: expected a name or an address alone: no port, bracket, slash, comma or "
        "blank"
    )


def local_servers(servers: str, hosts: Mapping[str, str]) -> str:
    """Return the addresses of servers, as in bootstrap.servers, for this machine.

    `hosts` are the addresses here of the hosts that have others.
    """
    found = []
    for server in servers.split(","):
        host, _, port = server.rpartition(":")
        local = hosts.get(host.strip("[]"))
        found.append(server if local is None else server_text(local, int(port)))
    return ",".join(found)
