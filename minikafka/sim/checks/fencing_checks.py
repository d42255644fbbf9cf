"""Brokers that a controller fences: none that runs and whose session has not ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from minikafka.controller.quorum_controller import QuorumController
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.replica.broker_lifecycle import BrokerState
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


@dataclass(slots=True)
class FencingChecks:
    """The registrations of brokers, as each active controller had them after its last step."""

    nodes: Mapping[int, SimNode]
    coverage: Coverage
    _seen: dict[int, tuple[int, Mapping[int, BrokerRegistration]]] = field(default_factory=dict)
    """By controller: its epoch, and the brokers."""

    def check(self, node: SimNode, controller: QuorumController) -> None:
        """Check the brokers that a controller has fenced in its last step.

        Raises:
            Violation: one of them runs, has not asked for it, and has a session.
        """
        key = node.config.node_id
        if not controller.is_active:
            self._seen.pop(key, None)
            return
        epoch, before = self._seen.get(key, (-1, {}))
        brokers = controller.latest.brokers
        if epoch == controller.epoch and brokers is before:
            return
        self._seen[key] = controller.epoch, brokers
        for broker_id, broker in brokers.items() if epoch == controller.epoch else ():
            former = before.get(broker_id)
            if broker.fenced and former is not None and not former.fenced:
                self._fenced(node, controller, broker)

    def _fenced(
        self, node: SimNode, controller: QuorumController, broker: BrokerRegistration
    ) -> None:
        now_ms = controller.env.clock.monotonic_ms
        heartbeats = controller.heartbeats
        machine = self.nodes.get(broker.broker_id)
        if machine is None or not heartbeats.has_session(broker.broker_id, broker.epoch, now_ms):
            return
        if heartbeats.heartbeat_ms(broker.broker_id) == now_ms:
            # A heartbeat asked for it in this step, maybe one that this broker sent as it started,
            # and that arrived late, on a connection that it has closed since.
            self.coverage.events["brokers fenced by their heartbeats"] += 1
            return
        if not _runs(machine, broker):
            self.coverage.events["brokers fenced before their sessions ended"] += 1
            return
        raise Violation(
            f"FencedInTime: {node.host} has fenced {machine.host}, which runs with broker epoch "
            f"{broker.epoch}, and whose session has not ended"
        )


def _runs(machine: SimNode, broker: BrokerRegistration) -> bool:
    """True if this incarnation of a broker runs, serves clients, and does not want to stop."""
    if machine.node is None or machine.node.broker is None or not machine.started:
        return False
    lifecycle = machine.node.broker.lifecycle
    return (
        lifecycle.incarnation_id == broker.incarnation_id
        and lifecycle.broker_epoch == broker.epoch
        and lifecycle.state is BrokerState.RUNNING
    )
