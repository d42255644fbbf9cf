"""No step takes long, however large a topic is.

`SimNode` bounds what a step does on its disks, and the work whose cost it counts.
"""

import pytest

from minikafka.messages.delete_topics import DeleteTopicsRequest, DeleteTopicsResponse
from minikafka.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from minikafka.messages.offset_commit import (
    OffsetCommitRequest,
    OffsetCommitRequestPartition,
    OffsetCommitRequestTopic,
    OffsetCommitResponse,
)
from minikafka.sim.world.step_bounds import MAX_DISK_WORK
from tests.worlds.sim_world import create_topic, produce, registration, started_cluster

PARTITIONS = MAX_DISK_WORK + 20


def delete(cluster, name, client=None):
    request = DeleteTopicsRequest(topic_names=[name], timeout_ms=10_000)
    (result,) = (client or cluster.client()).ask(request, DeleteTopicsResponse, version=5).responses
    assert result.error_code == 0


def folders(node, end):
    (disk,) = node.disks.values()
    return [name for name in disk.list("") if name.startswith("t-") and name.endswith(end)]


def with_large_topic():
    cluster = started_cluster(1)
    create_topic(cluster, "t", partitions=PARTITIONS)
    cluster.world.run_until(
        lambda: len(folders(cluster.nodes[1], "")) == PARTITIONS, 60_000, "every replica is made"
    )
    return cluster


def test_a_large_topic_is_deleted_in_many_steps():
    cluster = with_large_topic()
    node = cluster.nodes[1]
    delete(cluster, "t")
    cluster.world.run(5_000)
    assert len(folders(node, "-delete")) == PARTITIONS
    cluster.world.run(70_000)
    assert folders(node, "") == []


def test_folders_of_deleted_partitions_that_a_crash_left_are_removed_in_many_steps():
    cluster = with_large_topic()
    delete(cluster, "t")
    cluster.world.run(5_000)
    cluster.nodes[1].kill()
    cluster.start()
    cluster.world.run(10_000)
    assert folders(cluster.nodes[1], "") == []


@pytest.mark.parametrize("made_again", [False, True])
def test_strays_are_set_aside_in_many_steps(made_again):
    """The topic was deleted while the broker was down; one of that name may be there since."""
    cluster = started_cluster(2, separate_controller=True)
    create_topic(cluster, "t", replicas=[[1]] * PARTITIONS)
    cluster.world.run(5_000)
    node = cluster.nodes[1]
    node.kill()
    cluster.world.run(15_000)
    client = cluster.client(node_id=2)
    delete(cluster, "t", client)
    if made_again:
        create_topic(cluster, "t", replicas=[[2, 1]] * PARTITIONS, client=client)
    node.start()
    cluster.world.run(20_000)
    assert node.started
    assert len(folders(node, "-stray")) == PARTITIONS
    assert len(folders(node, "")) == PARTITIONS * (2 if made_again else 1)


def test_a_topic_that_is_made_again_at_once_has_new_logs():
    cluster = with_large_topic()
    delete(cluster, "t")
    create_topic(cluster, "t", partitions=PARTITIONS)
    cluster.world.run(5_000)
    assert produce(cluster.client(), "t", b"x", partition=PARTITIONS - 1).base_offset == 0
    node = cluster.nodes[1]
    assert len(folders(node, "-delete")) == PARTITIONS
    assert len(folders(node, "")) == 2 * PARTITIONS


def test_a_stop_during_a_deletion_leaves_no_stray():
    cluster = with_large_topic()
    node = cluster.nodes[1]
    delete(cluster, "t")
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "node 1 stops")
    cluster.start()
    cluster.world.run(10_000)
    assert folders(node, "") == []


def test_replicas_that_a_start_misses_are_made_in_many_steps():
    cluster = started_cluster(2, separate_controller=True)
    cluster.nodes[2].kill()
    cluster.world.run(12_000)
    client = cluster.client(node_id=1)
    create_topic(cluster, "t", replicas=[[1, 2]] * PARTITIONS, client=client)
    node = cluster.nodes[2]
    node.start()
    cluster.world.run_until(lambda: node.started, 60_000, "node 2 serves")
    # It is unfenced, and may lead, only with all of them.
    assert len(folders(node, "")) == PARTITIONS
    cluster.world.run_until(
        lambda: all(
            sorted(registration(cluster, "t", index).isr) == [1, 2] for index in range(PARTITIONS)
        ),
        60_000,
        "every ISR is full",
    )


def test_offsets_of_many_partitions_expire_in_many_steps():
    """The periodic removal begins in every partition of `__consumer_offsets` at once."""
    shards, groups, rows = 8, 60, 60
    given = {
        "offsets.topic.num.partitions": str(shards),
        "offsets.retention.minutes": "1",
        "offsets.retention.check.interval.ms": "300000",
    }
    cluster = started_cluster(1, given=given)
    create_topic(cluster, "t", partitions=rows)
    client = cluster.client()
    find = FindCoordinatorRequest("x", 0)
    while client.ask(find, FindCoordinatorResponse, version=3).error_code:
        cluster.world.run(100)
    cluster.world.run(1_000)
    partitions = [OffsetCommitRequestPartition(index, 1) for index in range(rows)]
    topics = [OffsetCommitRequestTopic("t", partitions=partitions)]
    for number in range(groups):
        request = OffsetCommitRequest(f"g{number}", topics=topics)
        client.ask(request, OffsetCommitResponse, version=8)
    coordinator = cluster.nodes[1].node.broker.groups
    assert len(list(coordinator.all_groups())) == groups
    # The removal costs 22 us for each offset: seven budgets of a step for each partition.
    cluster.world.run(310_000)
    assert list(coordinator.all_groups()) == []
