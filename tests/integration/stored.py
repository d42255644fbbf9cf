"""The log of a partition on a node's disk."""

from minikafka.records.compression import Codec
from minikafka.records.scan import split_batches


def segments(cluster, node, folder):
    """The segment files of a replica, oldest first."""
    return sorted((cluster.log_dir(node) / folder).glob("*.log"))


def codecs(cluster, topic, partitions=1):
    """The names of the codecs of all batches of a topic, on all of its replicas."""
    found = {
        Codec(header.codec).name.lower()
        for node in range(1, cluster.nodes + 1)
        for partition in range(partitions)
        for path in segments(cluster, node, f"{topic}-{partition}")
        for _, header in split_batches(path.read_bytes())
    }
    assert found, f"{topic} has no batch"
    return found
