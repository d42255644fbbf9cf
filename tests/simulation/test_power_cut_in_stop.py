"""A controlled shutdown whose power is lost between any two of its disk operations (C1, C2)."""

from functools import partial

import pytest

from minikafka.common.errors import ErrorCode
from tests.worlds.sim_world import (
    create_topic,
    fetch,
    produce,
    registration,
    started_cluster,
    values_of,
)

ENOUGH = 10_000


def cluster_with_a_record(seed):
    cluster = started_cluster(2, seed=seed, separate_controller=True)
    create_topic(cluster, "t", replicas=[[2, 1]])
    assert produce(cluster.client(node_id=2), "t", b"kept").error_code == ErrorCode.NONE
    cluster.world.run(1_000)
    return cluster


def stop_without_power(cluster, node_id, operations):
    node = cluster.nodes[node_id]
    node.lose_power_in_stop(operations)
    cluster.world.run_until(lambda: not node.alive, 20_000, "the power is lost")
    return node


def is_led(cluster):
    now = registration(cluster, "t")
    return cluster.all_started() and now is not None and now.leader != -1


@pytest.mark.parametrize("node_id", [2, 100])
def test_the_node_starts_again_wherever_the_power_was_lost(node_id):
    needed = stop_without_power(cluster_with_a_record(1), node_id, ENOUGH).closing_operations
    assert needed > 5
    for operations in range(needed + 1):
        for seed in (1, 2, 3) if operations > needed - 10 else (1,):
            cluster = cluster_with_a_record(seed)
            stop_without_power(cluster, node_id, operations).start()
            where = f"after {operations} of {needed} operations, seed {seed}"
            cluster.world.run_until(partial(is_led, cluster), 30_000, f"all serve, {where}")
            found = fetch(cluster.client(node_id=registration(cluster, "t").leader), "t")
            assert values_of(found) == [b"kept"], where
