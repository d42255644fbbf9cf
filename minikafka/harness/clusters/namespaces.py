"""A network namespace for each node, joined by a bridge in one more namespace. Needs privileges.

Clients stay outside and reach the nodes through a link into the bridge. Names and addresses are
unique to the run, and everything disappears with the namespaces when the run ends. What a killed
run leaves behind has its owner's mark, and the next run removes it (`leftovers`).

A cut works in one direction: the sender's neighbour table gets an unused hardware address for the
receiver, so that packets are dropped silently, as by a cut cable. Latency and loss need the
kernel's netem, bandwidth its tbf. They are set on the node's end of its link, so they apply to what
the node sends.
"""

import os
import shutil
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence

from minikafka.harness.clusters.network import OUTSIDE, NotDoneError
from minikafka.harness.clusters.owner import mark
from minikafka.harness.plan.settings import HarnessError
from minikafka.testing.nodes import Placement

TAG = "mkv"
"""The prefix of the owner's mark in the names of namespaces and links. A link's name has at most
15 characters."""

_UNUSED_MAC = "02:00:00:00:00:ff"
_INSIDE = "eth0"
_NETWORKS = 250
_TIMEOUT_S = 20
_BURST = "32kb"
_QUEUE = "400ms"


class NamespacePlacement(Placement):
    """Nodes in namespaces."""

    def __init__(self, network: "NamespaceNetwork") -> None:
        """Place nodes in this network."""
        self._network = network

    def host(self, node: int) -> str:
        """The node's address on the bridge."""
        return self._network.address(node)

    def prefix(self, node: int) -> list[str]:
        """The command that runs another one in the node's namespace.

        `ip` replaces itself by that command, so the process id is the node's.
        """
        return ["ip", "netns", "exec", self._network.namespace(node)]


class NamespaceNetwork:
    """The namespaces of one cluster."""

    way = "a network namespace for each node"

    def __init__(self) -> None:
        """Create nothing on the machine; `open` does."""
        self._tag = f"{TAG}{mark()}"
        self._prefix = _prefix(os.getpid())
        self._numbers: dict[int, int] = {OUTSIDE: 254}
        self._cuts: Counter[tuple[int, int]] = Counter()
        self._has_netem = True
        self._opened = False

    @property
    def placement(self) -> Placement:
        """The placement with which the nodes must be started."""
        return NamespacePlacement(self)

    @property
    def cannot(self) -> Mapping[str, str]:
        """Latency and loss if the kernel has no netem."""
        if self._has_netem:
            return {}
        reason = "this machine's kernel has no netem for its network namespaces"
        return {"slow-node": reason, "loss": reason}

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
        """The reason why namespaces cannot be created; empty if they can. Checks netem as well."""
        if shutil.which("ip") is None or shutil.which("tc") is None:
            return "the commands ip and tc must be installed"
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

    def open(self, nodes: Mapping[int, Sequence[int]]) -> None:
        """Create namespaces, bridge and links in an address range that no other run uses."""
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
        """Drop what the source sends to the target."""
        self._cuts[source, target] += 1
        if self._cuts[source, target] == 1:
            self._neighbour(source, "replace", self.address(target), "lladdr", _UNUSED_MAC,
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
        """Set or delete the queueing discipline of a node's link; a link has at most one."""
        if kind in self.cannot:
            raise NotDoneError(self.cannot[kind])
        name, place = self.namespace(node), ("dev", _INSIDE, "root")
        if not value:
            _tc(name, "qdisc", "del", *place)
        elif kind == "slow-node":
            _tc(name, "qdisc", "add", *place, "netem", "delay", f"{value}ms")
        elif kind == "loss":
            _tc(name, "qdisc", "add", *place, "netem", "loss", f"{value}%")
        else:
            _tc(name, "qdisc", "add", *place, "tbf", "rate", f"{value}kbit",
                "burst", _BURST, "latency", _QUEUE)  # fmt: skip

    def close(self) -> None:
        """Delete the namespaces; the kernel deletes links and bridge with them."""
        if not self._opened:
            return
        for number in self._numbers:
            if number != OUTSIDE:
                _try(["ip", "netns", "del", self.namespace(number)])
        _try(["ip", "netns", "del", self._hub])
        _try(["ip", "link", "del", self._link])


def _prefix(number: int) -> str:
    """A /24 network of the range for benchmarks (198.18.0.0/15), which is not routed."""
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
    try:
        return subprocess.run(
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired as error:
        return subprocess.CompletedProcess(command, 124, "", f"no end after {error.timeout:g} s")
