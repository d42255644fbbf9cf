"""The configuration of the topic that holds the commits of consumer groups."""

import time

from minikafka.admin.client import AdminClient, AdminError
from minikafka.admin.configs import Resource, ResourceType, alter_configs
from minikafka.harness.clients import login
from minikafka.messages.find_coordinator import FindCoordinatorRequest

_OFFSETS_TOPIC = "__consumer_offsets"
_OFFSETS_PATIENCE_S = 20.0
_PAUSE_S = 0.2


def promise_commits(bootstrap_servers: str, group: str, min_isr: int) -> str:
    """Make commits need as many replicas as records do; return the error if that failed, or "".

    __consumer_offsets has the broker's min.insync.replicas, which is 1 by default. With 1 a commit
    may be lost with the only replica that had it, and that would violate no rule.
    """
    deadline_s = time.monotonic() + _OFFSETS_PATIENCE_S
    resource = Resource(ResourceType.TOPIC, _OFFSETS_TOPIC)
    wanted = {"min.insync.replicas": str(min_isr)}
    while True:
        try:
            with AdminClient(
                bootstrap_servers,
                client_id="minikafka-verify",
                timeout_s=5,
                security=login.for_tools(),
            ) as client:
                client.ask(FindCoordinatorRequest(coordinator_keys=[group]))
                alter_configs(client, resource, wanted, ())
        except AdminError as error:
            if time.monotonic() >= deadline_s:
                return str(error)
            time.sleep(_PAUSE_S)
        else:
            return ""
