"""The client libraries that producers write with."""

from minikafka.harness.clients.aio_client import AioClient
from minikafka.harness.clients.confluent_client import ConfluentClient
from minikafka.harness.clients.outbox import Outbox
from minikafka.harness.clients.producer_client import ProducerClient
from minikafka.harness.clients.python_client import PythonClient


def make_client(outbox: Outbox) -> ProducerClient:
    """Create the client that the task names.

    Raises:
        ClientGaveUpError: if it cannot start.
    """
    match outbox.task.client:
        case "aiokafka":
            return AioClient(outbox)
        case "kafka-python":
            return PythonClient(outbox)
        case _:
            return ConfluentClient(outbox)
