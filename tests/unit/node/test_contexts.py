"""Contexts of requests."""

from random import Random

import pytest

from minikafka.common.environment import Environment
from minikafka.common.principal import KafkaPrincipal
from minikafka.node.contexts import Contexts
from minikafka.node.dispatcher import ConnectionState
from minikafka.rpc.envelope import RequestHeader
from minikafka.serving.context import BrokerContext, ControllerContext
from minikafka.serving.registry import BROKER, CONTROLLER


@pytest.mark.parametrize(
    ("role", "kind", "services"),
    [(BROKER, BrokerContext, "broker"), (CONTROLLER, ControllerContext, "services")],
)
def test_the_role_of_the_listener_decides_what_a_handler_may_use(role, kind, services):
    broker, controller = object(), object()
    contexts = Contexts(Environment(Random(1)), broker, controller)
    connection = ConnectionState(4, "PLAINTEXT", role, "10.0.0.1", 1, KafkaPrincipal("User", "a"))
    context = contexts.make(connection, RequestHeader(3, 12, 7, "client"), memoryview(b"frame"))
    assert type(context) is kind
    assert (context.api_key, context.version, context.correlation_id) == (3, 12, 7)
    assert (context.client_id, context.listener) == ("client", "PLAINTEXT")
    assert context.peer_host == "10.0.0.1"
    assert str(context.principal) == "User:a"
    assert getattr(context, services) is (broker if role == BROKER else controller)
