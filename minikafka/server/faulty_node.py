"""Puts the parts that inject faults into a node, in place of the usual ones.

What changes answers is imported for the first command, so that the socket costs a start nothing.
"""

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from minikafka.node.node import Node
from minikafka.server.debug_hooks import AT_START, DebugHooks
from minikafka.server.driver import Driver
from minikafka.server.fault_clock import FaultyClock
from minikafka.server.fault_links import FaultyOutbound, nodes_by_address
from minikafka.server.fault_socket import FaultSocket

if TYPE_CHECKING:
    from minikafka.server.fault_control import FaultControl

_log = logging.getLogger("minikafka.server")


def fault_socket(hooks: DebugHooks, node: Node, driver: Driver) -> FaultSocket:
    """Let faults be injected into a node that does not run yet; return the socket for commands.

    Raises:
        OSError: the socket cannot be created.
    """
    control = LateControl(node, driver)
    listening = FaultSocket(hooks.folder, control)
    control.install()
    at_start = hooks.folder / AT_START
    if at_start.exists():
        # After the node's first step, and before it sends or receives anything.
        driver.loop.call_soon(control.carry_out, at_start)
    return listening


class LateControl:
    """The `FaultControl` of a node, which is made for the first command."""

    def __init__(self, node: Node, driver: Driver) -> None:
        """Change nothing; `install` does."""
        self._node = node
        self._driver = driver
        self._links = FaultyOutbound(driver.step, driver.loop, nodes_by_address(node))
        self._clock = FaultyClock(driver.clock)
        self._control: FaultControl | None = None

    def install(self) -> None:
        """Replace the connections and the clock of the node."""
        self._links.logins = self._driver.outbound.logins
        self._driver.outbound = self._links
        self._driver.clock, self._driver.delay_s = self._clock, self._clock.delay_s

    def answer(self, line: bytes) -> bytes:
        """Carry out the command in a line; return the line of the answer."""
        if self._control is None:
            from minikafka.faults.dispatcher import install  # noqa: PLC0415
            from minikafka.server.fault_control import FaultControl  # noqa: PLC0415

            self._control = FaultControl(
                self._node.config.node_id,
                install(self._node),
                self._links,
                self._clock,
                self._driver,
            )
        return self._control.answer(line)

    def carry_out(self, file: Path) -> None:
        """Carry out the commands in a file, an object: {"set": […], "links": {…}}."""
        try:
            commands = dict(json.loads(file.read_bytes()))
        except (OSError, ValueError, TypeError) as error:
            _log.error("%s: no commands: %s", file, error)
            return
        for name, argument in commands.items():
            answer = json.loads(self.answer(json.dumps({name: argument}).encode()))
            if "error" in answer:
                _log.error("%s: %s", file, answer["error"])
