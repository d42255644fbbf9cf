"""AlterReplicaLogDirs on whole nodes: replicas move between the directories of a broker."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.common.faults import StorageFault
from minikafka.common.ids import TopicPartition
from minikafka.messages.alter_replica_log_dirs import (
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    AlterReplicaLogDirTopic,
)
from minikafka.messages.delete_topics import (
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    DeleteTopicState,
)
from minikafka.messages.describe_log_dirs import DescribeLogDirsRequest, DescribeLogDirsResponse
from tests.worlds.sim_world import (
    batch,
    create_topic,
    fetch,
    produce,
    produce_records,
    registration,
    replica,
    started_cluster,
    values_of,
)

T = TopicPartition("t", 0)


def alter(cluster, path, topic="t", node=1, version=2):
    """Ask for a move; return the error of the partition."""
    topics = [AlterReplicaLogDirTopic(topic, [0])]
    request = AlterReplicaLogDirsRequest(dirs=[AlterReplicaLogDir(path, topics)])
    client = cluster.client(node_id=node)
    response = client.ask(request, AlterReplicaLogDirsResponse, version=version)
    (result,) = response.results
    (partition,) = result.partitions
    assert (result.topic_name, partition.partition_index) == (topic, 0)
    return ErrorCode(partition.error_code)


def logs_of(cluster, node=1):
    return cluster.nodes[node].node.broker.logs


def other_directory(cluster, node=1):
    """A directory that does not hold t-0."""
    logs = logs_of(cluster, node)
    return next(each for each in logs.directories if each is not logs.directory_of(T))


def folders(cluster, node=1):
    """The folders and marks of t-0 in all directories, without deleted ones."""
    return sorted(
        f"{number}/{name.split('.')[0]}{name[name.rfind('-'):] if '.' in name else ''}"
        for number, disk in enumerate(cluster.nodes[node].disks.values())
        for name in disk.list("")
        if name.startswith("t-0") and not name.endswith("-delete")
    )  # fmt: skip


def moved(cluster, target, node=1):
    def is_moved():
        logs = logs_of(cluster, node)
        home = logs.directory_of(T)
        return home is not None and home.disk.root == target and logs.futures.get(T) is None

    cluster.world.run_until(is_moved, 20_000, f"t-0 is in {target}")


def with_records(count=30, **options):
    cluster = started_cluster(1, log_dirs=2, **options)
    create_topic(cluster, "t")
    for number in range(count):
        assert produce(cluster.client(), "t", b"%d" % number).error_code == ErrorCode.NONE
    return cluster


def everything(cluster):
    return [int(value) for value in values_of(fetch(cluster.client(), "t"))]


def test_a_replica_moves_with_its_records_and_its_state():
    cluster = with_records()
    source, target = logs_of(cluster).directory_of(T), other_directory(cluster)
    before = replica(cluster, 1, "t").log
    assert alter(cluster, target.disk.root) == ErrorCode.NONE
    moved(cluster, target.disk.root)
    after = replica(cluster, 1, "t").log
    assert after is not before
    assert everything(cluster) == list(range(30))
    assert after.leader_epochs == before.leader_epochs
    assert (after.log_start_offset, after.high_watermark) == (0, 30)
    assert after.recovery_point == 30
    assert T not in source.logs
    assert produce(cluster.client(), "t", b"30").error_code == ErrorCode.NONE
    assert everything(cluster) == list(range(31))
    assert len(folders(cluster)) == 1


def test_the_controller_has_the_new_directory_before_the_swap():
    cluster = with_records()
    source, target = logs_of(cluster).directory_of(T), other_directory(cluster)
    assert alter(cluster, target.disk.root) == ErrorCode.NONE

    def is_assigned():
        return registration(cluster, "t").directory(1) == target.directory_id

    def is_swapped():
        return logs_of(cluster).directory_of(T) is target

    cluster.world.run_until(lambda: is_assigned() or is_swapped(), 20_000, "assigned or swapped")
    assert is_assigned()
    moved(cluster, target.disk.root)
    assert registration(cluster, "t").directory(1) == target.directory_id != source.directory_id


def test_describe_log_dirs_shows_the_future_replica():
    cluster = with_records()
    target = other_directory(cluster)
    assert alter(cluster, target.disk.root) == ErrorCode.NONE
    home = target.disk.root
    response = cluster.client().ask(
        DescribeLogDirsRequest(topics=None), DescribeLogDirsResponse, version=4
    )
    rows = {
        (result.log_dir == home, partition.is_future_key, partition.offset_lag >= 0)
        for result in response.results
        for topic in result.topics
        for partition in topic.partitions
    }
    assert rows == {(True, True, True), (False, False, True)}


def test_requests_that_begin_no_move():
    cluster = with_records()
    here = logs_of(cluster).directory_of(T).disk.root
    there = other_directory(cluster).disk.root
    assert alter(cluster, "/nowhere") == ErrorCode.LOG_DIR_NOT_FOUND
    assert alter(cluster, here, version=1) == ErrorCode.NONE
    assert alter(cluster, there, topic="absent") == ErrorCode.UNKNOWN_TOPIC_OR_PARTITION
    assert alter(cluster, there, topic="n" * 249) == ErrorCode.INVALID_TOPIC_EXCEPTION
    assert logs_of(cluster).futures.get(T) is None


def test_the_directory_of_a_replica_on_another_broker_is_remembered():
    cluster = started_cluster(2, log_dirs=2)
    create_topic(cluster, "t", replicas=[[2]])
    for _ in range(3):
        target = logs_of(cluster).directories[1]
        assert alter(cluster, target.disk.root) == ErrorCode.REPLICA_NOT_AVAILABLE
    assert logs_of(cluster).preferred == {T: target}


def test_an_offline_directory_is_refused():
    cluster = with_records()
    target = other_directory(cluster)
    cluster.nodes[1].node.broker.logs.take_offline(StorageFault(target.disk.root, "broken"))
    assert alter(cluster, target.disk.root) == ErrorCode.KAFKA_STORAGE_ERROR


def test_a_request_for_the_current_directory_ends_a_move():
    cluster = with_records()
    here, there = logs_of(cluster).directory_of(T), other_directory(cluster)
    assert alter(cluster, there.disk.root) == ErrorCode.NONE
    assert alter(cluster, here.disk.root) == ErrorCode.NONE
    assert logs_of(cluster).futures.get(T) is None
    cluster.world.run(5_000)
    assert logs_of(cluster).directory_of(T) is here
    assert registration(cluster, "t").directory(1) == here.directory_id
    assert everything(cluster) == list(range(30))


def test_a_move_continues_after_a_crash():
    cluster = with_records()
    target = other_directory(cluster).disk.root
    assert alter(cluster, target) == ErrorCode.NONE
    assert logs_of(cluster).futures.get(T) is not None
    node = cluster.nodes[1]
    node.kill()
    node.start()
    cluster.world.run_until(lambda: T in node.node.broker.replicas.partitions, 20_000, "online")
    moved(cluster, target)
    assert everything(cluster) == list(range(30))
    assert len(folders(cluster)) == 1


def test_a_deleted_replica_leaves_no_future_log():
    cluster = with_records()
    assert alter(cluster, other_directory(cluster).disk.root) == ErrorCode.NONE
    request = DeleteTopicsRequest(topics=[DeleteTopicState(name="t")], timeout_ms=5_000)
    cluster.client().ask(request, DeleteTopicsResponse)
    cluster.world.run_until(lambda: folders(cluster) == [], 20_000, "no folder is left")
    assert logs_of(cluster).futures.get(T) is None


def test_records_that_are_appended_during_the_move_are_in_the_new_log():
    cluster = with_records()
    target = other_directory(cluster)
    assert alter(cluster, target.disk.root) == ErrorCode.NONE
    client = cluster.client()
    count = 30
    while logs_of(cluster).directory_of(T) is not target:
        produce_records(client, "t", batch(b"%d" % count))
        count += 1
    assert count > 30
    assert everything(cluster) == list(range(count))


@pytest.mark.parametrize("is_removed", [False, True])
def test_a_flush_of_the_former_log_that_ends_after_the_swap_is_no_fault(is_removed):
    """KAFKA-19571: the folder has another name by then, or is gone."""
    delay_ms = "0" if is_removed else "60000"
    cluster = with_records(given={"log.segment.delete.delay.ms": delay_ms})
    source, target = logs_of(cluster).directory_of(T), other_directory(cluster)
    former = replica(cluster, 1, "t").log
    assert alter(cluster, target.disk.root) == ErrorCode.NONE
    cluster.world.run_until(
        lambda: registration(cluster, "t").directory(1) == target.directory_id,
        20_000,
        "the controller has the new directory",
    )
    cluster.nodes[1].flush_us = (30_000_000, 30_000_000)
    former.roll(cluster.nodes[1].node.env.clock.now)
    cluster.nodes[1].node.broker.replicas._flusher.flush_all()
    moved(cluster, target.disk.root)
    assert former.is_flushing
    cluster.world.run(10_000)
    assert any("-delete" in name for name in source.disk.list("")) is not is_removed
    cluster.world.run_until(lambda: not former.is_flushing, 60_000, "the flush has ended")
    assert source.is_online
    assert target.is_online
    assert everything(cluster) == list(range(30))
