"""Print a cluster's id and nodes, and unregister brokers (Kafka: `ClusterTool`)."""

from minikafka.admin.client import AdminClient
from minikafka.admin.cluster import describe_cluster, unregister_broker


def print_cluster_id(client: AdminClient) -> None:
    """Print the cluster's id.

    Raises:
        AdminError: the cluster does not answer.
    """
    print(f"Cluster ID: {describe_cluster(client).cluster_id}")


def unregister(client: AdminClient, broker_id: int) -> None:
    """Remove the registration of a broker, and say so.

    Raises:
        AdminError: the cluster refuses, or does not answer.
    """
    unregister_broker(client, broker_id)
    print(f"Broker {broker_id} is no longer registered.")


def print_endpoints(client: AdminClient, *, of_controllers: bool, include_fenced: bool) -> None:
    """Print a line for each broker, or for each controller.

    Raises:
        AdminError: the cluster does not answer.
    """
    nodes = describe_cluster(client, include_fenced=include_fenced).nodes
    states = [] if of_controllers else ["STATE"]
    rows = [("ID", "HOST", "PORT", "RACK", *states, "ENDPOINT_TYPE")]
    for node in nodes:
        state = [] if of_controllers else ["fenced" if node.is_fenced else "unfenced"]
        kind = "controller" if of_controllers else "broker"
        # As Kafka, which prints Java's null.
        rack = "null" if node.rack is None else node.rack
        rows.append((str(node.node_id), node.host, str(node.port), rack, *state, kind))
    host_width = max((len(node.host) for node in nodes), default=len("HOST"))
    widths = (10, host_width, 10, 10, *(10 for _ in states), 15)
    for row in rows:
        print(" ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)))
