"""Ports that are free, for processes that are about to bind them."""

import errno
import socket


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
