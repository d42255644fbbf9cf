"""The contexts of requests, by the role of the listener that they came to."""

from dataclasses import dataclass

from minikafka.common.environment import Environment
from minikafka.node.dispatcher import ConnectionState
from minikafka.rpc.envelope import RequestHeader
from minikafka.serving.context import (
    BrokerContext,
    BrokerServices,
    ControllerContext,
    ControllerServices,
)
from minikafka.serving.registry import BROKER


@dataclass(slots=True, eq=False, repr=False)
class Contexts:
    """Makes contexts; a role that the node does not have has no listener."""

    env: Environment
    broker: BrokerServices | None
    controller: ControllerServices | None

    def make(
        self, connection: ConnectionState, header: RequestHeader, frame: memoryview
    ) -> BrokerContext | ControllerContext:
        """Return the context of a request."""
        if connection.role == BROKER:
            assert self.broker is not None
            return BrokerContext(
                self.env,
                *header,
                connection.listener,
                connection.peer_host,
                connection.principal,
                self.broker,
                frame,
            )
        assert self.controller is not None
        return ControllerContext(
            self.env,
            *header,
            connection.listener,
            connection.peer_host,
            connection.principal,
            self.controller,
            connection.number,
        )
