"""The network between the nodes of a cluster, which faults can cut, delay or throttle.

There are two implementations: a TCP proxy before each node (`proxy`), and a network namespace for
each node (`namespaces`). Both identify nodes by number; 0 stands for everything that is not a node.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from minikafka.harness.plan.schedule import KINDS
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

OUTSIDE = 0
"""The number of the clients, and of all other processes that are not nodes."""

NETWORK_KINDS = tuple(
    kind for kind in ("cut", "isolate", "slow-node", "loss", "bandwidth") if kind in KINDS
)


class NotDoneError(HarnessError):
    """A fault that this cluster or machine does not support; the message says why."""


class Network(Protocol):
    """The network between nodes. Every method may be called from any thread."""

    @property
    def way(self) -> str:
        """The implementation in words, for the verdict."""

    @property
    def cannot(self) -> Mapping[str, str]:
        """The kinds of faults that are not supported here, each with the reason."""

    @property
    def placement(self) -> Placement:
        """The placement with which the nodes must be started."""

    def open(self, nodes: Mapping[int, Sequence[int]]) -> None:
        """Set the network up; `nodes` maps the number of each node to its listening ports.

        Raises:
            HarnessError: if the machine does not allow it.
        """

    def cut(self, source: int, target: int) -> None:
        """Block what `source` sends to `target` until `join`; cuts are counted."""

    def join(self, source: int, target: int) -> None:
        """Undo one `cut`."""

    def shape(self, node: int, kind: str, value: int) -> None:
        """Begin latency (ms), loss (percent) or bandwidth (kbit/s) of a node; 0 ends it.

        Raises:
            NotDoneError: if this implementation does not support it.
        """

    def close(self) -> None:
        """Remove everything that `open` created on the machine."""


def unable(network: Network | None, kind: str) -> str:
    """The reason why a network does not support a kind of fault.

    Empty if it supports the kind, or if the kind is not a network fault.
    """
    if kind not in NETWORK_KINDS:
        return ""
    if network is None:
        return "the run has no control over the network between the nodes of this cluster"
    return network.cannot.get(kind, "")
