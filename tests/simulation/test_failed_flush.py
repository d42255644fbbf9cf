"""A sync that failed is not trusted when a retry succeeds (C1, C2, E7)."""

import pytest

from minikafka.common.errors import ErrorCode
from minikafka.log.checkpoints import CLEAN_SHUTDOWN
from minikafka.sim.world.disk_errors import SYNCS, OneError
from tests.worlds.sim_world import (
    BY_NAME,
    batch,
    create_topic,
    fetch,
    fetch_request,
    leader_client,
    produce,
    produce_request,
    started_cluster,
    values_of,
)


def cluster_with_a_flush_that_fails(*, log_dirs):
    """The sync of t-0 has failed on n1; its flush has not reported that yet."""
    cluster = started_cluster(
        2, separate_controller=True, log_dirs=log_dirs, given={"min.insync.replicas": "1"}
    )
    create_topic(cluster, "t", replicas=[[1, 2]], config={"flush.messages": "1"})
    assert produce(leader_client(cluster, "t"), "t", b"1").error_code == 0
    cluster.world.run(1_000)
    node = cluster.nodes[1]
    log = node.node.broker.replicas.partitions["t", 0].log
    failed = []
    log.disk.error = OneError("Input/output error", 0, SYNCS, on_error=failed.append)
    node.flush_us = (30_000_000, 30_000_000)
    produce(leader_client(cluster, "t"), "t", b"2", acks=1, timeout_ms=1_000)
    cluster.world.run_until(lambda: failed, 60_000, "the sync fails")
    return cluster, node, log


@pytest.mark.parametrize("log_dirs", [1, 2])
def test_a_stop_before_the_failure_is_reported_is_not_clean(log_dirs):
    cluster, node, log = cluster_with_a_flush_that_fails(log_dirs=log_dirs)
    node.shut_down()
    cluster.world.run_until(lambda: not node.alive, 60_000, "it stops")
    assert not log.disk.exists(CLEAN_SHUTDOWN)
    assert node.exit_code == 1
    node.flush_us = (100, 3_000)
    node.start()
    cluster.world.run_until(cluster.all_started, 60_000, "it serves")
    assert node.node.broker.lifecycle.previous_broker_epoch == -1


@pytest.mark.parametrize("log_dirs", [1, 2])
def test_the_directory_goes_offline_and_another_replica_leads(log_dirs):
    cluster, node, log = cluster_with_a_flush_that_fails(log_dirs=log_dirs)
    reached = log.recovery_point
    is_metadata = log.disk.root == node.config.metadata_log_dir
    cluster.world.run_until(
        lambda: not node.alive or node.has_lost_directory, 60_000, "it gives the directory up"
    )
    assert node.alive is not is_metadata
    assert log.recovery_point == reached
    cluster.world.run(20_000)
    assert values_of(fetch(leader_client(cluster, "t"), "t")) == [b"1", b"2"]


def test_a_waiting_fetch_is_answered_when_the_directory_goes_offline():
    cluster = started_cluster(1, separate_controller=True, log_dirs=2)
    create_topic(cluster, "metadata-first", replicas=[[1]])
    create_topic(cluster, "t", replicas=[[1]])
    client = leader_client(cluster, "t")
    assert produce(client, "t", b"1").error_code == 0
    node = cluster.nodes[1]
    log = node.node.broker.replicas.partitions["t", 0].log
    assert log.disk.root != node.config.metadata_log_dir
    answers = []
    reader = cluster.client("reader")
    waiting = fetch_request("t", 0, min_bytes=10_000, max_wait_ms=30_000)
    reader.send(waiting, answers.append, version=BY_NAME)
    cluster.world.run(100)
    log.disk.error = OneError("No space left on device", 0, ("append",))
    assert produce(client, "t", b"2").error_code == ErrorCode.KAFKA_STORAGE_ERROR
    cluster.world.run_until(lambda: answers, 1_000, "the reader is answered")
    (partition,) = answers[0].responses[0].partitions
    assert partition.error_code == ErrorCode.KAFKA_STORAGE_ERROR


def test_records_that_follow_a_failed_sync_take_no_more_than_its_directory():
    """The next flush is due before the first one has reported its failure."""
    cluster = started_cluster(1, separate_controller=True, log_dirs=2)
    create_topic(cluster, "metadata-first", replicas=[[1]])
    create_topic(cluster, "t", replicas=[[1]], config={"flush.messages": "1"})
    client = leader_client(cluster, "t")
    assert produce(client, "t", b"1").error_code == 0
    node = cluster.nodes[1]
    log = node.node.broker.replicas.partitions["t", 0].log
    assert log.disk.root != node.config.metadata_log_dir
    failed = []
    log.disk.error = OneError("Input/output error", 0, SYNCS, on_error=failed.append)
    node.flush_us = (30_000_000, 30_000_000)
    client.send(produce_request("t", batch(b"2"), acks=1), lambda _: None, version=BY_NAME)
    cluster.world.run_until(lambda: failed, 60_000, "the sync fails")
    cluster.client("other").send(
        produce_request("t", batch(b"3"), acks=1), lambda _: None, version=BY_NAME
    )
    cluster.world.run_until(lambda: node.has_lost_directory, 60_000, "it gives the directory up")
    assert node.alive
    assert fetch(leader_client(cluster, "metadata-first"), "metadata-first").error_code == 0
