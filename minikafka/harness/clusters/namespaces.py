"""A network namespace for each node, joined by a bridge in one more; for those who may make them.

Clients stay outside and reach the nodes through a link into the bridge. Names and addresses belong
to this run alone, and everything goes with the namespaces when the run ends; what a run that was
killed leaves is known by its owner's mark, and goes when the next one starts (`leftovers`).

A cut is one-way by nature: the sender is told a hardware address for the receiver that nobody has,
so that what it sends is dropped without a sign, as by a cut cable. Latency and loss need the
kernel's netem, bandwidth its tbf, on the node's side of its link, so that they count for what it
sends.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping

from minikafka.harness.clusters.network import OUTSIDE, NotDoneError
from minikafka.harness.clusters.owner import mark
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

TAG = "mkv"
"""Before the owner's mark, in the names of namespaces and links; links have 15 characters."""

_NOBODY = "02:00:00:00:00:ff"
_INSIDE = "eth0"
_NETWORKS = 250
_TIMEOUT_S = 20
_BURST = "32kb"
_QUEUE = "400ms"


class NamespacePlacement(Placement):
    """Nodes in namespaces."""

    def __init__(self, network: "NamespaceNetwork") -> None:
        """Of this network."""
        self._network = network

    def host(self, node: int) -> str:
        """Its address on the bridge."""
        return self._network.address(node)

    def prefix(self, node: int) -> list[str]:
        """Runs in the namespace; `ip` is replaced by the command, so that the process is it."""
        return ["ip", "netns", "exec", self._network.namespace(node)]


class NamespaceNetwork:
    """The namespaces of one cluster."""

    way = "a network namespace for each node"

    def __init__(self) -> None:
        """Nothing is made before `open`."""
        self._tag = f"{TAG}{mark()}"
        self._prefix = _prefix(os.getpid())
        self._numbers: dict[int, int] = {OUTSIDE: 254}
        self._hardware: dict[int, str] = {}
        self._cuts: Counter[tuple[int, int]] = Counter()
        self._has_netem = True
        self._opened = False

    @property
    def placement(self) -> Placement:
        """Where the nodes are to be started."""
        return NamespacePlacement(self)

    @property
    def cannot(self) -> Mapping[str, str]:
        """Latency and loss, without netem."""
        if self._has_netem:
            return {}
        reason = "this machine's kernel has no netem for its network namespaces"
        return {"latency": reason, "loss": reason}

    def address(self, node: int) -> str:
        """A node's address."""
        return f"{self._prefix}.{self._numbers.setdefault(node, len(self._numbers))}"

    def namespace(self, node: int) -> str:
        """The name of a node's namespace."""
        return f"{self._tag}-{node}"

    @property
    def _hub(self) -> str:
        return f"{self._tag}-hub"

    @property
    def _link(self) -> str:
        return f"{self._tag}o"

    def problem(self) -> str:
        """Why the machine has no namespaces for us; empty if it has. Finds out about netem, too."""
        if shutil.which("ip") is None or shutil.which("tc") is None:
            return "there are no ip and tc"
        probe = f"{self._tag}-probe"
        try:
            _ip("netns", "add", probe)
        except HarnessError as error:
            return str(error)
        try:
            _ip("-n", probe, "link", "add", "left", "type", "veth", "peer", "name", "right")
            _ip("-n", probe, "link", "add", "both", "type", "bridge")
            try:
                _tc(probe, "qdisc", "add", "dev", "left", "root", "netem", "delay", "1ms")
            except HarnessError:
                self._has_netem = False
        except HarnessError as error:
            return str(error)
        finally:
            _ip("netns", "del", probe)
        return ""

    def open(self, nodes: Mapping[int, int], controller: int) -> None:  # noqa: ARG002
        """Make namespaces, bridge and links, in a range that no other run on the machine has."""
        self._opened = True
        used = _try(["ip", "-o", "-4", "address", "show"]).stdout
        choices = (_prefix(os.getpid() + step) for step in range(_NETWORKS))
        self._prefix = next((it for it in choices if f" {it}." not in used), self._prefix)
        hub = self._hub
        _ip("netns", "add", hub)
        _ip("-n", hub, "link", "add", "bridge", "type", "bridge")
        _ip("-n", hub, "link", "set", "bridge", "up")
        _ip("link", "add", self._link, "type", "veth", "peer", "name", "outside", "netns", hub)
        self._plug("outside")
        _ip("address", "add", f"{self.address(OUTSIDE)}/24", "dev", self._link)
        _ip("link", "set", self._link, "up")
        for node in nodes:
            name = self.namespace(node)
            _ip("netns", "add", name)
            _ip("-n", hub, "link", "add", f"n{node}", "type", "veth", "peer", "name", _INSIDE,
                "netns", name)  # fmt: skip
            self._plug(f"n{node}")
            _ip("-n", name, "address", "add", f"{self.address(node)}/24", "dev", _INSIDE)
            _ip("-n", name, "link", "set", "lo", "up")
            _ip("-n", name, "link", "set", _INSIDE, "up")

    def _plug(self, link: str) -> None:
        _ip("-n", self._hub, "link", "set", link, "master", "bridge", "up")

    def cut(self, source: int, target: int) -> None:
        """Let what the source sends to the target go nowhere."""
        self._cuts[source, target] += 1
        if self._cuts[source, target] == 1:
            self._neighbour(source, "replace", self.address(target), "lladdr", _NOBODY,
                            "nud", "permanent")  # fmt: skip

    def join(self, source: int, target: int) -> None:
        """Undo one cut."""
        self._cuts[source, target] -= 1
        if self._cuts[source, target] == 0:
            self._neighbour(source, "del", self.address(target))

    def _neighbour(self, node: int, action: str, *words: str) -> None:
        if node == OUTSIDE:
            _ip("neighbour", action, *words, "dev", self._link)
        else:
            _ip("-n", self.namespace(node), "neighbour", action, *words, "dev", _INSIDE)

    def shape(self, node: int, kind: str, value: int) -> None:
        """One discipline at a time on a node's link."""
        if kind in self.cannot:
            raise NotDoneError(self.cannot[kind])
        name, place = self.namespace(node), ("dev", _INSIDE, "root")
        if not value:
            _tc(name, "qdisc", "del", *place)
        elif kind == "latency":
            _tc(name, "qdisc", "add", *place, "netem", "delay", f"{value}ms")
        elif kind == "loss":
            _tc(name, "qdisc", "add", *place, "netem", "loss", f"{value}%")
        else:
            _tc(name, "qdisc", "add", *place, "tbf", "rate", f"{value}kbit",
                "burst", _BURST, "latency", _QUEUE)  # fmt: skip

    def close(self) -> None:
        """Delete the namespaces; links and bridge go with them."""
        if not self._opened:
            return
        for number in self._numbers:
            if number != OUTSIDE:
                _try(["ip", "netns", "del", self.namespace(number)])
        _try(["ip", "netns", "del", self._hub])
        _try(["ip", "link", "del", self._link])


def _prefix(number: int) -> str:
    """One of the ranges for documentation and benchmarks, which are not routed."""
    return f"198.18.{number % _NETWORKS + 1}"


def _ip(*words: str) -> None:
    _run(["ip", *words])


def _tc(namespace: str, *words: str) -> None:
    _run(["tc", "-n", namespace, *words])


def _run(command: list[str]) -> None:
    done = _try(command)
    if done.returncode:
        raise HarnessError(f"{' '.join(command)}: {done.stderr.strip()}")


def _try(command: list[str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
