"""Faults of links: cuts, isolation, slow links and machines, stuck streams."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from minikafka.sim.drive.faults.fault_context import STUCK_SHARE, FaultContext, Inject, Undo
from minikafka.sim.drive.faults.fault_effects import Link
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.network import LinkSpeed, SimNetwork
from minikafka.sim.world.sim_cluster import host

_SLOW = LinkSpeed(base_us=20_000, jitter_us=200_000, lost_per_thousand=50)


@dataclass(slots=True)
class LinkFaults:
    """Injects faults of links. `clients` are the hosts of clients."""

    context: FaultContext
    clients: tuple[str, ...]
    _slow_counts: Counter[Link] = field(default_factory=Counter)
    """The number of faults that slow each link down."""

    @property
    def actions(self) -> Mapping[Fault, Inject]:
        """The method for each fault."""
        return {
            Fault.CUT: self._cut,
            Fault.CUT_ONE_WAY: self._cut,
            Fault.CUT_CLIENTS: self._cut_clients,
            Fault.CUT_CONTROLLER: self._cut_controller,
            Fault.ISOLATE: self._isolate,
            Fault.SLOW: self._slow,
            Fault.SLOW_NODE: self._slow_node,
            Fault.CLOG: self._clog,
        }

    @property
    def _network(self) -> SimNetwork:
        return self.context.cluster.network

    def _cut(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        network = self._network
        self.context.effects.measure_links(incident, network.held, ((one, other), (other, one)))
        is_both = incident.what is Fault.CUT
        network.cut(one, other, both=is_both)
        link = f"between {one} and {other}" if is_both else f"from {one} to {other}"
        self.context.note("network", f"the link {link} is cut")
        return lambda: network.undo_cut(one, other, both=is_both)

    def _cut_from(self, incident: Incident, others: list[str], whom: str) -> Undo:
        one = host(incident.node)
        network = self._network
        self.context.note("network", f"{one} is cut off from {whom}")
        links = [link for other in others for link in ((one, other), (other, one))]
        self.context.effects.measure_links(incident, network.held, links)
        for other in others:
            network.cut(one, other)

        def undo() -> None:
            for other in others:
                network.undo_cut(one, other)

        return undo

    def _isolate(self, incident: Incident) -> Undo:
        nodes = self.context.cluster.nodes
        others = [host(node_id) for node_id in nodes if node_id != incident.node]
        return self._cut_from(incident, others, "all other nodes")

    def _cut_clients(self, incident: Incident) -> Undo:
        return self._cut_from(incident, list(self.clients), "its clients")

    def _cut_controller(self, incident: Incident) -> Undo:
        controller = self.context.cluster.controller_id
        others = [] if incident.node == controller else [host(controller)]
        return self._cut_from(incident, others, "the controller only")

    def _slow(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        self.context.note("network", f"the link between {one} and {other} is slow")
        return self._slow_down(incident, [(one, other), (other, one)])

    def _slow_node(self, incident: Incident) -> Undo:
        one = host(incident.node)
        others = [host(x) for x in self.context.cluster.nodes if x != incident.node]
        links = [
            link for other in (*others, *self.clients) for link in ((one, other), (other, one))
        ]
        self.context.note("network", f"all links of {one} are slow")
        return self._slow_down(incident, links)

    def _slow_down(self, incident: Incident, links: list[Link]) -> Undo:
        """Slow links down; those that another fault has slowed, too, stay slow after the undo."""
        slow = self._network.slow_links
        self.context.effects.measure_links(incident, self._network.slowed, links)
        slow.update(dict.fromkeys(links, _SLOW))
        self._slow_counts.update(links)

        def undo() -> None:
            self._slow_counts.subtract(links)
            for link in links:
                if not self._slow_counts[link]:
                    slow.pop(link, None)

        return undo

    def _clog(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        network = self._network
        self.context.note("network", f"some connections from {one} to {other} are stuck")
        self.context.effects.measure_links(incident, network.held, [(one, other)])
        clog = network.clog(one, other, STUCK_SHARE)
        return lambda: network.unclog(clog)
