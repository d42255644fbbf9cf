"""A warning of commands that set `cleanup.policy=compact`, which minikafka does not carry out."""

import sys
from collections.abc import Mapping

from minikafka.admin.client import AdminClient
from minikafka.admin.configs import Resource, ResourceType, broker_ids, describe_configs

_OWN_KEY = "stopped.node.detection.enable"
"""A broker key that no other implementation has: the commands work with Apache Kafka, too."""


def warn_of_compaction(client: AdminClient, configs: Mapping[str, str]) -> None:
    """Print a warning if a topic gets a cleanup policy that has no effect in this cluster.

    Raises:
        AdminError: the cluster does not answer.
    """
    if "compact" not in configs.get("cleanup.policy", ""):
        return
    broker = Resource(ResourceType.BROKER, str(broker_ids(client)[0]))
    if any(entry.name == _OWN_KEY for entry in describe_configs(client, [broker])[broker]):
        print(
            "WARNING: cleanup.policy=compact: log compaction is not available, so all records of "
            "a key stay, and are read",
            file=sys.stderr,
        )
