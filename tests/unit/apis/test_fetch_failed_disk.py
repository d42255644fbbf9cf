"""Fetches that wait while a log directory fails: only its partitions have the error."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.messages.fetch import FetchPartition, FetchResponse
from minikafka.sim.world.disk_errors import IO_ERROR
from tests.worlds.sim_world import (
    BY_NAME,
    create_topic,
    fetch,
    fetch_request,
    produce,
    replica,
    started_cluster,
    values_of,
)


def test_a_long_poll_has_the_error_of_the_failed_directory_alone():
    cluster = started_cluster(1, log_dirs=2, separate_controller=True)
    create_topic(cluster, "t", partitions=2)
    for index in (0, 0, 0, 0, 1, 1, 1, 1):
        produce(cluster.client(), "t", b"first", partition=index)
    # A new process does not know the positions of batches.
    cluster.nodes[1].kill()
    cluster.nodes[1].start()
    cluster.world.run_until(cluster.all_started, 30_000)
    first, _ = cluster.nodes[1].disks
    failed, sound = sorted((0, 1), key=lambda x: replica(cluster, 1, "t", x).log.disk.root == first)
    request = fetch_request("t", 2, failed, max_wait_ms=5_000, min_bytes=1 << 20)
    request.topics[0].partitions.append(
        FetchPartition(partition=sound, fetch_offset=3, partition_max_bytes=1 << 20)
    )
    answers = []
    cluster.client("reader").send(request, answers.append, version=BY_NAME)
    cluster.world.run(200)
    assert answers == []
    replica(cluster, 1, "t", failed).log.disk.broken = IO_ERROR
    produce(cluster.client(), "t", b"second", partition=sound)
    cluster.world.run(1_000)
    (answer,) = answers
    assert isinstance(answer, FetchResponse)
    assert answer.error_code == ErrorCode.NONE
    found = {each.partition_index: each for each in answer.responses[0].partitions}
    assert found[failed].error_code == ErrorCode.KAFKA_STORAGE_ERROR
    assert found[sound].error_code == ErrorCode.NONE
    assert values_of(found[sound]) == [b"first", b"second"]


@pytest.mark.parametrize("version", [4, 5, 6, 12])
def test_older_clients_ask_for_the_leader_where_a_directory_has_failed(version):
    """As Kafka: they do not know KAFKA_STORAGE_ERROR, and would not ask again."""
    cluster = started_cluster(1, log_dirs=2, separate_controller=True)
    create_topic(cluster, "t", partitions=2)
    metadata_dir, _ = cluster.nodes[1].disks
    disks = [replica(cluster, 1, "t", index).log.disk for index in (0, 1)]
    (failed,) = [index for index in (0, 1) if disks[index].root != metadata_dir]
    disks[failed].broken = IO_ERROR
    refused = produce(cluster.client(), "t", b"a value", partition=failed)
    assert refused.error_code == ErrorCode.KAFKA_STORAGE_ERROR
    code = ErrorCode.KAFKA_STORAGE_ERROR if version > 5 else ErrorCode.NOT_LEADER_OR_FOLLOWER
    answer = fetch(cluster.client(), "t", version=version, partition=failed)
    assert answer.error_code == code
