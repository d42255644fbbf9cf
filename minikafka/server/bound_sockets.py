"""The sockets of a listener before it accepts connections.

Addresses are bound before a node is made: the node needs its ports, and an address in use must be
noticed before anything is written.
"""

import asyncio
import errno
import socket
from typing import Final, NamedTuple

_WILDCARDS: Final = ("", "0.0.0.0", "::")  # noqa: S104 - names
_NO_FAMILY: Final = frozenset((errno.EAFNOSUPPORT, errno.EADDRNOTAVAIL))
"""The errors of a machine without addresses of a family."""


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
    """Bind to all addresses of `host`, or of the machine if it is empty or a wildcard address.

    As Kafka: `0.0.0.0` and `::` stand for the addresses of both families.

    Raises:
        OSError: an address cannot be bound.
    """
    is_wildcard = host in _WILDCARDS
    found = await asyncio.get_running_loop().getaddrinfo(
        None if is_wildcard else host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )
    bound = BoundSockets([], backlog)
    missing: OSError | None = None
    try:
        for family, kind, protocol, _, address in dict.fromkeys(found):
            # Port 0 is the system's choice for the first address, and then that of all.
            chosen = (address[0], bound.port, *address[2:]) if bound.sockets else address
            try:
                bound.sockets.append(_bound(family, kind, protocol, chosen))
            except OSError as error:
                if not is_wildcard or error.errno not in _NO_FAMILY:
                    raise
                missing = error
    except OSError:
        bound.close()
        raise
    if missing is not None and not bound.sockets:
        raise missing
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
