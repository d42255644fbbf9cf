"""The ports of a cluster on this machine, by the port of its first node.

It imports neither the layout of a cluster nor a configuration: a cluster for tests claims ports
while another process imports these.
"""

import os
from typing import Final

from minikafka.server import ports

HOST: Final = "127.0.0.1"
BROKERS_OFFSET: Final = 100
"""Node i serves the other brokers on base port + this + i."""
CONTROLLERS_OFFSET: Final = 200
"""Node i is a controller on base port + this + i."""
STRIDE: Final = CONTROLLERS_OFFSET + 100
"""The distance between the base ports of two clusters of at most 100 nodes."""
_OFFSETS = (0, BROKERS_OFFSET, CONTROLLERS_OFFSET)


def free_base_port(nodes: int, preferred: int | None = None) -> int | None:
    """Return a base port such that all ports of a cluster are free: `preferred`, if it is one.

    None if there is no such port.
    """
    if preferred is not None and are_free(preferred, nodes):
        return preferred
    usable = ports.choice()
    last = len(usable) - CONTROLLERS_OFFSET - nodes - 1
    # Parallel processes start their search at different ports.
    start = os.getpid() * 211
    for step in range(0, max(last, 0), STRIDE):
        port = usable[(start + step) % last]
        if are_free(port, nodes):
            return port
    return None


def are_free(base_port: int, nodes: int) -> bool:
    """Return True if no process listens on a port of the cluster."""
    # Brokers and controllers count from 1, clients from 0.
    wanted = (base_port + offset + node for offset in _OFFSETS for node in range(nodes + 1))
    return all(ports.is_free(HOST, port) for port in wanted)
