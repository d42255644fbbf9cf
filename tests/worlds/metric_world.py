"""Short words for tests of metrics: a node's values by name and labels."""

from minikafka.node.metrics import node_samples


def all_values(cluster, node_id):
    """(name, labels) -> value, of a running node of a simulated cluster."""
    found = {}
    for sample in node_samples(cluster.nodes[node_id].node):
        key = (sample.metric.name, sample.labels)
        assert key not in found, f"{key} twice"
        found[key] = sample.value
    return found


def value(cluster, node_id, metric, *labels):
    """One value; labels are given as they are shown."""
    return all_values(cluster, node_id)[metric.name, labels]
