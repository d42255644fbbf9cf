"""Faults of links: cuts, isolation, slow links and machines, stuck streams."""

from collections.abc import Mapping
from dataclasses import dataclass

from minikafka.sim.drive.faults.fault_context import STUCK_SHARE, FaultContext, Inject, Undo
from minikafka.sim.drive.incidents import Fault, Incident
from minikafka.sim.world.network import LinkSpeed, SimNetwork
from minikafka.sim.world.sim_cluster import host

_SLOW = LinkSpeed(base_us=20_000, jitter_us=200_000, lost_per_thousand=50)


@dataclass(slots=True)
class LinkFaults:
    """Injects faults of links. `clients` are the hosts of clients."""

    context: FaultContext
    clients: tuple[str, ...]

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
        slow = self._network.slow_links
        slowed = self._network.slowed
        self.context.effects.measure_links(incident, slowed, ((one, other), (other, one)))
        slow[one, other] = slow[other, one] = _SLOW
        self.context.note("network", f"the link between {one} and {other} is slow")

        def undo() -> None:
            slow.pop((one, other), None)
            slow.pop((other, one), None)

        return undo

    def _slow_node(self, incident: Incident) -> Undo:
        one = host(incident.node)
        slow = self._network.slow_links
        others = [host(x) for x in self.context.cluster.nodes if x != incident.node]
        links = [
            link for other in (*others, *self.clients) for link in ((one, other), (other, one))
        ]
        self.context.effects.measure_links(incident, self._network.slowed, links)
        slow.update(dict.fromkeys(links, _SLOW))
        self.context.note("network", f"all links of {one} are slow")

        def undo() -> None:
            for link in links:
                slow.pop(link, None)

        return undo

    def _clog(self, incident: Incident) -> Undo:
        one, other = host(incident.node), host(incident.other)
        network = self._network
        self.context.note("network", f"some connections from {one} to {other} are stuck")
        self.context.effects.measure_links(incident, network.held, [(one, other)])
        network.clog(one, other, STUCK_SHARE)
        return lambda: network.unclog(one, other)
