"""Ports that are free, for processes that are about to bind them."""

import errno
import os
import socket

VARIABLE = "MINIKAFKA_PORTS"
_USUAL = "20000-32000"


def choice() -> range:
    """The ports from which local clusters choose theirs; MINIKAFKA_PORTS=FIRST-END names others.

    Test processes that run side by side each have their own part, so that none takes a port that
    another one has chosen and not yet bound.

    Raises:
        ValueError: if the variable is not two ports with a hyphen between them.
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

    An address that cannot be bound for another reason is for its user to report.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As a node binds: what a connection left behind in TIME_WAIT is not in use.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            return error.errno != errno.EADDRINUSE
    return True
