"""The addresses by which this machine reaches the nodes of a cluster for tests."""

from collections.abc import Mapping

from minikafka.common.addresses import server_text


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
