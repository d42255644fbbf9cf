"""The sockets of a listener before it accepts connections.

Addresses are bound before a node is made: the node needs its ports, and an address in use must be
noticed before anything is written.
"""

import asyncio
import socket
from typing import NamedTuple


class BoundSockets(NamedTuple):
    """One socket for each address of a listener's host. `backlog` is for `socket.listen`."""

    sockets: list[socket.socket]
    backlog: int

    @property
    def port(self) -> int:
        """The port that was bound."""
        return int(self.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Close the sockets; further calls have no effect."""
        for each in self.sockets:
            each.close()
        self.sockets.clear()


async def bind_sockets(host: str, port: int, backlog: int) -> BoundSockets:
    """Bind to all addresses of `host`, or of the machine if it is empty.

    Raises:
        OSError: an address cannot be bound.
    """
    found = await asyncio.get_running_loop().getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    bound = BoundSockets([], backlog)
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            bound.sockets.append(_bound(family, kind, protocol, address))
    except OSError:
        bound.close()
        raise
    return bound


def _bound(family: int, kind: int, protocol: int, address: object) -> socket.socket:
    bound = socket.socket(family, kind, protocol)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            bound.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        bound.setblocking(False)
        bound.bind(address)  # type: ignore[arg-type]
    except OSError:
        bound.close()
        raise
    return bound
