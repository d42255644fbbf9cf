"""The admin client over a simulated cluster: tools that need whole nodes, in virtual time."""

from minikafka.admin.client import AdminClient, AdminError
from minikafka.messages.api_keys import APIS
from minikafka.messages.metadata import MetadataRequest
from minikafka.sim.world.sim_client import NoResponseError, SimClient
from minikafka.sim.world.sim_cluster import BROKER_PORT, CONTROLLER_PORT, host


class SimAdmin(AdminClient):
    """Takes the place of the client's connections; asks `node_id` where any node will do."""

    def __init__(self, cluster, node_id=1, port=BROKER_PORT):
        super().__init__(f"{host(node_id)}:{port}", client_id="test", timeout_s=5.0)
        self.cluster = cluster
        self.address = (host(node_id), port)

    @classmethod
    def at(cls, cluster, text):
        """A client for host:port of the simulated network."""
        name, _, port = text.partition(":")
        return cls(cluster, int(name.removeprefix("n")), int(port))

    @classmethod
    def of_controller(cls, cluster):
        """A client that asks the controller."""
        return cls(cluster, cluster.controller_id, CONTROLLER_PORT)

    def ask(self, request):
        return self._ask(self.address, request)

    def ask_broker(self, broker_id, request):
        address = {it.node_id: (it.host, it.port) for it in self.ask(MetadataRequest([])).brokers}
        if broker_id not in address:
            raise AdminError(f"broker {broker_id} is not alive")
        return self._ask(address[broker_id], request)

    def _ask(self, address, request):
        client = SimClient(self.cluster.world, self.cluster.network, "admin", address)
        kind = _response_class(request)
        try:
            return client.ask(request, kind, within_ms=5_000)
        except NoResponseError as error:
            raise AdminError(f"no answer from {address[0]}: {error}") from None
        finally:
            client.close()


def _response_class(request):
    from importlib import import_module

    module = import_module(f"minikafka.messages.{APIS[request.API_KEY].module}")
    return getattr(module, type(request).__name__.replace("Request", "Response"))
