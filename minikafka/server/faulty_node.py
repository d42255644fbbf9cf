"""Puts the parts that inject faults into a node, in place of the usual ones."""

from minikafka.faults.dispatcher import install
from minikafka.node.node import Node
from minikafka.server.debug_hooks import DebugHooks
from minikafka.server.driver import Driver
from minikafka.server.fault_clock import FaultyClock
from minikafka.server.fault_control import FaultControl
from minikafka.server.fault_links import FaultyOutbound, nodes_by_address
from minikafka.server.fault_socket import FaultSocket


def fault_socket(hooks: DebugHooks, node: Node, driver: Driver) -> FaultSocket:
    """Let faults be injected into a node that does not run yet; return the socket for commands.

    Raises:
        OSError: the socket cannot be created.
    """
    links = FaultyOutbound(driver.step, driver.loop, nodes_by_address(node))
    clock = FaultyClock(driver.clock)
    control = FaultControl(node.config.node_id, install(node), links, clock, driver)
    listening = FaultSocket(hooks.folder, control)
    driver.outbound = links
    driver.clock, driver.delay_s = clock, clock.delay_s
    return listening
