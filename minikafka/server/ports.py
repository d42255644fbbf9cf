"""Choice of free ports for processes that will bind them."""

import errno
import os
import socket

VARIABLE = "MINIKAFKA_PORTS"
_USUAL = "20000-32000"


def choice() -> range:
    """Return the range of ports for local clusters; MINIKAFKA_PORTS=FIRST-END sets another range.

    Parallel test processes have separate ranges, so that none uses a port that another process has
    chosen but not bound yet.

    Raises:
        ValueError: the variable is not two ports with a hyphen between them.
    """
    named = os.environ.get(VARIABLE) or _USUAL
    first, _, end = named.partition("-")
    try:
        ports = range(int(first), int(end))
    except ValueError:
        ports = range(0)
    if not ports or ports.start < 1 or ports.stop > 65_536:
        raise ValueError(f"{VARIABLE}={named}: expected two ports, as in {_USUAL}")
    return ports


def is_free(host: str, port: int) -> bool:
    """Return False if another process listens on the address.

    True if the address cannot be bound for another reason: the process that binds it reports that.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As a node does: a former connection in TIME_WAIT does not keep the address in use.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.errno != errno.EADDRINUSE
    return True
