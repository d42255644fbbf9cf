"""Brokers that a controller fences: none that runs and whose session has not ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from minikafka.controller.quorum_controller import QuorumController
from minikafka.metadata.broker_registration import BrokerRegistration
from minikafka.replica.broker_lifecycle import BrokerState
from minikafka.sim.checks.coverage import Coverage
from minikafka.sim.world.sim_node import SimNode
from minikafka.sim.world.violation import Violation


class _Seen(NamedTuple):
    """A controller after a step: its epoch, the brokers, and the heartbeats of each."""

    epoch: int
    brokers: Mapping[int, BrokerRegistration]
    received: dict[int, int]


@dataclass(slots=True)
class FencingChecks:
    """The registrations of brokers, as each active controller had them after its last step."""

    nodes: Mapping[int, SimNode]
    coverage: Coverage
    _seen: dict[int, _Seen] = field(default_factory=dict)
    """By controller."""

    def check(self, node: SimNode, controller: QuorumController) -> None:
        """Check the brokers that a controller has fenced in its last step.

        Raises:
            Violation: one of them runs, has not asked for it, and has a session.
        """
        key = node.config.node_id
        if not controller.is_active:
            self._seen.pop(key, None)
            return
        brokers, received = controller.latest.brokers, controller.heartbeats.received
        now = _Seen(controller.epoch, brokers, {each: received(each) for each in brokers})
        seen, self._seen[key] = self._seen.get(key, now), now
        if seen.epoch != now.epoch or seen.brokers is brokers:
            return
        for broker_id, broker in brokers.items():
            former = seen.brokers.get(broker_id)
            if not broker.fenced or former is None or former.fenced:
                continue
            if seen.received[broker_id] != now.received[broker_id]:
                # A heartbeat asked for it in this step, maybe one that the broker sent as it
                # started, and that arrived late, on a connection that it has closed since.
                self.coverage.events["brokers fenced by their heartbeats"] += 1
                continue
            self._fenced(node, controller, broker)

    def _fenced(
        self, node: SimNode, controller: QuorumController, broker: BrokerRegistration
    ) -> None:
        has_session = controller.heartbeats.has_session(
            broker.broker_id, broker.epoch, controller.env.clock.monotonic_ms
        )
        machine = self.nodes.get(broker.broker_id)
        if machine is None or not has_session:
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
    local, lifecycle = machine.node.broker.local, machine.node.broker.lifecycle
    return (
        lifecycle.incarnation_id == broker.incarnation_id
        and local.broker_epoch == broker.epoch
        and lifecycle.state is BrokerState.RUNNING
    )
