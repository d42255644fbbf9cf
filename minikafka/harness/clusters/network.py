"""What stands between the nodes of a cluster of our own, so that it can be cut, slowed, narrowed.

There are two ways: a TCP proxy before each node (`proxy`), and a network namespace for each node
(`namespaces`). Both take nodes by number, and 0 for whoever is no node.
"""

from collections.abc import Mapping
from typing import Protocol

from minikafka.harness.plan.schedule import KINDS
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

OUTSIDE = 0
"""The clients, and all others that are no nodes."""

NETWORK_KINDS = tuple(
    kind for kind in ("partition", "isolate", "latency", "loss", "bandwidth") if kind in KINDS
)


class NotDoneError(HarnessError):
    """A fault that cannot be done here; the sentence says why."""


class Network(Protocol):
    """The network between nodes. Every method may be called from any thread."""

    @property
    def way(self) -> str:
        """What is used, for the verdict."""

    @property
    def cannot(self) -> Mapping[str, str]:
        """The kinds of faults that this way cannot do here, each with the reason."""

    @property
    def placement(self) -> Placement:
        """Where the nodes are to be started."""

    def open(self, nodes: Mapping[int, int], controller: int) -> None:
        """Be ready for these nodes, by number and the port that each listens on.

        Raises:
            HarnessError: if the machine does not let us.
        """

    def cut(self, source: int, target: int) -> None:
        """Let nothing pass from one to the other until `join`; cuts are counted."""

    def join(self, source: int, target: int) -> None:
        """Undo one `cut`."""

    def shape(self, node: int, kind: str, value: int) -> None:
        """Begin latency (ms), loss (percent) or bandwidth (kbit/s) of a node; 0 ends it.

        Raises:
            NotDoneError: if this way cannot.
        """

    def close(self) -> None:
        """Undo everything that was made on the machine."""


def unable(network: Network | None, kind: str) -> str:
    """Why a kind of fault cannot be done with this network; empty if it can, or is none of it."""
    if kind not in NETWORK_KINDS:
        return ""
    if network is None:
        return "nothing stands between the nodes of this cluster that could be cut"
    return network.cannot.get(kind, "")
