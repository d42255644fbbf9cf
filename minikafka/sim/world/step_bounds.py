"""What a step of a node may do: its broker, and a combined controller, must send heartbeats."""

from typing import Final

from minikafka.node.node import Node
from minikafka.sim.world.violation import Violation

MAX_DISK_WORK: Final = 100
"""Maximum number of syncs and of folders created, renamed or removed in one step: about 100 ms of a
slow disk."""
MAX_WORK_US: Final = 10_000
"""Maximum cost of the long work that a step counts by `Environment.spend`: its budget, and the
largest piece, 500 tombstones."""


def require_short_step(host: str, node: Node | None, disk_work: int) -> None:
    """Check what a step has done. Loading logs and stopping are exempt.

    Raises:
        Violation: it was too much.
    """
    if disk_work > MAX_DISK_WORK:
        raise Violation(
            f"Steps: {host} changes or syncs {disk_work} folders and files in one step, "
            f"at most {MAX_DISK_WORK} were expected"
        )
    if node is not None and node.env.spent_us > MAX_WORK_US:
        raise Violation(
            f"Steps: {host} does work of {node.env.spent_us:.0f} us in one step, at most "
            f"{MAX_WORK_US} us were expected"
        )
