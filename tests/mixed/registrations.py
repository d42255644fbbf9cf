"""A registration of a broker that never serves: its former incarnation ended uncleanly."""

from random import SystemRandom

from minikafka.admin.client import AdminError, BrokerConnection
from minikafka.common.errors import ErrorCode
from minikafka.common.ids import Uuid
from minikafka.messages.broker_registration import BrokerRegistrationRequest, Feature, Listener
from minikafka.metadata.features import SUPPORTED_FEATURES
from tests.mixed.nodes import HOST

_TIMEOUT_S = 10
_AGAIN = (ErrorCode.DUPLICATE_BROKER_REGISTRATION, ErrorCode.NOT_CONTROLLER)


def register_uncleanly(nodes, broker):
    """Register a stopped broker without a previous epoch; it stays fenced, as it sends no heartbeat.

    The controller takes the broker out of ISR and ELR (E7).
    """
    node = nodes.nodes[broker]
    meta = (node.data / "meta.properties").read_text().splitlines()
    directory = next(
        line.removeprefix("directory.id=") for line in meta if line.startswith("directory.id=")
    )
    request = BrokerRegistrationRequest(
        broker_id=broker,
        cluster_id=nodes.cluster_id,
        incarnation_id=Uuid.draw(SystemRandom()),
        listeners=[Listener("BROKER", HOST, node.port, 0)],
        features=[Feature(name, it.minimum, it.maximum) for name, it in SUPPORTED_FEATURES.items()],
        rack=None,
        log_dirs=[Uuid.parse(directory)],
        previous_broker_epoch=-1,
    )
    nodes.await_true(lambda: _is_registered(nodes, request), f"{nodes.name(broker)} is registered")


def _is_registered(nodes, request):
    active = nodes.nodes[nodes.await_active()]
    try:
        connection = BrokerConnection(HOST, active.controller_port, "mixed", _TIMEOUT_S)
        try:
            response = connection.ask(request)
        finally:
            connection.close()
    except OSError:
        return False
    if response.error_code and response.error_code not in _AGAIN:
        raise AdminError(f"BrokerRegistration: {ErrorCode(response.error_code).name}")
    return not response.error_code
