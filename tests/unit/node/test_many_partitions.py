"""5,000 partitions made by one request: no step of a node makes or removes more than a few logs."""

from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.replica.removed_logs import MAX_FOLDERS_PER_STEP
from minikafka.replica.replica_manager import MADE_PER_STEP
from tests.worlds.sim_world import create_topic, started_cluster

PARTITIONS = 5_000


def test_the_logs_of_a_large_topic_are_made_and_removed_a_few_a_step():
    """`SimNode` also checks the disk work of each step."""
    cluster = started_cluster(3)
    changed: dict[str, int] = {}
    most: dict[str, int] = {}

    def stepped(node):
        for root, disk in node.disks.items():
            before, changed[root] = changed.get(root, disk.folders_changed), disk.folders_changed
            most[root] = max(most.get(root, 0), changed[root] - before)

    cluster.on_step = stepped
    create_topic(cluster, "large", PARTITIONS)
    replicas = [node.node.broker.replicas for node in cluster.nodes.values()]
    cluster.world.run_until(
        lambda: all(len(each.partitions) == PARTITIONS for each in replicas), 600_000
    )
    assert list(most.values()) == [MADE_PER_STEP] * 3
    led = [sum(1 for _ in each.led()) for each in replicas]
    assert sum(led) == PARTITIONS
    assert max(led) - min(led) <= 1
    most.clear()
    client = cluster.client()
    client.ask(
        DeleteTopicsRequest(topic_names=["large"], timeout_ms=60_000),
        DeleteTopicsResponse,
        version=5,
    )
    cluster.world.run_until(
        lambda: (
            not any(
                name.startswith("large-")
                for node in cluster.nodes.values()
                for disk in node.disks.values()
                for name in disk.list("")
            )
        ),
        600_000,
    )
    assert list(most.values()) == [MAX_FOLDERS_PER_STEP] * 3
